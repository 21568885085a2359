# SPDX-License-Identifier: Apache-2.0
"""jaxtyping with beartype, coremltools; the sources of dialects whose engine is not installed at least run."""
import ast
import json

import pytest


def checked(text):
    """The function of the stub with a body, its calls checked by beartype."""
    import beartype
    import jaxtyping

    names = {}
    tree = ast.parse(text)
    for node in tree.body:
        if isinstance(node, ast.FunctionDef):
            node.returns = None
            node.body = [ast.Pass()]
    exec(compile(ast.fix_missing_locations(tree), "stub.py", "exec"), names)
    return jaxtyping.jaxtyped(typechecker=beartype.beartype)(names["call"])


def test_jaxtyping_refuses_unequal_axes_fixed_sizes_rank_and_dtype(export):
    torch = pytest.importorskip("torch")
    pytest.importorskip("beartype")
    jaxtyping = pytest.importorskip("jaxtyping")
    call = checked(export("declared", "jaxtyping"))
    make = lambda ids=(4, 128), mask=(4, 256), pixel=(4, 3, 224, 224), kind=torch.int64: (
        torch.ones(ids, dtype=kind), torch.ones(mask, dtype=torch.int64), torch.ones(pixel))
    call(*make())
    for broken in ({"mask": (3, 256)}, {"pixel": (4, 1, 224, 224)}, {"ids": (4, 128, 1)}, {"kind": torch.int32}):
        with pytest.raises(jaxtyping.TypeCheckError):
            call(*make(**broken))


def test_jaxtyping_refuses_a_broken_sum_where_both_parts_stand_alone(cli, export, tmp_path):
    torch = pytest.importorskip("torch")
    pytest.importorskip("beartype")
    jaxtyping = pytest.importorskip("jaxtyping")
    call = checked(export("zero_size", "jaxtyping"))
    # past stands alone only behind the mask, so the mask has a name of its own; unequal batches are refused.
    make = lambda batch: (torch.ones(2, 3, 64), torch.ones(batch, 1, 3, 7, dtype=torch.bool), torch.ones(2, 2, 4, 4, 16), torch.ones(2, 0))
    call(*make(2))
    with pytest.raises(jaxtyping.TypeCheckError):
        call(*make(1))
    assert "lambda_" in export("zero_size", "jaxtyping")


def test_jaxtyping_cannot_refuse_a_range(export):
    torch = pytest.importorskip("torch")
    pytest.importorskip("beartype")
    pytest.importorskip("jaxtyping")
    checked(export("declared", "jaxtyping"))(torch.ones(9, 999, dtype=torch.int64), torch.ones(9, 9, dtype=torch.int64), torch.ones(9, 3, 5, 5))


def test_coreml_converts_and_writes_the_ranges(run_source):
    ct = pytest.importorskip("coremltools")
    from coremltools.converters.mil import Builder as mb

    inputs = run_source("declared", "coreml")["inputs"]
    specs = [mb.TensorSpec(shape=tuple(dim.symbol if hasattr(dim, "symbol") else dim for dim in tensor.shape.shape), dtype=tensor.dtype)
             for tensor in inputs]

    @mb.program(input_specs=specs, opset_version=ct.target.iOS16)
    def program(input_ids, attention_mask, pixel):
        return mb.relu(x=pixel), mb.add(x=input_ids, y=1), mb.add(x=attention_mask, y=1)

    model = ct.convert(program, inputs=inputs, convert_to="mlprogram", minimum_deployment_target=ct.target.iOS16, skip_model_load=True,
                       pass_pipeline=ct.PassPipeline.EMPTY)
    ranges = {input.name: [(size.lowerBound, size.upperBound) for size in input.type.multiArrayType.shapeRange.sizeRanges]
              for input in model.get_spec().description.input}
    assert ranges["pixel"] == [(1, 8), (3, 3), (64, 512), (64, 512)]
    assert ranges["attention_mask"] == [(1, 8), (1, 1023)]


def test_coreml_refuses_a_default_outside_the_range_and_cannot_refuse_a_size_here(export):
    ct = pytest.importorskip("coremltools")
    text = export("ocr", "coreml")
    assert "default=" in text
    with pytest.raises(ValueError):
        exec(text.replace("upper_bound=6, default=", "upper_bound=6, default=9"), {})


def test_every_python_source_parses(export, contracts):
    for path in sorted(contracts.glob("*.contract.json")):
        for variant in range(len(json.loads(path.read_text())["variants"])):
            for to in ("torch_export", "torch_compile", "jax", "openvino", "jaxtyping", "tf"):
                compile(export(path, to, "--variant", variant), f"{path.stem}-{to}.py", "exec")


def test_recording_conforms(cli, export, contracts, tmp_path):
    for path in sorted(contracts.glob("*.contract.json")):
        calls = tmp_path / "calls.jsonl"
        calls.write_text(export(path, "recording"))
        code, out, err = cli("check", path, calls)
        assert code == 0, (path, out, err)
