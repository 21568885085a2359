# @jaxtyping.jaxtyped(typechecker=beartype.beartype) above a function checks its calls
from jaxtyping import Float32, Int64
from torch import Tensor


def call(
    input_ids: Int64[Tensor, "batch seq"],
    attention_mask: Int64[Tensor, "batch past_plus_seq"],
    pixel: Float32[Tensor, "batch 3 n8_x_h n8_x_w"],
) -> Float32[Tensor, "batch seq 32000"]: ...
