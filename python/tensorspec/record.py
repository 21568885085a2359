# SPDX-License-Identifier: Apache-2.0
"""Records the calls of a torch module and of its submodules.

    with tensorspec.record(model, path="model.jsonl", batch="input_ids:0"):
        model.generate(...)                       # or a training loop, or a service

    $ tensorspec learn model.jsonl -o model.contract.json

    with tensorspec.record(model, ["encoder"]) as recorder:
        ...
    recorder.contract("encoder").show()

Only shapes and dtypes are looked at, never the data. Shapes of inputs are read before the call, since models change
caches in place. Whatever goes wrong in here leaves the model alone: the call is left out, counted, and warned about once.
"""
from __future__ import annotations

import collections
import copy
import fnmatch
import json
import os
import pathlib
import re
import sys
import threading
import warnings
from collections.abc import Callable, Iterable
from typing import Any

from tensorspec._core import Call, Contract, Learner
from tensorspec.errors import want
from tensorspec.paths import Layout, described_outputs, strangers
from tensorspec.wrapping import around

__all__ = ["Recorder", "record"]

_MAX_REASONS = 100  # texts of errors may hold sizes


class RecordingFile:
    """Appends calls to a recording; a line is written by one system call, so that a kill or several writers leave whole
    lines. What a crash cut off before is closed with a newline: one bad line, and the others stand. Thread-safe."""

    def __init__(self, path):
        self.path = pathlib.Path(path)
        self._fd = os.open(self.path, os.O_RDWR | os.O_CREAT | os.O_APPEND | getattr(os, "O_CLOEXEC", 0), 0o666)
        self._lock = threading.Lock()
        size = os.fstat(self._fd).st_size
        self._cut = size > 0 and os.pread(self._fd, 1, size - 1) != b"\n"

    def add(self, batch_size, inputs, outputs, error):
        line = Call(inputs, outputs, batch_size=batch_size, ok=error is None).to_json()
        if error is not None:
            line = f'{line[:-1]},"error":{json.dumps(error)}}}'
        with self._lock:
            data = (("\n" if self._cut else "") + line + "\n").encode()
            self._cut = True
            written = os.write(self._fd, data)
            while written < len(data):  # the disk is full, or nearly: the rest now, or a failure that the next line closes
                written += os.write(self._fd, data[written:])
            self._cut = False

    def close(self):
        if self._fd is not None:
            os.close(self._fd)
            self._fd = None


def _error_text(error):
    text = str(error).strip().split("\n", 1)[0]
    return f"{type(error).__name__}: {text[:200]}".rstrip(": ")


def _out_of_memory(error):
    return isinstance(error, MemoryError) or type(error).__name__ == "OutOfMemoryError" or "can't allocate memory" in str(error)


def _batch_rule(batch, warn_once):
    """A function (args, kwargs, inputs) -> batch size or None, of what the user said."""
    if batch is None:
        return lambda args, kwargs, inputs: None
    if callable(batch):
        return lambda args, kwargs, inputs: batch(args, kwargs)
    if isinstance(batch, str):
        tensor, colon, axis = batch.rpartition(":")
        if not colon or not tensor or not re.fullmatch("-?[0-9]+", axis):
            raise ValueError(f"batch={batch!r}: expected 'tensor:axis', as in 'input_ids:0'")
        axis = int(axis)

        def rule(args, kwargs, inputs):
            shape = next((info.shape for info in inputs if info.name == tensor), None)
            if shape is None:
                have = ", ".join(info.name for info in inputs) or "none"
                warn_once("batch", f"batch={batch!r}: no batch size is known of a call without {tensor}; its tensors: {have}")
                return None
            if not -len(shape) <= axis < len(shape):
                raise ValueError(f"batch={batch!r}: {tensor} has {len(shape)} axes")
            return shape[axis]

        return rule
    batch = _checked_batch(batch)
    return lambda args, kwargs, inputs: batch


def _checked_batch(size):
    """`size` as an int or None. Raises tensorspec.Error unless it is a whole number of at least 1, None or NaN."""
    return size if size is None or type(size) is int and size > 0 else Call([], batch_size=size).batch_size


class _Learning:
    """Feeds a Learner."""

    def __init__(self, learner):
        self._learner = learner

    def add(self, batch_size, inputs, outputs, error):
        self._learner.observe(inputs, outputs, batch_size=batch_size, ok=error is None)

    def close(self):
        pass


