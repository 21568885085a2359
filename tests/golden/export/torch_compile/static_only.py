# torch.compile(model, shapes_spec=shapes_spec, fullgraph=True)   torch 2.13, private and may change
from torch.fx.experimental.dynamic_spec import DictSpec, ObjectSpec, SeqSpec, ShapesSpec, ShapeVar, TensorSpec

shapes_spec = ShapesSpec(
    {
        "image": TensorSpec([1, 3, 8, 8]),
    },
    assumptions=[
    ],
)
