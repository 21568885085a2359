# @jaxtyping.jaxtyped(typechecker=beartype.beartype) above a function checks its calls
from jaxtyping import Bool, Float32, Float64, Int32
from torch import Tensor


def call(
    input_0: Float32[Tensor, "batch max"],
    a_b: Int32[Tensor, "batch class_"],
    say__hi___there_: Float32[Tensor, "max"],
    gr____e_x: Float32[Tensor, "batch 2"],
    class_: Bool[Tensor, "class_"],
    x_y_1: Float64[Tensor, "batch"],
) -> Float32[Tensor, "batch max"]: ...
