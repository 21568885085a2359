"""The C++ core of tensorspec; use it through the package."""

from collections.abc import Callable, Mapping, Sequence
import os
from typing import overload


# Written by nanobind's stubgen; tests/python/test_stubs.py says how.
from tensorspec.errors import Error
from tensorspec.ranges import Range
from tensorspec.types import Column, ColumnTensors, Path, Paths, RangeLike, Tensors

class Dim:
    """
    One axis of a contract: a whole number or an expression over symbols.

    Text such as ``"32"``, ``"batch"``, ``"2*batch"``, ``"past+seq"``, ``"8*h+4"``, ``"ceil(t/2)"``, ``"floor((t+1)/2)"``.
    Sizes are in elements. Immutable; equal expressions compare equal and have one hash. ``+ - *`` work with Dim, int and
    text; ``/`` is exact and ``//`` rounds down, both by a whole number of at least 1.

    Raises tensorspec.Error (dim_syntax, dim_too_large, overflow).
    """

    def __init__(self, value: Dim | int | str = 0) -> None: ...

    def __str__(self) -> str: ...

    def __repr__(self) -> str: ...

    def __eq__(self, other: object, /) -> bool: ...

    def __hash__(self) -> int: ...

    def __add__(self, other: Dim | int | str, /) -> Dim: ...

    def __radd__(self, other: int | str, /) -> Dim: ...

    def __sub__(self, other: Dim | int | str, /) -> Dim: ...

    def __rsub__(self, other: int | str, /) -> Dim: ...

    def __mul__(self, other: Dim | int | str, /) -> Dim: ...

    def __rmul__(self, other: int | str, /) -> Dim: ...

    def __truediv__(self, divisor: int) -> Dim: ...

    def __floordiv__(self, divisor: int) -> Dim: ...

    def ceil_divide(self, divisor: int) -> Dim:
        """This dim divided by a whole number, rounded up."""

    def __int__(self) -> int: ...

    @property
    def size(self) -> int | None:
        """The whole number that this dim is, or None when it has symbols."""

    @property
    def symbols(self) -> list[str]:
        """Names of its symbols, sorted, each once."""

    def evaluate(self, values: dict[str, int] | None = None, **named: int) -> int | None:
        """
        The size for these sizes of symbols: ``Dim("2*batch").evaluate(batch=4)`` is 8.

        None when a symbol has no size, a quotient is not whole, or a step does not fit 64 bits.
        """

    def substitute(self, values: dict[str, Dim | int | str] | None = None, **named: Dim | int | str) -> Dim:
        """Every symbol named replaced by a dim; the others stay."""

    def __reduce__(self) -> tuple: ...

class TensorInfo:
    """
    One tensor as it was seen: name, dtype, shape. Immutable.

    ``TensorInfo("ids", "int64", (2, 10))``, or ``TensorInfo.of("ids", tensor)`` of any tensor. The name is a path such as
    ``"args[0]"`` or ``"past_key_values[3].key"``, and never a file. Extents are in elements, 0 to 2**62; at most 64 axes.

    Raises tensorspec.Error (invalid_extent, rank_too_large).
    """

    def __init__(self, name: str, dtype: object, shape: Sequence[int]) -> None: ...

    @staticmethod
    def of(name: str, tensor: object) -> TensorInfo:
        """
        Name, dtype and shape of any object that has ``shape`` and ``dtype``. Its storage is not touched.

        Raises TypeError for an object that is no tensor.
        """

    @property
    def name(self) -> str:
        """A path such as ``"args[0]"``."""

    @property
    def dtype(self) -> str | None:
        """
        ``"float32"``, ``"bfloat16"``; other types as their library spells them; None: not known.
        """

    @property
    def shape(self) -> tuple[int, ...]:
        """Extents in elements, one an axis."""

    def __repr__(self) -> str: ...

    def __eq__(self, other: object, /) -> bool: ...

    def __hash__(self) -> int: ...

    def __reduce__(self) -> tuple: ...

