# jax.export.export(jax.jit(f))(*args, **kwargs)
import jax
import jax.numpy as jnp
from jax import export

jax.config.update("jax_enable_x64", True)  # 64-bit inputs
scope = export.SymbolicScope((
    "n_plus_1 >= 1",
    "seq_4_plus_1 >= 1",
    "m >= 1",
    "m <= 64",
))


def _shape(spec):
    return export.symbolic_shape(spec, scope=scope)


args = ()
kwargs = {
    "ids": jax.ShapeDtypeStruct(_shape("n_plus_1-1, 4*seq_4_plus_1-2"), jnp.int64),
    "window": jax.ShapeDtypeStruct(_shape("n_plus_1-1, 2*seq_4_plus_1-1"), jnp.float32),
    "pair": jax.ShapeDtypeStruct(_shape("m+4*seq_4_plus_1-2, 2"), jnp.float32),
}
