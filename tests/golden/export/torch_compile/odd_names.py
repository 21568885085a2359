# torch.compile(model, shapes_spec=shapes_spec, fullgraph=True)   torch 2.13, private and may change
from torch.fx.experimental.dynamic_spec import DictSpec, ObjectSpec, SeqSpec, ShapesSpec, ShapeVar, TensorSpec

batch = ShapeVar("batch", min=1, max=4, optimization_hint=2)
max = ShapeVar("max", min=5, max=21, optimization_hint=8)
class_ = ShapeVar("class_", min=3, max=11, optimization_hint=3)
shapes_spec = ShapesSpec(
    {
        "input:0": TensorSpec([batch, max]),
        "a b": TensorSpec([batch, class_]),
        "say \"hi\" 'there'": TensorSpec([max]),
        "größe,x": TensorSpec([batch, 2]),
        "class": TensorSpec([class_]),
        "x/y:1": TensorSpec([batch]),
    },
    assumptions=[
    ],
)