class Call:
    """
    One invocation of a model: what went in, what came out. Immutable.

    ``inputs`` and ``outputs`` are dicts of names to tensors, in the order of the model: torch, NumPy or any other objects
    with ``shape`` and ``dtype``, or pairs ``("int64", (2, 10))``; or lists of TensorInfo. No outputs: they were not
    recorded. ``batch_size`` as the caller knows it, None when not; ``ok``: did the model accept the call; ``count``: how
    often it was seen.

    Raises tensorspec.Error (invalid_extent, duplicate_tensor, invalid_batch_size, ...), TypeError for what is no tensor.
    """

    def __init__(self, inputs: Tensors, outputs: Tensors | None = None, *, batch_size: int | float | None = None, ok: bool = True, count: int = 1) -> None: ...

    @property
    def inputs(self) -> list[TensorInfo]:
        """In the order of the model."""

    @property
    def outputs(self) -> list[TensorInfo]:
        """Empty: they were not recorded."""

    @property
    def batch_size(self) -> int | None:
        """None: not known."""

    @property
    def ok(self) -> bool:
        """Did the model accept it."""

    @property
    def count(self) -> int:
        """How often it was seen."""

    def to_json(self) -> str:
        """
        One line of a recording, without the newline; docs/formats.md describes it.
        """

    @staticmethod
    def from_json(line: str) -> Call:
        """
        The call of one line of a recording.

        Raises tensorspec.Error (json_syntax, recording_call, ...).
        """

    def __repr__(self) -> str: ...

    def __eq__(self, other: object, /) -> bool: ...

    def __hash__(self) -> int: ...

    def __getstate__(self) -> str: ...

    def __setstate__(self, arg: str, /) -> None: ...

class Symbol:
    """A named varying size of a variant. Sizes are in elements."""

    @property
    def name(self) -> str: ...

    @property
    def min(self) -> int | None:
        """Smallest size, None: no limit known."""

    @property
    def max(self) -> int | None:
        """Largest size, None: no limit known."""

    @property
    def opt(self) -> int | None:
        """The size seen most often, or the one declared; None: not known."""

    @property
    def multiple_of(self) -> int:
        """Claimed: every size is ``residue`` modulo this."""

    @property
    def residue(self) -> int: ...

    @property
    def seen_multiple_of(self) -> int:
        """What every size seen was a multiple of, not claimed."""

    @property
    def seen(self) -> int:
        """Distinct sizes seen."""

    @property
    def source(self) -> str:
        """given, inferred, observed, declared or unknown."""

    @property
    def declared(self) -> bool:
        """The range was stated by a person."""

    @property
    def at(self) -> str:
        """The first axis that shows it, such as ``"x[3]"``."""

    def __repr__(self) -> str: ...

class TensorContract:
    """One tensor of a variant."""

    @property
    def name(self) -> str: ...

    @property
    def dtypes(self) -> list[str]:
        """Names of the dtypes seen; empty: any."""

    @property
    def shape(self) -> tuple[Dim, ...]:
        """One Dim an axis."""

    @property
    def optional(self) -> bool:
        """An output that calls do not always have."""

    def __repr__(self) -> str: ...

class Claim:
    """Why an axis has its dim, and how sure that is."""

    @property
    def output(self) -> bool:
        """The tensor is an output."""

    @property
    def tensor(self) -> str: ...

    @property
    def axis(self) -> int: ...

    @property
    def dim(self) -> Dim: ...

    @property
    def certainty(self) -> str:
        """declared, believed, weak or open."""

    @property
    def witnesses(self) -> int:
        """Distinct points that show it."""

    @property
    def margin_bits(self) -> int | None:
        """Bits to spare; None: not weighed."""

    @property
    def rivals(self) -> list[Dim]:
        """Other forms that fit every call."""

    def __repr__(self) -> str: ...

class Bound:
    """A symbol that was never above another."""

    @property
    def symbol(self) -> str: ...

    @property
    def at_most(self) -> str: ...

    @property
    def witnesses(self) -> int:
        """Different pairs of their sizes."""

    def __repr__(self) -> str: ...

class Question:
    """Something that the calls do not settle, and what would."""

    @property
    def text(self) -> str: ...

    @property
    def ask(self) -> str:
        """What to record."""

    @property
    def about(self) -> list[str]:
        """Axes such as ``"x[0]"`` and symbols."""

    def __repr__(self) -> str: ...

