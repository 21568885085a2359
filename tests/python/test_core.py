# SPDX-License-Identifier: Apache-2.0
"""Learner, Contract, Checker and Dim from Python."""
import copy
import enum
import gc
import json
import pickle
import subprocess
import sys
import textwrap
import threading
import weakref

import numpy as np
import pytest
from rich.pretty import pretty_repr

import tensorspec
from tensorspec import Call, Checker, Contract, ContractViolation, Dim, Error, Learner, Range, TensorInfo


def pairs(batch, seq):
    return {"ids": ("int64", (batch, seq)), "mask": ("int64", (batch, seq))}


@pytest.fixture
def learner():
    learner = Learner()
    for batch, seq in ((1, 7), (2, 9), (3, 12), (5, 30), (8, 11)):
        learner.observe(pairs(batch, seq), {"y": ("float32", (batch, seq, 8))}, batch_size=batch)
    return learner


def shapes(contract):
    return {tensor.name: [str(dim) for dim in tensor.shape] for tensor in contract.tensors}


# Calls.


def test_tensor_info_and_call():
    info = TensorInfo("ids", "torch.int64", [2, 10])
    assert (info.name, info.dtype, info.shape, repr(info)) == ("ids", "int64", (2, 10), "TensorInfo('ids', 'int64', (2, 10))")
    assert info == TensorInfo.of("ids", np.zeros((2, 10), np.int64)) and hash(info) == hash(TensorInfo("ids", "int64", (2, 10)))
    assert TensorInfo("x", None, ()).dtype is None
    call = Call({"x": np.zeros((2, 3), np.float16)}, [TensorInfo("y", "bool", (2,))], batch_size=2, ok=False, count=3)
    assert json.loads(call.to_json()) == {
        "batch_size": 2, "inputs": {"x": {"dtype": "float16", "shape": [2, 3]}}, "outputs": {"y": {"dtype": "bool", "shape": [2]}},
        "ok": False, "count": 3}
    assert Call.from_json(call.to_json()) == call == pickle.loads(pickle.dumps(call)) and call != Call({})
    assert (call.batch_size, call.ok, call.count, call.inputs[0].shape, call.outputs[0].name) == (2, False, 3, (2, 3), "y")


@pytest.mark.parametrize("dtype, name", [
    (np.dtype("<f4"), "float32"), (np.dtype(">i2"), "int16"), (np.dtype("bool"), "bool"), (np.float64, "float64"),
    (np.dtype("datetime64[ns]"), "<M8[ns]"), ("torch.bfloat16", "bfloat16"), ("FP16", "float16"), ("mine", "mine")], ids=str)
def test_dtypes_of_every_spelling(dtype, name):
    assert TensorInfo("x", dtype, ()).dtype == name


def test_dtypes_of_ml_dtypes_and_torch():
    ml_dtypes, torch = pytest.importorskip("ml_dtypes"), pytest.importorskip("torch")
    for name in ("bfloat16", "float8_e4m3fn", "float8_e5m2", "int4"):
        assert TensorInfo("x", np.dtype(getattr(ml_dtypes, name)), ()).dtype == name
    for name in ("bfloat16", "float8_e4m3fn", "float32", "int64", "bool", "complex64", "uint16"):
        assert TensorInfo("x", getattr(torch, name), ()).dtype == name


def test_bad_calls_say_what_and_where():
    cases = [
        (Error, "invalid_extent", "x axis 1", lambda: Call({"x": ("int64", (2, -1))})),
        (Error, "invalid_extent", "x axis 0", lambda: Call({"x": ("int64", (2**70,))})),
        (Error, "rank_too_large", "x", lambda: TensorInfo("x", None, [1] * 65)),
        (Error, "invalid_batch_size", "batch_size", lambda: Call({}, batch_size=0)),
        (Error, "invalid_batch_size", "batch_size", lambda: Learner().observe({}, batch_size=-1)),
        (Error, "duplicate_tensor", "x", lambda: Call([TensorInfo("x", None, ())] * 2)),
        (Error, "invalid_argument", "count", lambda: Call({}, count=0)),
        (TypeError, "list", "x", lambda: Call({"x": [1, 2]})),
        (TypeError, "str", "x", lambda: Learner().observe({"x": "text"})),
        (TypeError, "int", "names", lambda: Call({3: np.zeros(1)})),
        (TypeError, "list holds", "inputs", lambda: Call([np.zeros(1)])),
        (TypeError, "int", "inputs", lambda: Call(3)),
        (TypeError, "str", "batch_size", lambda: Call({}, batch_size="2")),
        (TypeError, "str", "shape", lambda: TensorInfo("x", "int64", "12")),
    ]
    for kind, word, place, make in cases:
        with pytest.raises(kind) as raised:
            make()
        assert word in (raised.value.code if kind is Error else str(raised.value)) and place in str(raised.value)
        if kind is Error:
            assert raised.value.place == place and raised.value.file is None and isinstance(raised.value, ValueError)
            there = pickle.loads(pickle.dumps(raised.value))
            assert (there.code, str(there)) == (raised.value.code, str(raised.value))


