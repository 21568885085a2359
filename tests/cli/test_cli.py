# SPDX-License-Identifier: Apache-2.0
"""The command line: the main job, published exit codes and JSON keys, and what bad input does."""
import json
import os
import stat

import jsonschema
import numpy as np
import pytest

GOOD = '{"batch_size": %d, "inputs": {"x": {"dtype": "float32", "shape": [%d, 3]}}}\n'


def words(text):
    return " ".join(text.split())


def test_main_job(cli, root, tmp_path):
    contract = tmp_path / "ocr.contract.json"
    code, out, err = cli("learn", root / "examples/ocr", "-o", contract)
    assert code == 0 and err == ""
    assert "x float32 [batch, 3, 48, s0]" in words(out)
    assert "13 calls (11 different), 1 variant" in out
    code, out, _ = cli("check", contract, root / "examples/ocr")
    assert code == 0 and out == "13 of 13 calls conform\n"
    code, out, _ = cli("show", contract)
    assert code == 0 and "[batch, 3, 48, s0]" in out


def test_two_variants_and_batch_on_axis_1(cli, root):
    code, out, _ = cli("learn", root / "examples/gpt2")
    assert code == 0 and "2 variants" in out
    code, out, _ = cli("learn", root / "examples/vad")
    assert code == 0 and "state float32 [2, batch, 128]" in words(out)
    code, out, _ = cli("learn", root / "examples/vad_npz")
    assert code == 0 and "state float32 [2, batch, 128]" in words(out) and "output output float32 [batch, 1]" in words(out)


def test_contract_files_follow_the_schema(cli, root, tmp_path):
    schema = json.loads((root / "docs/contract.schema.json").read_text())
    jsonschema.Draft202012Validator.check_schema(schema)
    for example in ("ocr", "gpt2", "vad", "vad_npz"):
        path = tmp_path / f"{example}.json"
        assert cli("learn", root / "examples" / example, "-o", path)[0] == 0
        jsonschema.validate(json.loads(path.read_text()), schema)
    broken = json.loads(path.read_text())
    broken["variants"][0]["inputs"][0]["shape"] = [1.5]
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate(broken, schema)


def test_json_lines_of_check(cli, root, tmp_path):
    contract = tmp_path / "c.json"
    cli("learn", root / "examples/ocr", "-o", contract)
    bad = '{"batch_size": 2, "inputs": {"x": {"dtype": "float32", "shape": [2, 3, 32, 400]}}}\n'
    code, out, _ = cli("check", contract, "-", "--json", stdin=bad + bad.replace("32, 400", "48, 400"))
    first, second = map(json.loads, out.splitlines())
    assert code == 1
    assert (first["call"], first["ok"], first["variant"], first["warnings"]) == (0, False, 0, [])
    violation = first["violations"][0]
    assert {k: violation[k] for k in ("tensor", "axis", "code", "expected", "actual")} == {
        "tensor": "x", "axis": 2, "code": "static", "expected": "48", "actual": 32}
    assert (second["call"], second["ok"]) == (1, True)
    wide = '{"inputs": {"x": {"dtype": "float32", "shape": [2, 3, 48, 9000]}}}\n'
    assert cli("check", contract, "-", "--policy", "relations", stdin=wide)[0] == 0
    code, out, _ = cli("check", contract, "-", "--policy", "range", stdin=wide)
    assert code == 1 and "standard input:1: x axis 3: 9000, outside 320..1603 (s0); 1603 would fit" in out
    assert cli("check", contract, root / "examples/ocr", "--policy", "seen")[0] == 0
    code, out, _ = cli("check", contract, "-", "--policy", "seen", "--json", stdin=wide.replace("9000", "400"))
    violation = json.loads(out)["violations"][0]
    assert code == 1 and (violation["code"], violation["expected"]) == ("range", "a shape seen")
    assert violation["tensor"] is None and "not a shape seen; the nearest is x [" in violation["message"]


