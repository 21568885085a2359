# @jaxtyping.jaxtyped(typechecker=beartype.beartype) above a function checks its calls
from jaxtyping import Int64, UInt8
from torch import Tensor


def call(
    image: UInt8[Tensor, "1 3 8 8"],
) -> Int64[Tensor, "1"]: ...
