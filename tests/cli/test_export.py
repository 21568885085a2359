# SPDX-License-Identifier: Apache-2.0
"""tensorspec export: its options, exit codes, JSON, and what bad input does."""
import json
import os
import resource
import subprocess

import pytest


@pytest.fixture
def ocr(root):
    return root / "tests/contracts/ocr.contract.json"


def test_list_and_json(cli, ocr):
    code, out, err = cli("export", "--list")
    assert code == 0 and err == "" and "trtexec" in out and "config.pbtxt" in out
    assert cli("export", ocr, "--list") == (code, out, err)
    code, _, err = cli("export", "--to", "trtexec")
    assert code == 2 and "CONTRACT" in err
    code, out, _ = cli("export", ocr, "--list", "--json")
    entries = [json.loads(line) for line in out.splitlines()]
    assert code == 0 and [entry["exporter"] for entry in entries] == sorted(entry["exporter"] for entry in entries)
    assert set(entries[0]) == {"exporter", "engine", "file", "form", "proof", "keeps", "loses", "needs_model"}


def test_one_to_standard_output_with_losses_on_standard_error(cli, ocr):
    code, out, err = cli("export", ocr, "--to", "trtexec")
    assert code == 0 and out == "--minShapes=x:1x3x48x320\n--optShapes=x:6x3x48x320\n--maxShapes=x:6x3x48x1603\n"
    assert "note: trtexec: not said, dtypes: x float32" in err
    code, out, err = cli("export", ocr, "--to", "trtexec", "-q")
    assert code == 0 and err == ""


def test_all_into_a_folder(cli, root, ocr, tmp_path):
    code, out, err = cli("export", ocr, "--to", "all", "-o", tmp_path / "deploy", "--json")
    entries = {entry["exporter"]: entry for entry in map(json.loads, out.splitlines())}
    assert code == 0 and len(entries) >= 20
    assert "skipped" in entries["onnx"]
    for entry in entries.values():
        assert ("skipped" in entry) or os.path.getsize(entry["file"]) > 0
    code, out, err = cli("export", root / "tests/contracts/kv_cache.contract.json", "--to", "all", "-o", tmp_path / "two")
    # What takes one set of inputs is refused, the rest is written.
    assert code == 1 and "--variant 0" in err and (tmp_path / "two/request.schema.json").exists()
    assert not (tmp_path / "two/trtexec.flags").exists()
    code, _, _ = cli("export", root / "tests/contracts/kv_cache.contract.json", "--to", "trtexec", "--variant", "1", "-o", tmp_path / "one.flags")
    assert code == 0 and (tmp_path / "one.flags").read_text().startswith("--minShapes=input_ids:1x")


def test_ranges_for_this_export(cli, root, ocr):
    unlimited = root / "tests/contracts/unlimited.contract.json"
    code, out, err = cli("export", unlimited, "--to", "trtexec")
    assert code == 1 and out == "" and "export_unlimited" in err and "--set" in err
    code, out, _ = cli("export", unlimited, "--to", "trtexec", "--set", "n=1..4", "--set", "seq=2..34")
    assert code == 0 and "--maxShapes=ids:4x34,window:4x17,pair:98x2" in out
    code, _, err = cli("export", ocr, "--to", "trtexec", "--set", "nothing=1..4")
    assert code == 2 and "nothing" in err


def test_profiles_of_a_plan(cli, root, ocr, tmp_path):
    plan = tmp_path / "ocr.plan.json"
    code, _, err = cli("plan", ocr, "-k", "3", "--mode", "profiles", "-o", plan)
    assert code == 0, err
    code, out, err = cli("export", ocr, "--to", "trtexec", "--plan", plan)
    assert code == 0 and out.startswith("--profile=0 --minShapes=x:") and len(out.splitlines()) == 3, err
    code, out, _ = cli("export", ocr, "--to", "tensorrt", "--plan", plan)
    profiles = json.loads(out)["profiles"]
    assert len(profiles) == 3
    for shapes in profiles:
        assert all(low <= opt <= high for low, opt, high in zip(*(shapes["x"][key] for key in ("min", "opt", "max"))))
    # One box around them, and it is said.
    code, out, err = cli("export", ocr, "--to", "openvino", "--plan", plan)
    assert code == 0 and "not said, profiles: one box around all 3" in err
    code, _, err = cli("export", root / "tests/contracts/kv_cache.contract.json", "--to", "trtexec", "--plan", plan)
    assert code == 2 and "--variant" in err
    plan.write_text('{"profiles": [{"batch": {"min": 1, "opt": 2, "max": 99}}]}')
    code, out, err = cli("export", ocr, "--to", "trtexec", "--plan", plan)
    assert code == 0 and "x:99x" in out and "note: " in err and "batch up to 99, more than was seen: 6" in err
    code, _, err = cli("export", ocr, "--to", "trtexec", "--plan", plan, "--set", "batch=1..8")
    assert code == 1 and "profile_mismatch" in err and "99 is no size of it: 1..8" in err
    plan.write_text('{"profiles": [{"batch": {"min": 3, "opt": 2, "max": 4}}]}')
    code, _, err = cli("export", ocr, "--to", "trtexec", "--plan", plan)
    assert code == 2 and "expected min <= opt <= max" in err
    # Rounded up, the largest size is more than was seen.
    code, _, err = cli("plan", ocr, "-k", "3", "--mode", "profiles", "--multiple-of", "s0=32", "-o", plan)
    assert code == 0, err
    code, out, err = cli("export", ocr, "--to", "trtexec", "--plan", plan)
    assert code == 0 and "x1632" in out and "s0 up to 1632, more than was seen: 1603" in err


