# SPDX-License-Identifier: Apache-2.0
"""TensorSpec and InfoLevel, in place of those of ``aitune.torch.module.tensor_spec``.

A program that uses the original needs no other change than the import. docs/tensorspec-reference.md is the reference, and
lists where this one gives another answer because the original's was wrong. The work is done by the C++ core.
"""
from __future__ import annotations

import copy
import dataclasses
import enum
import warnings
from typing import Any

import torch

from tensorspec._core import _spec as _core
from tensorspec.errors import Error

__all__ = ["InfoLevel", "TensorSpec"]


class InfoLevel(enum.Enum):
    """How much ``TensorSpec.describe`` says."""

    FULL = enum.auto()
    MEDIUM = enum.auto()
    SHORT = enum.auto()


@dataclasses.dataclass(eq=False, repr=False)
class TensorSpec:
    """Which axes of one tensor are fixed, which follow the batch size, which vary otherwise.

    Attributes:
        shape: per axis the size in elements, or ``"batch{axis}"`` for a whole multiple of the batch size, or
            ``"dim{axis}"`` for a size that varies otherwise.
        min_shape: the smallest size seen, per axis.
        max_shape: the largest size seen, per axis.
        dtype: as first seen, or None.
        _bs_multipliers: size / batch size per axis; NaN once two tensors disagree on it or a batch size is unknown.

    All are plain lists and may be edited: every method looks at them anew. Two specs are equal, with equal hashes, when
    their ranks are.

    Source: the reference page of NVIDIA AITune, ``aitune.torch.module.tensor_spec``.
    """

    __slots__ = ("shape", "min_shape", "max_shape", "dtype", "_bs_multipliers", "_dtypes_seen")

    shape: list[str | int]
    min_shape: list[int]
    max_shape: list[int]
    dtype: torch.dtype | None
    _bs_multipliers: list[float]

    @classmethod
    def from_tensor(cls, tensor: torch.Tensor, batch_size: int) -> TensorSpec:
        """The spec of one tensor seen once; only its ``shape`` and ``dtype`` are read.

        Args:
            tensor: a tensor of any kind, meta and fake too; a NumPy array works as well.
            batch_size: a whole number of at least 1 of any type, or NaN when it is not known.

        Raises:
            ValueError: the batch size is none, or the tensor is nested and so has no one shape.
            TypeError: the object is no tensor.
        """
        return _core.from_tensor(cls, tensor, batch_size)

    def update_shapes_seen(self, other: TensorSpec) -> None:
        """Widens this spec by all that `other` has seen, which may itself come from many updates.

        The outcome depends on which pairs of size and batch size were seen, not on their order or grouping: all sizes
        equal: that integer; sizes differ, each the same whole multiple of its batch size: ``"batch{axis}"``; otherwise
        ``"dim{axis}"``. The first dtype known stays; another one is remembered and warned about once. `other` is left
        alone.

        Raises:
            ValueError: the ranks differ. Nothing is changed then, nor by any other exception.
        """
        if self.dtype is other.dtype and not other.dtypes_seen and _core.unchanged(self, other):
            return
        *lists, dtypes_seen = _core.merged(self, other)
        if dtypes_seen and not self.dtypes_seen:
            warnings.warn(f"dtypes {', '.join(dtypes_seen)} of one tensor; its spec keeps "
                          f"{other.dtype if self.dtype is None else self.dtype}", stacklevel=2)
        shared = [id(getattr(spec, name)) for spec in ((self,) if other is self else (self, other)) for name in _LISTS]
        for name, values in zip(_LISTS, lists):
            mine = getattr(self, name)
            # In place, for whoever holds the list; but a list that is someone else's too is left to them.
            if type(mine) is list and shared.count(id(mine)) == 1:
                mine[:] = values
            else:
                setattr(self, name, values)
        if self.dtype is None:
            self.dtype = other.dtype
        if dtypes_seen:
            self._dtypes_seen = dtypes_seen

    @property
    def dtypes_seen(self) -> tuple[str, ...]:
        """The dtypes that met when there was more than one, by name; else empty."""
        return getattr(self, "_dtypes_seen", ())

    def get_batch_axis_multipliers(self) -> dict[int, int]:
        """Axis to multiplier of the batch axes; a symbol written by hand with no whole multiplier has no entry."""
        return _core.get_batch_axis_multipliers(self)

    def get_max_batch_size(self, normalized: bool = False) -> int:
        """The largest size of any batch axis, 1 without one. `normalized` divides it by the axis' multiplier."""
        return _core.get_max_batch_size(self, normalized)

    def get_min_batch_size(self, normalized: bool = False) -> int | None:
        """The smallest size of any batch axis, None without one. `normalized` divides it by the axis' multiplier."""
        return _core.get_min_batch_size(self, normalized)

    def has_batch_axis(self) -> bool:
        """Is any entry of `shape` a text that begins with "batch"."""
        return _core.has_batch_axis(self)

    def has_dynamic_axis(self) -> bool:
        """Is any entry of `shape` another text."""
        return _core.has_dynamic_axis(self)

    def matches(self, other: TensorSpec) -> bool:
        """Same rank, and equal where both have an integer."""
        return _core.matches(self, other)

    @staticmethod
    def is_int(value: float) -> bool:
        """Is the value, of whatever type, a whole number; NaN and the infinities are none."""
        return True if isinstance(value, int) else _core.is_int(float(value))

    def describe(self, info_level: InfoLevel = InfoLevel.FULL) -> str:
        """SHORT is ``shape=[batch0, 2]``; MEDIUM adds the dtype; FULL the smallest and the largest shape as well."""
        if not isinstance(info_level, InfoLevel):
            raise TypeError(f"info_level: an InfoLevel, not {type(info_level).__name__}")
        return _core.describe(self, info_level.name)

    def __str__(self) -> str:
        return self.describe(InfoLevel.SHORT)

    def __repr__(self) -> str:
        return self.describe(InfoLevel.MEDIUM)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, TensorSpec) and len(self.shape) == len(other.shape)

    def __hash__(self) -> int:
        return hash(len(self.shape))

    def to_dict(self) -> dict[str, Any]:
        """``"type": "TensorSpec"`` and copies of the fields; dtype stays the object it is."""
        data = {"type": "TensorSpec", **{name: copy.copy(getattr(self, name)) for name in _FIELDS}}
        if self.dtypes_seen:
            data["dtypes_seen"] = list(self.dtypes_seen)
        return data

    @classmethod
    def from_dict(cls, data: dict[str, Any]) -> TensorSpec:
        """The spec that `to_dict` gave, which may have been through JSON; `data` is left as it is.

        Raises:
            tensorspec.Error: `invalid_dict`: another type, or a field is missing or of another kind. A ValueError.
        """
        if not isinstance(data, dict) or data.get("type") != "TensorSpec":
            raise _not_a_spec(f"type is {data.get('type') if isinstance(data, dict) else data!r}")
        missing = [name for name in _FIELDS if name not in data]
        if missing:
            raise _not_a_spec(f"without {', '.join(missing)}")
        lists = {name: _list_of(data, name) for name in _LISTS}
        lists["_bs_multipliers"] = [float("nan") if value is None else value for value in lists["_bs_multipliers"]]
        spec = cls(dtype=_to_dtype(data["dtype"]), **lists)
        if data.get("dtypes_seen"):
            spec._dtypes_seen = tuple(map(str, _list_of(data, "dtypes_seen")))
        return spec

    def __getstate__(self) -> tuple[None, dict[str, Any]]:
        state = {name: getattr(self, name) for name in _FIELDS}
        if self.dtypes_seen:
            state["_dtypes_seen"] = self.dtypes_seen
        extra = getattr(self, "__dict__", None)
        return (dict(extra) if extra else None, state)

    def __setstate__(self, state) -> None:
        # As written by the original, by this class, and by a dataclass with slots.
        parts = state if isinstance(state, tuple) else (state,)
        for part in parts:
            for name, value in (zip(_FIELDS, part) if isinstance(part, list) else (part or {}).items()):
                setattr(self, name, value)


