# SPDX-License-Identifier: Apache-2.0
"""ONNX models declared anew: checked, inferred, run; the real models of rapidocr-onnxruntime and silero-vad."""
import importlib.util
import json
import pathlib

import numpy as np
import pytest

onnx = pytest.importorskip("onnx")
onnxruntime = pytest.importorskip("onnxruntime")


def packaged(package, path):
    spec = importlib.util.find_spec(package)
    if spec is None:
        pytest.skip(f"{package} is not installed")
    return pathlib.Path(spec.origin).parent / path


def session(path):
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = 1
    return onnxruntime.InferenceSession(path, options, providers=["CPUExecutionProvider"])


def rewritten(cli, contract, model, target):
    code, out, err = cli("export", contract, "--to", "onnx", "--model", model, "-o", target)
    assert code == 0, err
    onnx.checker.check_model(str(target), full_check=True)
    return onnx.load(target), err


def dims(value):
    return [dim.dim_param or (dim.dim_value if dim.HasField("dim_value") else None) for dim in value.type.tensor_type.shape.dim]


def test_rapidocr_recognition(cli, contracts, tmp_path):
    model = packaged("rapidocr_onnxruntime", "models/ch_PP-OCRv4_rec_infer.onnx")
    before = onnx.load(model)
    after, err = rewritten(cli, contracts / "ocr.contract.json", model, tmp_path / "rec.onnx")
    # The height was 48 in all calls, but the model leaves it open, and so does the copy.
    assert dims(after.graph.input[0]) == ["batch", 3, None, "s0"] and "x[2] = 48" in err
    assert dims(after.graph.output[0]) == ["batch", "floor((s0+3)/8)", 6625]
    kept = json.loads({entry.key: entry.value for entry in after.metadata_props}["tensorspec"])
    assert kept["symbols"]["batch"] == {"min": 1, "max": 6}
    # Everything else is as it was.
    assert list(before.graph.node) == list(after.graph.node) and list(before.graph.initializer) == list(after.graph.initializer)
    assert [entry for entry in after.metadata_props if entry.key != "tensorspec"] == list(before.metadata_props)
    x = np.random.default_rng(0).random((2, 3, 48, 320), np.float32)
    old, new = (session(path).run(None, {"x": x})[0] for path in (model, tmp_path / "rec.onnx"))
    assert new.shape == (2, 40, 6625) and np.array_equal(old, new)
    # A second time changes nothing.
    again, _ = rewritten(cli, contracts / "ocr.contract.json", tmp_path / "rec.onnx", tmp_path / "again.onnx")
    assert (tmp_path / "rec.onnx").read_bytes() == (tmp_path / "again.onnx").read_bytes()


def test_onnx_runtime_cannot_refuse_a_range(cli, contracts, tmp_path):
    model = packaged("rapidocr_onnxruntime", "models/ch_PP-OCRv4_rec_infer.onnx")
    rewritten(cli, contracts / "ocr.contract.json", model, tmp_path / "rec.onnx")
    run = session(tmp_path / "rec.onnx").run
    assert run(None, {"x": np.zeros((1, 3, 48, 64), np.float32)})[0].shape[0] == 1  # s0 is 320..1603
    with pytest.raises(onnxruntime.capi.onnxruntime_pybind11_state.InvalidArgument):
        run(None, {"x": np.zeros((1, 4, 48, 320), np.float32)})


def test_silero_vad(cli, contracts, tmp_path):
    """A model with graphs within graphs (If), a scalar input, the batch on axis 1."""
    model = packaged("silero_vad", "data/silero_vad.onnx")
    after, _ = rewritten(cli, contracts / "scalar_input.contract.json", model, tmp_path / "vad.onnx")
    assert [dims(value) for value in after.graph.input] == [["batch", "s0"], [2, "batch", 128], []]
    feeds = {"input": np.zeros((3, 576), np.float32), "state": np.zeros((2, 3, 128), np.float32), "sr": np.array(16000, np.int64)}
    old, new = (session(path).run(None, feeds) for path in (model, tmp_path / "vad.onnx"))
    assert all(np.array_equal(a, b) for a, b in zip(old, new)) and new[1].shape == (2, 3, 128)


