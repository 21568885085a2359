# @jaxtyping.jaxtyped(typechecker=beartype.beartype) above a function checks its calls
from jaxtyping import Float32, Int64, Shaped
from torch import Tensor


def call(
    ids: Int64[Tensor, "n seq"],
    window: Shaped[Tensor, "n ((seq)//2)"],
    pair: Float32[Tensor, "m_plus_seq 2"],
) -> Float32[Tensor, "n m"]: ...