class _Hooked:
    """The hooks of one module. A copy of the module, pickled or not, takes along hooks that do nothing."""

    recorder = None

    def __getstate__(self):
        return {}

    def __init__(self, recorder, name, module, sink, outer):
        self.recorder, self.name, self.module, self.sink = recorder, name, module, sink
        self.outer = outer  # the hooks of the module that this one is part of; None: it is that module
        self.layout = Layout(module)
        import torch
        self.is_compiling = torch.compiler.is_compiling
        self.local = threading.local()
        self.handles = []

    def attach(self):
        self.handles = [self.module.register_forward_pre_hook(self.before, with_kwargs=True),
                        self.module.register_forward_hook(self.after, with_kwargs=True, always_call=True)]

    def detach(self):
        for handle in self.handles:
            handle.remove()
        self.handles = []

    def before(self, module, args, kwargs):
        if self.recorder is None or self.is_compiling():
            return
        inputs = batch_size = example = problem = None
        handled = sys.exc_info()[1]
        try:
            inputs = self.layout.described(args, kwargs)
            if not inputs:
                self.recorder.warn_of_strangers(self, args, kwargs)
            batch_size = self.outer.batch_size() if self.outer else self.recorder.batch_size(args, kwargs, inputs)
            example = self.recorder.example(self, inputs, args, kwargs)
        except Exception as error:  # whatever a user's rule or container raises
            inputs, problem = None, error
        self.local.__dict__.setdefault("calls", []).append((id(kwargs), handled, batch_size, inputs, example))
        if problem is not None:
            self.recorder.leave_out(self.name, problem)

    def batch_size(self):
        """That of the call under way in this thread; None when there is none or it is not known."""
        calls = getattr(self.local, "calls", None)
        return calls[-1][2] if calls else None

    def after(self, module, args, kwargs, output):
        if self.recorder is None or self.is_compiling():
            return
        calls = getattr(self.local, "calls", None)
        if not calls:  # hooked while the call was under way
            return
        # A call that an interrupt ended has left its entry behind; kwargs is an object of this call alone.
        at = len(calls) - 1
        while at > 0 and calls[at][0] != id(kwargs):
            at -= 1
        _, handled, batch_size, inputs, example = calls[at]
        del calls[at:]
        if inputs is None:
            return
        error = sys.exc_info()[1]
        error = None if error is handled else error
        try:
            if error is not None and _out_of_memory(error):
                raise RuntimeError("out of memory, which says nothing about the shapes")
            outputs = described_outputs(output) if error is None and self.recorder.outputs else []
            self.sink.add(batch_size, inputs, outputs, None if error is None else _error_text(error))
        except Exception as problem:
            self.recorder.leave_out(self.name, problem)
        else:
            self.recorder.count(self.name, example if error is None else None)


class Recorder:
    """What `record` gives. Use it with `with`, or as a decorator of a function that calls the model.

    calls      {module name: calls recorded}; the module itself is ""
    skipped    {reason: calls left out}
    paths      {module name: file}, when it writes files
    learners   {module name: Learner}, when it feeds learners

    May be entered again: it goes on with the same files. Threads that call the model at once are recorded each.
    """

    def __init__(self, module, submodules, path, learner, batch, outputs, examples, strict):
        if not hasattr(module, "register_forward_pre_hook"):
            raise TypeError(f"record: {type(module).__name__} is not a torch module")
        if path is not None and learner is not None:
            raise ValueError("record: path= or learner=, not both")
        want(path is None or isinstance(path, (str, os.PathLike)), "path", "a path or None", path)
        want(learner is None or isinstance(learner, Learner), "learner", "a Learner or None", learner)
        self._batch, self.outputs, self.strict = _batch_rule(batch, self.warn_once), outputs, strict
        self.calls, self.skipped = collections.Counter(), collections.Counter()
        self.paths, self.learners = {}, {}
        self._modules = {"": module, **_named(module, submodules)}
        self._keep = examples
        self._examples = {name: {} for name in self._modules}
        self._lock, self._entered, self._hooked, self._warned = threading.RLock(), 0, [], set()
        for name in self._modules:
            if path is not None:
                target = pathlib.Path(path)
                self.paths[name] = target.with_name(f"{target.stem}.{name}{target.suffix}") if name else target
            else:
                self.learners[name] = learner if learner is not None and not name else Learner()

    def __enter__(self):
        with self._lock:
            self._entered += 1
            if self._entered == 1:
                try:
                    for name, module in self._modules.items():
                        sink = RecordingFile(self.paths[name]) if self.paths else _Learning(self.learners[name])
                        self._hooked.append(_Hooked(self, name, module, sink, self._hooked[0] if name else None))
                    for hooked in self._hooked:
                        hooked.attach()
                except BaseException:
                    self._entered = 0
                    self._close()
                    raise
        return self

    def __exit__(self, *_):
        with self._lock:
            self._entered -= 1
            if self._entered == 0:
                self._close()

    def _close(self):
        for hooked in self._hooked:
            hooked.detach()
            hooked.sink.close()
        self._hooked = []

    @property
    def examples(self) -> dict[str, list[tuple[tuple, dict[str, Any]]]]:
        """{module name: [(args, kwargs), ...]}, with `examples=True`: a copy of the first accepted call of each variant."""
        return {name: list(calls.values()) for name, calls in self._examples.items()}

    def contract(self, name: str = "", **declarations: Any) -> Contract:
        """The contract of what was recorded of a module so far; `declarations` are those of `Learner.contract`.

        Of a file that was continued everything in it counts; what a crash cut off is left out with a warning.
        """
        learner = self.learners.get(name)
        if learner is None:
            learner = Learner()
            learner.read(self.paths[name], bad=lambda error: warnings.warn(f"left out: {error}", RuntimeWarning))
        return learner.contract(**declarations)

    def __call__(self, function):
        want(callable(function), "record", "a function to decorate", function)
        return around(function, inside=self)

    def batch_size(self, args, kwargs, inputs):
        return _checked_batch(self._batch(args, kwargs, inputs))

    def count(self, name, example):
        with self._lock:
            self.calls[name] += 1
            if example is not None:
                self._examples[name].setdefault(*example)

    def leave_out(self, name, error):
        """A call that could not be recorded. Raises `error` when the recorder is strict."""
        reason = f"{name}: {_error_text(error)}" if name else _error_text(error)
        with self._lock:
            if reason not in self.skipped and len(self.skipped) >= _MAX_REASONS:
                reason = "other reasons"
            self.skipped[reason] += 1
            first = self.skipped[reason] == 1
        if self.strict:
            raise error
        if first:
            warnings.warn(f"a call was left out of the recording: {reason}", RuntimeWarning, stacklevel=3)

    def warn_once(self, about, message):
        with self._lock:
            first = about not in self._warned
            self._warned.add(about)
        if first:
            warnings.warn(message, RuntimeWarning, stacklevel=3)

    def warn_of_strangers(self, hooked, args, kwargs):
        """Of a call without tensors whose arguments are objects that nobody told how to take apart."""
        found = [f"{path}: {type(value).__name__}" for name, argument in hooked.layout.arguments(args, kwargs)
                 for path, value in strangers(argument, name)]
        if found:
            where = f"{hooked.name}: " if hooked.name else ""
            self.warn_once(("strangers", hooked.name), f"{where}no tensor was found in {', '.join(found[:3])}; "
                                                       "register_container tells where they are")

    def example(self, hooked, inputs, args, kwargs):
        """A copy of the arguments when the variant has none yet, else None."""
        if not self._keep or _ranks(inputs) in self._examples[hooked.name]:
            return None
        return _ranks(inputs), hooked.layout.transform(args, kwargs, _copy)

    def __repr__(self):
        where = ", ".join(map(str, self.paths.values())) or "learners"
        skipped = f", {sum(self.skipped.values())} left out" if self.skipped else ""
        return f"<recorder of {len(self._modules)} modules into {where}: {sum(self.calls.values())} calls{skipped}>"