def make_model(path, inputs, output):
    """sum of means of the inputs; shapes are texts and sizes."""
    from onnx import TensorProto, helper

    kinds = {"int64": TensorProto.INT64, "float32": TensorProto.FLOAT}
    nodes, parts = [], []
    for name, (kind, shape) in inputs.items():
        nodes += [helper.make_node("Cast", [name], [f"{name}_f"], to=TensorProto.FLOAT),
                  helper.make_node("ReduceMean", [f"{name}_f"], [f"{name}_m"], keepdims=0)]
        parts.append(f"{name}_m")
    nodes.append(helper.make_node("Sum", parts, ["mean"]))
    nodes += [helper.make_node("Cast", [output[0]], ["cast"], to=TensorProto.FLOAT), helper.make_node("Add", ["cast", "mean"], ["y"])]
    graph = helper.make_graph(nodes, "g", [helper.make_tensor_value_info(name, kinds[kind], shape) for name, (kind, shape) in inputs.items()],
                              [helper.make_tensor_value_info("y", TensorProto.FLOAT, output[1])])
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)])
    model.ir_version = 9
    onnx.save(model, path)
    return path


@pytest.fixture
def toy(cli, tmp_path):
    """A contract with expressions and a model that takes what it allows, declared with stale names."""
    contract = tmp_path / "toy.contract.json"
    contract.write_text(json.dumps({"format": "tensorspec-contract", "version": 1, "variants": [{
        "inputs": [{"name": "ids", "dtype": "int64", "shape": ["batch", "seq"]},
                   {"name": "mask", "dtype": "int64", "shape": ["batch", "past+seq"]},
                   {"name": "pixel", "dtype": "float32", "shape": ["batch", 3, "8*h"]}],
        "outputs": [{"name": "y", "dtype": "float32", "shape": ["batch", "seq"]}],
        "symbols": [{"name": "batch", "min": 1, "max": 4, "typical": 2}, {"name": "seq", "min": 1, "max": 32, "typical": 8},
                    {"name": "past", "min": 0, "max": 16, "typical": 4}, {"name": "h", "min": 1, "max": 8, "typical": 2}]}]}))
    model = make_model(tmp_path / "toy.onnx", {"ids": ("int64", ["N", "N2"]), "mask": ("int64", ["N", "?"]), "pixel": ("float32", ["N", 3, 64])},
                       ("ids", ["N", "N2"]))
    return contract, model


def test_expressions_pass_inference_and_run(cli, toy, tmp_path):
    contract, model = toy
    after, err = rewritten(cli, contract, model, tmp_path / "out.onnx")
    assert [dims(value) for value in after.graph.input] == [["batch", "seq"], ["batch", "past+seq"], ["batch", 3, "8*h"]]
    assert "pixel[2] was 64" in err
    from onnxruntime.tools.symbolic_shape_infer import SymbolicShapeInference

    inferred = SymbolicShapeInference.infer_shapes(onnx.load(tmp_path / "out.onnx"), auto_merge=False)
    assert {value.name: dims(value) for value in inferred.graph.value_info}["mask_f"] in (["batch", "past+seq"], ["batch", "past + seq"])
    feeds = lambda batch, seq, mask, wide: {"ids": np.ones((batch, seq), np.int64), "mask": np.ones((batch, mask), np.int64),
                                            "pixel": np.ones((batch, 3, wide), np.float32)}
    for sizes in ((2, 8, 12, 16), (1, 1, 1, 8), (4, 32, 48, 64)):
        assert session(tmp_path / "out.onnx").run(None, feeds(*sizes))[0].shape == sizes[:2]
    with pytest.raises(onnxruntime.capi.onnxruntime_pybind11_state.InvalidArgument):
        session(tmp_path / "out.onnx").run(None, {**feeds(2, 8, 12, 16), "pixel": np.ones((2, 4, 16), np.float32)})


