# torch.compile(model, shapes_spec=shapes_spec, fullgraph=True)   torch 2.13, private and may change
from torch.fx.experimental.dynamic_spec import DictSpec, ObjectSpec, SeqSpec, ShapesSpec, ShapeVar, TensorSpec

batch = ShapeVar("batch", min=1, max=16, optimization_hint=1)
s0 = ShapeVar("s0", min=288, max=576, optimization_hint=576)
shapes_spec = ShapesSpec(
    {
        "input": TensorSpec([batch, s0]),
        "state": TensorSpec([2, batch, 128]),
        "sr": TensorSpec([]),
    },
    assumptions=[
    ],
)
