# SPDX-License-Identifier: Apache-2.0
import asyncio
import inspect
import json
import pickle
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


def test_arguments_by_hand():
    checker = tensorspec.Checker(CONTRACT)
    assert checker.check((), {"ids": ids(2, 3), "masks": pad(2, 3), "width": 9}).ok
    assert checker.check((ids(2, 3), pad(2, 3)), forward=embed, batch_size=2).variant == 0
    assert checker.check((ids(2, 3),), {"masks": pad(2, 3)}, forward=embed.__wrapped__)
    assert checker.check((ids(9, 3), pad(9, 3)), forward=embed, policy="relations")
    with pytest.raises(tensorspec.ContractViolation, match=r'^masks\["pad"\] axis 1: 4, expected 3') as caught:
        checker.check((ids(2, 3),), {"masks": pad(2, 4)}, forward=embed)
    assert "\n" not in str(caught.value) and caught.value.verdict.violations[0].code == "relation"
    with pytest.raises(tensorspec.ContractViolation, match="; arguments by position get their names from forward=model$"):
        checker.check((ids(2, 3), pad(2, 3)))
    learner = tensorspec.Learner()
    for size in (1, 2, 3):
        learner.observe({"ids": ids(size, 4)}, batch_size=size)
    with pytest.raises(tensorspec.ContractViolation, match="batch"):
        tensorspec.Checker(learner.contract()).check((), {"ids": ids(2, 4)}, batch_size=3)
    with pytest.raises(TypeError, match="args: a tuple of arguments, not torch.Tensor"):
        checker.check(ids(2, 3), forward=embed)
    with pytest.raises(TypeError, match="kwargs: a dict by name or None, not list"):
        checker.check((ids(2, 3),), [pad(2, 3)])
    # A tuple or list of TensorInfo is inputs by name, as everywhere.
    infos = [tensorspec.TensorInfo("ids", "int64", (2, 3)), tensorspec.TensorInfo('masks["pad"]', "bool", (2, 4))]
    assert not checker.check(tuple(infos)).ok and not checker.check(infos).ok


def test_violations_cross_processes():
    with pytest.raises(tensorspec.ContractViolation) as caught:
        embed(ids(2, 3), pad(2, 4))
    for error in (caught.value, tensorspec.ContractViolation(caught.value.verdict, "hint")):
        there = pickle.loads(pickle.dumps(error))
        assert str(there) == str(error) and not there.verdict.ok and there.verdict.variant == 0
        for mine, theirs in zip(error.verdict.violations, there.verdict.violations, strict=True):
            for field in ("code", "tensor", "axis", "expected", "actual", "message"):
                assert getattr(mine, field) == getattr(theirs, field)
    several = tensorspec.Checker(CONTRACT).check({"ids": ("int32", (2, 99)), "more": ("int64", ())}).violations
    codes = [violation.code for violation in several]
    assert len(set(codes)) > 2 and codes == [violation.code for violation in pickle.loads(pickle.dumps(several))]


def test_a_call_is_given_alone():
    checker, call = tensorspec.Checker(CONTRACT), tensorspec.Call({"ids": ids(2, 3), 'masks["pad"]': pad(2, 3)["pad"]})
    for method in (checker.test, checker.check, checker.require):
        for name, value in (("outputs", {"output[0]": torch.zeros(2, 4)}), ("batch_size", 2)):
            with pytest.raises(TypeError, match=f"^{name}: a Call has its own$"):
                method(call, **{name: value})
        method(call, None, batch_size=None, policy="relations")


def contract_of(name, dims, **output):
    return tensorspec.Contract.from_json(json.dumps({"format": "tensorspec-contract", "version": 1, "variants": [{
        "inputs": [{"name": name, "dtype": "float32", "shape": dims}],
        "outputs": [{"name": "output", "dtype": "float32", "shape": dims, **output}], "symbols": [{"name": dims[0]}]}]}))


@pytest.mark.parametrize("result", [None, [1, 2], "text", {"y": None}], ids=str)
def test_no_tensor_at_all_is_a_missing_output(result):
    contract = contract_of("x", ["batch", 3])
    with pytest.raises(tensorspec.ContractViolation, match="^output: missing output$") as caught:
        tensorspec.checked(contract, outputs=True)(lambda x: result)(torch.zeros(2, 3))
    missing, = caught.value.verdict.violations
    assert (missing.code, missing.tensor) == ("missing_tensor", "output")
    assert tensorspec.checked(contract)(lambda x: result)(torch.zeros(2, 3)) == result
    optional = contract_of("x", ["batch", 3], optional=True)
    assert tensorspec.checked(optional, outputs=True)(lambda x: result)(torch.zeros(2, 3)) == result
    assert tensorspec.Checker(contract).check({"x": torch.zeros(2, 3)}, {})  # not looked at, as of a recording without


