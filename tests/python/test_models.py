# SPDX-License-Identifier: Apache-2.0
"""Real architectures, small and untrained: recorded, learned, rebuilt in other sizes, exported, and run."""
import functools
import os
import warnings

import models
import pytest
import torch
from models import MODELS

import tensorspec

EXPORTED_AT_LEAST = 0.8  # of the models


@functools.cache
def recorded(name):
    """(model, module, recorder): its calls were recorded, of it and of the submodules that there are facts of."""
    torch.manual_seed(0)
    model = MODELS[name]()
    module = model.build().eval()
    submodules = [submodule for submodule in model.facts if submodule]
    with torch.no_grad(), tensorspec.record(module, submodules, batch=model.batch, examples=True, strict=True) as recorder:
        for sizes in model.sizes:
            module(**model.call(**sizes))
    assert recorder.calls[""] == len(model.sizes)
    return model, module, recorder


def agree(variant, facts, names):
    """Holds a variant against facts; returns {size of the facts: dim of the contract}, begun with `names`."""
    have = {tensor.name: [str(dim) for dim in tensor.shape] for tensor in [*variant.inputs, *variant.outputs]}
    wanted = {}
    for name, shape in facts.items():
        matching = [n for n in have if n.startswith(name[:-3])] if name.endswith("...") else [name]
        assert matching and all(n in have for n in matching), (name, list(have))
        wanted.update({n: shape.split(",") for n in matching})
    names = dict(names)
    for tensor, shape in wanted.items():
        assert len(have[tensor]) == len(shape), (tensor, have[tensor])
        names.update({fact: dim for fact, dim in zip(shape, have[tensor]) if fact.isidentifier() and fact not in names})
    for tensor, shape in wanted.items():
        assert [tensorspec.Dim(fact).substitute(names) for fact in shape] == [tensorspec.Dim(dim) for dim in have[tensor]], tensor
    assert len(set(names.values())) == len(names), names  # sizes that are independent have dims of their own
    return names


@pytest.mark.parametrize("name", MODELS)
def test_contracts_say_what_the_models_do(name):
    model, _, recorder = recorded(name)
    for submodule, facts in model.facts.items():
        variant, = recorder.contract(submodule).variants
        agree(variant, facts, {"b": "batch"} if model.batch else {})
        assert not variant.symbols or variant.symbols[0].source == ("given" if model.batch else "inferred")


def asked(names, sizes):
    return {str(names[size]): value for size, value in sizes.items()}


def same(a, b):
    pairs = list(zip(torch.utils._pytree.tree_leaves(a), torch.utils._pytree.tree_leaves(b), strict=True))
    tensors = [(x, y) for x, y in pairs if isinstance(x, torch.Tensor)]
    return bool(tensors) and all(x.shape == y.shape and torch.allclose(x, y, atol=1e-4, equal_nan=True) for x, y in tensors)


@functools.cache
def exported(name):
    """What became of the export of a model: (sizes as torch was told them, why it failed or "", sizes that ran)."""
    model, module, recorder = recorded(name)
    if model.prepare:
        model.prepare()
    contract = recorder.contract()
    names = agree(contract.variants[0], model.facts[""], {"b": "batch"} if model.batch else {})
    example, = recorder.examples[""]
    call = functools.partial(tensorspec.make_call, contract, example, forward=module)
    args, kwargs = call(**asked(names, model.unseen[0]))
    shapes = tensorspec.dynamic_shapes(contract, (args, kwargs), module)
    told = ", ".join(dict.fromkeys(repr(dim) for shape in torch.utils._pytree.tree_leaves(shapes, is_leaf=is_shape) if shape
                                   for dim in shape.values()))
    ran = []
    with torch.no_grad(), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            program = torch.export.export(module, args, kwargs, dynamic_shapes=shapes).module()
        except Exception as error:
            return told, reason(error), ran
        for sizes in model.unseen:
            ask = asked(names, sizes)
            given, twice = call(**ask), call(**ask)  # caches grow
            tensorspec.Checker(contract).require(tensorspec.tensors_of(*given, module))
            try:
                result = program(*given[0], **given[1])
            except Exception as error:
                return told, f"at {sizes}: {reason(error)}", ran
            if not same(result, module(*twice[0], **twice[1])):
                return told, f"at {sizes}: another result than the model's", ran
            ran.append(sizes)
    return told, "", ran


def reason(error):
    """The first thing that torch holds against it, cut to what a table bears."""
    lines = str(error).strip().splitlines()
    listed = [line.strip()[2:] for line in lines if line.startswith("  - ")]
    text = (listed or [f"{type(error).__name__}: {lines[0]}"])[0]
    return text.split(". If you")[0]


def is_shape(value):
    return isinstance(value, dict) and bool(value) and all(isinstance(key, int) for key in value)


