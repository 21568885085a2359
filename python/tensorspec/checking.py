# SPDX-License-Identifier: Apache-2.0
"""Functions that refuse calls which break a contract."""
from __future__ import annotations

from collections.abc import Callable

from tensorspec._core import Checker, Contract

from tensorspec.errors import ContractViolation, want
from tensorspec.paths import Layout, described_outputs, tensors_of, what_names_need
from tensorspec.wrapping import around, tracing

__all__ = ["checked"]


def checked(contract: Contract, *, policy: str = "range", outputs: bool = False) -> Callable[[Callable], Callable]:
    """Decorates a function, or the forward of a module, so that a call that breaks the contract raises before it runs.

        @tensorspec.checked(contract)
        def embed(input_ids, attention_mask): ...

        model.forward = tensorspec.checked(contract)(model.forward)

    contract   a Contract
    policy     "relations": tensors, ranks, dtypes, fixed sizes, relations and steps; "range": those and the ranges;
               "seen": only shapes that were recorded
    outputs    hold what the function gives against the contract too, as `output`, `output[0]`, `output["name"]`; a
               contract without outputs says nothing of them

    A coroutine, a generator and an asynchronous generator stay what they are: inputs are looked at when they begin to
    run, outputs when a coroutine returns; what generators yield is not looked at. While torch.compile or torch.export
    traces the function nothing is.

    Raises ContractViolation, with the reason in one line and the whole answer in its `verdict`; tensorspec.Error for a nested
    tensor. The tensors are those of `tensors_of`, of which only shapes and dtypes are read. Cost: some
    microseconds a call. Safe under threads.
    """
    want(isinstance(contract, Contract), "contract", "a Contract", contract)
    checker = Checker(contract, policy)
    outputs = outputs and any(variant.outputs for variant in contract.variants)

    def decorate(function):
        want(callable(function), "checked", "a function", function)
        layout = Layout(function)

        def before(args, kwargs):
            if tracing():
                return None
            # With outputs the shapes are needed again after the call, and caches grow in place.
            inputs = layout.described(args, kwargs) if outputs else dict(layout.tensors(args, kwargs))
            checker.require(inputs)
            return inputs

        def after(inputs, result):
            if outputs and inputs is not None:
                require_outputs(checker, inputs, described_outputs(result))
            return result

        return around(function, before=before, after=after)

    return decorate


def require_outputs(checker, inputs, outputs):
    """Raises ContractViolation unless a call that gave these outputs conforms; none at all are missing."""
    if outputs:
        return checker.require(inputs, outputs)
    verdict = checker._check_without_outputs(inputs)
    if not verdict:
        raise ContractViolation(verdict)


def check_arguments(checker, args, kwargs, forward, batch_size, policy):
    """Checker.check(args, kwargs)."""
    tensors = tensors_of(args, kwargs, forward)
    verdict = checker.check(tensors, batch_size=batch_size, policy=policy)
    if not verdict:
        raise ContractViolation(verdict, what_names_need(tensors, forward))
    return verdict
