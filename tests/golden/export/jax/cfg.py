# jax.export.export(jax.jit(f))(*args, **kwargs)
import jax
import jax.numpy as jnp
from jax import export

scope = export.SymbolicScope((
    "batch >= 1",
    "batch <= 5",
    "s0 >= 40",
    "s0 <= 112",
    "s1 >= 16",
    "s1 <= 104",
))


def _shape(spec):
    return export.symbolic_shape(spec, scope=scope)


args = ()
kwargs = {
    "sample": jax.ShapeDtypeStruct(_shape("2*batch, 4, s0, s1"), jnp.float16),
    "timestep": jax.ShapeDtypeStruct(_shape("2*batch"), jnp.float32),
    "encoder_hidden_states": jax.ShapeDtypeStruct(_shape("2*batch, 77, 768"), jnp.float16),
}
