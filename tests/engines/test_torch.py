# SPDX-License-Identifier: Apache-2.0
"""torch.export, ExecuTorch's exporting half, and torch.compile(shapes_spec=..) take what is exported and hold calls to it."""
import inspect
import json

import pytest
import torch

DECLARED = {"input_ids": (4, 128), "attention_mask": (4, 256), "pixel": (4, 3, 224, 224)}


class Toy(torch.nn.Module):
    """Takes any sizes that the contract `declared` allows."""

    def forward(self, input_ids, attention_mask, pixel):
        return input_ids + attention_mask.sum(-1, keepdim=True) + pixel.mean((1, 2, 3))[:, None]


def tensors(shapes, dtypes=None):
    dtypes = dtypes or {"input_ids": torch.int64, "attention_mask": torch.int64}
    return {name: torch.ones(shape, dtype=dtypes.get(name, torch.float32)) for name, shape in shapes.items()}


def example(source):
    return {name: torch.ones(shape, dtype=dtype) for name, (shape, dtype) in source["example_shapes"].items()}


@pytest.mark.parametrize("to", ["torch_export", "executorch"])
def test_torch_export_takes_it_and_refuses_what_it_says(run_source, to):
    source = run_source("declared", to)
    program = torch.export.export(Toy(), (), example(source), dynamic_shapes=source["dynamic_shapes"]).module()
    for shapes in (DECLARED, {"input_ids": (1, 1), "attention_mask": (1, 1), "pixel": (1, 3, 64, 64)},
                   {"input_ids": (8, 512), "attention_mask": (8, 1023), "pixel": (8, 3, 512, 64)}):
        assert program(**tensors(shapes)).shape == torch.Size(shapes["input_ids"])
    for broken in ({"input_ids": (4, 513)}, {"attention_mask": (3, 256)}, {"pixel": (4, 3, 56, 224)},
                   {"pixel": (4, 1, 224, 224)}, {"attention_mask": (4, 1024)}):
        with pytest.raises((RuntimeError, AssertionError)):
            program(**tensors({**DECLARED, **broken}))


def test_torch_export_cannot_refuse_a_broken_sum_or_a_step_of_a_symbol_that_stands_alone_nowhere(run_source):
    source = run_source("declared", "torch_export")
    program = torch.export.export(Toy(), (), example(source), dynamic_shapes=source["dynamic_shapes"]).module()
    program(**tensors({**DECLARED, "attention_mask": (4, 100)}))  # past would be -28
    program(**tensors({**DECLARED, "pixel": (4, 3, 225, 224)}))  # 8*h


def test_torch_export_refuses_a_broken_multiple_of_a_symbol_that_stands_alone(run_source, tmp_path):
    contract = tmp_path / "double.contract.json"
    contract.write_text(json.dumps({"format": "tensorspec-contract", "version": 1, "variants": [{
        "inputs": [{"name": "x", "dtype": "float32", "shape": ["batch", 3]}, {"name": "y", "dtype": "float32", "shape": ["2*batch", 3]}],
        "symbols": [{"name": "batch", "min": 1, "max": 8}]}]}))

    class Double(torch.nn.Module):
        def forward(self, x, y):
            return torch.cat([x, x]) + y

    source = run_source(contract, "torch_export")
    program = torch.export.export(Double(), (), example(source), dynamic_shapes=source["dynamic_shapes"]).module()
    program(x=torch.ones(3, 3), y=torch.ones(6, 3))
    with pytest.raises((RuntimeError, AssertionError)):
        program(x=torch.ones(3, 3), y=torch.ones(7, 3))


def test_torch_export_of_every_contract_that_has_one_set_of_inputs(run_source, contracts):
    class Any(torch.nn.Module):
        def forward(self, **inputs):
            return [value.sum() for value in inputs.values()]

    class Positional(torch.nn.Module):
        def forward(self, *inputs):
            return [value.sum() for value in inputs]

    tried = 0
    for path in sorted(contracts.glob("*.contract.json")):
        if len(json.loads(path.read_text())["variants"]) > 1:
            continue
        source = run_source(path, "torch_export")
        values = list(example(source).values())
        shapes = tuple(source["dynamic_shapes"].values())
        torch.export.export(Positional(), tuple(values), dynamic_shapes=(shapes,))
        tried += 1
    assert tried >= 8


