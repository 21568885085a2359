# SPDX-License-Identifier: Apache-2.0
"""Functions around functions that stay what those are: coroutines, generators, asynchronous generators."""
from __future__ import annotations

import contextlib
import functools
import sys

_NOWHERE = contextlib.nullcontext()


def tracing():
    """Is torch.compile or torch.export reading what runs."""
    torch = sys.modules.get("torch")
    return torch is not None and torch.compiler.is_compiling()


def around(function, inside=_NOWHERE, before=lambda args, kwargs: None, after=lambda state, result: result):
    """A function of the kind of `function`, which runs `inside` a context.

    before(args, kwargs) comes when it begins to run, not when a coroutine or generator is made; after(what that gave,
    result) gives the result. A generator has none.
    """
    import inspect

    def is_kind(test):  # an object with such a __call__ is one too
        return test(function) or test(getattr(type(function), "__call__", None))

    if is_kind(inspect.isasyncgenfunction):
        async def call(*args, **kwargs):
            with inside:
                before(args, kwargs)
                inner = function(*args, **kwargs)
                step = inner.__anext__()
                try:
                    while True:
                        try:
                            value = await step
                        except StopAsyncIteration:
                            return
                        try:
                            step = inner.asend((yield value))
                        except GeneratorExit:
                            raise
                        except BaseException as error:  # what the caller threw in
                            step = inner.athrow(error)
                finally:
                    await inner.aclose()
    elif is_kind(inspect.isgeneratorfunction):
        def call(*args, **kwargs):
            with inside:
                before(args, kwargs)
                return (yield from function(*args, **kwargs))
    elif is_kind(inspect.iscoroutinefunction):
        async def call(*args, **kwargs):
            with inside:
                return after(before(args, kwargs), await function(*args, **kwargs))
    elif inside is _NOWHERE:
        def call(*args, **kwargs):  # the usual one, without what entering nothing costs
            return after(before(args, kwargs), function(*args, **kwargs))
    else:
        def call(*args, **kwargs):
            with inside:
                return after(before(args, kwargs), function(*args, **kwargs))
    return functools.wraps(function)(call)