def test_pairs_take_dtypes_of_every_library():
    torch = pytest.importorskip("torch")
    for dtype in ("float32", torch.float32, np.float32, np.dtype("float32"), np.dtype("<f4")):
        assert Call({"x": (dtype, (2, 3))}).inputs == [TensorInfo("x", dtype, (2, 3))] == [TensorInfo("x", "float32", (2, 3))]
    for pair in ((2, 3), (np.zeros(2), np.zeros(2)), (torch.zeros(2), (2, 3)), ([1], (2,))):
        with pytest.raises(TypeError, match="^x: a tensor has a shape and a dtype; this is of type tuple$"):
            Learner().observe({"x": pair})


# Learning.


def test_observe_takes_any_tensor_and_equals_calls():
    torch = pytest.importorskip("torch")
    one, other = Learner(), Learner()
    for batch in (1, 2, 4):
        x, y = torch.zeros(batch, 3, dtype=torch.bfloat16), np.zeros((batch, 5), np.uint8)
        one.observe({"x": x}, {"y": y}, batch_size=batch)
        other.observe(Call({"x": ("bfloat16", (batch, 3))}, {"y": ("uint8", (batch, 5))}, batch_size=batch))
    assert one.evidence == other.evidence
    assert shapes(one.contract()) == {"x": ["batch", "3"], "y": ["batch", "5"]}


def test_a_call_is_observed_alone():
    learner, call = Learner(), Call({"x": ("int64", (2,))}, batch_size=2, count=3)
    for name, value in (("outputs", {}), ("batch_size", 2), ("ok", False), ("ok", True), ("count", 1)):
        with pytest.raises(TypeError, match=f"^{name}: a Call has its own$"):
            learner.observe(call, **{name: value})
    learner.observe(call, None, batch_size=None, ok=None, count=None)
    same, one, refused = Learner(), Learner(), Learner()
    same.observe({"x": ("int64", (2,))}, batch_size=2, count=3)
    one.observe({"x": ("int64", (2,))}, batch_size=2)
    refused.observe({"x": ("int64", (2,))}, batch_size=2, ok=False)
    assert learner.evidence == same.evidence and len({e.to_json() for e in (same.evidence, one.evidence, refused.evidence)}) == 3


def test_observe_tells_variants_dtypes_and_ranks_apart():
    learner = Learner()
    for call in [{"x": ("int64", (1, 2))}, {"x": ("int32", (1, 2))}, {"x": ("int64", (1,))}, {"y": ("int64", (1, 2))},
                 {"x": ("int64", (1, 2)), "y": ("int64", (1, 2))}, {"x": ("mine", (1, 2))}] * 3:
        learner.observe(call)
        learner.observe(call, ok=False)
        learner.observe(call, batch_size=1)
    contract = learner.contract()
    assert len(contract.variants) == 4
    assert contract.variants[0].inputs[0].dtypes or contract.variants[1].inputs[0].dtypes
    assert sorted({dtype for tensor in contract.tensors for dtype in tensor.dtypes}) == ["int32", "int64", "mine"]
    assert learner.evidence.calls == 18 * 3


def test_observe_more_tensors_kinds_and_extents_than_fit_inline():
    learner, calls = Learner(), Learner()
    for batch in (1, 2, 3):
        wide = {f"t{i}": np.zeros((batch,) + (1,) * 20, np.float32) for i in range(200)}
        learner.observe(wide, batch_size=batch)
        calls.observe(Call(wide, batch_size=batch))
    for i in range(100):
        learner.observe({f"only{i}": np.zeros(i)})
        calls.observe(Call({f"only{i}": np.zeros(i)}))
    assert learner.evidence == calls.evidence


def test_a_name_is_the_text_of_any_kind_of_str():
    class Name(str, enum.Enum):
        ids = "ids"

    class Own(str):
        def __str__(self):
            return self

    call = Call({Name.ids: ("int64", (1, 2)), Own("mask"): ("bool", (1, 2))})
    assert [tensor.name for tensor in call.inputs] == ["ids", "mask"]
    assert {type(tensor.name) for tensor in call.inputs} == {str}


