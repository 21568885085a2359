# SPDX-License-Identifier: Apache-2.0
"""Columns of sizes from whatever holds them: NumPy, Arrow, pandas, torch, lists."""
from __future__ import annotations

from array import array

from tensorspec.errors import Error

_TEXT = (str, bytes, bytearray)


def to_column(values, where: str):
    """`values` as one-dimensional int64 memory; copied only where it is something else. Lists in a column count as their
    lengths, as data sets of token ids have them."""
    if isinstance(values, (list, tuple, range)):
        return _of_objects(values, where)
    if hasattr(values, "combine_chunks"):  # pyarrow.ChunkedArray
        values = values.combine_chunks() if values.num_chunks != 1 else values.chunk(0)
    if hasattr(values, "value_lengths"):  # pyarrow.ListArray
        values = values.value_lengths()
    if getattr(values, "null_count", 0):
        raise _null(where)
    if hasattr(values, "to_numpy"):
        # Arrow gives text, and whatever else it would have to copy, only when asked.
        values = values.to_numpy(**({"zero_copy_only": False} if hasattr(values, "null_count") else {}))
    dtype = getattr(values, "dtype", None)
    kind = getattr(dtype, "kind", None)  # of NumPy
    if kind in ("O", "S", "U"):
        return _of_objects(values, where)
    if kind == "f" and (values != values).any():  # how pandas has whole numbers with gaps
        raise _null(f"row {(values != values).argmax()}: {where}")
    if kind in ("i", "u") and (dtype.itemsize != 8 or kind == "u" or not dtype.isnative):
        if kind == "u" and len(values) and int(values.max()) > 2**63 - 1:
            raise Error("overflow", f"{where}: {values.max()}", None, where, str(values.max()))
        return values.astype("int64")
    return values


def _of_objects(values, where):
    try:
        return array("q", [_size(value, row, where) for row, value in enumerate(values)])
    except OverflowError as error:
        raise Error("overflow", f"{where}: {error}", None, where, str(error)) from None


def _size(value, row, where):
    if not isinstance(value, _TEXT):
        if hasattr(value, "__index__") and not getattr(value, "shape", ()):
            return value
        if hasattr(value, "__len__"):
            return len(value)
        if str(value).lower() in ("none", "nan", "<na>", "nat"):
            raise _null(f"row {row}: {where}")
    raise TypeError(f"{where}: sizes are whole numbers or lists, not {type(value).__name__}")


def _null(place):
    return Error("invalid_argument", f"{place}: a size that is null", None, place, "a size that is null")
