# SPDX-License-Identifier: Apache-2.0
"""What tensorspec raises for input that is wrong."""
from __future__ import annotations


class Error(ValueError):
    """Input that is wrong: a file, a contract, a call, an argument's value.

    A value of a wrong Python type raises TypeError instead.

    Attributes:
        code: the stable word of the error, e.g. ``"npy_bad_magic"``; docs/errors.md lists all.
        file: the file it is about, or None.
        place: where in the file, the tensor or the argument: ``"line 3"``, ``"x axis 1"``, or None.
        reason: what is wrong, in words and numbers.

    ``str(error)`` is all of it in one line.
    """

    def __init__(self, code: str, message: str, file: str | None = None, place: str | None = None,
                 reason: str | None = None):
        super().__init__(code, message, file, place, reason)
        self.code = code
        self.file = file
        self.place = place
        self.reason = message if reason is None else reason

    def __str__(self) -> str:
        return self.args[1]


class ContractViolation(ValueError):
    """A call that does not conform to a contract.

    Attributes:
        verdict: the whole answer, with every violation.

    ``str(error)`` is the first violation in one line, and how many more there are.
    """

    def __init__(self, verdict, hint: str = ""):
        super().__init__(verdict, hint)
        self.verdict = verdict

    def __str__(self) -> str:
        verdict, hint = self.args
        more = len(verdict.violations) - 1
        message = verdict.violations[0].message if verdict.violations else "the call does not conform"
        return message + (f" (and {more} more)" if more > 0 else "") + (f"; {hint}" if hint else "")


def want(fits, place, what, value):
    """Raises TypeError, ``place: what, not its type``, unless `fits`."""
    if not fits:
        raise TypeError(f"{place}: {what}, not {type(value).__name__}")