class Variant:
    """The calls with one set of inputs and ranks: prefill, decode, ..."""

    @property
    def inputs(self) -> list[TensorContract]:
        """In display order."""

    @property
    def outputs(self) -> list[TensorContract]: ...

    @property
    def symbols(self) -> list[Symbol]:
        """Batch first, then in display order."""

    @property
    def batch_size(self) -> Dim | None:
        """What a batch size given with a call must be; None: no call had one."""

    @property
    def claims(self) -> list[Claim]: ...

    @property
    def bounds(self) -> list[Bound]: ...

    @property
    def questions(self) -> list[Question]: ...

    @property
    def calls(self) -> int:
        """Calls seen."""

    @property
    def distinct(self) -> int:
        """Different ones among them."""

    def symbol(self, name: str) -> Symbol | None:
        """The symbol of that name, or None."""

    def __repr__(self) -> str: ...

class Contract:
    """
    What a model's tensors look like, per variant: dims over symbols, ranges, how sure each claim is.

    Learned (``Learner.contract()``), loaded from a ``*.contract.json`` file (format version 1, docs/contract.schema.json), or
    declared by a model file (``read_contract``). Immutable, may be shared between threads. ``print(contract)`` is the table
    of ``tensorspec show``; notebooks show it as HTML.
    """

    @staticmethod
    def load(path: str | os.PathLike) -> Contract:
        """
        Raises tensorspec.Error (file_open, json_*, contract_*, dim_*) with the file and the place in it.
        """

    def save(self, path: str | os.PathLike) -> None:
        """
        Replaces the file in one step: a crash leaves the old file or the new. Raises tensorspec.Error (file_write).
        """

    @staticmethod
    def from_json(text: str) -> Contract:
        """Raises tensorspec.Error (json_*, contract_*, dim_*)."""

    def to_json(self, evidence: bool = True) -> str:
        """
        The text of a contract file; without its evidence when `evidence` is false.
        """

    @property
    def variants(self) -> list[Variant]:
        """One per set of inputs and ranks."""

    @property
    def tensors(self) -> list[TensorContract]:
        """Those of all variants: inputs, then outputs of each."""

    @property
    def symbols(self) -> dict[str, Symbol]:
        """By name; where variants share a name, that of the first."""

    @property
    def evidence(self) -> Evidence | None:
        """
        What it was learned from, or None; ``Learner(evidence)`` goes on from there.
        """

    def explain(self) -> str:
        """
        For every symbol, expression and fixed size: why, and what would refute it, in words.
        """

    def diff(self, newer: Contract) -> ContractDifference:
        """
        What `newer` accepts beside this one, axis by axis. At worst some tenths of a second for each pair of dims.
        """

    def suggest(self, limits: Mapping[str, tuple[int | None, int | None]] = {}) -> list[SuggestedCall]:
        """
        The few next calls that decide what is weak or open, the most telling first.

        `limits` are (min, max) by symbol, either may be None. Empty: nothing is left to decide. Raises tensorspec.Error
        (invalid_argument).
        """

    def __str__(self) -> str: ...

    def __repr__(self) -> str: ...

    def show(self) -> None:
        """Prints the table of ``tensorspec show``."""

    def __eq__(self, other: object, /) -> bool: ...

    def __hash__(self) -> int: ...

    def __getstate__(self) -> str: ...

    def __setstate__(self, arg: str, /) -> None: ...

class SuggestedCall:
    """A call worth making, and what it decides."""

    @property
    def variant(self) -> int:
        """Index in the contract."""

    @property
    def call(self) -> Call:
        """Inputs only."""

    @property
    def decides(self) -> list[str]:
        """Such as ``"y[1] = 2*s0"``."""

    def __repr__(self) -> str: ...

def read_contract(path: str | os.PathLike[str]) -> tuple[Contract, list[str]]:
    """
    A contract file, or the contract that a model file (ONNX, ...) declares, and notes on what it cannot hold.

    Raises tensorspec.Error (file_*, contract_*, nothing_declared, ...).
    """

class Witness:
    """A call that one of two contracts accepts and the other refuses."""

    @property
    def call(self) -> Call: ...

    @property
    def text(self) -> str:
        """What it shows, such as ``"1201"``."""

    def __repr__(self) -> str: ...

class Difference:
    """One thing that two variants say, compared."""

    @property
    def what(self) -> str:
        """axis, batch_size, dtype, rank or presence."""

    @property
    def output(self) -> bool: ...

    @property
    def tensor(self) -> str:
        """Empty for the batch size."""

    @property
    def axis(self) -> int:
        """Of what ``axis`` alone."""

    @property
    def change(self) -> str:
        """equal, wider, narrower or broken."""

    @property
    def proved(self) -> bool:
        """False: there may be calls that show more, but none was found."""

    @property
    def older(self) -> str: ...

    @property
    def newer(self) -> str: ...

    @property
    def lost(self) -> Witness | None:
        """A call that only the older contract accepts."""

    @property
    def gained(self) -> Witness | None:
        """A call that only the newer contract accepts."""

    def __repr__(self) -> str: ...

