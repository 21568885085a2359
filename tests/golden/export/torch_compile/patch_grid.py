# torch.compile(model, shapes_spec=shapes_spec, fullgraph=True)   torch 2.13, private and may change
from torch.fx.experimental.dynamic_spec import DictSpec, ObjectSpec, SeqSpec, ShapesSpec, ShapeVar, TensorSpec

batch = ShapeVar("batch", min=1, max=5, optimization_hint=1)
s0 = ShapeVar("s0", min=96, max=448, optimization_hint=224)
s1 = ShapeVar("s1", min=112, max=512, optimization_hint=224)
shapes_spec = ShapesSpec(
    {
        "pixel_values": TensorSpec([batch, 3, s0, s1]),
    },
    assumptions=[
    ],
)
