# @jaxtyping.jaxtyped(typechecker=beartype.beartype) above a function checks its calls
from jaxtyping import Float16, Float32
from torch import Tensor


def call(
    sample: Float16[Tensor, "n2_x_batch 4 s0 s1"],
    timestep: Float32[Tensor, "n2_x_batch"],
    encoder_hidden_states: Float16[Tensor, "n2_x_batch 77 768"],
) -> Float16[Tensor, "_ 4 s0 s1"]: ...
