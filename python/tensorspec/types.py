# SPDX-License-Identifier: Apache-2.0
"""Names for types in signatures."""
from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from typing import Any, Protocol, Union

from tensorspec._core import TensorInfo
from tensorspec.ranges import Range


class Tensor(Protocol):
    """What has a shape and a dtype: a tensor of torch, NumPy, JAX, ..."""

    @property
    def shape(self) -> Any: ...

    @property
    def dtype(self) -> Any: ...


# A tensor, or what is known of it: (dtype, extents); dtypes are names or those of a library.
TensorLike = Union[Tensor, TensorInfo, "tuple[object, Sequence[int]]"]
Tensors = Union[Mapping[str, TensorLike], Sequence[TensorInfo]]
# One-dimensional whole numbers: NumPy, Arrow, pandas, torch, a list.
Column = Any
ColumnTensors = Mapping[str, "tuple[object, Sequence[Column | int]]"]
RangeLike = Union[Range, "tuple[int | None, int | None]", "tuple[int | None, int | None, int | None]"]
Path = Union[str, "os.PathLike[str]"]
Paths = Union[Path, Sequence[Path]]