@pytest.mark.parametrize("name", MODELS)
def test_exported_programs_run_at_sizes_never_seen(name):
    model, _, _ = recorded(name)
    assert not any(sizes in model.sizes for sizes in model.unseen) and len(model.unseen) == 3
    _, why, ran = exported(name)
    assert why.startswith(model.refused) and bool(why) == bool(model.refused) and (why or ran == model.unseen)


def test_the_table_of_the_docs(root):
    results = {name: exported(name) for name in MODELS}
    assert sum(not why for _, why, _ in results.values()) >= EXPORTED_AT_LEAST * len(MODELS)
    rows = ["| model | dims that torch.export was told | exported | ran at |", "|---|---|---|---|"]
    for name, (told, why, ran) in results.items():
        at = "; ".join(" ".join(f"{size}={value}" for size, value in sizes.items()) for sizes in ran) or "-"
        rows.append(f"| {type(recorded(name)[1]).__name__} | `{told}` | {why or 'yes'} | {at} |")
    page = root / "docs" / "python-export.md"
    before, table, after = page.read_text().split("<!-- measured -->\n")
    if os.environ.get("TENSORSPEC_REGOLD"):
        page.write_text("<!-- measured -->\n".join([before, "\n".join(rows) + "\n", after]))
    else:
        assert table.splitlines() == rows, "set TENSORSPEC_REGOLD to write the table anew"


def test_generation_gives_a_variant_each_for_prefill_and_decode():
    _, module, _ = recorded("gpt2")
    with torch.no_grad(), tensorspec.record(module, batch="input_ids:0", strict=True) as recorder:
        for batch, length in ((1, 5), (2, 9), (4, 3), (3, 8)):
            module.generate(models.ids(batch, length), max_new_tokens=4, do_sample=False, eos_token_id=None, pad_token_id=0)
    prefill, decode = sorted(recorder.contract().variants, key=lambda variant: len(variant.inputs))
    assert (prefill.calls, decode.calls) == (4, 12)
    agree(prefill, {"input_ids": "b,s", "position_ids": "b,s", 'output["cache"]...': "b,4,s,8"}, {"b": "batch"})
    agree(decode, {"input_ids": "b,1", "position_ids": "b,1", "cache...": "b,4,p,8", 'output["cache"]...': "b,4,p+1,8"}, {"b": "batch"})


def test_generation_of_an_encoder_and_decoder_with_beams():
    _, module, _ = recorded("t5")
    with torch.no_grad(), tensorspec.record(module, ["encoder"], batch="decoder_input_ids:0", examples=True, strict=True) as recorder:
        for batch, length, beams in ((1, 5, 1), (2, 9, 1), (3, 7, 3), (4, 12, 2)):
            module.generate(models.ids(batch, length), max_new_tokens=5, num_beams=beams, eos_token_id=None)
    contract = recorder.contract()
    prefill, decode = sorted(contract.variants, key=lambda variant: len(variant.inputs))
    states = 'encoder_outputs["last_hidden_state"]'
    agree(prefill, {"decoder_input_ids": "b,1", states: "b,e,32", 'output["cache"].cross_attention_cache...': "b,4,e,8"}, {"b": "batch"})
    agree(decode, {"decoder_input_ids": "b,1", states: "b,e,32", "cache.self_attention_cache...": "b,4,p,8",
                   "cache.cross_attention_cache...": "b,4,e,8", 'output["cache"].self_attention_cache...': "b,4,p+1,8"}, {"b": "batch"})
    encoder, = recorder.contract("encoder").variants  # called apart from the module: its batch is found, not given
    agree(encoder, {"input_ids": "b,e", 'output["last_hidden_state"]': "b,e,32"}, {"b": "batch"})
    assert encoder.symbol("batch").source == "inferred" and decode.symbol("batch").max == 9
    for example in recorder.examples[""]:
        args, kwargs = tensorspec.make_call(contract, example, batch=5, forward=module)
        with torch.no_grad():
            assert module(*args, **kwargs).logits.shape == (5, 1, 100)


def test_a_checked_model_refuses_the_mask_of_another_length():
    model, module, recorder = recorded("gpt2")
    contract = recorder.contract()
    call = tensorspec.checked(contract, policy="relations")(module.forward)
    good = model.call(b=2, s=3, p=4)
    with torch.no_grad():
        assert call(**good).logits.shape == (2, 3, 100)
        bad = model.call(b=2, s=3, p=4)
        bad["attention_mask"] = models.ones(2, 8)
        with pytest.raises(tensorspec.ContractViolation, match="attention_mask axis 1: 8, expected 7 = s0.s1") as caught:
            call(**bad)
    assert "\n" not in str(caught.value) and bad["cache"].get_seq_length() == 4  # it did not run