def test_torch_export_of_a_transformer(cli, run_source, tmp_path):
    transformers = pytest.importorskip("transformers")
    config = transformers.BertConfig(vocab_size=50, hidden_size=16, num_hidden_layers=1, num_attention_heads=2, intermediate_size=32,
                                     max_position_embeddings=64, attn_implementation="eager")
    model = transformers.BertModel(config, add_pooling_layer=False).eval()
    lines = []
    for batch, seq in ((2, 5), (3, 9), (4, 17), (2, 33), (6, 12)):
        ids = torch.ones((batch, seq), dtype=torch.int64)
        out = model(input_ids=ids, attention_mask=torch.ones_like(ids)).last_hidden_state
        tensor = lambda value: {"dtype": str(value.dtype)[6:], "shape": list(value.shape)}
        lines.append(json.dumps({"batch_size": batch, "inputs": {"input_ids": tensor(ids), "attention_mask": tensor(ids)},
                                 "outputs": {"last_hidden_state": tensor(out)}}))
    recording, contract = tmp_path / "calls.jsonl", tmp_path / "bert.contract.json"
    recording.write_text("\n".join(lines) + "\n")
    code, _, err = cli("learn", recording, "-o", contract)
    assert code == 0, err
    source = run_source(contract, "torch_export")
    program = torch.export.export(model, (), example(source), dynamic_shapes=source["dynamic_shapes"]).module()
    call = lambda batch, seq, mask: program(input_ids=torch.ones((batch, seq), dtype=torch.int64),
                                            attention_mask=torch.ones((batch, mask), dtype=torch.int64))
    assert call(5, 21, 21).last_hidden_state.shape == (5, 21, 16)
    for broken in ((7, 21, 21), (5, 34, 34), (5, 21, 20)):
        with pytest.raises((RuntimeError, AssertionError)):
            call(*broken)


def compiled(spec, function):
    torch._dynamo.reset()
    return torch.compile(function, backend="eager", fullgraph=True, shapes_spec=spec)


def test_torch_compile_refuses_every_violation(run_source):
    if "shapes_spec" not in inspect.signature(torch.compile).parameters:
        pytest.skip("this torch has no shapes_spec")
    spec = run_source("declared", "torch_compile")["shapes_spec"]
    run = compiled(spec, lambda input_ids, attention_mask, pixel: input_ids.sum() + attention_mask.sum() + pixel.sum())
    run(**tensors(DECLARED))
    run(**tensors({"input_ids": (1, 1), "attention_mask": (1, 1), "pixel": (1, 3, 64, 512)}))
    run(**tensors({"input_ids": (8, 512), "attention_mask": (8, 1023), "pixel": (8, 3, 512, 64)}))
    for broken in ({"input_ids": (4, 513)}, {"attention_mask": (3, 256)}, {"attention_mask": (4, 127)}, {"attention_mask": (4, 640)},
                   {"pixel": (4, 3, 225, 224)}, {"pixel": (4, 3, 520, 224)}):
        run = compiled(spec, lambda input_ids, attention_mask, pixel: input_ids.sum() + attention_mask.sum() + pixel.sum())
        with pytest.raises(Exception) as refusal:
            run(**tensors({**DECLARED, **broken}))
        assert not isinstance(refusal.value, (TypeError, NameError)), refusal.value


def test_torch_compile_of_every_contract_builds(run_source, contracts):
    if "shapes_spec" not in inspect.signature(torch.compile).parameters:
        pytest.skip("this torch has no shapes_spec")
    for path in sorted(contracts.glob("*.contract.json")):
        for variant in range(len(json.loads(path.read_text())["variants"])):
            assert run_source(path, "torch_compile", "--variant", variant)["shapes_spec"] is not None