def test_coroutines_are_checked_when_they_run_and_return():
    async def double(x):
        ran.append(x)
        await asyncio.sleep(0)
        return x[:, :columns]

    ran, columns = [], 3
    guarded = tensorspec.checked(contract_of("x", ["batch", 3]), outputs=True)(double)
    assert inspect.iscoroutinefunction(guarded) and guarded.__name__ == "double"
    assert asyncio.run(guarded(torch.zeros(2, 3))).shape == (2, 3)
    wrong = guarded(torch.zeros(2, 4))  # not yet
    with pytest.raises(tensorspec.ContractViolation, match="x axis 1: 4, expected 3"):
        asyncio.run(wrong)
    assert len(ran) == 1
    columns = 2
    with pytest.raises(tensorspec.ContractViolation, match="output axis 1: 2, expected 3"):
        asyncio.run(guarded(torch.zeros(2, 3)))

    class Served:
        async def __call__(self, x):
            return x

    served = tensorspec.checked(contract_of("x", ["batch", 3]), outputs=True)(Served())
    assert inspect.iscoroutinefunction(served) and asyncio.run(served(torch.zeros(1, 3))).shape == (1, 3)


def test_generators_are_checked_at_their_first_step():
    @tensorspec.checked(contract_of("x", ["batch", 3]), outputs=True)
    def rows(x):
        got = []
        for row in x:
            got.append((yield row))
        return got

    assert inspect.isgeneratorfunction(rows) and len(list(rows(torch.zeros(2, 3)))) == 2
    steps = rows(torch.zeros(2, 3))
    next(steps)
    assert steps.send("a").shape == (3,)
    with pytest.raises(StopIteration) as stopped:
        steps.send("b")
    assert stopped.value.value == ["a", "b"]
    wrong = rows(torch.zeros(2, 4))
    with pytest.raises(tensorspec.ContractViolation, match="x axis 1"):
        next(wrong)


def test_asynchronous_generators_are_checked_at_their_first_step():
    @tensorspec.checked(contract_of("x", ["batch", 3]))
    async def rows(x):
        try:
            for row in x:
                try:
                    heard.append((yield row))
                except KeyError as error:
                    heard.append(error)
        finally:
            await asyncio.sleep(0)
            heard.append("closed")

    async def use():
        async for row in rows(torch.zeros(2, 3)):
            assert row.shape == (3,)
        steps = rows(torch.zeros(5, 3))
        await anext(steps)
        await steps.asend("sent")
        await steps.athrow(KeyError("thrown"))
        await steps.aclose()
        with pytest.raises(tensorspec.ContractViolation, match="x axis 1"):
            await anext(rows(torch.zeros(2, 4)))

    heard = []
    assert inspect.isasyncgenfunction(rows)
    asyncio.run(use())
    assert heard[:3] == [None, None, "closed"] and heard[3] == "sent" and isinstance(heard[4], KeyError) and heard[5:] == ["closed"]


class Doubles(torch.nn.Module):
    def forward(self, x):
        return x * 2


def test_tracing_passes_checks_by():
    contract = contract_of("x", ["batch", 3])

    @tensorspec.checked(contract, outputs=True)
    def double(x):
        return x * 2

    compiled = torch.compile(double, backend="eager", fullgraph=True)
    assert compiled(torch.ones(3, 3)).sum() == 18 and compiled(torch.ones(3, 4)).sum() == 24
    with pytest.raises(tensorspec.ContractViolation):
        double(torch.ones(3, 4))
    model = Doubles()
    model.forward = tensorspec.checked(contract)(model.forward)
    assert torch.compile(model, backend="eager", fullgraph=True)(torch.ones(3, 3)).sum() == 18
    for strict in (False, True):
        program = torch.export.export(model, (torch.ones(2, 3),), dynamic_shapes={"x": {0: torch.export.Dim("batch")}}, strict=strict)
        assert program.module()(torch.ones(7, 3)).shape == (7, 3)


@pytest.mark.parametrize("make, said", [
    (lambda: tensorspec.checked(None), "contract: a Contract, not NoneType"),
    (lambda: tensorspec.checked(CONTRACT)(3), "checked: a function, not int")])
def test_bad_arguments_in_one_line(make, said):
    with pytest.raises(TypeError, match=f"^{said}$"):
        make()