def test_merge_is_learning_from_all_calls_at_once(cli, root, tmp_path):
    lines = (root / "examples/ocr/calls.jsonl").read_text().splitlines(keepends=True)
    (tmp_path / "a.jsonl").write_text("".join(lines[:5]))
    (tmp_path / "b.jsonl").write_text("".join(lines[5:]))
    for name in "ab":
        assert cli("learn", tmp_path / f"{name}.jsonl", "-o", tmp_path / f"{name}.json")[0] == 0
    assert cli("learn", root / "examples/ocr", "-o", tmp_path / "all.json")[0] == 0
    assert cli("merge", tmp_path / "b.json", tmp_path / "a.json", "-o", tmp_path / "ba.json")[0] == 0
    assert (tmp_path / "ba.json").read_bytes() == (tmp_path / "all.json").read_bytes()
    assert cli("learn", tmp_path / "b.jsonl", "--resume", tmp_path / "a.json", "-o", tmp_path / "r.json")[0] == 0
    assert (tmp_path / "r.json").read_bytes() == (tmp_path / "all.json").read_bytes()


def test_a_contract_by_hand(cli, root, tmp_path):
    path = tmp_path / "hand.json"
    path.write_text('{"format": "tensorspec-contract", "version": 1, "variants": [{"inputs": '
                    '[{"name": "x", "dtype": "float32", "shape": ["batch", 3, 48, "8*w"]}]}]}')
    code, out, _ = cli("show", path)
    assert code == 0 and "[batch, 3, 48, 8*w]" in out
    assert cli("check", path, root / "examples/ocr", "--quiet")[0] == 1
    # What it says is declared: it wins, and the difference is told.
    code, out, _ = cli("learn", root / "examples/ocr", "--resume", path)
    assert code == 0 and "[batch, 3, 48, 8*w]" in out and "x[3] is declared as 8*w; 7 different calls of 11" in out
    code, _, err = cli("merge", path)
    assert code == 2 and "no_evidence" in err
    # One that was learned and lost its evidence cannot go on.
    assert cli("learn", root / "examples/ocr", "-o", tmp_path / "c.json")[0] == 0
    path.write_text(cli("show", tmp_path / "c.json", "--json")[1])
    code, _, err = cli("learn", root / "examples/ocr", "--resume", path)
    assert code == 2 and "no_evidence" in err


def test_declarations(cli, root, tmp_path):
    path = tmp_path / "c.json"
    code, out, _ = cli("learn", root / "examples/ocr", "--name", "s0=w", "--set", "w=16..4096", "-o", path)
    assert code == 0 and "[batch, 3, 48, w]" in out and "16..4096" in out
    code, out, _ = cli("learn", root / "examples/ocr", "--resume", path)
    assert code == 0 and "[batch, 3, 48, w]" in out and "16..4096" in out
    assert "inferred" not in out
    for wrong in (["--set", "w"], ["--set", "w=5..4"], ["--name", "x"], ["--name", "w=s0"], ["--batch", "x"], ["--batch", "x:9"], ["--name", "s0=a b"],
                  ["--batch-size", "0"], ["--set", "none=1..2"]):
        code, _, err = cli("learn", root / "examples/ocr", *wrong)
        assert code == 2 and len(err.splitlines()) <= 2, wrong


def test_limits(cli, root):
    code, out, _ = cli("learn", root / "examples/ocr", "--max", "s0=4096")
    assert code == 0 and "320..4096 declared" in out
    for wrong in (["--max", "s0"], ["--max", "s0=x"], ["--max", "none=7"], ["--set", "s0=9..", "--max", "s0=8"]):
        assert cli("learn", root / "examples/ocr", *wrong)[0] == 2