class VariantDifference:
    """Two variants with the same inputs, or one without a partner."""

    @property
    def older(self) -> int | None:
        """Index in the older contract, or None."""

    @property
    def newer(self) -> int | None: ...

    @property
    def inputs(self) -> list[str]:
        """Names."""

    @property
    def change(self) -> str: ...

    @property
    def proved(self) -> bool: ...

    @property
    def differences(self) -> list[Difference]:
        """Every axis that both have; of all else what is not equal."""

    @property
    def witness(self) -> Witness | None: ...

    @property
    def notes(self) -> list[str]:
        """What changes no verdict."""

class ContractDifference:
    """
    What one contract accepts and another does not.

    By meaning, not by text: names of symbols play no part. ``bool(difference)`` is true when they differ at all;
    ``lost`` when something is accepted no longer. ``print(difference)`` is what ``tensorspec diff`` prints.
    """

    @property
    def change(self) -> str:
        """equal, wider, narrower or broken."""

    @property
    def lost(self) -> bool:
        """Something is accepted no longer."""

    @property
    def proved(self) -> bool: ...

    @property
    def variants(self) -> list[VariantDifference]: ...

    def __bool__(self) -> bool: ...

    def __str__(self) -> str: ...

    def __repr__(self) -> str: ...

class Evidence:
    """
    Everything exactly known of the calls seen; its memory depends on the model, not on how many calls there were.

    A function of the set of calls with their counts, whatever their order or grouping: merging is exact. Immutable.
    """

    @property
    def calls(self) -> int:
        """Calls seen."""

    @property
    def sample_size(self) -> int:
        """Distinct calls that are kept, per set of tensors."""

    def merge(self, other: Evidence) -> Evidence:
        """
        Both together. Raises tensorspec.Error (evidence_mismatch) when the sample sizes differ.
        """

    def __or__(self, arg: Evidence, /) -> Evidence: ...

    def contract(self, *, batch: str | tuple[str, int] | None = None, names: Mapping[str, str] | None = None, ranges: Mapping[str, RangeLike] | None = None, steps: Mapping[str, int | tuple[int, int]] | None = None, dims: Mapping[str, Dim | int | str] | None = None, axes: Mapping[str, Range] | None = None, after: Contract | None = None) -> Contract:
        """
        The contract that this evidence gives.

        What you know better wins over what was learned, and a conflict becomes a question of the contract:

        batch: the axis that is the batch: ``"x:0"`` or ``("x", 0)``; ``"none"``: no axis is.
        names: learned names of symbols to wanted ones, ``{"s0": "seq"}``.
        ranges: sizes by symbol, after renaming: ``(min, max)``, ``(min, opt, max)`` or a Range, None for what is not stated.
        steps: ``{"h": 8}``, every size is a multiple; ``(8, 4)``: 4 modulo 8.
        dims: dims by axis, ``{"mask[1]": "past+seq"}``.
        axes: named ranges by axis, ``{"ids[1]": Range("seq", 1, 128, 512)}``; axes of one name must have one range.

        Raises tensorspec.Error (nothing_found: no accepted call, invalid_argument: a declaration names what is not there,
        contract_conflict).

        `after` is an earlier contract whose declarations and names are kept.
        """

    def to_json(self) -> str:
        """Compact JSON, the same bytes for equal evidence."""

    @staticmethod
    def from_json(text: str) -> Evidence:
        """Raises tensorspec.Error (evidence_format, json_*)."""

    def __eq__(self, other: object, /) -> bool: ...

    def __hash__(self) -> int: ...

    def __repr__(self) -> str: ...

    def __getstate__(self) -> str: ...

    def __setstate__(self, arg: str, /) -> None: ...

