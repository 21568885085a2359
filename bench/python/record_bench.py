#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What recording costs a call, in microseconds of processor time: nothing recorded, hooks that do nothing, a file, a
Learner, and the way scripts do it by hand (pytree and json.dumps). What file and Learner give is compared before anything
is timed.

    PYTHONPATH=python python bench/python/record_bench.py
"""
import contextlib
import json
import os
import pathlib
import platform
import statistics
import tempfile
import time

import torch
import transformers

import tensorspec


class Flat(torch.nn.Module):
    def forward(self, a, b, c):
        return a


class Cached(torch.nn.Module):
    def forward(self, ids, cache):
        return ids


@contextlib.contextmanager
def bare_hooks(module):
    handles = [module.register_forward_pre_hook(lambda m, a, k: None, with_kwargs=True),
               module.register_forward_hook(lambda m, a, k, out: None, with_kwargs=True, always_call=True)]
    yield
    [handle.remove() for handle in handles]


@contextlib.contextmanager
def by_hand(module, path):
    """A script's own hooks: flattens with torch's pytree, one json.dumps and one buffered write a call."""
    out = open(path, "a")

    def info(tree):
        return {torch.utils._pytree.keystr(key): {"dtype": str(leaf.dtype)[6:], "shape": list(leaf.shape)}
                for key, leaf in torch.utils._pytree.tree_leaves_with_path(tree) if isinstance(leaf, torch.Tensor)}

    seen = []
    handles = [module.register_forward_pre_hook(lambda m, a, k: seen.append(info((a, k))), with_kwargs=True),
               module.register_forward_hook(lambda m, a, k, o: out.write(json.dumps(
                   {"inputs": seen.pop(), "outputs": info(o), "ok": True}) + "\n") and None, with_kwargs=True)]
    yield
    [handle.remove() for handle in handles]
    out.close()


def microseconds(module, calls, repeats=9, times=300):
    """Median over `repeats` of the mean of `times` calls, whose sizes vary."""
    best = []
    for _ in range(repeats):
        begin = time.process_time()
        for i in range(times):
            module(**calls[i % len(calls)])
        best.append((time.process_time() - begin) / times * 1e6)
    return statistics.median(best), min(best), max(best)


def cache_of(layers, past):
    cache = transformers.DynamicCache()
    for layer in range(layers):
        cache.update(torch.zeros(1, 4, past, 8), torch.zeros(1, 4, past, 8), layer)
    return cache


def main():
    from transformers.integrations.executorch import register_dynamic_cache_export_support
    register_dynamic_cache_export_support()
    torch.set_num_threads(1)
    print(f"# torch {torch.__version__}, Python {platform.python_version()}, {os.cpu_count()} cores, {platform.machine()}")
    folder = pathlib.Path(tempfile.mkdtemp())
    workloads = {
        "3 tensors": (Flat(), [{name: torch.zeros(n, 8) for name in "abc"} for n in range(1, 40)]),
        "cache of 16 layers, 33 tensors":
            (Cached(), [{"ids": torch.zeros(1, 1).long(), "cache": cache_of(16, n)} for n in range(1, 40)]),
    }
    for title, (module, calls) in workloads.items():
        path = folder / f"{type(module).__name__}.jsonl"
        learner = tensorspec.Learner()
        contracts = []
        for target in (dict(path=path), dict(learner=learner)):
            with tensorspec.record(module, **target) as recorder:
                [module(**call) for call in calls]
            assert recorder.calls[""] == len(calls)
            contracts.append(recorder.contract())
        assert contracts[0] == contracts[1]
        rows = {"nothing recorded": contextlib.nullcontext(), "hooks that do nothing": bare_hooks(module),
                "record to a file": tensorspec.record(module, path=path),
                "record to a Learner": tensorspec.record(module, learner=learner),
                "by hand, json.dumps": by_hand(module, folder / "hand.jsonl")}
        print(f"\n| {title} | median us a call | least | most |\n|---|---|---|---|")
        for name, context in rows.items():
            with context:
                microseconds(module, calls, 1)
                middle, least, most = microseconds(module, calls)
            print(f"| {name} | {middle:.1f} | {least:.1f} | {most:.1f} |")


if __name__ == "__main__":
    main()