def test_numpy_arrays_of_every_kind():
    class Sub(np.ndarray):
        pass

    class Liar(np.ndarray):
        shape = property(lambda self: (7, 7))

    array = np.zeros((2, 3), np.float32)
    kinds = {"plain": array, "view": array.T.T[:, ::-1], "sub": array.view(Sub), "masked": np.ma.masked_array(array),
             "strided": np.zeros((4, 6), np.float32)[::2, ::2]}
    for name, tensor in kinds.items():
        assert Call({"x": tensor}).inputs[0].shape == (2, 3), name
    assert Call({"x": array.view(Liar)}).inputs[0].shape == (7, 7)
    assert Call({"x": np.float32(1)}).inputs[0] == TensorInfo("x", "float32", ())
    assert Call({"x": np.zeros(())}).inputs[0].shape == ()


def test_objects_that_are_only_like_tensors():
    class Like:
        shape, dtype = [2, np.int64(3)], "float32"

    class Raises:
        dtype = "float32"

        @property
        def shape(self):
            raise RuntimeError("not now")

    class Symbolic:
        dtype, shape = "float32", (None, 3)

    class Changes:
        """Changes the dict that it is read from."""
        dtype = "float32"

        @property
        def shape(self):
            calls.clear()
            return (4,)

    assert Call({"x": Like()}).inputs == [TensorInfo("x", "float32", (2, 3))]
    with pytest.raises(RuntimeError, match="not now"):
        Learner().observe({"x": Raises()})
    with pytest.raises(Error) as raised:
        Learner().observe({"x": Symbolic()})
    assert raised.value.place == "x axis 0"
    calls = {"a": Changes(), "b": np.zeros(1)}
    learner = Learner()
    learner.observe(calls)
    assert learner.evidence.calls == 1


def test_a_mapping_that_is_no_dict():
    import collections

    class Encoding(collections.UserDict):
        pass

    assert Call(Encoding(x=np.zeros(3))).inputs[0].shape == (3,)


def test_an_error_teaches_nothing(learner):
    before = learner.evidence
    for wrong in ({"ids": ("int64", (-1, 3)), "mask": ("int64", (1, 3))}, {"ids": [1]}):
        with pytest.raises((Error, TypeError)):
            learner.observe(wrong, {"y": ("float32", (1, 3, 8))}, batch_size=1)
    assert learner.evidence == before


def test_merge_is_exact(learner):
    parts = [Learner() for _ in range(3)]
    for i, (batch, seq) in enumerate(((1, 7), (2, 9), (3, 12), (5, 30), (8, 11))):
        parts[i % 3].observe(pairs(batch, seq), {"y": ("float32", (batch, seq, 8))}, batch_size=batch)
    parts[0].merge(parts[1])
    parts[0].merge(parts[2].evidence)
    assert parts[0].evidence == learner.evidence
    assert parts[1].evidence | parts[2].evidence == parts[2].evidence.merge(parts[1].evidence)
    twice = Learner(learner.evidence)
    twice.merge(twice)
    assert twice.evidence.calls == 10
    with pytest.raises(Error) as raised:
        learner.merge(Learner(sample_size=64))
    assert raised.value.code == "evidence_mismatch"


def test_save_load_pickle(learner, tmp_path):
    path = tmp_path / "model.contract.json"
    learner.save(path)
    for other in (Learner.load(path), pickle.loads(pickle.dumps(learner)), Learner(learner.contract())):
        assert other.evidence == learner.evidence
    assert Contract.load(path) == learner.contract() == pickle.loads(pickle.dumps(learner.contract()))
    assert tensorspec.Evidence.from_json(learner.evidence.to_json()) == learner.evidence
    with pytest.raises(Error) as raised:
        Learner().save(path)
    assert raised.value.code == "nothing_found"
    path.write_text(learner.contract().to_json(evidence=False))
    with pytest.raises(Error) as raised:
        Learner.load(path)
    assert (raised.value.code, raised.value.file) == ("no_evidence", str(path))


def test_limit_memory(learner):
    learner.limit_memory(1 << 20)
    assert learner.evidence.sample_size < 4096
    with pytest.raises(Error) as raised:
        learner.limit_memory(10)
    assert raised.value.code == "memory_limit"


# Columns.


def test_columns_equal_calls(learner):
    batch, seq = [1, 2, 3, 5, 8], np.array([7, 9, 12, 30, 11])
    columns = Learner()
    rows = columns.observe_columns({"ids": ("int64", (batch, seq)), "mask": (np.int64, (batch, seq))},
                                   {"y": ("float32", (batch, seq, 8))}, batch_size=batch)
    assert rows == 5 and columns.evidence == learner.evidence
    counted = Learner()
    counted.observe_columns({"x": ("int64", (seq,))}, count=[1, 2, 3, 4, 5], ok=False)
    assert counted.evidence.calls == 5


