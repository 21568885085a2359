# torch.compile(model, shapes_spec=shapes_spec, fullgraph=True)   torch 2.13, private and may change
from torch.fx.experimental.dynamic_spec import DictSpec, ObjectSpec, SeqSpec, ShapesSpec, ShapeVar, TensorSpec

batch = ShapeVar("batch", min=1, max=6, optimization_hint=6)
s0 = ShapeVar("s0", min=320, max=1603, optimization_hint=320)
shapes_spec = ShapesSpec(
    {
        "x": TensorSpec([batch, 3, 48, s0]),
    },
    assumptions=[
    ],
)
