# @jaxtyping.jaxtyped(typechecker=beartype.beartype) above a function checks its calls
from jaxtyping import Bool, Float32
from torch import Tensor


def call(
    hidden_states: Float32[Tensor, "batch lambda_ 64"],
    attention_mask: Bool[Tensor, "batch 1 lambda_ lambda__plus_s1"],
    past_key_values: Float32[Tensor, "2 batch s1 4 16"],
    never_used: Float32[Tensor, "batch 0"],
) -> Float32[Tensor, "2 batch lambda_+s1 4 16"]: ...
