# jax.export.export(jax.jit(f))(*args, **kwargs)
import jax
import jax.numpy as jnp
from jax import export

jax.config.update("jax_enable_x64", True)  # 64-bit inputs
scope = export.SymbolicScope((
    "batch >= 1",
    "batch <= 8",
    "seq >= 1",
    "seq <= 512",
    "past_plus_1 >= 1",
    "past_plus_1 <= 512",
    "h >= 8",
    "h <= 64",
    "w >= 8",
    "w <= 64",
))


def _shape(spec):
    return export.symbolic_shape(spec, scope=scope)


args = ()
kwargs = {
    "input_ids": jax.ShapeDtypeStruct(_shape("batch, seq"), jnp.int64),
    "attention_mask": jax.ShapeDtypeStruct(_shape("batch, past_plus_1+seq-1"), jnp.int64),
    "pixel": jax.ShapeDtypeStruct(_shape("batch, 3, 8*h, 8*w"), jnp.float32),
}