class Learner:
    """
    Takes calls, keeps evidence, gives the contract.

    ``Learner()`` starts anew; ``Learner(evidence)`` and ``Learner(contract)`` go on. At any moment the evidence is that of
    all calls taken, exactly, in memory that does not grow with their number. `sample_size` is how many distinct calls are
    kept per set of tensors. May be used by any number of threads; a Learner a thread, merged at the end, is faster.
    """

    def __init__(self, source: Evidence | Contract | None = None, *, sample_size: int = 4096) -> None: ...

    def observe(self, inputs: Call | Tensors, outputs: Tensors | None = None, *, batch_size: int | float | None = None, ok: bool | None = None, count: int | None = None) -> None:
        """
        Learns one call: ``learner.observe({"ids": ids, "mask": mask}, {"logits": logits}, batch_size=2)``.

        Tensors are whatever has ``shape`` and ``dtype``: torch (meta, fake and vmap too), NumPy, JAX, ...; pairs
        ``("int64", (2, 10))`` and TensorInfo as well. Only these two attributes are read, never the elements. A Call stands for
        all arguments, and is given alone. No outputs: they were not recorded. ``ok=False``: the model refused the call.
        `count`: how often it was seen, once unless given.

        A call like one of the last in names, ranks and dtypes costs about what reading its attributes costs. Raises
        tensorspec.Error, and nothing is learned of the call; TypeError for what is no tensor.
        """

    def observe_columns(self, inputs: ColumnTensors, outputs: ColumnTensors | None = None, *, batch_size: Column | int | None = None, ok: bool = True, count: Column | int | None = None) -> int:
        """
        Learns a call per row of columns, and returns how many: logs, Parquet files, data sets.

        ``learner.observe_columns({"ids": ("int64", (batch["n"], batch["len"]))})``: tensors by name as pairs of dtype and shape,
        where each size is a whole number or a one-dimensional column of them: NumPy, Arrow, pandas, torch or a list. int64 is
        used where it lies, without a copy. A column of lists stands for their lengths. `batch_size` and `count` (how often) too.

        All rows or none are learned; other threads run meanwhile. Raises tensorspec.Error with the row in `place`.
        """

    def read(self, paths: Paths, *, format: str | None = None, files: str = 'auto', batch_size: int | None = None, bad: Callable[[Error], object] | None = None) -> int:
        """
        Learns every call of these files, folders and glob patterns, and returns how many there were.

        Arguments as of tensorspec.read(). `batch_size` is that of every call read. Other threads run meanwhile; Ctrl-C stops.
        """

    def merge(self, other: Learner | Evidence | Contract) -> None:
        """
        Learns everything that `other` has; as if this one had seen all calls itself.

        Raises tensorspec.Error (evidence_mismatch), and nothing is changed.
        """

    def limit_memory(self, bytes: int) -> None:
        """
        Halves the sample until the evidence takes at most this. Raises tensorspec.Error (memory_limit).
        """

    @property
    def evidence(self) -> Evidence:
        """A copy of all that is known now."""

    def contract(self, *, batch: str | tuple[str, int] | None = None, names: Mapping[str, str] | None = None, ranges: Mapping[str, RangeLike] | None = None, steps: Mapping[str, int | tuple[int, int]] | None = None, dims: Mapping[str, Dim | int | str] | None = None, axes: Mapping[str, Range] | None = None, after: Contract | None = None) -> Contract:
        """
        The contract of all calls seen.

        What you know better wins over what was learned, and a conflict becomes a question of the contract:

        batch: the axis that is the batch: ``"x:0"`` or ``("x", 0)``; ``"none"``: no axis is.
        names: learned names of symbols to wanted ones, ``{"s0": "seq"}``.
        ranges: sizes by symbol, after renaming: ``(min, max)``, ``(min, opt, max)`` or a Range, None for what is not stated.
        steps: ``{"h": 8}``, every size is a multiple; ``(8, 4)``: 4 modulo 8.
        dims: dims by axis, ``{"mask[1]": "past+seq"}``.
        axes: named ranges by axis, ``{"ids[1]": Range("seq", 1, 128, 512)}``; axes of one name must have one range.

        Raises tensorspec.Error (nothing_found: no accepted call, invalid_argument: a declaration names what is not there,
        contract_conflict).

        `after` is an earlier contract whose declarations and names are kept.
        """

    def save(self, path: str | os.PathLike) -> None:
        """
        Saves a contract file, with the evidence in it: ``tensorspec show``, ``merge`` and ``learn --resume`` take it.

        Raises tensorspec.Error (file_write; nothing_found: no accepted call).
        """

    @staticmethod
    def load(path: str | os.PathLike) -> Learner:
        """
        Goes on from a contract file. Raises tensorspec.Error (file_open, no_evidence, ...).
        """

    def __repr__(self) -> str: ...

    def __reduce__(self) -> tuple: ...

