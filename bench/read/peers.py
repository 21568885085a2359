#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The formats' own libraries on the files of bench_read, median of each; names and shapes are compared with tensorspec's first.

    pip install torch==2.13.0 safetensors onnx numpy orjson
    TENSORSPEC_BENCH_FILES=/tmp/bench build/bench/bench_read
    python bench/read/peers.py /tmp/bench build/release/tensorspec
"""
import csv
import json
import pathlib
import statistics
import subprocess
import sys
import time
import zipfile

import numpy
import onnx
import orjson
import safetensors
import torch


def of_safetensors(path):
    with safetensors.safe_open(path, "pt") as file:
        return {name: file.get_slice(name).get_shape() for name in file.keys()}


def of_model(path):
    graph = onnx.load(path, load_external_data=False).graph
    return {v.name: [d.dim_param or d.dim_value for d in v.type.tensor_type.shape.dim] for v in (*graph.input, *graph.output)}


def of_tensor(path):
    tensor = onnx.load_tensor(path)
    return {tensor.name: list(tensor.dims)}


def of_torch(path):
    return {name: list(tensor.shape) for name, tensor in torch.load(path, weights_only=True).items()}


def of_npy(path):
    return {"": list(numpy.load(path, mmap_mode="r").shape)}


def of_npz(path):
    """Headers alone; numpy.load reads the data as well."""
    shapes = {}
    with zipfile.ZipFile(path) as file:
        for name in file.namelist():
            with file.open(name) as member:
                numpy.lib.format.read_magic(member)
                shapes[name.removesuffix(".npy")] = list(numpy.lib.format.read_array_header_1_0(member)[0])
    return shapes


def of_request(path):
    return {tensor["name"]: tensor["shape"] for tensor in orjson.loads(path.read_bytes())["inputs"]}


def of_request_json(path):
    return {tensor["name"]: tensor["shape"] for tensor in json.loads(path.read_bytes())["inputs"]}


def of_trace(path):
    """The first row's sizes, as inspect prints the first call; all rows are read."""
    with path.open(newline="") as file:
        rows = [(int(row["ContextTokens"]), int(row["GeneratedTokens"])) for row in csv.DictReader(file)]
    return {"ContextTokens": [rows[0][0]], "GeneratedTokens": [rows[0][1]]}


def median(peer, paths, rounds):
    times = []
    for turn in range(rounds):
        begin = time.perf_counter()
        peer(paths[turn % len(paths)])
        times.append(time.perf_counter() - begin)
    return statistics.median(times)


def main():
    folder, cli = pathlib.Path(sys.argv[1]), sys.argv[2]
    tasks = [("npy", of_npy, sorted((folder / "npy").iterdir()), 1000),
             ("npz of 50, zipfile and headers", of_npz, [folder / "50.npz"], 20),
             ("request of 200 KB, orjson", of_request, [folder / "request.json"], 100),
             ("request of 200 KB, json", of_request_json, [folder / "request.json"], 20),
             ("trace of 100,000 rows, csv", of_trace, [folder / "trace.csv"], 5),
             ("safetensors, 1,000 tensors", of_safetensors, [folder / "1000.safetensors"], 50),
             ("ONNX model, 100 MB of weights", of_model, [folder / "weights_100.onnx"], 5),
             ("ONNX tensor", of_tensor, sorted((folder / "pb").iterdir()), 1000),
             ("torch, 200 tensors", of_torch, [folder / "200.pt"], 20)]
    for name, peer, paths, rounds in tasks:
        answer = json.loads(subprocess.run([cli, "inspect", "--json", paths[0]], capture_output=True, text=True, check=True).stdout)
        ours = {t["name"]: t["shape"] for t in answer["tensors"]}
        assert ours == {k: list(v) for k, v in peer(paths[0]).items()}, name
        print(f"{name:32} {median(peer, paths, rounds) * 1e6:12,.1f} us")


if __name__ == "__main__":
    main()
