# SPDX-License-Identifier: Apache-2.0
"""tensorspec.torch: every row of the reference page, what programs written for the original rely on, and its ten faults."""
import copy
import dataclasses
import inspect
import io
import itertools
import json
import math
import pickle
import warnings

import numpy as np
import pytest

torch = pytest.importorskip("torch")

import tensorspec  # noqa: E402
from tensorspec.torch import InfoLevel, TensorSpec  # noqa: E402

NAN = float("nan")


def spec_of(*sights, dtype=torch.float32, cls=TensorSpec):
    """The spec of (shape, batch size) pairs, in this order."""
    specs = [cls.from_tensor(torch.empty(shape, dtype=dtype, device="meta"), batch) for shape, batch in sights]
    for other in specs[1:]:
        specs[0].update_shapes_seen(other)
    return specs[0]


def fields(spec):
    return {**dataclasses.asdict(spec), "_bs_multipliers": [str(m) for m in spec._bs_multipliers]}


# The reference page, row by row.


def test_page_classes_and_fields():
    assert issubclass(InfoLevel, __import__("enum").Enum)
    assert [level.name for level in InfoLevel] == ["FULL", "MEDIUM", "SHORT"]
    assert dataclasses.is_dataclass(TensorSpec)
    assert [f.name for f in dataclasses.fields(TensorSpec)] == ["shape", "min_shape", "max_shape", "dtype", "_bs_multipliers"]
    rows = ("from_tensor update_shapes_seen get_batch_axis_multipliers get_max_batch_size get_min_batch_size has_batch_axis "
            "has_dynamic_axis is_int matches describe to_dict from_dict __eq__ __hash__ __repr__ __str__").split()
    for row in rows:
        assert row in vars(TensorSpec), row
        assert row.startswith("__") or inspect.getdoc(getattr(TensorSpec, row)), row


def test_page_example():
    spec = spec_of(([1, 2, 3, 4], 1), ([2, 8, 6, 4], 2))
    assert str(spec) == "shape=[batch0, dim1, batch2, 4]"
    assert spec.get_batch_axis_multipliers() == {0: 1, 2: 3}
    assert all(type(k) is int for k in spec.get_batch_axis_multipliers().values())
    assert spec.has_batch_axis() and spec.has_dynamic_axis()
    assert spec.min_shape == [1, 2, 3, 4] and spec.max_shape == [2, 8, 6, 4]


def test_describe_is_exact():
    spec = spec_of(([1, 2, 5], 1), ([4, 2, 7], 4))
    assert spec.describe(InfoLevel.SHORT) == str(spec) == "shape=[batch0, 2, dim2]"
    assert spec.describe(InfoLevel.MEDIUM) == repr(spec) == "shape=[batch0, 2, dim2] dtype=torch.float32"
    full = "shape=[batch0, 2, dim2] min_shape=[1, 2, 5] max_shape=[4, 2, 7] dtype=torch.float32"
    assert spec.describe() == spec.describe(info_level=InfoLevel.FULL) == full
    assert repr(TensorSpec([], [], [], None, [])) == "shape=[] dtype=None"


def test_batch_sizes_has_and_matches():
    spec = spec_of(([2, 5], 2), ([4, 9], 4))
    assert (spec.get_min_batch_size(), spec.get_max_batch_size()) == (2, 4)
    fixed = spec_of(([2, 5], 2))
    assert (fixed.get_min_batch_size(), fixed.get_max_batch_size()) == (None, 1)
    assert not fixed.has_batch_axis() and not fixed.has_dynamic_axis()
    assert spec.matches(fixed) and fixed.matches(spec)
    assert fixed.matches(spec_of(([2, 5], 1))) and not fixed.matches(spec_of(([2, 6], 1)))
    assert not fixed.matches(spec_of(([2, 5, 1], 1)))


def test_is_int_looks_at_the_value():
    for whole in (0, 1, -3, 2.0, 10**400, np.int64(3), np.float32(2), True):
        assert TensorSpec.is_int(whole) is True, whole
    for other in (0.5, NAN, math.inf, -math.inf, np.float64(0.1)):
        assert TensorSpec.is_int(other) is False, other


