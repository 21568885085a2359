# jax.export.export(jax.jit(f))(*args, **kwargs)
import jax
import jax.numpy as jnp
from jax import export

jax.config.update("jax_enable_x64", True)  # 64-bit inputs
scope = export.SymbolicScope((
    "batch >= 1",
    "batch <= 16",
    "s0 >= 288",
    "s0 <= 576",
))


def _shape(spec):
    return export.symbolic_shape(spec, scope=scope)


args = ()
kwargs = {
    "input": jax.ShapeDtypeStruct(_shape("batch, s0"), jnp.float32),
    "state": jax.ShapeDtypeStruct(_shape("2, batch, 128"), jnp.float32),
    "sr": jax.ShapeDtypeStruct((), jnp.int64),
}
