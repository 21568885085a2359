# jax.export.export(jax.jit(f))(*args, **kwargs)
import jax
import jax.numpy as jnp
from jax import export

scope = export.SymbolicScope((
    "batch >= 1",
    "batch <= 5",
    "s0 >= 96",
    "s0 <= 448",
    "s1 >= 112",
    "s1 <= 512",
))


def _shape(spec):
    return export.symbolic_shape(spec, scope=scope)


args = ()
kwargs = {
    "pixel_values": jax.ShapeDtypeStruct(_shape("batch, 3, s0, s1"), jnp.float32),
}
