# @jaxtyping.jaxtyped(typechecker=beartype.beartype) above a function checks its calls
from jaxtyping import Float32
from torch import Tensor


def call(
    x: Float32[Tensor, "batch 3 48 s0"],
) -> Float32[Tensor, "batch ((s0+3)//8) 6625"]: ...
