# SPDX-License-Identifier: Apache-2.0
"""What model files declare, held against what calls showed; requests; traces of lengths; the list of formats."""
import json

import pytest

CONFIG = """
name: "ocr" backend: "onnxruntime" max_batch_size: %d
input { name: "x" data_type: TYPE_FP32 dims: [ %s ] }
output { name: "softmax_11.tmp_0" data_type: TYPE_FP32 dims: [ -1, 6625 ] }
"""


@pytest.fixture
def ocr(cli, root, tmp_path):
    path = tmp_path / "ocr.contract.json"
    assert cli("learn", root / "examples/ocr", "-o", path)[0] == 0
    return path


def test_formats_are_the_words_of_from(cli):
    code, out, _ = cli("formats", "--json")
    listed = [entry["id"] for entry in json.loads(out)]
    assert code == 0 and listed == sorted(listed) and {"npy", "kserve", "lengths"} < set(listed)
    assert [line.split()[0] for line in cli("formats")[1].splitlines()] == listed
    code, _, err = cli("inspect", "--from", "nosuch", "x")
    assert code == 2 and all(word in err for word in listed)


@pytest.mark.parametrize("form", ["[%s]", '{"x": %s}', "%s"])
def test_a_spec_dictionary_declares_in_any_nesting(cli, root, tmp_path, form):
    spec = json.loads((root / "tests/golden/read/aitune/two_specs.json").read_text())["inputs"][0]
    path = tmp_path / "spec.json"
    path.write_text(form % json.dumps(spec))
    code, out, err = cli("show", path)
    assert code == 0 and "batch" in out, err
    assert cli("diff", path, path)[0] == 0


def test_json_that_is_no_contract_says_so(cli, tmp_path):
    path = tmp_path / "other.json"
    path.write_text('{"type": "TensorSpec_"}')
    code, _, err = cli("show", path)
    assert code == 2 and "not a tensorspec contract" in err and err.count("\n") == 1


def test_diff_tells_the_batch_that_one_side_fixes(cli, ocr, tmp_path):
    config = tmp_path / "config.pbtxt"
    config.write_text(CONFIG % (0, "1, 3, 48, -1"))
    code, out, _ = cli("diff", ocr, config)
    assert code == 1
    assert "x axis 0: narrower: 1..6 -> 1, for instance 2; batch in the old, static in the new\n" in out
    config.write_text(CONFIG % (8, "3, 48, -1"))
    code, out, _ = cli("diff", ocr, config)
    assert code == 0 and "x axis 0 and 1 more: wider: 1..6 -> 1..8, for instance 7\n" in out
    config.write_text(CONFIG % (0, "3, 48, -1"))
    code, out, _ = cli("diff", ocr, config)
    assert code == 1 and "x: broken: rank 4 -> rank 3; is the batch an axis on one side alone?\n" in out


def test_diff_of_two_declarations(cli, root):
    golden = root / "tests/golden/read"
    code, out, err = cli("diff", golden / "config_pbtxt/minimal.pbtxt", golden / "mlmodel/tensors.MLmodel", "--json")
    assert code in (0, 1) and err == "" and json.loads(out)["notes"] == []
    code, out, _ = cli("diff", golden / "onnx/named_axis.onnx", golden / "onnx/named_axis.onnx")
    assert code == 0 and out.startswith("equal")
    code, _, err = cli("diff", golden / "npy/bool.npy", golden / "onnx/named_axis.onnx")
    assert code == 2 and "nothing_declared" in err


def test_check_of_a_request(cli, ocr, tmp_path):
    request = tmp_path / "request.json"
    body = {"inputs": [{"name": "x", "shape": [1, 3, 32, 320], "datatype": "FP32", "data": [0.5] * 1000}]}
    request.write_text(json.dumps(body))
    code, out, _ = cli("check", ocr, request)
    assert code == 1 and f"{request}: x axis 2: 32, expected 48" in out
    body["inputs"][0]["shape"][2] = 48
    request.write_text(json.dumps(body, indent=2))
    assert cli("check", ocr, request)[0] == 0
    for text, count in ((request.read_text(), "1 call"), (2 * (json.dumps(body) + "\n"), "2 calls")):
        code, out, _ = cli("check", ocr, "-", stdin=text)
        assert code == 0 and count in out
    config = tmp_path / "config.pbtxt"
    config.write_text(CONFIG % (4, "3, 48, -1"))
    assert cli("check", config, request)[0] == 0
    body["inputs"][0]["shape"][0] = 5
    request.write_text(json.dumps(body))
    code, out, _ = cli("check", config, request)
    assert code == 1 and "x axis 0: 5" in out