# What users rely on.


def test_keyword_construction_takes_anything_written_by_hand():
    spec = TensorSpec(shape=["batch0", 3], min_shape=[1, 3], max_shape=[8, 3], dtype=torch.float16, _bs_multipliers=[1, NAN])
    assert spec.get_max_batch_size() == 8
    assert spec._bs_multipliers[0] == 1 and math.isnan(spec._bs_multipliers[1])
    odd = TensorSpec(shape=[], min_shape=[1], max_shape=[], dtype=None, _bs_multipliers=[1, 2.5, NAN])
    odd.shape = []
    assert (odd.min_shape, odd.get_max_batch_size(), str(odd)) == ([1], 1, "shape=[]")


def test_lists_are_live():
    spec = spec_of(([4, 10], 2))
    for name in ("shape", "min_shape", "max_shape", "_bs_multipliers"):
        value = getattr(spec, name)
        assert type(value) is list and getattr(spec, name) is value
    assert all(type(size) is int for size in spec.shape + spec.min_shape + spec.max_shape)
    assert spec.shape[:1] == [4] and type(spec.shape[:1]) is list
    spec.shape[0] = "batch0"
    assert spec.has_batch_axis() and spec.get_batch_axis_multipliers() == {0: 2}
    assert spec.matches(spec_of(([9, 10], 1)))
    spec.shape[1] = "dim1"
    assert spec.has_dynamic_axis() and str(spec) == "shape=[batch0, dim1]"
    spec.max_shape = [64, 10]
    assert spec.get_max_batch_size() == 64


def test_merging_keeps_the_lists_themselves():
    spec = spec_of(([1, 5], 1))
    held = spec.shape, spec.min_shape, spec.max_shape, spec._bs_multipliers
    spec.update_shapes_seen(spec_of(([2, 7], 2)))
    assert held[0] == ["batch0", "dim1"] and held[0] is spec.shape and held[2] is spec.max_shape
    # But not lists that belong to `other` as well.
    spec = spec_of(([1], 1))
    twin = copy.copy(spec)
    spec.shape[0] = "batch0"
    spec.update_shapes_seen(twin)
    assert twin.shape == ["batch0"] and twin.min_shape == [1]


def test_merging_with_itself_and_with_other_left_alone():
    spec = spec_of(([1, 5], 1), ([2, 7], 2))
    before = fields(spec)
    spec.update_shapes_seen(spec)
    assert fields(spec) == before
    other = spec_of(([8, 1], 8))
    before = fields(other)
    spec.update_shapes_seen(other)
    assert fields(other) == before


def test_dict_keys_merged_later():
    seen = {}
    for shape, batch in (([1, 7], 1), ([2, 9], 2), ([1, 2, 3], 1), ([4, 1], 4)):
        spec = TensorSpec.from_tensor(torch.zeros(shape), batch)
        for known in seen:
            if known == spec:
                known.update_shapes_seen(spec)
                seen[known] += 1
                break
        else:
            seen[spec] = 1
    assert {str(k): v for k, v in seen.items()} == {"shape=[batch0, dim1]": 3, "shape=[1, 2, 3]": 1}
    (first, *_) = seen
    assert seen[first] == 3 and first in set(seen) and first in frozenset(seen)
    assert hash(first) == hash(spec_of(([5, 5], 1))) and first == spec_of(([5, 5], 1), dtype=torch.int8)
    assert (first == "shape") is False and (first == None) is False and first != spec_of(([1], 1))  # noqa: E711


def test_pickle_copies_and_old_state():
    spec = spec_of(([4, 3], 2), ([6, 3], 2), ([6, 5], 3))
    assert math.isnan(spec._bs_multipliers[0])
    for clone in [copy.deepcopy(spec), copy.copy(spec)] + [pickle.loads(pickle.dumps(spec, p)) for p in range(2, 6)]:
        assert fields(clone) == fields(spec) and clone.shape == spec.shape and type(clone) is TensorSpec
    assert copy.deepcopy(spec).shape is not spec.shape
    state = {"shape": ["batch0"], "min_shape": [1], "max_shape": [4], "dtype": torch.float32, "_bs_multipliers": [2.0]}
    for old in ((None, state), state, list(state.values())):
        loaded = TensorSpec.__new__(TensorSpec)
        loaded.__setstate__(old)
        assert loaded.get_batch_axis_multipliers() == {0: 2}
    assert spec.__reduce_ex__(2)[2][0] is None and set(spec.__reduce_ex__(2)[2][1]) == set(state)
    assert (TensorSpec.__module__, TensorSpec.__qualname__) == ("tensorspec.torch", "TensorSpec")


