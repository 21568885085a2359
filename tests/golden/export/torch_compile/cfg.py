# torch.compile(model, shapes_spec=shapes_spec, fullgraph=True)   torch 2.13, private and may change
from torch.fx.experimental.dynamic_spec import DictSpec, ObjectSpec, SeqSpec, ShapesSpec, ShapeVar, TensorSpec

s0 = ShapeVar("s0", min=40, max=112, optimization_hint=64)
s1 = ShapeVar("s1", min=16, max=104, optimization_hint=64)
sample_0 = ShapeVar("sample_0", min=2, max=10, optimization_hint=2)
shapes_spec = ShapesSpec(
    {
        "sample": TensorSpec([sample_0, 4, s0, s1]),
        "timestep": TensorSpec([sample_0]),
        "encoder_hidden_states": TensorSpec([sample_0, 77, 768]),
    },
    assumptions=[
        sample_0 % 2 == 0,
    ],
)