def test_columns_of_a_trace(cli, tmp_path):
    trace = tmp_path / "trace.csv"
    trace.write_text("when,prompt,answer\n" + "".join(f"{i},{100 + 7 * i},{5 + i * i % 11}\n" for i in range(40)))
    code, out, _ = cli("learn", trace, "--columns", "prompt,answer")
    words = " ".join(out.split())
    assert code == 0 and "input prompt any [prompt]" in words and "prompt 100..373" in words
    code, _, err = cli("learn", trace)
    assert code == 2 and "unknown_format" in err and "none of aitune, config_pbtxt" in err
    code, _, err = cli("learn", trace, "--columns", "prompt,tokens")
    assert code == 2 and "not prompt, tokens; there are when, prompt, answer" in err
    code, out, _ = cli("inspect", trace, "--columns", "answer", "--json")
    assert code == 0 and json.loads(out)["tensors"] == [{"name": "answer", "dtype": "", "shape": [5], "side": "input"}]
    assert cli("inspect", trace, "--columns", "answer", "--from", "npy")[0] == 1


def test_shapes_of_perf_analyzer_have_no_batch(cli, tmp_path):
    data, path = tmp_path / "data.json", tmp_path / "c.json"
    data.write_text(json.dumps({"data": [{"ids": {"content": [0] * n, "shape": [n]}} for n in (7, 12, 30)]}))
    code, out, _ = cli("learn", data, "-o", path)
    assert code == 0 and "[s0]" in out and "batch" not in out
    assert json.loads(path.read_text())["batch"] == "none"
    more = tmp_path / "more.jsonl"
    more.write_text('{"inputs": {"ids": {"dtype": "int64", "shape": [64]}}}\n')
    for command in (["learn", "--resume", path, more], ["merge", path, path]):
        code, out, _ = cli(*command)
        assert code == 0 and "[s0]" in out and "batch" not in out, command
    assert "[batch]" in cli("learn", data, "--batch", "ids:0")[1]
    assert "[batch]" in cli("learn", "--resume", path, more, "--batch", "ids:0")[1]
    # Of two contracts that declare otherwise the first wins.
    other = tmp_path / "other.json"
    assert cli("learn", data, "--batch", "ids:0", "-o", other)[0] == 0 and "batch" not in json.loads(other.read_text())
    assert "[s0]" in cli("merge", path, other)[1]
    assert "[batch]" in cli("merge", other, path, "-o", other)[1] and "batch" not in json.loads(other.read_text())
    code, _, err = cli("learn", more, "--batch", "nothing")
    assert code == 2 and "TENSOR:AXIS or none" in err


def test_merge_keeps_what_is_declared(cli, root, tmp_path):
    paths = [tmp_path / "a.json", tmp_path / "b.json"]
    for path, declared in zip(paths, (["--name", "s0=w"], ["--name", "s0=w", "--set", "w=16..4096"])):
        assert cli("learn", root / "examples/ocr", "-o", path, *declared)[0] == 0
    contract = json.loads(paths[1].read_text())
    width = next(s for s in contract["variants"][0]["symbols"] if s["name"] == "w")
    width["multiple_of"] = 4
    paths[1].write_text(json.dumps(contract))
    assert "16..4096 step 4" in cli("merge", *paths)[1]


def test_names_of_a_model_are_hints(cli, root, tmp_path):
    model = tmp_path / "config.pbtxt"
    model.write_text(CONFIG % (8, "3, 48, 320"))
    code, out, err = cli("learn", root / "examples/ocr", "--model", model)
    assert code == 0 and "note: the model file is overruled: x[3] is declared 320, sizes 320..1603 were seen\n" in err
    code, out, err = cli("learn", root / "examples/ocr", "--model", model, "--json")
    assert err == "" and "the model file is overruled: x[3] is declared 320, sizes 320..1603 were seen" in json.loads(out)["notes"]
    assert cli("learn", root / "examples/ocr", "--model", root / "README.md")[0] == 2


def test_folders_pass_over_json_that_is_no_input(cli, tmp_path):
    (tmp_path / "config.json").write_text('{"hidden_size": 64}')
    (tmp_path / "calls.jsonl").write_text('{"inputs": {"x": {"dtype": "float32", "shape": [2]}}}\n')
    code, _, err = cli("learn", tmp_path)
    assert code == 0 and "config.json: passed over, no reader knows it" in err
