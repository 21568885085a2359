# jax.export.export(jax.jit(f))(*args, **kwargs)
import jax
import jax.numpy as jnp
from jax import export

scope = export.SymbolicScope((
    "batch >= 1",
    "batch <= 4",
    "lambda >= 1",
    "lambda <= 11",
    "s1_plus_1 >= 1",
    "s1_plus_1 <= 14",
))


def _shape(spec):
    return export.symbolic_shape(spec, scope=scope)


args = ()
kwargs = {
    "hidden_states": jax.ShapeDtypeStruct(_shape("batch, lambda, 64"), jnp.float32),
    "attention_mask": jax.ShapeDtypeStruct(_shape("batch, 1, lambda, lambda+s1_plus_1-1"), jnp.bool_),
    "past_key_values": jax.ShapeDtypeStruct(_shape("2, batch, s1_plus_1-1, 4, 16"), jnp.float32),
    "never_used": jax.ShapeDtypeStruct(_shape("batch, 0"), jnp.float32),
}
