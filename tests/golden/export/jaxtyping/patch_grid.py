# @jaxtyping.jaxtyped(typechecker=beartype.beartype) above a function checks its calls
from jaxtyping import Float32
from torch import Tensor


def call(
    pixel_values: Float32[Tensor, "batch 3 s0 s1"],
) -> tuple[
    Float32[Tensor, "batch ((s0)//16)*((s1)//16)+1 384"],
    Float32[Tensor, "batch 384"],
]: ...