def test_torch_save_and_safe_globals():
    spec = spec_of(([1, 5], 1), ([2, 5], 2))
    buffer = io.BytesIO()
    torch.save({"spec": spec, "level": 3, "weights": torch.ones(2)}, buffer)
    buffer.seek(0)
    with pytest.raises(pickle.UnpicklingError):
        torch.load(buffer, weights_only=True)
    buffer.seek(0)
    with torch.serialization.safe_globals([TensorSpec]):
        loaded = torch.load(buffer, weights_only=True)["spec"]
    assert fields(loaded) == fields(spec) and loaded.dtype is torch.float32
    buffer.seek(0)
    assert fields(torch.load(buffer, weights_only=False)["spec"]) == fields(spec)


def test_to_dict_and_the_dataclass_protocol():
    spec = spec_of(([1, 5], 1), ([2, 5], 2))
    data = spec.to_dict()
    assert list(data) == ["type", "shape", "min_shape", "max_shape", "dtype", "_bs_multipliers"]
    assert data["type"] == "TensorSpec" and data["dtype"] is torch.float32
    data["shape"][0] = 99
    assert spec.shape[0] == "batch0"
    text = json.dumps({**spec.to_dict(), "dtype": str(spec.dtype)})
    back = TensorSpec.from_dict(json.loads(text))
    assert fields(back) == fields(spec) and back.dtype is torch.float32
    assert dataclasses.asdict(spec)["shape"] == ["batch0", 5]
    assert dataclasses.replace(spec, dtype=torch.int8).dtype is torch.int8
    for wrong in ({**spec.to_dict(), "type": "Other"}, {}, {"type": "TensorSpec", "shape": []}):
        with pytest.raises(ValueError):
            TensorSpec.from_dict(wrong)


@pytest.mark.parametrize("field, value, said", [
    ("shape", 3, "shape: a list of whole numbers and symbols, not int"), ("shape", "ab", "shape: a list of whole numbers and symbols, not str"),
    ("shape", [1.5, 2], "shape: a list of whole numbers and symbols, not float"), ("min_shape", ["1", 2], "min_shape: a list of whole numbers, not str"),
    ("max_shape", None, "max_shape: a list of whole numbers, not NoneType"), ("_bs_multipliers", ["1"], "_bs_multipliers: a list of numbers, not str"),
    ("dtypes_seen", 3, "dtypes_seen: a list of text, not int"), ("type", "Other", "type is 'Other'")])
def test_dictionaries_of_another_kind(field, value, said):
    good = spec_of(([1, 5], 1), ([2, 5], 2)).to_dict()
    assert fields(TensorSpec.from_dict({**good, "_bs_multipliers": (1, np.float32(2.5))}))["_bs_multipliers"] == ["1", "2.5"]
    with pytest.raises(tensorspec.Error, match=f"^not a dictionary of a TensorSpec: {said}$") as raised:
        TensorSpec.from_dict({**good, field: value})
    assert raised.value.code == "invalid_dict" and isinstance(raised.value, ValueError)


def test_a_batch_size_of_another_type():
    with pytest.raises(TypeError, match="^batch_size: a whole number or NaN, not str$"):
        TensorSpec.from_tensor(torch.zeros(2), "1")


def test_batch_sizes_of_every_type():
    for batch in (2, 2.0, np.int64(2), np.int32(2), np.float32(2), torch.tensor(2)):
        assert TensorSpec.from_tensor(torch.zeros(4, 3), batch)._bs_multipliers == [2.0, 1.5], batch
    for unknown in (NAN, np.float64("nan")):
        assert all(map(math.isnan, TensorSpec.from_tensor(torch.zeros(4, 3), unknown)._bs_multipliers))


