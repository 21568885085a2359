# SPDX-License-Identifier: Apache-2.0
"""jax.export, the dialect that keeps most, and StableHLO's parser."""
import json

import pytest

jax = pytest.importorskip("jax")
import jax.numpy as jnp  # noqa: E402
from jax import export as jax_export  # noqa: E402

DECLARED = {"input_ids": (4, 128), "attention_mask": (4, 256), "pixel": (4, 3, 224, 224)}


def arrays(shapes):
    return {name: jnp.ones(shape, jnp.float32 if name == "pixel" else jnp.int64) for name, shape in shapes.items()}


def test_jax_export_refuses_range_step_sum_and_batch(run_source):
    source = run_source("declared", "jax")

    def model(input_ids, attention_mask, pixel):
        return input_ids + attention_mask.sum(-1, keepdims=True) + pixel.mean((1, 2, 3))[:, None].astype(jnp.int64)

    exported = jax_export.export(jax.jit(model))(*source["args"], **source["kwargs"])
    for shapes in (DECLARED, {"input_ids": (1, 1), "attention_mask": (1, 1), "pixel": (1, 3, 64, 64)},
                   {"input_ids": (8, 512), "attention_mask": (8, 1023), "pixel": (8, 3, 512, 64)}):
        assert exported.call(**arrays(shapes)).shape == shapes["input_ids"]
    for broken in ({"input_ids": (4, 513)}, {"input_ids": (9, 128), "attention_mask": (9, 256), "pixel": (9, 3, 224, 224)},
                   {"attention_mask": (3, 256)}, {"attention_mask": (4, 127)}, {"pixel": (4, 3, 225, 224)},
                   {"pixel": (4, 3, 56, 224)}, {"pixel": (4, 1, 224, 224)}):
        with pytest.raises(ValueError):
            exported.call(**arrays({**DECLARED, **broken}))


def test_jax_export_of_every_contract(run_source, corners, contracts):
    for path in sorted(contracts.glob("*.contract.json")):
        for variant in range(len(json.loads(path.read_text())["variants"])):
            source = run_source(path, "jax", "--variant", variant)
            sums = lambda *args, **kwargs: [leaf.sum() for leaf in jax.tree.leaves((args, kwargs))]
            exported = jax_export.export(jax.jit(sums))(*source["args"], **source["kwargs"])
            leaves, tree = jax.tree.flatten((source["args"], source["kwargs"]))
            calls = corners(path, "--variant", variant)
            # Arguments stand in the order of jax's tree: sorted by name.
            for call in calls[:2]:
                names = sorted(call) if all(name.isidentifier() for name in call) else None
                if names is None:
                    continue
                args, kwargs = jax.tree.unflatten(tree, [jnp.zeros(call[name], leaf.dtype) for name, leaf in zip(names, leaves)])
                exported.call(*args, **kwargs)


def test_stablehlo_parses_every_contract(export, contracts):
    from jax._src.interpreters.mlir import make_ir_context
    from jaxlib.mlir import ir

    for path in sorted(contracts.glob("*.contract.json")):
        for variant in range(len(json.loads(path.read_text())["variants"])):
            text = export(path, "stablehlo", "--variant", variant)
            with make_ir_context():
                module = ir.Module.parse(text)
                assert module.operation.verify() and len(module.body.operations) == 1


def test_stablehlo_cannot_refuse_a_size_and_refuses_a_bound_on_a_fixed_axis(export):
    from jax._src.interpreters.mlir import make_ir_context
    from jaxlib.mlir import ir

    text = export("declared", "stablehlo")
    assert "tensor<?x3x?x?xf32, #stablehlo.bounds<8, ?, 512, 512>>" in text
    with make_ir_context():
        ir.Module.parse(text)
        with pytest.raises(ir.MLIRError):
            ir.Module.parse(text.replace("bounds<8, ?, 512, 512>", "bounds<8, 3, 512, 512>"))
