# SPDX-License-Identifier: Apache-2.0
"""Valid files that the formats' own libraries write come out as those libraries read them."""
import csv
import json
import random

import numpy as np
import pytest

SEED = 20240607


@pytest.fixture
def rng():
    return random.Random(SEED)


@pytest.fixture
def inspect(cli):
    """Every file's format and tensors, {name: (dtype, shape)}; a declared size without a number is its text or None."""

    def run(files, *options):
        code, out, err = cli("inspect", "--json", *options, *files)
        assert code == 0, out + err
        answers = [json.loads(line) for line in out.splitlines()]
        assert len(answers) == len(files)
        return [(a["format"], {t["name"]: (t["dtype"], t["shape"]) for t in a["tensors"]}) for a in answers]

    return run


def shapes(rng, count):
    return [[rng.choice((0, 1, 2, 3, 7)) for _ in range(rng.randrange(5))] for _ in range(count)]


def names(rng, count):
    alphabet = "ab.[]/ \\\"'\u00e9\u4e2d_0"
    return [f"{i}" + "".join(rng.choice(alphabet) for _ in range(rng.randrange(8))) for i in range(count)]


DTYPES = ["bool", "int8", "uint8", "int16", "uint16", "int32", "uint32", "int64", "uint64", "float16", "float32", "float64"]


def arrays(rng, count, dtypes=DTYPES):
    return {name: np.zeros(shape, rng.choice(dtypes)) for name, shape in zip(names(rng, count), shapes(rng, count))}


def described(found):
    return {name: (str(array.dtype), list(array.shape)) for name, array in found.items()}


def test_numpy(rng, inspect, tmp_path):
    files, want = [], []
    for i in range(40):
        kind = rng.choice(DTYPES)
        array = np.zeros(shapes(rng, 1)[0], np.dtype(kind).newbyteorder(rng.choice("<>")), order=rng.choice("CF"))
        np.save(tmp_path / f"{i}.npy", array)
        files.append(tmp_path / f"{i}.npy")
        want.append(("npy", {"": (kind, list(np.load(files[-1]).shape))}))
    for i in range(10):
        held = {f"t{j}": array for j, array in enumerate(arrays(rng, 6).values())}
        rng.choice((np.savez, np.savez_compressed))(tmp_path / f"{i}.npz", **held)
        files.append(tmp_path / f"{i}.npz")
        want.append(("npz", described(np.load(files[-1]))))
    assert inspect(files) == want


def test_safetensors(rng, inspect, tmp_path):
    peer = pytest.importorskip("safetensors.numpy")
    files, want = [], []
    for i in range(20):
        files.append(tmp_path / f"{i}.safetensors")
        peer.save_file(arrays(rng, rng.randrange(1, 12)), files[-1], rng.choice((None, {"a": "b"})))
        want.append(("safetensors", described(peer.load_file(files[-1]))))
    assert inspect(files) == want


def test_onnx(rng, inspect, tmp_path):
    onnx = pytest.importorskip("onnx")
    files, want = [], []
    for i in range(20):
        array = np.zeros(shapes(rng, 1)[0], rng.choice(DTYPES))
        files.append(tmp_path / f"{i}.pb")
        files[-1].write_bytes(onnx.numpy_helper.from_array(array, f"x{i}").SerializeToString())
        peer = onnx.numpy_helper.to_array(onnx.load_tensor(files[-1]))
        want.append(("onnx_tensor", {f"x{i}": (str(peer.dtype), list(peer.shape))}))
    for i in range(20):
        values = [onnx.helper.make_tensor_value_info(name, onnx.TensorProto.FLOAT, [rng.choice((1, 3, "batch", "?", "a + b", None))
                                                                                   for _ in range(rng.randrange(4))])
                  for name in ("x", "mask", "y")]
        weight = onnx.numpy_helper.from_array(np.zeros((64, 64), np.float32), "w")
        graph = onnx.helper.make_graph([onnx.helper.make_node("Identity", ["x"], ["y"])], "g", values[:2], values[2:], [weight])
        files.append(tmp_path / f"{i}.onnx")
        onnx.save(onnx.helper.make_model(graph), files[-1])
        graph = onnx.load(files[-1]).graph
        want.append(("onnx", {v.name: ("float32", [d.dim_value if d.HasField("dim_value") else d.dim_param or None
                                                   for d in v.type.tensor_type.shape.dim]) for v in (*graph.input, *graph.output)}))
    assert inspect(files) == want