def test_tensors_of_every_kind():
    class Sub(torch.Tensor):
        pass

    plain = torch.zeros(2, 3)
    fake_mode = __import__("torch._subclasses.fake_tensor", fromlist=["FakeTensorMode"]).FakeTensorMode()
    kinds = {
        "plain": plain, "parameter": torch.nn.Parameter(plain), "subclass": plain.as_subclass(Sub),
        "meta": torch.empty(2, 3, device="meta"), "fake": fake_mode.from_tensor(plain), "sparse": plain.to_sparse(),
        "numpy": np.zeros((2, 3), np.float32), "expanded": torch.zeros(1, 1).expand(2, 3),
    }
    for name, tensor in kinds.items():
        spec = TensorSpec.from_tensor(tensor, 2)
        assert (spec.shape, spec.dtype) == ([2, 3], tensor.dtype), name
    assert TensorSpec.from_tensor(torch.tensor(1), 1).shape == []

    seen = []
    torch.vmap(lambda row: seen.append(TensorSpec.from_tensor(row, 1)) or row)(torch.zeros(5, 7))
    assert seen[0].shape == [7]


def test_what_is_no_tensor_says_so():
    nested = torch.nested.nested_tensor([torch.zeros(2), torch.zeros(3)])
    jagged = torch.nested.nested_tensor([torch.zeros(2), torch.zeros(3)], layout=torch.jagged)
    for tensor in (nested, jagged):
        with pytest.raises(ValueError, match="nested"):
            TensorSpec.from_tensor(tensor, 2)
    for other in ([1, 2], 3, "x", None, object(), torch.nn.Linear(1, 1)):
        with pytest.raises(TypeError, match="shape"):
            TensorSpec.from_tensor(other, 1)


def test_storage_is_not_touched():
    base = torch.zeros(4, 3)
    lazy = torch._lazy_clone(base)
    TensorSpec.from_tensor(lazy, 2)
    learner = tensorspec.Learner()
    learner.observe({"x": lazy})
    assert torch._C._is_cow_tensor(lazy)


# The faults of the original, numbered as in docs/tensorspec-reference.md.


def test_fault_1_order_does_not_matter():
    for sights in ([([4], 1), ([4], 2), ([12], 3)], [([6], 3), ([6], 2), ([8], 4)]):
        for order in itertools.permutations(sights):
            assert str(spec_of(*order)) == "shape=[dim0]"


def test_fault_2_learned_specs_keep_both_ranges():
    batch = spec_of(([1], 1), ([2], 2))
    batch.update_shapes_seen(spec_of(([8], 8), ([16], 16)))
    assert batch.describe() == "shape=[batch0] min_shape=[1] max_shape=[16] dtype=torch.float32"
    dim = spec_of(([5], 1), ([7], 1))
    dim.update_shapes_seen(spec_of(([50], 1), ([70], 1)))
    assert dim.describe() == "shape=[dim0] min_shape=[5] max_shape=[70] dtype=torch.float32"


def test_fault_3_conflicting_multipliers_are_dynamic():
    spec = spec_of(([1], 1), ([2], 2))
    spec.update_shapes_seen(spec_of(([2], 1), ([4], 2)))
    assert str(spec) == "shape=[dim0]" and spec.get_batch_axis_multipliers() == {}


def test_fault_4_batch_size_can_be_normalized():
    spec = spec_of(([4, 5], 2), ([8, 5], 4))
    assert (spec.get_min_batch_size(), spec.get_max_batch_size()) == (4, 8)
    assert (spec.get_min_batch_size(normalized=True), spec.get_max_batch_size(normalized=True)) == (2, 4)


def test_fault_5_from_dict_leaves_its_argument_alone():
    data = spec_of(([1], 1), ([2], 2)).to_dict()
    before = copy.deepcopy(data)
    first, second = TensorSpec.from_dict(data), TensorSpec.from_dict(data)
    first.shape[0] = 7
    assert data == before and second.shape == ["batch0"]


