#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Real files of public packages: does `tensorspec inspect --json FILE` say what the file's own library says?

    real_files.py --cli build/release/tensorspec --table tests/data/files.json --files tests/golden/read --site SITE_PACKAGES

A row names a file and its tensors. `base` says where it lies: `files` (--files) or `site-packages` (--site, with the
packages of tests/requirements.txt). Names and shapes must be equal. dtypes too, when the row's is one that several
frameworks have; for those of one alone (NumPy's void, datetime64, object, structured, text and longdouble, torch's
quantized and packed types) the shape is enough, and what comes out must not be one of the common names. An absent file
is a failure.
"""
import argparse
import json
import os
import subprocess
import sys

COMMON = {"bool", "string", "bfloat16", "float16", "float32", "float64", "complex64", "complex128", "float4_e2m1", "float8_e4m3fn",
          "float8_e4m3fnuz", "float8_e5m2", "float8_e5m2fnuz", "float8_e8m0fnu"} | {
    f"{sign}int{bits}" for sign in ("", "u") for bits in (4, 8, 16, 32, 64)}


def normal(tensor):
    dtype = tensor.get("dtype", "")
    return dtype if dtype in COMMON else "of one framework alone", tensor["shape"]


def judge(cli, path, row):
    """None when right, else what is wrong."""
    if not os.path.exists(path):
        return "absent"
    try:
        done = subprocess.run([cli, "inspect", "--json", path], capture_output=True, text=True, timeout=60)
    except subprocess.TimeoutExpired:
        return "hangs"
    if done.returncode != 0:
        return f"exit {done.returncode}: {(done.stdout + done.stderr).strip()[:200]}"
    answer = json.loads(done.stdout)
    if answer.get("format") != row["format"]:
        return f"format {answer.get('format')}"
    got = sorted((t["name"], *normal(t)) for t in answer["tensors"])
    want = sorted((name, *normal(t)) for name, t in row["tensors"].items())
    return None if got == want else f"got {got}, expected {want}"


def main():
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    for option in ("cli", "table", "files", "site"):
        options.add_argument("--" + option, required=True)
    given = options.parse_args()
    if not os.access(given.cli, os.X_OK):
        sys.exit(f"{given.cli} is not there")
    folders = {"files": given.files, "site-packages": given.site}
    with open(given.table, encoding="utf-8") as table:
        rows = json.load(table)
    wrong = 0
    for row in rows:
        fault = judge(given.cli, os.path.join(folders[row["base"]], row["file"]), row)
        if fault:
            wrong += 1
            print(f"{row['file']}: {fault}")
    print(f"{len(rows) - wrong} of {len(rows)} real files right")
    return 1 if wrong or not rows else 0


if __name__ == "__main__":
    sys.exit(main())