def test_columns_of_every_library():
    pa, pd, torch = (pytest.importorskip(name) for name in ("pyarrow", "pandas", "torch"))
    seq = list(range(300))
    wanted = Learner()
    wanted.observe_columns({"x": ("int64", (seq,))})
    both = np.array([seq, seq]).T
    for column in (np.array(seq), np.array(seq, np.uint16), both[:, 1], pa.array(seq), pa.array(seq, pa.int32()),
                   pa.chunked_array([seq[:9], seq[9:]]), pd.Series(seq), torch.tensor(seq), pa.array([[0] * n for n in seq]),
                   pd.Series([[0] * n for n in seq]), [[0] * n for n in seq], pa.record_batch({"n": seq})["n"]):
        learner = Learner()
        learner.observe_columns({"x": ("int64", (column,))})
        assert learner.evidence == wanted.evidence, type(column)
    with pytest.raises(Error) as raised:
        Learner().observe_columns({"x": ("int64", (pa.array([1, None]),))})
    assert raised.value.place == "x axis 0"


def test_columns_of_lists_in_arrays():
    column = np.empty(2, object)
    column[:] = [np.zeros(4), np.zeros(1)]
    learner, wanted = Learner(), Learner()
    learner.observe_columns({"x": ("int64", (column,))})
    wanted.observe_columns({"x": ("int64", ([4, 1],))})
    assert learner.evidence == wanted.evidence


def test_text_in_a_column_is_no_size():
    pa, pd = pytest.importorskip("pyarrow"), pytest.importorskip("pandas")
    text = ["128", "512"]
    for column in (text, [b"128", b"512"], [5, "512"], np.array(text), np.array(text, "S"), np.array(text, object), pd.Series(text),
                   pd.Series(text, dtype="string"), pd.Series(text, dtype="category"), pa.array(text), pa.array([b"1"]),
                   pa.array(text).dictionary_encode(), pa.chunked_array([text[:1], text[1:]])):
        with pytest.raises(TypeError, match="^x axis 1: sizes are whole numbers or lists, not (str_?|bytes_?)$"):
            Learner().observe_columns({"x": ("int64", (7, column))})


def test_floats_and_gaps_in_a_column():
    pd = pytest.importorskip("pandas")
    with pytest.raises(TypeError, match="^x axis 0: sizes are whole numbers or lists, not float$"):
        Learner().observe_columns({"x": ("int64", ([1.0, 2.0],))})
    for column in ([5, None], [5, float("nan")], np.array([5, None], object), pd.Series([5, None], dtype="Int64"),
                   pd.Series([[5], None]), pd.Series([5, None]), np.array([5, np.nan])):
        with pytest.raises(Error) as raised:
            Learner().observe_columns({"x": ("int64", (column,))})
        assert str(raised.value) == "row 1: x axis 0: a size that is null" and raised.value.place == "row 1: x axis 0"


def test_columns_are_all_or_nothing(learner):
    before = learner.evidence
    for kind, place, columns in ((Error, "row 2: x axis 0", [1, 2, -3]), (TypeError, "x axis 0", np.zeros(2)),
                                 (TypeError, "x axis 0", np.zeros((2, 2), int)), (Error, "columns", 3),
                                 (Error, "x axis 0", [2**63]), (Error, "x axis 0", np.array([2**64 - 1], np.uint64))):
        with pytest.raises(kind, match=place):
            learner.observe_columns({"x": ("int64", (columns,))})
    with pytest.raises(Error, match="rows"):
        learner.observe_columns({"x": ("int64", ([1], [1, 2]))})
    assert learner.evidence == before


# Contracts.


def test_contract_parts(learner):
    contract = learner.contract()
    assert shapes(contract) == {"ids": ["batch", "s0"], "mask": ["batch", "s0"], "y": ["batch", "s0", "8"]}
    (variant,) = contract.variants
    assert (variant.calls, variant.distinct, variant.batch_size) == (5, 5, "batch")
    batch = contract.symbols["batch"]
    assert (batch.min, batch.max, batch.source, batch.seen, batch.at) == (1, 8, "given", 5, "ids[0]")
    assert variant.symbol("s0").max == 30 and variant.symbol("none") is None
    assert repr(contract) == "<Contract ids[batch, s0], mask[batch, s0] -> y[batch, s0, 8]>"
    assert str(contract).startswith("5 calls (5 different), 1 variant")
    html = contract._repr_html_()
    assert "<td" in html and "[batch, s0, 8]" in html and "<script" not in html


def test_rich_shows_fields(learner):
    """rich asks objects for `__rich_repr__`: its fields, whose own are shown in turn."""
    contract = learner.contract()
    verdict = Checker(contract).check({"ids": ("int64", (2, 9))})
    shown = pretty_repr([contract, verdict, TensorInfo("x", "int8", (2, 3)), contract.diff(contract)])
    for field in ("Contract(", "TensorContract(", "name='ids'", "shape=(Dim('batch'), Dim('s0'))", "Symbol(", "Verdict(",
                  "code='missing_tensor'", "TensorInfo(name='x', dtype='int8', shape=(2, 3))", "ContractDifference("):
        assert field in shown, shown


