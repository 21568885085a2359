# jax.export.export(jax.jit(f))(*args, **kwargs)
import jax
import jax.numpy as jnp
from jax import export

jax.config.update("jax_enable_x64", True)  # 64-bit inputs
scope = export.SymbolicScope((
    "batch >= 1",
    "batch <= 4",
    "max_ >= 5",
    "max_ <= 21",
    "class >= 3",
    "class <= 11",
))


def _shape(spec):
    return export.symbolic_shape(spec, scope=scope)


args = ()
kwargs = {
    "input:0": jax.ShapeDtypeStruct(_shape("batch, max_"), jnp.float32),
    "a b": jax.ShapeDtypeStruct(_shape("batch, class"), jnp.int32),
    "say \"hi\" 'there'": jax.ShapeDtypeStruct(_shape("max_"), jnp.float32),
    "größe,x": jax.ShapeDtypeStruct(_shape("batch, 2"), jnp.float32),
    "class": jax.ShapeDtypeStruct(_shape("class"), jnp.bool_),
    "x/y:1": jax.ShapeDtypeStruct(_shape("batch"), jnp.float64),
}