_FIELDS = tuple(field.name for field in dataclasses.fields(TensorSpec))
_LISTS = ("shape", "min_shape", "max_shape", "_bs_multipliers")


def _to_dtype(value):
    """A torch.dtype for its text, other values as they are."""
    if isinstance(value, str):
        dtype = getattr(torch, value.removeprefix("torch."), None)
        return dtype if isinstance(dtype, torch.dtype) else value
    return value


def _is_whole(value):
    return hasattr(value, "__index__")


_ENTRIES = {"shape": ("whole numbers and symbols", lambda value: isinstance(value, str) or _is_whole(value)),
            "min_shape": ("whole numbers", _is_whole), "max_shape": ("whole numbers", _is_whole),
            "_bs_multipliers": ("numbers", lambda value: value is None or hasattr(value, "__float__")),
            "dtypes_seen": ("text", lambda value: value is None or isinstance(value, str))}


def _not_a_spec(reason):
    return Error("invalid_dict", f"not a dictionary of a TensorSpec: {reason}", None, None, reason)


def _list_of(data, name):
    """A copy of a list of `from_dict`."""
    values, (what, fits) = data[name], _ENTRIES[name]
    wrong = [values] if not isinstance(values, (list, tuple)) else [value for value in values if not fits(value)]
    if wrong:
        raise _not_a_spec(f"{name}: a list of {what}, not {type(wrong[0]).__name__}")
    return list(values)
