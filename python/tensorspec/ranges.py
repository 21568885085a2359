# SPDX-License-Identifier: Apache-2.0
"""Ranges that a person states."""
from __future__ import annotations

import dataclasses

from tensorspec._core import Dim
from tensorspec.errors import Error, want


def _is_symbol(name):
    try:
        return Dim(name).symbols == [name]
    except Error:
        return False


@dataclasses.dataclass(frozen=True)
class Range:
    """The sizes of an axis, in elements, as you know them; they win over the sizes seen.

    Attributes:
        name: of the symbol that the axis has; axes that share a name have the same size, and must have the same range.
        min: the smallest size, 0 or more.
        opt: the size to do best at, between min and max; None: the size seen most often.
        max: the largest size, above min.

    Raises tensorspec.Error (invalid_argument) for a range that has no sizes, an opt outside it, or a name that no symbol
    can have; TypeError for sizes that are no whole numbers.
    """

    name: str
    min: int
    opt: int | None
    max: int

    def __post_init__(self):
        want(isinstance(self.name, str), "name", "a str", self.name)
        for field in ("min", "opt", "max"):
            size = getattr(self, field)
            want(hasattr(size, "__index__") or (size is None and field == "opt"), field, "a whole number", size)
        if not _is_symbol(self.name):
            raise Error("invalid_argument", f"name: {self.name!r} is not a name of a symbol", None, "name", self.name)
        if not (0 <= self.min < self.max and (self.opt is None or self.min <= self.opt <= self.max)):
            reason = f"{self.min}..{self.max}" + ("" if self.opt is None else f" with opt {self.opt}")
            raise Error("invalid_argument", f"{self.name}: not a range: {reason}", None, self.name, reason)
