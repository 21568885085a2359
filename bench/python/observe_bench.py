#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What observing and checking cost from Python, beside rivals and floors, in microseconds of processor time.

    PYTHONPATH=python python bench/python/observe_bench.py [--json]

Rivals: the algorithm of AITune's reference page written in Python (PageSpec below), a walk over the attributes, checks
written by hand, MLflow and jaxtyping with beartype where they are installed. Floors: reading the attributes in C, and a
call that does nothing. All give the same answer before anything is timed; sizes vary from call to call.
"""
import itertools
import json
import math
import platform
import statistics
import sys
import time

import numpy as np
import torch

import tensorspec
from tensorspec.torch import TensorSpec


class PageSpec:
    """The documented algorithm of aitune.torch.module.tensor_spec.TensorSpec, as one would write it."""

    def __init__(self, shape, dtype, multipliers):
        self.shape, self.min_shape, self.max_shape = list(shape), list(shape), list(shape)
        self.dtype, self.multipliers = dtype, multipliers

    @classmethod
    def from_tensor(cls, tensor, batch_size):
        shape = list(tensor.shape)
        return cls(shape, tensor.dtype, [size / batch_size for size in shape])

    def update_shapes_seen(self, other):
        if len(self.shape) != len(other.shape):
            raise ValueError("Tensors must have the same rank")
        for axis, (size, new) in enumerate(zip(self.shape, other.shape)):
            self.min_shape[axis] = min(self.min_shape[axis], other.min_shape[axis])
            self.max_shape[axis] = max(self.max_shape[axis], other.max_shape[axis])
            if size == new:
                continue
            mine, its = self.multipliers[axis], other.multipliers[axis]
            if mine == its and not math.isnan(mine) and mine == int(mine):
                self.shape[axis] = f"batch{axis}"
            else:
                self.shape[axis] = f"dim{axis}"
                self.multipliers[axis] = math.nan


def torch_calls(tensors):
    """Calls of `tensors` tensors of rank 4, sizes of which follow a batch size or vary."""
    return [(batch, {f"t{i}": torch.empty(batch, 3, 8 + length, 5) for i in range(tensors)})
            for batch, length in itertools.product((1, 2, 4), range(8))]


def by_specs(kind, calls):
    specs = {}

    def observe(batch, tensors):
        for name, tensor in tensors.items():
            spec = kind.from_tensor(tensor, batch)
            if name in specs:
                specs[name].update_shapes_seen(spec)
            else:
                specs[name] = spec

    for call in calls:
        observe(*call)
    return observe, {name: spec.shape for name, spec in specs.items()}


def by_page(calls):
    return by_specs(PageSpec, calls)


def by_spec(calls):
    return by_specs(TensorSpec, calls)


def by_learner(calls):
    learner = tensorspec.Learner()

    def observe(batch, tensors, observe=learner.observe):
        observe(tensors, batch_size=batch)

    for call in calls:
        observe(*call)
    learned = {tensor.name: [dim.size if dim.size is not None else f"batch{axis}" if dim == "batch" else f"dim{axis}"
                             for axis, dim in enumerate(tensor.shape)] for tensor in learner.contract().tensors}
    return observe, learned


def cost(work, calls, repeats=15):
    """Median and 99th percentile over repeats of the mean over all calls, in microseconds."""
    times = max(1, 2000 // (len(calls) * (1 + len(calls[0][1]) // 4)))
    readings = []
    for _ in range(repeats):
        begin = time.thread_time_ns()
        for _ in range(times):
            for call in calls:
                work(*call)
        readings.append((time.thread_time_ns() - begin) / 1000 / (times * len(calls)))
    readings.sort()
    return statistics.median(readings), readings[min(len(readings) - 1, math.ceil(len(readings) * 0.99))]


def observe_table(tensors):
    calls = torch_calls(tensors)
    page, wanted = by_page(calls)
    spec, by_core = by_spec(calls)
    learner, learned = by_learner(calls)
    assert wanted == by_core == learned, (wanted, by_core, learned)
    shape, dtype = torch.Tensor.shape.__get__, torch.Tensor.dtype.__get__
    rows = {
        "Learner.observe": learner,
        "page's algorithm in Python": page,
        "TensorSpec.from_tensor + update": spec,
        "(tuple(shape), dtype) of each": lambda batch, given: [(tuple(t.shape), t.dtype) for t in given.values()],
        "floor: both getters of each": lambda batch, given: [(shape(t), dtype(t)) for t in given.values()] and None,
        "floor: a call": lambda batch, given: None,
    }
    return f"observe a call of {tensors} torch tensors", calls, rows


def numpy_table():
    calls = [(batch, {name: tensor.numpy() for name, tensor in given.items()}) for batch, given in torch_calls(32)]
    learner, learned = by_learner(calls)
    assert learned == by_page(calls)[1]
    rows = {"Learner.observe": learner, "(shape, dtype) of each": lambda batch, given: [(a.shape, a.dtype) for a in given.values()]}
    try:
        import warnings

        warnings.filterwarnings("ignore")
        from mlflow.models import infer_signature
        rows["MLflow infer_signature"] = lambda batch, given: infer_signature(given)
    except ImportError:
        print("without MLflow: it is not installed", file=sys.stderr)
    rows["floor: a call"] = lambda batch, given: None
    return "observe a call of 32 NumPy arrays", calls, rows


def check_table():
    learner = tensorspec.Learner()
    calls = [(batch, {"ids": torch.empty(batch, seq, dtype=torch.int64), "mask": torch.empty(batch, seq, dtype=torch.int64),
                      "state": torch.empty(batch, 8, 16)}) for batch, seq in itertools.product((1, 2, 3, 4), (5, 9, 16))]
    for batch, given in calls:
        learner.observe(given)
    checker = tensorspec.Checker(learner.contract())
    wrong = {**calls[0][1], "mask": torch.empty(1, 6, dtype=torch.int64)}

    def by_hand(batch, given):
        ids, mask, state = given["ids"], given["mask"], given["state"]
        if ids.dtype is not torch.int64 or mask.dtype is not torch.int64 or state.dtype is not torch.float32:
            return False
        size, seq = ids.shape
        return tuple(mask.shape) == (size, seq) and tuple(state.shape) == (size, 8, 16) and 1 <= size <= 4 and 5 <= seq <= 16

    rows = {"Checker.test": lambda batch, given, test=checker.test: test(given), "written by hand": by_hand}
    try:
        from beartype import beartype
        from jaxtyping import Float, Int, jaxtyped

        @jaxtyped(typechecker=beartype)
        def typed(ids: Int[torch.Tensor, "b s"], mask: Int[torch.Tensor, "b s"], state: Float[torch.Tensor, "b 8 16"]):
            return True

        def by_types(batch, given):
            try:
                return typed(**given)
            except Exception:
                return False

        rows["jaxtyping + beartype"] = by_types
    except ImportError:
        print("without jaxtyping and beartype: they are not installed", file=sys.stderr)
    for name, work in rows.items():
        assert all(work(*call) for call in calls) and not work(1, wrong), name
    rows["floor: a call"] = lambda batch, given: None
    return "check 3 torch tensors", calls, rows


def main():
    results = {"machine": f"{platform.processor() or platform.machine()}, Python {platform.python_version()}, torch {torch.__version__}"}
    for title, calls, rows in (observe_table(1), observe_table(32), numpy_table(), check_table()):
        table = results[title] = {}
        for name, work in rows.items():
            median, p99 = cost(work, calls)
            table[name] = {"median_us": median, "p99_us": p99}
        ours = next(iter(table.values()))["median_us"]
        for row in table.values():
            row["ratio"] = row["median_us"] / ours
        if "--json" not in sys.argv:
            print(f"\n{title}\n  {'':34}{'median us':>10}{'p99 us':>10}{'ratio':>8}")
            for name, row in table.items():
                print(f"  {name:34}{row['median_us']:10.2f}{row['p99_us']:10.2f}{row['ratio']:8.1f}")
    print(json.dumps(results) if "--json" in sys.argv else f"\n{results['machine']}")


if __name__ == "__main__":
    main()
