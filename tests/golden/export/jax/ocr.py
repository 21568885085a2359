# jax.export.export(jax.jit(f))(*args, **kwargs)
import jax
import jax.numpy as jnp
from jax import export

scope = export.SymbolicScope((
    "batch >= 1",
    "batch <= 6",
    "s0 >= 320",
    "s0 <= 1603",
))


def _shape(spec):
    return export.symbolic_shape(spec, scope=scope)


args = ()
kwargs = {
    "x": jax.ShapeDtypeStruct(_shape("batch, 3, 48, s0"), jnp.float32),
}