def test_parts_are_immutable_and_copies_of_themselves(learner):
    few, twice = Learner(), Learner()
    few.observe({"x": ("int64", (1, 8))})
    for size in (1, 2, 3, 5, 9):
        twice.observe({"x": ("int8", (size,)), "y": ("int8", (2 * size + 1,))})
    contract = learner.contract()
    variant, difference = contract.variants[0], contract.diff(learner.contract(ranges={"s0": (7, 20)}))
    narrower = next(d for d in difference.variants[0].differences if d.lost)
    verdict = Checker(contract).check(pairs(2, 99))
    for part in (TensorInfo("x", None, ()), Call({}), contract, variant, variant.symbols[0], variant.inputs[0], twice.contract().variants[0].claims[0],
                 few.contract().variants[0].questions[0], few.contract().suggest()[0], difference, difference.variants[0], narrower,
                 narrower.lost, verdict, verdict.violations[0]):
        assert copy.copy(part) is part and copy.deepcopy([part])[0] is part, type(part)


def test_html_escapes_names():
    learner = Learner()
    learner.observe({"<b>&": ("<i>", (1,))})
    html = learner.contract()._repr_html_()
    assert "&lt;b&gt;&amp;" in html and "<b>" not in html and "<i>" not in html


def test_declarations_win(learner):
    contract = learner.contract(names={"s0": "seq"}, ranges={"seq": (1, 64, 512), "batch": (None, 4)}, steps={"seq": 1})
    seq, batch = contract.symbols["seq"], contract.symbols["batch"]
    assert (seq.min, seq.opt, seq.max, seq.declared) == (1, 64, 512, True)
    assert (batch.min, batch.max) == (1, 4)
    assert any("batch" in question.about for question in contract.variants[0].questions)
    again = Learner(contract).contract(after=contract)
    assert (again.symbols["seq"].opt, again.symbols["seq"].max, again.symbols["batch"].max) == (64, 512, 4)
    assert shapes(learner.contract(dims={"mask[1]": "s0+0"}))["mask"] == ["batch", "s0"]
    assert learner.contract(batch=("ids", 1)).symbols["batch"].max == 30
    assert learner.contract(batch="ids:1").symbols["batch"].max == 30
    lengths = Learner()
    for length in (7, 9, 12):
        lengths.observe({"ids": ("int64", (length,))})
    assert list(lengths.contract().symbols) == ["batch"]
    contract = lengths.contract(batch="none")
    assert list(contract.symbols) == list(Learner(contract).contract(after=contract).symbols) == ["s0"]


def test_named_ranges_by_axis_win_over_learned_ones():
    learner = Learner()
    for batch, seq in ((1, 7), (2, 9), (3, 12)):
        learner.observe({**pairs(batch, seq), "z": ("float32", (batch, 4))}, batch_size=batch)
    seq, width = Range("seq", 1, 64, 512), Range("width", 2, None, 8)
    contract = learner.contract(axes={"ids[1]": seq, "mask[1]": seq, "z[1]": width})
    assert shapes(contract) == {"ids": ["batch", "seq"], "mask": ["batch", "seq"], "z": ["batch", "width"]}
    assert [(s.min, s.opt, s.max) for s in map(contract.symbols.get, ("seq", "width"))] == [(1, 64, 512), (2, 4, 8)]
    after = Learner(contract).contract(after=contract)
    assert shapes(after) == shapes(contract) and after.symbols["batch"].source == "given"
    checker = Checker(contract)
    assert checker.test({**pairs(1, 512), "z": ("float32", (1, 2))})
    assert not checker.test({**pairs(1, 513), "z": ("float32", (1, 2))})
    with pytest.raises(Error, match="another range"):
        learner.contract(axes={"ids[1]": seq, "mask[1]": Range("seq", 1, 64, 511)})


@pytest.mark.parametrize("sizes", [(3, None, 3), (5, None, 2), (-1, None, 2), (1, 9, 8), (1, 0, 8)], ids=str)
def test_ranges_that_are_none(sizes):
    with pytest.raises(Error) as raised:
        Range("seq", *sizes)
    assert raised.value.code == "invalid_argument"


@pytest.mark.parametrize("arguments, error, said", [
    (("s", "1", None, "5"), TypeError, "min: a whole number, not str"), (("s", 1, None, "5"), TypeError, "max: a whole number, not str"),
    (("s", 1, 2.5, 5), TypeError, "opt: a whole number, not float"), (("s", None, None, 5), TypeError, "min: a whole number, not NoneType"),
    ((3, 1, None, 5), TypeError, "name: a str, not int"), (("se q", 1, None, 5), Error, "name: 'se q' is not a name of a symbol"),
    (("2*s", 1, None, 5), Error, r"name: '2\*s' is not a name of a symbol"), (("", 1, None, 5), Error, "name: '' is not a name of a symbol")])
