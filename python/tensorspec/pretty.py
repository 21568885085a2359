# SPDX-License-Identifier: Apache-2.0
"""What the classes of the core have from Python: their fields as `rich` shows them (its protocol is `__rich_repr__`, rich itself
is not needed), and copies, which are the objects themselves, since they are immutable."""
from __future__ import annotations

from tensorspec import _core

_FIELDS = {
    _core.TensorInfo: ("name", "dtype", "shape"),
    _core.Call: ("inputs", "outputs", "batch_size", "ok", "count"),
    _core.Symbol: ("name", "min", "opt", "max", "multiple_of", "residue", "source", "at"),
    _core.TensorContract: ("name", "dtypes", "shape"),
    _core.Claim: ("tensor", "axis", "dim", "certainty", "witnesses", "rivals"),
    _core.Bound: ("symbol", "at_most", "witnesses"),
    _core.Question: ("text", "ask", "about"),
    _core.Variant: ("inputs", "outputs", "symbols", "questions", "calls"),
    _core.Contract: ("variants",),
    _core.SuggestedCall: ("call", "decides"),
    _core.Violation: ("code", "tensor", "axis", "expected", "actual", "message"),
    _core.Verdict: ("ok", "variant", "violations", "warnings"),
    _core.Witness: ("call", "text"),
    _core.Difference: ("what", "tensor", "axis", "change", "older", "newer"),
    _core.VariantDifference: ("older", "newer", "inputs", "change", "differences", "notes"),
    _core.ContractDifference: ("change", "variants"),
}


def install() -> None:
    """Gives the classes these methods."""
    for kind, names in _FIELDS.items():
        kind.__copy__ = lambda self: self
        kind.__deepcopy__ = lambda self, memo: self
        kind.__rich_repr__ = lambda self, names=names: ((name, getattr(self, name)) for name in names)
