# torch.compile(model, shapes_spec=shapes_spec, fullgraph=True)   torch 2.13, private and may change
from torch.fx.experimental.dynamic_spec import DictSpec, ObjectSpec, SeqSpec, ShapesSpec, ShapeVar, TensorSpec

batch = ShapeVar("batch", min=1, max=4, optimization_hint=1)
lambda_ = ShapeVar("lambda_", min=1, max=11, optimization_hint=11)
s1 = ShapeVar("s1", min=0, max=13, optimization_hint=0)
attention_mask_3 = ShapeVar("attention_mask_3", min=1, max=24, optimization_hint=11)
shapes_spec = ShapesSpec(
    {
        "hidden_states": TensorSpec([batch, lambda_, 64]),
        "attention_mask": TensorSpec([batch, 1, lambda_, attention_mask_3]),
        "past_key_values": TensorSpec([2, batch, s1, 4, 16]),
        "never_used": TensorSpec([batch, 0]),
    },
    assumptions=[
        attention_mask_3 == lambda_+s1,
    ],
)
