# SPDX-License-Identifier: Apache-2.0
"""Columns of sizes from whatever holds them: NumPy, Arrow, pandas, torch, lists."""
from __future__ import annotations

from array import array

from tensorspec.errors import Error


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
        raise Error("invalid_argument", f"{where}: a size that is null", None, where, "a size that is null")
    if hasattr(values, "to_numpy"):
        values = values.to_numpy()
    dtype = getattr(values, "dtype", None)
    kind = getattr(dtype, "kind", None)  # of NumPy
    if kind == "O":
        return _of_objects(values, where)
    if kind in ("i", "u") and (dtype.itemsize != 8 or kind == "u" or not dtype.isnative):
        if kind == "u" and len(values) and int(values.max()) > 2**63 - 1:
            raise Error("overflow", f"{where}: {values.max()}", None, where, str(values.max()))
        return values.astype("int64")
    return values


def _of_objects(values, where):
    try:
        return array("q", [value if hasattr(value, "__index__") else len(value) for value in values])
    except OverflowError as error:
        raise Error("overflow", f"{where}: {error}", None, where, str(error)) from None
