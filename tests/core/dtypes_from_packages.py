#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes tests/data/dtypes.json: what numpy, ml_dtypes, onnx and torch themselves call their dtypes.

    pip install numpy ml_dtypes onnx torch==2.13.0
    python tests/core/dtypes_from_packages.py > tests/data/dtypes.json

Run it on 64-bit Linux: the widths of C long and long double are those of the machine. dtype_test.cpp reads the file.
"""

import ctypes
import json
import sys
import warnings

import ml_dtypes
import numpy as np
import onnx
import torch

warnings.simplefilter("ignore")


def numpy_spellings():
    """Texts that numpy.dtype() takes, with the name of the dtype; ml_dtypes adds its own to NumPy's."""
    texts = set(np.typecodes["All"]) | set("?acnNpP") | {k for k in np.sctypeDict if isinstance(k, str)}
    texts |= {np.dtype(c).str for c in np.typecodes["All"]}
    texts |= {">" + np.dtype(c).str[1:] for c in np.typecodes["All"]}
    return {t: np.dtype(t).name for t in sorted(texts)}


def saved_as(scalar):
    """The type string that np.save writes."""
    return np.lib.format.dtype_to_descr(np.dtype(scalar))


def ml_types():
    skip = {"finfo", "iinfo"}
    found = {n: getattr(ml_dtypes, n) for n in dir(ml_dtypes) if isinstance(getattr(ml_dtypes, n), type)}
    return {n: {"saved": saved_as(t), "name": np.dtype(t).name} for n, t in sorted(found.items()) if n not in skip}


def onnx_types():
    out = {}
    for name, number in onnx.TensorProto.DataType.items():
        if name != "UNDEFINED":
            out[name] = {"number": number, "numpy": onnx.helper.tensor_dtype_to_np_dtype(number).name}
    return out


def torch_types():
    found = {n: getattr(torch, n) for n in dir(torch) if isinstance(getattr(torch, n), torch.dtype)}
    return {n: str(d) for n, d in sorted(found.items())}


def torch_dlpack():
    """DLPack data types of tensors that torch can export, read from the capsule."""
    class Tensor(ctypes.Structure):
        _fields_ = [("data", ctypes.c_void_p), ("device", ctypes.c_int32 * 2), ("ndim", ctypes.c_int32),
                    ("code", ctypes.c_uint8), ("bits", ctypes.c_uint8), ("lanes", ctypes.c_uint16)]

    pointer_of = ctypes.pythonapi.PyCapsule_GetPointer
    pointer_of.restype, pointer_of.argtypes = ctypes.c_void_p, [ctypes.py_object, ctypes.c_char_p]
    out = {}
    for name in sorted(set(torch_types().values())):
        try:
            capsule = torch.utils.dlpack.to_dlpack(torch.empty(1, dtype=getattr(torch, name[6:])))
        except Exception:  # noqa: BLE001 - quantised and shell dtypes have no DLPack form
            continue
        tensor = Tensor.from_address(pointer_of(capsule, b"dltensor"))
        out[name] = [tensor.code, tensor.bits, tensor.lanes]
    return out


def main():
    versions = {m.__name__: m.__version__.split("+")[0] for m in (np, ml_dtypes, onnx, torch)}
    json.dump({"versions": versions, "numpy": numpy_spellings(), "ml_dtypes": ml_types(), "onnx": onnx_types(),
               "torch": torch_types(), "torch_dlpack": torch_dlpack()}, sys.stdout, indent=1)
    print()


if __name__ == "__main__":
    main()
