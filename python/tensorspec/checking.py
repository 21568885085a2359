# SPDX-License-Identifier: Apache-2.0
"""Functions that refuse calls which break a contract."""
from __future__ import annotations

import functools
from collections.abc import Callable

from tensorspec._core import Checker, Contract

from tensorspec.paths import Layout, described_outputs

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

    Raises ContractViolation, with the reason in one line and the whole answer in its `verdict`; tensorspec.Error for a nested
    tensor. The tensors are those of `tensors_of`, of which only shapes and dtypes are read. Cost: about a microsecond a
    tensor. Safe under threads.
    """
    checker = Checker(contract, policy)
    outputs = outputs and any(variant.outputs for variant in contract.variants)

    def decorate(function):
        layout = Layout(function)

        @functools.wraps(function)
        def call(*args, **kwargs):
            # With outputs the shapes are needed again after the call, and caches grow in place.
            inputs = layout.described(args, kwargs) if outputs else dict(layout.tensors(args, kwargs))
            checker.require(inputs)
            result = function(*args, **kwargs)
            if outputs:
                checker.require(inputs, described_outputs(result))
            return result

        return call

    return decorate