def test_onnx_ir_evaluates_the_expressions(cli, toy, tmp_path):
    onnx_ir = pytest.importorskip("onnx_ir")
    contract, model = toy
    rewritten(cli, contract, model, tmp_path / "out.onnx")
    shapes = {value.name: value.shape for value in onnx_ir.load(tmp_path / "out.onnx").graph.inputs}
    assert str(shapes["mask"][1]) in ("past+seq", "past + seq")
    if hasattr(shapes["mask"][1], "evaluate"):
        assert int(shapes["mask"][1].evaluate({"past": 4, "seq": 8})) == 12


def test_polygraphy_parses_profiles_and_runs(export, toy, tmp_path):
    pytest.importorskip("polygraphy")
    import shlex
    import subprocess
    import sys

    contract, model = toy
    lines = [shlex.split(line) for line in export(contract, "polygraphy").splitlines()]
    by_flag = {line[0]: line for line in lines}
    polygraphy = [str(pathlib.Path(sys.executable).parent / "polygraphy")]
    run = lambda *arguments: subprocess.run([*polygraphy, "run", str(model), *arguments], capture_output=True, text=True, cwd=tmp_path)
    # The arguments of TensorRT become a script without TensorRT.
    done = run("--trt", *[word for line in lines if line[0].startswith("--trt") for word in line], "--gen-script=g.py")
    assert done.returncode == 0, done.stdout + done.stderr
    script = (tmp_path / "g.py").read_text()
    assert "'mask', min=[1, 1], opt=[2, 12], max=[4, 48]" in script or ".add('mask', min=[1, 1], opt=[2, 12], max=[4, 48])" in script
    broken = [word for line in lines if line[0].startswith("--trt") for word in line]
    broken = [word.replace("mask:[4", "other:[4") for word in broken]
    assert run("--trt", *broken, "--gen-script=h.py").returncode != 0
    # The typical sizes run; the model here declares pixel[2] as 64, which --input-shapes of another size breaks.
    after = make_model(tmp_path / "free.onnx", {"ids": ("int64", ["N", "N2"]), "mask": ("int64", ["N", "M"]), "pixel": ("float32", ["N", 3, "W"])},
                       ("ids", ["N", "N2"]))
    done = subprocess.run([*polygraphy, "run", str(after), "--onnxrt", *by_flag["--input-shapes"]], capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr


def test_polygraphy_cannot_refuse_a_broken_sum(export, toy):
    contract, _ = toy
    text = export(contract, "polygraphy")
    # The corners of the boxes do not conform together: min 1 of ids, max 48 of mask.
    assert "'mask:[1,1]'" in text and "'mask:[4,48]'" in text and "past" not in text


def test_openvino_reshapes_runs_and_refuses(run_source, contracts):
    openvino = pytest.importorskip("openvino")
    model = packaged("rapidocr_onnxruntime", "models/ch_ppocr_mobile_v2.0_cls_infer.onnx")
    core = openvino.Core()
    source = run_source("ocr", "openvino")
    assert source["shapes"] == {"x": "[1..6,3,48,320..1603]"}
    reshaped = source["reshape"](core.read_model(model))
    run = core.compile_model(reshaped, "CPU")
    assert run({"x": np.zeros((2, 3, 48, 320), np.float32)})[0].shape == (2, 2)
    for broken in ((7, 3, 48, 320), (2, 3, 48, 319), (2, 3, 48, 1604), (2, 3, 47, 320)):
        with pytest.raises(RuntimeError):
            run({"x": np.zeros(broken, np.float32)})


def test_openvino_cannot_refuse_a_broken_sum_or_step(run_source, toy):
    openvino = pytest.importorskip("openvino")
    contract, model = toy
    source = run_source(contract, "openvino")
    run = openvino.Core().compile_model(source["reshape"](openvino.Core().read_model(model)), "CPU")
    run({"ids": np.ones((2, 8), np.int64), "mask": np.ones((3, 2), np.int64), "pixel": np.ones((2, 3, 9), np.float32)})
