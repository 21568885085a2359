# @jaxtyping.jaxtyped(typechecker=beartype.beartype) above a function checks its calls
from jaxtyping import Float32, Int64
from torch import Tensor


def call_0(
    input_ids: Int64[Tensor, "batch s0"],
    cache_layers_0__keys: Float32[Tensor, "batch 4 s1 8"],
    cache_layers_0__values: Float32[Tensor, "batch 4 s1 8"],
    cache_layers_1__keys: Float32[Tensor, "batch 4 s1 8"],
    cache_layers_1__values: Float32[Tensor, "batch 4 s1 8"],
    attention_mask: Int64[Tensor, "batch s0+s1"],
) -> tuple[
    Float32[Tensor, "batch s0 100"],
    Float32[Tensor, "batch 4 s0+s1 8"],
    Float32[Tensor, "batch 4 s0+s1 8"],
    Float32[Tensor, "batch 4 s0+s1 8"],
    Float32[Tensor, "batch 4 s0+s1 8"],
]: ...


def call_1(
    input_ids: Int64[Tensor, "batch s0"],
    attention_mask: Int64[Tensor, "batch s0"],
) -> tuple[
    Float32[Tensor, "batch s0 100"],
    Float32[Tensor, "batch 4 s0 8"],
    Float32[Tensor, "batch 4 s0 8"],
    Float32[Tensor, "batch 4 s0 8"],
    Float32[Tensor, "batch 4 s0 8"],
]: ...
