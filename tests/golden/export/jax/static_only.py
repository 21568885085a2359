# jax.export.export(jax.jit(f))(*args, **kwargs)
import jax
import jax.numpy as jnp
from jax import export

scope = export.SymbolicScope((
))


def _shape(spec):
    return export.symbolic_shape(spec, scope=scope)


args = ()
kwargs = {
    "image": jax.ShapeDtypeStruct(_shape("1, 3, 8, 8"), jnp.uint8),
}