def test_torch(rng, inspect, tmp_path):
    torch = pytest.importorskip("torch")

    def flat(value, path):
        if isinstance(value, torch.Tensor):
            return {path: (str(value.dtype).removeprefix("torch."), list(value.shape))}
        out = {}
        for key, inner in value.items() if isinstance(value, dict) else enumerate(value):
            step = f"[{key}]" if not isinstance(value, dict) else f".{key}" if path else str(key)
            out.update(flat(inner, path + step))
        return out

    def nested(depth):
        if depth == 0:
            return torch.zeros(shapes(rng, 1)[0], dtype=getattr(torch, rng.choice(["float32", "bfloat16", "int64", "bool"])))
        inner = [nested(rng.randrange(depth)) for _ in range(rng.randrange(1, 4))]
        return rng.choice((list, tuple, lambda items: {f"k{i}": item for i, item in enumerate(items)}))(inner)

    files, want = [], []
    for i in range(30):
        files.append(tmp_path / f"{i}.pt")
        torch.save({"held": nested(3)}, files[-1], _use_new_zipfile_serialization=rng.random() < 0.7)
        want.append(("torch", flat(torch.load(files[-1], weights_only=True), "")))
    assert inspect(files) == want


KSERVE = {"BOOL": "bool", "INT8": "int8", "INT64": "int64", "FP16": "float16", "FP32": "float32", "BYTES": "string"}


def test_requests_as_orjson_reads_them(rng, inspect, tmp_path):
    orjson = pytest.importorskip("orjson")
    files, want = [], []
    for i in range(30):
        inputs = [{"name": name, "datatype": rng.choice(list(KSERVE)), "shape": shape, "data": [rng.random() for _ in range(50)],
                   "parameters": {"a": {"b": ["}", "\\\"]"]}}} for name, shape in zip(names(rng, 4), shapes(rng, 4))]
        document = {"id": "\u00e9\"", "inputs": inputs, "parameters": {}}
        files.append(tmp_path / f"{i}.json")
        files[-1].write_text(json.dumps(document, indent=rng.choice((None, 1)), ensure_ascii=rng.random() < 0.5))
        peer = orjson.loads(files[-1].read_bytes())
        want.append(("kserve", {t["name"]: (KSERVE[t["datatype"]], t["shape"]) for t in peer["inputs"]}))
    assert inspect(files) == want


def test_requests_with_binary_data_of_tritonclient(rng, inspect, tmp_path):
    client = pytest.importorskip("tritonclient.http")
    files, want = [], []
    for i in range(30):
        inputs, tensors = [], {}
        for j in range(3):
            kind = rng.choice(list(KSERVE))
            shape = shapes(rng, 1)[0] or [1]
            array = np.full(shape, "text\u00e9", dtype=object) if kind == "BYTES" else np.zeros(shape, KSERVE[kind])
            inputs.append(client.InferInput(f"x{j}", shape, kind))
            inputs[-1].set_data_from_numpy(array, binary_data=kind == "FP16" or rng.random() < 0.7)
            tensors[f"x{j}"] = (KSERVE[kind], shape)
        body, length = client.InferenceServerClient.generate_request_body(inputs, outputs=[client.InferRequestedOutput("y")])
        headers = f"POST /v2/models/m/infer HTTP/1.1\r\nInference-Header-Content-Length: {length}\r\n\r\n".encode()
        files.append(tmp_path / f"{i}.http")
        files[-1].write_bytes((headers if length and rng.random() < 0.5 else b"") + body)
        want.append(("kserve", tensors))
    assert inspect(files) == want


def test_polygraphy(rng, inspect, tmp_path):
    peer = pytest.importorskip("polygraphy.json")
    files, want = [], []
    for i in range(10):
        files.append(tmp_path / f"{i}.json")
        peer.save_json([arrays(rng, 4), arrays(rng, 2)], str(files[-1]))
        want.append(("polygraphy", described(peer.load_json(str(files[-1]))[0])))
    assert inspect(files) == want