class Violation:
    """One way in which a call does not conform."""

    @property
    def code(self) -> str:
        """
        missing_tensor, unexpected_tensor, rank, dtype, static, relation, range, stride, unknown_variant or batch.
        """

    @property
    def tensor(self) -> str | None:
        """Its name; None when it is about the call as a whole."""

    @property
    def axis(self) -> int | None:
        """None when it is about the tensor as a whole."""

    @property
    def expected(self) -> str:
        """Such as ``"past+seq = 12"``."""

    @property
    def actual(self) -> str:
        """Such as ``"13"``."""

    @property
    def message(self) -> str:
        """All of it in one line."""

    def __getstate__(self) -> tuple[str, str, int | None, str, str, bool, str]: ...

    def __setstate__(self, arg: tuple[str, str, int | None, str, str, bool, str], /) -> None: ...

    def __str__(self) -> str: ...

    def __repr__(self) -> str: ...

class Verdict:
    """Whether a call conforms; ``bool(verdict)`` is ``verdict.ok``."""

    @property
    def ok(self) -> bool: ...

    @property
    def variant(self) -> int | None:
        """
        Index in the contract; the nearest one when none has exactly these inputs.
        """

    @property
    def violations(self) -> list[Violation]: ...

    @property
    def warnings(self) -> list[Violation]:
        """What is not sure enough to refuse a call for."""

    def __bool__(self) -> bool: ...

    def __getstate__(self) -> tuple[bool, int | None, list[Violation], list[Violation]]: ...

    def __setstate__(self, arg: tuple[bool, int | None, Sequence[Violation], Sequence[Violation]], /) -> None: ...

    def __str__(self) -> str: ...

    def __repr__(self) -> str: ...

class Checker:
    """
    Holds calls against a contract. Immutable, may be shared between threads.

    `policy`: ``"relations"`` covers missing and unexpected tensors, rank, dtype, fixed sizes, relations and claimed strides;
    ``"range"`` (the usual one) adds the ranges; ``"seen"`` accepts recorded shapes only. Tensors are given as in
    ``Learner.observe``. Without outputs only the inputs are checked.
    """

    def __init__(self, contract: Contract, policy: str = 'range') -> None: ...

    @property
    def contract(self) -> Contract: ...

    def test(self, inputs: Call | Tensors, outputs: Tensors | None = None, *, batch_size: int | float | None = None, policy: str | None = None) -> bool:
        """Does the call conform. The fastest way to ask."""

    @overload
    def check(self, args: tuple, kwargs: Mapping[str, object] | None = None, *, forward: object = None, batch_size: int | float | None = None, policy: str | None = None) -> Verdict:
        """
        Holds the arguments of a call against the contract: `args` in a tuple, `kwargs` in a dict.

        Raises ContractViolation, with the reason in one line, unless they conform. Their tensors are those of ``tensors_of``:
        arguments by position have names when `forward`, the function or module that takes them, is given.
        """

    @overload
    def check(self, inputs: Call | Tensors, outputs: Tensors | None = None, *, batch_size: int | float | None = None, policy: str | None = None) -> Verdict:
        """
        Whether it conforms, and every way in which it does not, each in a sentence.
        """

    def require(self, inputs: Call | Tensors, outputs: Tensors | None = None, *, batch_size: int | float | None = None, policy: str | None = None) -> None:
        """
        Raises ContractViolation, with the reason in one line, unless the call conforms.
        """

    def __repr__(self) -> str: ...

    def __reduce__(self) -> tuple: ...

def read_tensors(path: str | os.PathLike[str], format: str = '', *, bad: Callable[[Error], object] | None = None) -> list[TensorInfo]:
    """
    The tensors that one file holds, from its headers alone: .npy, .npz, safetensors, torch, ...

    The array of an .npy file has the name "". Raises tensorspec.Error with file, place and reason, unless `bad` is given:
    it gets each, and what can be read is returned.
    """

def formats() -> list[tuple[str, str, str]]:
    """What is read: the word for `format`, a title, usual extensions."""

def main(argv: Sequence[bytes]) -> int:
    """
    Runs the command as a process would, and returns its exit code. Once a process.
    """