def test_learn_explains_itself(cli, root, tmp_path):
    code, out, _ = cli("learn", root / "examples/gpt2", "--explain", "-o", tmp_path / "c.json")
    assert code == 0 and "= s0+s1\n  believed: no call broke it at 13 different sizes" in out
    code, shown, _ = cli("show", tmp_path / "c.json", "--explain")
    assert code == 0 and "= s0+s1\n  believed: no call broke it at 13 different sizes" in shown


def test_suggestions_are_lines_of_a_recording(cli, root, tmp_path):
    lines = (root / "examples/ocr/calls.jsonl").read_text().splitlines(keepends=True)
    (tmp_path / "r.jsonl").write_text("".join(lines[:2]))
    contract = tmp_path / "c.json"
    assert cli("learn", tmp_path / "r.jsonl", "-o", contract)[0] == 0
    code, out, _ = cli("suggest", contract, "--json", "--set", "s0=64..512")
    calls = [json.loads(line) for line in out.splitlines()]
    assert code == 0 and calls
    for call in calls:
        assert call["decides"] and call["outputs"] == {} and call["batch_size"] == call["inputs"]["x"]["shape"][0]
        assert 64 <= call["inputs"]["x"]["shape"][3] <= 512
    # They are what check reads.
    assert cli("check", contract, "-", "--policy", "relations", stdin=out)[0] == 0
    code, text, _ = cli("suggest", contract)
    assert code == 0 and text.startswith("call 1, batch size ") and "decides  softmax_11.tmp_0[1] from the inputs" in text
    assert cli("suggest", contract, "--set", "nothing=1..2")[0] == 2
    assert cli("suggest", tmp_path / "absent.json")[0] == 2
    assert cli("learn", root / "examples/vad", "-o", contract)[0] == 0


def test_help_has_an_example_for_each_command(cli):
    code, out, _ = cli("--help")
    assert code == 0
    for command in ("inspect", "learn", "show", "check", "merge", "suggest"):
        assert command in out
        code, text, _ = cli(command, "--help")
        assert code == 0 and "Example:" in text and f"tensorspec {command}" in text
    for command in ("inspect", "learn", "check"):
        assert "npy,npz" in cli(command, "--help")[1], "what --from takes"
    assert "--batch-size N " in cli("learn", "--help")[1]
    assert cli("--version")[1].startswith("tensorspec ")
    assert cli()[0] == 2
    assert cli("nonsense")[0] == 2


def test_bad_inputs_are_reported_and_the_rest_is_used(cli, tmp_path):
    folder = tmp_path / "calls"
    folder.mkdir()
    for i in range(5):
        np.savez(folder / f"call_{i}.npz", x=np.zeros((i + 1, 4), np.float32))
    (folder / "call_5.npz").write_bytes((folder / "call_0.npz").read_bytes()[:60])
    (folder / "call_6.npz").write_bytes(b"")
    (folder / "notes.txt").write_text("not a tensor")
    (folder / "gone.npz").symlink_to(folder / "nowhere")
    code, out, err = cli("learn", folder, "-o", tmp_path / "c.json")
    assert code == 1 and "5 calls" in out
    errors = [line for line in err.splitlines() if line.startswith("tensorspec: ")]
    assert len(errors) == 3
    for name in ("call_5.npz", "call_6.npz", "gone.npz"):
        assert any(name in line for line in errors), err
    assert "notes.txt" in err
    code, _, err = cli("learn", folder, "--strict", "-o", tmp_path / "strict.json")
    assert code == 2 and not (tmp_path / "strict.json").exists()


def test_nothing_is_half_written(cli, tmp_path):
    recording = tmp_path / "r.jsonl"
    recording.write_text(GOOD % (1, 1) + GOOD % (2, 2))
    target = tmp_path / "c.json"
    target.write_text("old")
    assert cli("learn", recording, "-o", tmp_path / "no" / "c.json")[0] == 2
    assert cli("learn", tmp_path / "absent.jsonl", "-o", target)[0] == 2
    assert target.read_text() == "old"
    assert cli("learn", recording, "-o", target)[0] == 0
    assert sorted(os.listdir(tmp_path)) == ["c.json", "r.jsonl"]
    assert stat.S_IMODE(target.stat().st_mode) == stat.S_IMODE(recording.stat().st_mode)


