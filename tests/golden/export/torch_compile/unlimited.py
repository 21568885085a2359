# torch.compile(model, shapes_spec=shapes_spec, fullgraph=True)   torch 2.13, private and may change
from torch.fx.experimental.dynamic_spec import DictSpec, ObjectSpec, SeqSpec, ShapesSpec, ShapeVar, TensorSpec

n = ShapeVar("n", min=0, optimization_hint=2)
seq = ShapeVar("seq", min=2, optimization_hint=2)
window_1 = ShapeVar("window_1", min=1, optimization_hint=1)
pair_0 = ShapeVar("pair_0", min=3, optimization_hint=66)
shapes_spec = ShapesSpec(
    {
        "ids": TensorSpec([n, seq]),
        "window": TensorSpec([n, window_1]),
        "pair": TensorSpec([pair_0, 2]),
    },
    assumptions=[
        seq % 4 == 2,
        window_1 == ((seq)//2),
        pair_0-seq >= 1,
        pair_0-seq <= 64,
    ],
)