def test_ranges_of_the_wrong_kind(arguments, error, said):
    with pytest.raises(error, match=f"^{said}$"):
        Range(*arguments)
    assert Range("s", np.int64(1), None, 5).min == 1


def test_declarations_that_are_wrong(learner):
    for wrong in ({"ranges": {"batch": (4, 2)}}, {"ranges": {"nope": (1, 2)}}, {"batch": "ids"}, {"batch": ("ids", 9)},
                  {"names": {"s9": "x"}}, {"ranges": {"s0": (1, 9, 8)}}, {"steps": {"s0": 0}}, {"dims": {"mask[1]": "s0+"}}):
        with pytest.raises(Error):
            learner.contract(**wrong)
    for wrong in ({"ranges": 3}, {"ranges": {"s0": "1..2"}}, {"batch": 3}, {"axes": {"ids[1]": (1, 2)}}):
        with pytest.raises(TypeError):
            learner.contract(**wrong)


def test_diff_and_suggest(learner):
    contract = learner.contract()
    narrower = learner.contract(ranges={"s0": (7, 20)})
    difference = tensorspec.diff(contract, narrower)
    assert difference and difference.lost and difference.change == "narrower" and "narrower" in str(difference)
    lost = [d for d in difference.variants[0].differences if d.change == "narrower"]
    assert lost[0].tensor == "ids" and lost[0].lost.call.inputs[0].shape[1] > 20
    assert not contract.diff(contract)
    few = Learner()
    few.observe({"x": ("int64", (1, 8))})
    few.observe({"x": ("int64", (1, 16))})
    suggested = tensorspec.suggest(few.contract(), {"s0": (1, 64)})
    assert suggested and all(s.call.inputs[0].shape[1] <= 64 and s.decides for s in suggested)
    with pytest.raises(Error):
        few.contract().suggest({"nope": (1, 2)})


def test_contract_files_and_their_errors(learner, tmp_path):
    path = tmp_path / "c.contract.json"
    contract = learner.contract()
    contract.save(path)
    loaded, notes = tensorspec.read_contract(path)
    assert loaded == contract and notes == []
    assert Contract.from_json(contract.to_json()) == contract and contract.to_json(evidence=False) != contract.to_json()
    for text, code in (("{", "json_syntax"), ("[]", "contract_format"), ('{"tensorspec": 99}', None)):
        path.write_text(text)
        with pytest.raises(Error) as raised:
            Contract.load(path)
        assert raised.value.file == str(path) and raised.value.reason and (code is None or raised.value.code == code)
    with pytest.raises(Error) as raised:
        Contract.load(tmp_path / "none")
    assert (raised.value.code, raised.value.file) == ("file_open", str(tmp_path / "none"))
    with pytest.raises(Error) as raised:
        contract.save(tmp_path / "no" / "folder")
    assert raised.value.code == "file_write"


# Checking.


def test_checker(learner):
    checker = Checker(learner.contract())
    assert checker.test(pairs(2, 9)) and checker.check(pairs(2, 9)) and checker.require(pairs(2, 9)) is None
    assert not checker.test(pairs(2, 9), batch_size=3)
    wrong = {**pairs(2, 9), "mask": ("int64", (2, 10))}
    verdict = checker.check(wrong)
    assert not verdict and verdict.variant == 0 and str(verdict) == verdict.violations[0].message
    violation = verdict.violations[0]
    assert (violation.code, violation.tensor, violation.axis, violation.actual) == ("relation", "mask", 1, "10")
    with pytest.raises(ContractViolation, match="mask axis 1: 10, expected 9") as raised:
        checker.require(wrong)
    assert raised.value.verdict.violations[0].tensor == "mask"
    assert checker.test(pairs(2, 99)) is False and checker.test(pairs(2, 99), policy="relations")
    assert checker.test(pairs(2, 9), {"y": ("float32", (2, 9, 8))}) and not checker.test(pairs(2, 9), {"y": ("float32", (2, 8, 8))})
    for other in ({"ids": ("int64", (2, 9))}, {**pairs(2, 9), "more": ("int64", ())}, {"other": ("int64", (2,))},
                  {**pairs(2, 9), "mask": ("bool", (2, 9))}, {**pairs(2, 9), "mask": ("int64", (2, 9, 1))}):
        assert checker.test(other) is False and not checker.check(other)
    assert checker.test(dict(reversed(pairs(2, 9).items())))
    assert checker.test(Call(pairs(2, 9))) and pickle.loads(pickle.dumps(checker)).test(pairs(2, 9))
    with pytest.raises(Error, match="policy"):
        checker.test(pairs(2, 9), policy="all")


