# SPDX-License-Identifier: Apache-2.0
"""The shape contract of a model, learned from real calls and checked against new ones.

Which axes of a model's tensors are the batch, which vary, which are fixed, and which move together:

    learner = tensorspec.Learner()
    learner.observe({"ids": ids, "mask": mask}, {"logits": logits}, batch_size=2)   # torch, NumPy, ...; as often as you like
    contract = learner.contract()
    print(contract)                               # the table; notebooks show HTML
    contract.save("model.contract.json")          # also read by the command `tensorspec`
    checker = tensorspec.Checker(contract)
    checker.require({"ids": ids, "mask": mask})   # raises ContractViolation, with the reason in one line

Learning
    Learner      takes calls: observe, observe_columns, read; gives evidence and contract
    Evidence     everything exactly known of the calls; merges exactly
    learn        the contract of files, folders and glob patterns
    read         their calls; read_tensors: the tensors of one file; formats: what is read
    Range        sizes that you state for an axis, for Learner.contract(axes=...)

Contracts
    Contract     variants -> tensors -> dims; load, save, show, explain, diff, suggest
    Dim          one axis: 32, batch, 2*batch, past+seq, ceil(t/2)
    read_contract  from a contract file, or what a model file declares
    diff         what one contract accepts and another does not
    suggest      the next calls worth making

Checking
    Checker      test, check, require; Verdict and Violation are its answers
    checked      decorates a function or a forward, so that a call that breaks the contract raises

Torch modules
    record       records their calls, and those of submodules: a Recorder is a context manager and a decorator
    make_call    builds a call of another size that keeps every relation
    dynamic_shapes  what torch.export wants to know
    tensors_of   the tensors in nested arguments, by path; replace_tensors: the way back; register_container

Calls
    TensorInfo   name, dtype and shape of one tensor
    Call         one invocation, as a line of a recording

Errors are tensorspec.Error (a ValueError with code, file, place and reason); docs/errors.md lists the codes. Sizes are in
elements. Neither torch nor NumPy is needed; tensorspec.torch is the drop-in for AITune's TensorSpec. Long work leaves the
interpreter to other threads, and every object may be used by several.
"""
from __future__ import annotations

from tensorspec import _core, pretty
from tensorspec._core import (Bound, Call, Checker, Claim, Contract, ContractDifference, Difference, Dim, Evidence, Learner,
                              Question, SuggestedCall, Symbol, TensorContract, TensorInfo, Variant, VariantDifference,
                              Verdict, Violation, Witness, __version__, formats, read_contract, read_tensors)
from tensorspec.calls import dynamic_shapes, make_call
from tensorspec.checking import checked
from tensorspec.errors import ContractViolation, Error
from tensorspec.paths import register_container, replace_tensors, tensors_of
from tensorspec.ranges import Range
from tensorspec.reading import Calls, learn, read
from tensorspec.record import Recorder, record

__all__ = [
    "Bound", "Call", "Calls", "Checker", "Claim", "Contract", "ContractDifference", "ContractViolation", "Difference",
    "Dim", "Error", "Evidence", "Learner", "Question", "Range", "Recorder", "SuggestedCall", "Symbol", "TensorContract",
    "TensorInfo", "Variant", "VariantDifference", "Verdict", "Violation", "Witness", "__version__", "checked", "diff",
    "dynamic_shapes", "formats", "learn", "make_call", "read", "read_contract", "read_tensors", "record",
    "register_container", "replace_tensors", "suggest", "tensors_of",
]

pretty.install()


def diff(older: Contract, newer: Contract) -> ContractDifference:
    """What `newer` accepts beside `older`, axis by axis: ``older.diff(newer)``."""
    return older.diff(newer)


def suggest(contract: Contract, limits: dict[str, tuple[int | None, int | None]] | None = None) -> list[SuggestedCall]:
    """The few next calls that decide what is weak or open: ``contract.suggest(limits)``."""
    return contract.suggest(limits or {})
