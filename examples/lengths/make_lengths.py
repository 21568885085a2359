#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes lengths.csv: how often each prompt length is asked for, drawn from a lognormal distribution.

Generated, not recorded: long tails of this kind are what logs of language models show. The same parameters give the
same bytes."""
import argparse
import collections
import math
import pathlib
import random

parser = argparse.ArgumentParser(description=__doc__)
parser.add_argument("--median", type=float, default=245)
parser.add_argument("--sigma", type=float, default=1.1, help="standard deviation of the logarithm")
parser.add_argument("--cap", type=int, default=8192, help="longer prompts are cut to this")
parser.add_argument("--calls", type=int, default=200_000)
parser.add_argument("--seed", type=int, default=1)
options = parser.parse_args()

draw = random.Random(options.seed)
counts = collections.Counter(
    min(max(1, round(draw.lognormvariate(math.log(options.median), options.sigma))), options.cap)
    for _ in range(options.calls))
rows = "".join(f"{length},{counts[length]}\n" for length in sorted(counts))
pathlib.Path(__file__).with_name("lengths.csv").write_text("seq,count\n" + rows)