def test_checker_agrees_with_itself_on_arrays(learner):
    checker = Checker(learner.contract(), "seen")
    for batch in range(1, 10):
        for seq in (7, 9, 31):
            arrays = {name: np.zeros((batch, seq), np.int64) for name in ("ids", "mask")}
            for policy in ("relations", "range", "seen"):
                assert checker.test(arrays, policy=policy) == checker.check(arrays, policy=policy).ok == checker.test(Call(arrays), policy=policy)


# Dims.


def test_dim():
    dim = Dim("2*batch + 1")
    assert (str(dim), repr(dim), dim.symbols, dim.size) == ("2*batch+1", "Dim('2*batch+1')", ["batch"], None)
    assert dim.evaluate(batch=4) == dim.evaluate({"batch": 4}) == 9 and dim.evaluate() is None
    assert Dim(3) == 3 and hash(Dim(3)) == hash(3) and int(Dim(3)) == 3 and Dim("a+b") == "b+a" and Dim("a") != "b" != 3
    assert str(1 + Dim("a") * 2 - "b") == "2*a-b+1" and str(4 - Dim("a")) == "4-a"
    assert [str(d) for d in (Dim("a") / 2, Dim("a") // 2, Dim("a").ceil_divide(2))] == ["a/2", "floor(a/2)", "ceil(a/2)"]
    assert Dim("a*b").substitute(a="c+1") == "b*c+b" and pickle.loads(pickle.dumps(dim)) == dim
    for wrong in ("2*", "a b", "floor"):
        with pytest.raises(Error) as raised:
            Dim(wrong)
        assert raised.value.code == "dim_syntax" and raised.value.place.startswith("column")
    for wrong in (lambda: Dim(1.5), lambda: Dim("a") + 1.5, lambda: Dim([])):
        with pytest.raises(TypeError):
            wrong()
    with pytest.raises(ValueError):
        int(dim)
    for wrong, said in ((lambda: dim.evaluate(3), "values: a dict, not int"), (lambda: dim.substitute([1]), "values: a dict, not list"),
                        (lambda: dim.evaluate({3: 1}), "values: names are str, not int")):
        with pytest.raises(TypeError, match=f"^{said}$"):
            wrong()


# Reading.


def test_read(root, tmp_path):
    calls = tensorspec.read(root / "examples/ocr")
    assert len(calls) == 13 == len(calls.origins) and calls[0].inputs[0].name == "x" and calls.notes == []
    learner = Learner()
    assert learner.read([str(root / "examples/ocr")]) == 13
    assert learner.evidence.calls == 13 and tensorspec.learn(root / "examples/ocr") == learner.contract()
    assert [t.name for t in tensorspec.read_tensors(root / "examples/vad_npz/call_00.npz")][:2] == ["in__input", "in__state"]
    assert "npz" in [word for word, *_ in tensorspec.formats()]

    bad = tmp_path / "bad.jsonl"
    bad.write_text('{"inputs": {"x": {"dtype": "int64", "shape": [1]}}}\n{"inputs": 3}\n{"inputs": {"x": {"dtype": "int64", "shape": [2]}}}\n')
    with pytest.raises(Error) as raised:
        Learner().read(bad, format="recording")
    assert (raised.value.code, raised.value.file) == ("json_type", str(bad)) and raised.value.place.startswith("line 2")
    errors = []
    assert len(tensorspec.read([bad, tmp_path / "none"], format="recording", bad=errors.append)) == 2
    assert [error.code for error in errors] == ["json_type", "file_open"]
    with pytest.raises(ZeroDivisionError):
        tensorspec.read(bad, format="recording", bad=lambda error: 1 / 0)
    with pytest.raises(Error, match="format"):
        tensorspec.read(bad, format="nope")
    for wrong in (3, [3], None):
        with pytest.raises(TypeError):
            tensorspec.read(wrong)


def test_values_of_the_wrong_type_are_told_in_words(root):
    for wrong in (lambda: tensorspec.read(root / "examples/ocr", format=3), lambda: Learner().read("x", format=b"npy")):
        with pytest.raises(TypeError, match="^format: a str or None, not (int|bytes)$"):
            wrong()
    for cls in (tensorspec.Violation, tensorspec.Verdict):
        with pytest.raises(TypeError, match="incompatible function arguments"):
            cls.__new__(cls).__setstate__((1, 2))


def test_read_tensors_gives_what_can_be_read(tmp_path):
    torch = pytest.importorskip("torch")
    path, errors = tmp_path / "state.pt", []
    torch.save({"good": torch.zeros(2, 3), "odd": np.zeros(3), "more": torch.zeros(4)}, path)
    with pytest.raises(Error) as raised:
        tensorspec.read_tensors(path)
    names = [tensor.name for tensor in tensorspec.read_tensors(path, bad=errors.append)]
    assert names == ["good", "more"] and [str(error) for error in errors] == [str(raised.value)]
    errors.clear()
    assert tensorspec.read_tensors(tmp_path / "none.pt", bad=errors.append) == [] and [error.code for error in errors] == ["file_open"]
    with pytest.raises(ZeroDivisionError):
        tensorspec.read_tensors(path, bad=lambda error: 1 / 0)
    with pytest.raises(TypeError, match="^bad: a function that takes an Error, or None, not int$"):
        tensorspec.read_tensors(path, bad=3)


# Threads and memory.


def test_threads_share_a_learner_and_a_checker():
    torch = pytest.importorskip("torch")
    learner, alone = Learner(), Learner()
    checker = Checker(Learner(_evidence_of(alone)).contract())
    failures, switch = [], sys.getswitchinterval()
    sys.setswitchinterval(1e-5)

    def work(number):
        try:
            for i in range(200):
                batch = 1 + (number * 31 + i) % 7
                learner.observe({"x": torch.zeros(batch, 3), "y": np.zeros((batch, i % 5))}, batch_size=batch)
                if i % 50 == number % 50:
                    learner.contract(), learner.evidence
                assert checker.test({"x": ("float32", (1 + i % 3, 3))})
        except BaseException as error:  # noqa: BLE001
            failures.append(error)

    threads = [threading.Thread(target=work, args=(n,)) for n in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    sys.setswitchinterval(switch)
    assert not failures and learner.evidence.calls == 800
    one = Learner()
    for number in range(4):
        for i in range(200):
            batch = 1 + (number * 31 + i) % 7
            one.observe({"x": ("float32", (batch, 3)), "y": ("float64", (batch, i % 5))}, batch_size=batch)
    assert one.evidence == learner.evidence


def _evidence_of(learner):
    for batch in (1, 2, 3):
        learner.observe({"x": ("float32", (batch, 3))})
    return learner.evidence


def test_observing_keeps_no_tensor_alive():
    array = np.zeros((2, 3)).view(type("Own", (np.ndarray,), {}))
    gone = weakref.ref(array)
    learner = Learner()
    learner.observe({"x": array})
    before = sys.getrefcount(np.dtype("float64"))
    for _ in range(100):
        learner.observe({"x": array})
    assert sys.getrefcount(np.dtype("float64")) - before < 5
    del array
    gc.collect()
    assert gone() is None


LEFT_BEHIND = """
    import atexit, numpy as np, tensorspec, torch
    tensorspec._core._set_leak_warnings(True)

    class Duck:
        dtype, shape = "float32", ()
        def __init__(self, shape): self.shape = shape
    class Own(torch.Tensor): pass
    class Row(np.ndarray): pass
    class Shapeless: pass
    class DType:
        def __str__(self): return "mine"

    learner = tensorspec.Learner()
    mine = Duck((2, 3))
    mine.dtype = DType()
    tensors = {"duck": Duck((2, 3)), "own": torch.zeros(2).as_subclass(Own), "row": np.zeros(2).view(Row), "mine": mine}
    learner.observe(tensors)
    try: learner.observe({"x": Shapeless()})
    except TypeError: pass
    checker = tensorspec.Checker(learner.contract())
    guarded = tensorspec.checked(learner.contract())(lambda duck, own, row, mine: None)
    guarded(**tensors)
    tensorspec.register_container(Shapeless, lambda s: [], lambda s, new: s)
    assert tensorspec.tensors_of((Shapeless(), Duck((1,))))
    AT_EXIT
"""


@pytest.mark.parametrize("at_exit", ["", "atexit.register(learner.observe, tensors)",
                                     "class Last:\n        def __del__(self): learner.observe(tensors)\n    last = Last()"],
                         ids=["nothing", "a handler", "a finalizer"])
def test_classes_of_the_program_leave_nothing_behind(at_exit):
    pytest.importorskip("torch")
    code = textwrap.dedent(LEFT_BEHIND.replace("AT_EXIT", at_exit))
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


HELD_BY_OTHERS = """
    import sys, tensorspec
    if len(sys.argv) > 1: tensorspec._core._set_leak_warnings(True)
    class Held:
        learner = tensorspec.Learner()
    import ctypes; ctypes.pythonapi.Py_IncRef(ctypes.py_object(Held))
"""


def test_what_others_hold_at_exit_is_not_reported():
    runs = [subprocess.run([sys.executable, "-c", textwrap.dedent(HELD_BY_OTHERS), *more], capture_output=True, text=True)
            for more in ((), ("tell",))]
    assert [run.returncode for run in runs] == [0, 0] and runs[0].stderr == "" and "leaked 1 instances" in runs[1].stderr