def test_fault_6_dtype_conflict_is_recorded_and_warned_about_once():
    spec = spec_of(([1], 1))
    with pytest.warns(UserWarning, match="float32, torch.int64"):
        spec.update_shapes_seen(spec_of(([2], 2), dtype=torch.int64))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        spec.update_shapes_seen(spec_of(([4], 4), dtype=torch.int64))
    assert spec.dtype is torch.float32
    assert spec.dtypes_seen == ("torch.float32", "torch.int64")
    assert TensorSpec.from_dict(spec.to_dict()).dtypes_seen == spec.dtypes_seen
    assert pickle.loads(pickle.dumps(spec)).dtypes_seen == spec.dtypes_seen
    learner = tensorspec.Learner()
    learner.observe({"x": torch.zeros(1)})
    learner.observe({"x": torch.zeros(1, dtype=torch.int64)})
    assert learner.contract().tensors[0].dtypes == ["float32", "int64"]
    assert "float32|int64" in str(learner.contract())


@pytest.mark.parametrize("batch", [0, -1, math.inf, -math.inf, None, 2.5, np.int64(0), 2**63], ids=str)
def test_fault_7_batch_sizes_that_are_none(batch):
    with pytest.raises(ValueError, match="batch_size"):
        TensorSpec.from_tensor(torch.zeros(4), batch)
    assert TensorSpec.is_int(math.inf) is False


def test_fault_8_all_or_nothing():
    spec = spec_of(([1, 5], 1), ([2, 5], 2))
    before = fields(spec)
    broken = spec_of(([4, 9], 4))
    broken.max_shape[1] = object()
    bad_dtype = spec_of(([4, 9], 4), dtype=torch.int64)
    with pytest.raises(TypeError):
        spec.update_shapes_seen(broken)
    with pytest.raises(ValueError, match="same rank"):
        spec.update_shapes_seen(spec_of(([1], 1), dtype=torch.int8))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        with pytest.raises(UserWarning):
            spec.update_shapes_seen(bad_dtype)
    assert fields(spec) == before and spec.dtypes_seen == ()


def test_fault_9_describe_and_subclasses():
    class Mine(TensorSpec):
        pass

    for wrong in (1, "FULL", None):
        with pytest.raises(TypeError, match="info_level"):
            spec_of(([1], 1)).describe(wrong)
    mine = spec_of(([1], 1), ([2], 2), cls=Mine)
    assert type(mine) is Mine and type(Mine.from_dict(mine.to_dict())) is Mine
    assert mine == spec_of(([9], 1)) and spec_of(([9], 1)) == mine


@pytest.mark.parametrize("multiplier", [1.5, NAN, 0, -2, 1e300, math.inf], ids=str)
def test_fault_10_symbols_without_a_whole_multiplier(multiplier):
    spec = TensorSpec(shape=["batch0", "batch1"], min_shape=[1, 2], max_shape=[7, 14], dtype=None,
                      _bs_multipliers=[multiplier, 2])
    assert spec.get_batch_axis_multipliers() == {1: 2}
    assert (spec.get_max_batch_size(), spec.get_max_batch_size(normalized=True)) == (14, 7)


def test_the_short_way_gives_what_the_core_gives():
    """update_shapes_seen passes over what changes nothing; the core, asked anyway, must agree."""
    from tensorspec._core import _spec

    numbers = (0, 1, 2, 3, 4, 6)
    one_axis = [spec_of(*sights) for n in (1, 2) for sights in itertools.product([([s], b) for s in numbers for b in (1, 2, NAN)], repeat=n)]
    by_hand = [TensorSpec([e], [low], [high], None, [m]) for e in ("batch0", "dim0", "rows", 2, 2**26) for low, high in ((1, 4), (2, 2))
               for m in (1.0, 2.0, 1.5, 0.0, -1.0, NAN, math.inf, 1)]
    passed = 0
    for spec in one_axis[::7] + by_hand:
        for other in one_axis[::3] + by_hand:
            if _spec.unchanged(spec, other):
                *lists, _ = _spec.merged(spec, other)
                assert str(lists) == str([getattr(spec, name) for name in ("shape", "min_shape", "max_shape", "_bs_multipliers")]), (spec, other)
                passed += 1
    assert passed > 500