def test_what_is_read_is_not_replaced(cli, ocr, tmp_path):
    mine = tmp_path / "mine.contract.json"
    mine.write_bytes(ocr.read_bytes())
    for arguments in (["export", mine, "--to", "trtexec", "-o", mine], ["plan", mine, "-k", "2", "-o", mine]):
        code, out, err = cli(*arguments)
        assert code == 2 and out == "" and "name another file" in err
    assert mine.read_bytes() == ocr.read_bytes()


def test_a_path_within_another_is_said(cli, tmp_path):
    calls = tmp_path / "calls.jsonl"
    names = ["a", "a.b", "l[1]", "l[01]", "args[0]", "deep" + ".a" * 2000, "far[100000]"]
    calls.write_text("".join(json.dumps({"inputs": {name: {"dtype": "float32", "shape": [n, 2]} for name in names}}) + "\n" for n in (1, 2, 3)))
    contract = tmp_path / "c.json"
    assert cli("learn", calls, "-o", contract)[0] == 0
    for target in ("torch_export", "jax", "torch_compile"):
        code, out, err = cli("export", contract, "--to", target)
        assert code == 0 and "whose place is another tensor's" in err, err
        assert err.count("whose place is another") == 2 and len(out) < 100_000
        compile(out, target, "exec")


@pytest.mark.parametrize("arguments", [[], ["--to", "nothing"], ["--to", ""], ["--to", "trtexec,"], ["--list", "--to", "trtexec"],
                                       ["--to", "trtexec", "--variant", "x"], ["--to", "trtexec", "--variant", "7"]])
def test_bad_arguments(cli, ocr, arguments):
    code, out, err = cli("export", ocr, *arguments)
    assert code in (1, 2) and out == "" and err.startswith("tensorspec: ")


def test_an_unwritable_target_loses_nothing(cli, ocr, tmp_path):
    target = tmp_path / "trtexec.flags"
    target.write_text("mine")
    code, _, err = cli("export", ocr, "--to", "trtexec", "-o", tmp_path / "no/such/folder.flags")
    assert code == 2 and "file_write" in err
    (tmp_path / "file").write_text("")
    code, _, err = cli("export", ocr, "--to", "trtexec,triton", "-o", tmp_path / "file")
    assert code == 2 and "file_write" in err
    if os.geteuid() != 0:
        tmp_path.chmod(0o500)
        code, _, err = cli("export", ocr, "--to", "trtexec", "-o", target)
        tmp_path.chmod(0o700)
        assert code == 2
    assert target.read_text() == "mine"
    # A model that breaks off while it is copied leaves the old file.
    code, _, err = cli("export", ocr, "--to", "onnx", "--model", ocr, "-o", target)
    assert code in (1, 2) and target.read_text() == "mine"
    assert sorted(path.name for path in tmp_path.iterdir()) == ["file", "trtexec.flags"]


def varint(value):
    out = b""
    while value >= 0x80:
        out += bytes([value & 0x7F | 0x80])
        value >>= 7
    return out + bytes([value])


def field(number, payload, size=None):
    return varint(number << 3 | 2) + varint(len(payload) if size is None else size) + payload


def test_a_model_of_3_gb_is_patched_in_constant_memory(root, ocr, tmp_path):
    """The weights are a hole in the file; the command has 300 MB of address space."""
    dim = lambda text: field(1, field(2, text)) if isinstance(text, bytes) else field(1, varint(1 << 3) + varint(text))
    value = lambda name, dims: field(1, name) + field(2, field(1, varint(1 << 3) + varint(1) + field(2, b"".join(map(dim, dims)))))
    size = 3 << 30
    weight = varint(1 << 3) + varint(size) + varint(2 << 3) + varint(2) + field(8, b"w")
    head = weight + field(9, b"", size)
    graph = field(5, head, len(head) + size)
    tail = field(11, value(b"x", [b"N", 3, 48, b"W"])) + field(12, value(b"softmax_11.tmp_0", [b"N", b"T", 6625]))
    start = varint(1 << 3) + varint(8) + field(7, graph, len(graph) + size + len(tail))
    model = tmp_path / "large.onnx"
    with open(model, "wb") as out:
        out.write(start)
        out.seek(size, os.SEEK_CUR)
        out.write(tail)
    limit = 300 << 20
    done = subprocess.run([root / "build/release/tensorspec", "export", ocr, "--to", "onnx", "--model", model, "-o", "/dev/null"],
                          preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_AS, (limit, limit)), capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    # Nothing is lost of it: the size, and the end with the new declarations.
    done = subprocess.run(["bash", "-o", "pipefail", "-c", '"$@" | tee >(wc -c >&2) | tail -c 1000', "_", root / "build/release/tensorspec",
                           "export", ocr, "--to", "onnx", "--model", model, "-q"], capture_output=True)
    assert done.returncode == 0 and b"floor((s0+3)/8)" in done.stdout and b"tensorspec" in done.stdout
    assert int(done.stderr) > size