def test_files_of_one_tensor_are_grouped_by_name(cli, tmp_path):
    folder = tmp_path / "npy"
    folder.mkdir()
    for i in range(3):
        np.save(folder / f"ids_{i}.npy", np.zeros((i + 1, 7), np.int64))
        np.save(folder / f"mask_{i}.npy", np.zeros((i + 1, 7), bool))
    code, out, err = cli("learn", folder)
    assert code == 0 and "3 calls" in out and "ids int64 [batch, 7]" in words(out) and "mask bool [batch, 7]" in words(out)
    assert "told apart by their numbers" in err
    code, out, _ = cli("learn", folder, "--files", "tensors")
    assert code == 0 and "1 call (1 different)" in out
    code, out, _ = cli("learn", str(folder / "ids_*.npy"))
    assert code == 0 and "3 calls" in out


def test_inputs_and_outputs_side_by_side(cli, tmp_path):
    def save(name, *shape):
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        np.save(path, np.zeros(shape, np.float32))

    # A call a number, a call a folder, and a call a file of several tensors.
    for i in range(1, 5):
        for folder, ids, logits in (("numbers", f"inputs/ids_{i}", f"outputs/logits_{i}"), (f"runs/{i}", "inputs/ids", "outputs/logits")):
            save(f"{folder}/{ids}.npy", i, 7 * i)
            save(f"{folder}/{logits}.npy", i, 7 * i, 9)
        for side, name, shape in (("input", "ids", (i, 7 * i)), ("output", "logits", (i, 7 * i, 9))):
            (tmp_path / "archives" / side).mkdir(parents=True, exist_ok=True)
            np.savez(tmp_path / "archives" / side / f"call_{i}.npz", **{name: np.zeros(shape, np.float32), name + "2": np.zeros(i)})
    for folder in ("numbers", "runs", "archives"):
        code, out, err = cli("learn", tmp_path / folder)
        text = words(out)
        assert code == 0 and "4 calls (4 different), 1 variant" in out, (folder, out, err)
        assert "input ids float32 [batch, " in text and "output logits float32 [batch, " in text, (folder, out)
    # Outputs alone are no call, and neither is one of which a file is bad.
    save("numbers/outputs/logits_9.npy", 1, 7, 9)
    np.savez(tmp_path / "archives/output/call_9.npz", logits=np.zeros(1), logits2=np.zeros(1))
    (tmp_path / "archives/input/call_2.npz").write_bytes(b"PK")
    code, out, err = cli("learn", tmp_path / "numbers")
    assert code == 0 and "4 calls" in out and "1 call left out, of which there are outputs alone" in err
    code, out, err = cli("learn", tmp_path / "archives")
    assert code == 1 and "3 calls" in out and "call_9: passed over, outputs without inputs" in err
    # A folder of that name alone is one like any other.
    code, out, _ = cli("learn", tmp_path / "numbers/inputs")
    assert code == 0 and "input ids float32 [batch, " in words(out)


def test_a_file_of_no_reader(cli, tmp_path):
    path = tmp_path / "x.bin"
    path.write_bytes(b"hello")
    code, _, err = cli("learn", path)
    assert code == 2 and "npy" in err, "it says what was tried"
    code, out, _ = cli("inspect", "--json", path)
    assert code == 1 and json.loads(out)["error"]["code"] == "unknown_format"


def test_names_cannot_drive_the_terminal(cli):
    line = json.dumps({"inputs": {"\u001b[31mred\n": {"dtype": "float32", "shape": [1]}}})
    code, out, _ = cli("learn", "-", stdin=line + "\n")
    assert code == 0 and "\x1b" not in out and "\\x1b[31mred\\x0a" in out
