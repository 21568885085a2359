# SPDX-License-Identifier: Apache-2.0
"""Ranges that a person states."""
from __future__ import annotations

import dataclasses

from tensorspec.errors import Error


@dataclasses.dataclass(frozen=True)
class Range:
    """The sizes of an axis, in elements, as you know them; they win over the sizes seen.

    Attributes:
        name: of the symbol that the axis has; axes that share a name have the same size, and must have the same range.
        min: the smallest size, 0 or more.
        opt: the size to do best at, between min and max; None: the size seen most often.
        max: the largest size, above min.

    Raises tensorspec.Error (invalid_argument) for a range that has no sizes, or an opt outside it.
    """

    name: str
    min: int
    opt: int | None
    max: int

    def __post_init__(self):
        if not (0 <= self.min < self.max and (self.opt is None or self.min <= self.opt <= self.max)):
            reason = f"{self.min}..{self.max}" + ("" if self.opt is None else f" with opt {self.opt}")
            raise Error("invalid_argument", f"{self.name}: not a range: {reason}", None, self.name, reason)
