# SPDX-License-Identifier: Apache-2.0
import json
import threading

import pytest
import torch

import tensorspec

CONTRACT = tensorspec.Contract.from_json(json.dumps({
    "format": "tensorspec-contract", "version": 1, "variants": [{
        "inputs": [{"name": "ids", "dtype": "int64", "shape": ["batch", "seq"]}, {"name": 'masks["pad"]', "dtype": "bool", "shape": ["batch", "seq"]}],
        "outputs": [{"name": "output[0]", "dtype": "float32", "shape": ["batch", 4]}],
        "symbols": [{"name": "batch", "min": 1, "max": 4}, {"name": "seq", "min": 1, "max": 16}]}]}))


@tensorspec.checked(CONTRACT)
def embed(ids, masks=None, *, width=4):
    """Embeds."""
    return torch.zeros(ids.shape[0], width), "text"


def ids(*shape):
    return torch.zeros(shape, dtype=torch.long)


def pad(*shape):
    return {"pad": torch.zeros(shape, dtype=torch.bool)}


def test_a_call_that_conforms_goes_through():
    assert embed(ids(2, 3), pad(2, 3))[0].shape == (2, 4)
    assert embed(masks=pad(2, 3), ids=ids(2, 3), width=9)[0].shape == (2, 9)  # outputs are not looked at
    assert embed.__doc__ == "Embeds." and embed.__name__ == "embed"


@pytest.mark.parametrize("args, said", [
    ((ids(2, 3), pad(2, 4)), r'masks\["pad"\] axis 1: 4, expected 3'),
    ((ids(2), pad(2, 3)), "ids: 1 axis|ids: rank 1|ids.* 1 ax"),
    ((ids(2, 3).int(), pad(2, 3)), "ids: int32, expected int64"),
    ((ids(2, 3),), r'masks\["pad"\]'),
    ((ids(9, 3), pad(9, 3)), "9"),
    (([1, 2], pad(2, 3)), "ids")])
def test_one_line_says_what_is_wrong(args, said):
    with pytest.raises(tensorspec.ContractViolation, match=said) as caught:
        embed(*args)
    assert "\n" not in str(caught.value) and not caught.value.verdict.ok


def test_policies_and_nested_tensors():
    free = tensorspec.checked(CONTRACT, policy="relations")(embed.__wrapped__)
    assert free(ids(9, 30), pad(9, 30))[0].shape == (9, 4)
    with pytest.raises(tensorspec.Error, match="ids: .*nested tensor"):
        embed(torch.nested.nested_tensor([torch.zeros(2), torch.zeros(3)]), pad(2, 3))
    with pytest.raises(tensorspec.Error, match="policy"):
        tensorspec.checked(CONTRACT, policy="all")


def test_outputs_when_asked():
    strict = tensorspec.checked(CONTRACT, outputs=True)(embed.__wrapped__)
    assert strict(ids(2, 3), pad(2, 3))[1] == "text"
    with pytest.raises(tensorspec.ContractViolation, match=r"output\[0\] axis 1: 9, expected 4"):
        strict(ids(2, 3), pad(2, 3), width=9)


def test_methods_modules_and_threads():
    class Model(torch.nn.Module):
        @tensorspec.checked(CONTRACT)
        def forward(self, ids, masks):
            return ids

    model, failures = Model(), []

    def work(n):
        for i in range(200):
            try:
                model(ids(2, n), pad(2, n + i % 2))
            except tensorspec.ContractViolation:
                failures.append(n)

    threads = [threading.Thread(target=work, args=(n,)) for n in (1, 2, 3)]
    [thread.start() for thread in threads]
    [thread.join() for thread in threads]
    assert len(failures) == 300
