# SPDX-License-Identifier: Apache-2.0
"""Calls and contracts from files."""
from __future__ import annotations

import collections.abc
import os
from typing import Callable, Sequence, Union

from tensorspec import _core
from tensorspec._core import Call, Contract, Learner
from tensorspec.errors import Error

Path = Union[str, "os.PathLike[str]"]


class Calls(collections.abc.Sequence):
    """Calls that were read, in the order of the paths.

    Attributes:
        origins: per call its file, with ``:line`` in a recording.
        notes: how something was read that could be read otherwise, and files passed over.
    """

    def __init__(self, calls: list[Call], origins: list[str], notes: list[str]):
        self._calls = calls
        self.origins = origins
        self.notes = notes

    def __len__(self) -> int:
        return len(self._calls)

    def __getitem__(self, index):
        return self._calls[index]

    def __repr__(self) -> str:
        return f"<Calls: {len(self)}>"


def read(paths: Path | Sequence[Path], *, format: str | None = None, files: str = "auto",
         bad: Callable[[Error], object] | None = None) -> Calls:
    """The calls in files, folders and glob patterns; recordings, .npz, .npy, safetensors, ONNX test data, torch files, ...

    Only headers are read. `format` names the format instead of telling it by content (``formats()`` lists them). `files`
    says what the files of one tensor in a folder are: ``"tensors"`` of one call, ``"calls"`` one each, ``"auto"``: their
    names tell. ``Learner.read`` takes any number of calls without holding them.

    Bad input raises the first tensorspec.Error, unless `bad` is given: it gets each, and the rest is read.
    """
    return Calls(*_core._read(paths, format, files, bad))


def learn(paths: Path | Sequence[Path], *, format: str | None = None, files: str = "auto", batch_size: int | None = None,
          bad: Callable[[Error], object] | None = None, **declarations) -> Contract:
    """The contract of the calls in files, folders and glob patterns, as ``tensorspec learn`` makes it.

    Arguments as of ``read``, ``Learner.read`` and ``Learner.contract``.
    """
    learner = Learner()
    learner.read(paths, format=format, files=files, batch_size=batch_size, bad=bad)
    return learner.contract(**declarations)
