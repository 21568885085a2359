# SPDX-License-Identifier: Apache-2.0
"""Triton, the Open Inference Protocol, JSON Schema and MLflow read what is exported for them."""
import copy
import json

import jsonschema
import numpy as np
import pytest

CONTRACTS = "ocr declared cfg patch_grid scalar_input zero_size odd_names static_only unlimited".split()


def test_triton_reads_every_configuration(export):
    text_format = pytest.importorskip("google.protobuf.text_format")
    model_config = pytest.importorskip("tritonclient.grpc.model_config_pb2")
    for contract in CONTRACTS:
        config = text_format.Parse(export(contract, "triton"), model_config.ModelConfig())
        for tensor in [*config.input, *config.output]:
            assert tensor.dims and all(dim == -1 or dim > 0 for dim in tensor.dims), (contract, tensor)
        assert config.max_batch_size == {"ocr": 6, "declared": 8, "patch_grid": 5}.get(contract, 0), contract
    config = text_format.Parse(export("ocr", "triton"), model_config.ModelConfig())
    assert [list(config.input[0].dims), list(config.output[0].dims)] == [[3, 48, -1], [-1, 6625]]
    assert config.input[0].data_type == model_config.TYPE_FP32


def test_triton_refuses_an_unknown_field_and_cannot_refuse_a_range(export):
    text_format = pytest.importorskip("google.protobuf.text_format")
    model_config = pytest.importorskip("tritonclient.grpc.model_config_pb2")
    text = export("ocr", "triton")
    for broken in (text.replace("dims:", "shape:"), text.replace("TYPE_FP32", "TYPE_FLOAT")):
        with pytest.raises(text_format.ParseError):
            text_format.Parse(broken, model_config.ModelConfig())
    # Smallest and largest widths have no field: -1 is all there is.
    assert "320" not in text and "1603" not in text


def test_kserve_metadata_is_read_and_cannot_refuse_a_range(export):
    json_format = pytest.importorskip("google.protobuf.json_format")
    service = pytest.importorskip("tritonclient.grpc.service_pb2")
    for contract in CONTRACTS:
        metadata = json_format.Parse(export(contract, "kserve"), service.ModelMetadataResponse())
        assert metadata.name == contract and metadata.inputs
    metadata = json_format.Parse(export("ocr", "kserve"), service.ModelMetadataResponse())
    assert list(metadata.inputs[0].shape) == [-1, 3, 48, -1] and metadata.inputs[0].datatype == "FP32"
    with pytest.raises(json_format.ParseError):
        json_format.Parse(export("ocr", "kserve").replace('"datatype"', '"dtype"'), service.ModelMetadataResponse())


WORDS = {"float32": "FP32", "int64": "INT64", "float16": "FP16", "bool": "BOOL", "int32": "INT32", "float64": "FP64",
         "uint8": "UINT8", None: "FP32"}


def requests(export, contract):
    for line in export(contract, "recording").splitlines():
        inputs = json.loads(line)["inputs"]
        yield {"inputs": [{"name": name, "shape": tensor["shape"], "datatype": WORDS[tensor["dtype"]], "data": []}
                          for name, tensor in inputs.items()]}


def test_json_schema_accepts_every_corner_and_refuses(export):
    for contract in [*CONTRACTS, "kv_cache"]:
        schema = json.loads(export(contract, "json_schema"))
        jsonschema.Draft202012Validator.check_schema(schema)
        validator = jsonschema.Draft202012Validator(schema)
        for request in requests(export, contract):
            validator.validate(request)
            missing = copy.deepcopy(request)
            del missing["inputs"][0]
            unexpected = copy.deepcopy(request)
            unexpected["inputs"].append({"name": "more", "shape": [1], "datatype": "FP32", "data": []})
            rank = copy.deepcopy(request)
            rank["inputs"][0]["shape"].append(1)
            for broken in (missing, unexpected, rank):
                assert not validator.is_valid(broken), (contract, broken)


def test_json_schema_refuses_range_step_and_dtype(export):
    validator = jsonschema.Draft202012Validator(json.loads(export("declared", "json_schema")))
    request = next(requests(export, "declared"))
    for input, axis, size in ((0, 0, 9), (0, 1, 513), (0, 1, 0), (1, 1, 1024), (2, 1, 1), (2, 2, 225), (2, 2, 56)):
        broken = copy.deepcopy(request)
        broken["inputs"][input]["shape"][axis] = size
        assert not validator.is_valid(broken), broken
    broken = copy.deepcopy(request)
    broken["inputs"][0]["datatype"] = "INT32"
    assert not validator.is_valid(broken)


def test_json_schema_cannot_refuse_unequal_axes(export):
    validator = jsonschema.Draft202012Validator(json.loads(export("declared", "json_schema")))
    broken = next(requests(export, "declared"))
    broken["inputs"][1]["shape"][0] -= 1
    assert validator.is_valid(broken)


def test_mlflow_enforces_the_signature(export):
    models = pytest.importorskip("mlflow.models")
    from mlflow.models.utils import _enforce_schema

    for contract in CONTRACTS:
        signature = models.ModelSignature.from_dict(json.loads(export(contract, "mlflow")))
        for request in list(requests(export, contract))[:2]:
            types = {input["name"]: input["datatype"] for input in request["inputs"]}
            numpy = {word: name for name, word in WORDS.items() if name}
            values = {input["name"]: np.zeros(input["shape"], numpy[types[input["name"]]]) for input in request["inputs"]}
            if sum(value.size for value in values.values()) < 50_000_000:
                _enforce_schema(values, signature.inputs)
    signature = models.ModelSignature.from_dict(json.loads(export("ocr", "mlflow")))
    from mlflow.exceptions import MlflowException
    for broken in ({"x": np.zeros((2, 3, 48), np.float32)}, {"x": np.zeros((2, 3, 32, 320), np.float32)},
                   {"x": np.zeros((2, 3, 48, 320), np.int64)}, {}):
        with pytest.raises(MlflowException):
            _enforce_schema(broken, signature.inputs)


def test_mlflow_cannot_refuse_a_range(export):
    models = pytest.importorskip("mlflow.models")
    from mlflow.models.utils import _enforce_schema

    signature = models.ModelSignature.from_dict(json.loads(export("ocr", "mlflow")))
    _enforce_schema({"x": np.zeros((99, 3, 48, 1), np.float32)}, signature.inputs)