def _ranks(inputs):
    return frozenset((tensor.name, len(tensor.shape)) for tensor in inputs)


def _copy(path, tensor):
    return tensor.detach().clone() if hasattr(tensor, "detach") else copy.copy(tensor)


def _named(module, wanted):
    """{name: submodule} of names and patterns such as "encoder.layer.*"."""
    wanted = [wanted] if isinstance(wanted, str) else wanted
    want(isinstance(wanted, Iterable), "submodules", "names or patterns", wanted)
    have = {name: submodule for name, submodule in module.named_modules() if name}
    found = {}
    for name in wanted:
        want(isinstance(name, str), "submodules", "names or patterns", name)
        matching = [name] if name in have else [n for n in have if fnmatch.fnmatchcase(n, name)]
        if not matching:
            import difflib
            near = difflib.get_close_matches(name, have, 3, 0.3)
            raise ValueError(f"record: no submodule is called {name!r}" + (f"; there is {', '.join(near)}" if near else ""))
        found.update({n: have[n] for n in matching})
    return found


def record(module: Any, submodules: str | Iterable[str] = (), path: str | os.PathLike | None = None, *,
           learner: Learner | None = None, batch: str | int | Callable[[tuple, dict], int | None] | None = None,
           outputs: bool = True, examples: bool = False, strict: bool = False) -> Recorder:
    """Records the calls of a torch module, as a context manager or a decorator.

    module      a torch module; calls through `module(...)` are seen, not those of `module.forward(...)`
    submodules  names or patterns of `module.named_modules()`: "encoder", "encoder.layer.*"
    path        the recording to write (JSON Lines); one that exists is continued. The calls of submodule `encoder` go to
                `NAME.encoder.jsonl` beside `NAME.jsonl`: every module has a contract of its own
    learner     without a path a `Learner` is fed, this one or a new one; submodules get learners of their own:
                `recorder.learners["encoder"]`
    batch       the batch size of a call of `module`: "input_ids:0" (the size of an axis), a number, a function
                (args, kwargs) -> int or None, or None: not known. What a submodule does has the batch size of the call
                of `module` that it is part of
    outputs     also record what the module gives
    examples    keep a copy of the arguments of the first call of each variant, for `make_call`
    strict      raise what is otherwise counted in `recorder.skipped` and warned about once

    A call in which the model raises is recorded with `ok: false` and the reason, and the exception goes on to the caller;
    out of memory and interrupts are left out. Tracing (`torch.export`, `torch.compile`) is not recorded; of a compiled
    module its calls are seen, and those of its submodules are not. A decorated coroutine or generator stays one, and is
    recorded from when it begins to run. Copies of the module made meanwhile are not recorded.

    Raises TypeError for a module that is not torch's, ValueError for a submodule that is not there or a bad batch rule,
    OSError for a file that cannot be written. Cost: a few microseconds a tensor, one write a call.
    """
    return Recorder(module, submodules, path, learner, batch, outputs, examples, strict)
