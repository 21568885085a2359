# @jaxtyping.jaxtyped(typechecker=beartype.beartype) above a function checks its calls
from jaxtyping import Float32, Int64
from torch import Tensor


def call(
    input: Float32[Tensor, "batch s0"],
    state: Float32[Tensor, "2 batch 128"],
    sr: Int64[Tensor, ""],
) -> tuple[
    Float32[Tensor, "batch 1"],
    Float32[Tensor, "2 batch 128"],
]: ...