def test_triton_configurations(rng, inspect, tmp_path):
    proto = pytest.importorskip("tritonclient.grpc.model_config_pb2")
    text_format = pytest.importorskip("google.protobuf.text_format")
    types = {"TYPE_FP32": "float32", "TYPE_INT64": "int64", "TYPE_STRING": "string", "TYPE_BOOL": "bool"}
    files, want = [], []
    for i in range(30):
        config = proto.ModelConfig(name="m\n\"'", backend="b", max_batch_size=rng.choice((0, 8)))
        config.parameters["k"].string_value = "a { # \\ \u00e9"
        tensors = {}
        for name, shape in zip(names(rng, 4), shapes(rng, 4)):
            dims = [rng.choice((size, -1)) for size in shape]
            kind = rng.choice(list(types))
            side = rng.choice((config.input, config.output))
            side.add(name=name, data_type=getattr(proto, kind), dims=dims)
            batch = ["batch"] if config.max_batch_size else []
            tensors[name] = (types[kind], batch + [None if d == -1 else d for d in dims])
        files.append(tmp_path / f"{i}.pbtxt")
        files[-1].write_text(text_format.MessageToString(config, use_short_repeated_primitives=rng.random() < 0.5,
                                                         as_one_line=rng.random() < 0.3, as_utf8=rng.random() < 0.5))
        want.append(("config_pbtxt", tensors))
    assert inspect(files) == want


def test_mlflow(rng, inspect, tmp_path):
    mlflow = pytest.importorskip("mlflow.models")
    schema = pytest.importorskip("mlflow.types.schema")
    files, want = [], []
    for i in range(10):
        tensors = {name: (rng.choice(DTYPES), [-1] + shape) for name, shape in zip(names(rng, 5), shapes(rng, 5))}
        signature = mlflow.ModelSignature(schema.Schema([schema.TensorSpec(np.dtype(d), tuple(s), n) for n, (d, s) in tensors.items()]))
        model = mlflow.Model(artifact_path="m", signature=signature)
        model.add_flavor("python_function", loader_module="x", env="y")
        files.append(tmp_path / f"{i}.MLmodel")
        model.save(str(files[-1]))
        want.append(("mlmodel", {name: (d, [None] + s[1:]) for name, (d, s) in tensors.items()}))
    assert inspect(files) == want


def test_traces_as_csv_reads_them(rng, cli, tmp_path):
    for i in range(10):
        path = tmp_path / f"{i}.csv"
        delimiter = rng.choice(",;\t")
        with path.open("w", newline="") as file:
            writer = csv.writer(file, delimiter=delimiter, quoting=rng.choice((csv.QUOTE_MINIMAL, csv.QUOTE_ALL)))
            writer.writerow(["text", "prompt_tokens", "completion_tokens"])
            for _ in range(50):
                writer.writerow([rng.choice(("a", "b,c;d\te", "say \"x\"", "two\nlines", "")), rng.randrange(9000), rng.randrange(500)])
        with path.open(newline="") as file:
            rows = list(csv.DictReader(file, delimiter=delimiter))
        want = {name: (min(int(r[name]) for r in rows), max(int(r[name]) for r in rows)) for name in rows[0] if name != "text"}
        code, out, err = cli("learn", path, "--json")
        assert code == 0, err
        answer = json.loads(out)
        assert answer["read"] == len(rows)
        symbols = {s["name"]: (s["min"], s["max"]) for s in answer["contract"]["variants"][0]["symbols"]}
        assert symbols == want


def test_names_of_the_model_beside_test_data(cli, tmp_path):
    onnx = pytest.importorskip("onnx")
    values = [onnx.helper.make_tensor_value_info(name, onnx.TensorProto.FLOAT, dims)
              for name, dims in (("x", ["N", "T", 4]), ("lengths", ["M"]), ("y", ["N", 7, "?"]))]
    graph = onnx.helper.make_graph([onnx.helper.make_node("Identity", ["x"], ["y"])], "g", values[:2], values[2:])
    onnx.save(onnx.helper.make_model(graph), tmp_path / "model.onnx")
    for i in range(6):
        folder = tmp_path / f"test_data_set_{i}"
        folder.mkdir()
        batch, length = 1 + i % 3, 11 + 5 * i
        for stem, array in (("input_0", np.zeros((batch, length, 4), np.float32)), ("input_1", np.zeros(batch, np.float32)),
                            ("output_0", np.zeros((batch, length, 4), np.float32))):
            (folder / f"{stem}.pb").write_bytes(onnx.numpy_helper.from_array(array).SerializeToString())
    notes = ["y[1] is declared 7, sizes 11..36 were seen",
             "'M', 'N' are declared of axes that were equal in every call: one size, batch"]
    for paths in ([tmp_path], [tmp_path / "test_data_set_*"]):
        code, out, err = cli("learn", *paths, "--json")
        answer = json.loads(out)
        assert code == 0, err
        assert [s["name"] for s in answer["contract"]["variants"][0]["symbols"]] == ["batch", "T"]
        assert [note for note in answer["notes"] if "overruled" in note] == [f"the model file is overruled: {n}" for n in notes]
