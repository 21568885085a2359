# torch.compile(model, shapes_spec=shapes_spec, fullgraph=True)   torch 2.13, private and may change
from torch.fx.experimental.dynamic_spec import DictSpec, ObjectSpec, SeqSpec, ShapesSpec, ShapeVar, TensorSpec

batch = ShapeVar("batch", min=1, max=8, optimization_hint=4)
seq = ShapeVar("seq", min=1, max=512, optimization_hint=128)
attention_mask_1 = ShapeVar("attention_mask_1", min=1, max=1023, optimization_hint=256)
pixel_2 = ShapeVar("pixel_2", min=64, max=512, optimization_hint=224)
pixel_3 = ShapeVar("pixel_3", min=64, max=512, optimization_hint=224)
shapes_spec = ShapesSpec(
    {
        "input_ids": TensorSpec([batch, seq]),
        "attention_mask": TensorSpec([batch, attention_mask_1]),
        "pixel": TensorSpec([batch, 3, pixel_2, pixel_3]),
    },
    assumptions=[
        attention_mask_1-seq >= 0,
        attention_mask_1-seq <= 511,
        pixel_2 % 8 == 0,
        pixel_3 % 8 == 0,
    ],
)
