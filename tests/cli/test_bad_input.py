# SPDX-License-Identifier: Apache-2.0
"""Bad input costs itself alone: one line with place, reason and word; the rest is used; exit 1, or 2 with --strict."""
import io
import json
import os
import pathlib
import resource
import shutil
import signal
import socket
import struct
import subprocess
import tempfile
import zipfile

import numpy as np
import pytest

GOOD = '{"batch_size": %d, "inputs": {"x": {"dtype": "float32", "shape": [%d, 3]}}}\n'
NPY = "{'descr': '<f4', 'fortran_order': False, 'shape': (%s), }\n"


def npy(header, version=1, length=None):
    size = struct.pack("<H" if version == 1 else "<I", len(header) if length is None else length)
    return b"\x93NUMPY" + bytes([version, 0]) + size + header.encode()


def archive(*members):
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as file:
        for name, content in members:
            file.writestr(name, content)
    return out.getvalue()


def with_end_record(content, offset, new):
    at = content.rindex(b"PK\5\6") + offset
    return content[:at] + new + content[at + len(new):]


ONE = archive(("x.npy", npy(NPY % "1,2")))

# Name of the file, its contents, the word of the error.
BAD_FILES = [
    ("empty.npy", b"", "unknown_format"),
    ("magic_cut.npy", b"\x93NUM", "unknown_format"),
    ("length_cut.npy", b"\x93NUMPY\1\0\x10", "npy_truncated"),
    ("header_cut.npy", npy(NPY % "2,3")[:40], "npy_truncated"),
    ("four_gib.npy", npy("{" * 100, 2, 0xFFFFFFFF), "npy_header_too_large"),
    ("version.npy", npy(NPY % "1,", 9), "npy_version"),
    ("negative.npy", npy(NPY % "-1,3"), "invalid_extent"),
    ("above_2_62.npy", npy(NPY % f"{2**62 + 1},"), "invalid_extent"),
    ("endless_number.npy", npy(NPY % ("9" * 5000 + ",")), "invalid_extent"),
    ("65_axes.npy", npy(NPY % ("1," * 65)), "rank_too_large"),
    ("code.npy", npy("{'descr': __import__('os'), 'fortran_order': False, 'shape': (1,), }"), "npy_header"),
    ("nested.npy", npy("{'descr': " + "[" * 60000), "npy_header"),
    ("nul.npy", npy("\0" * 118), "npy_header"),
    ("cut.npz", ONE[:-5], "zip_malformed"),
    ("counts.npz", with_end_record(ONE, 8, b"\xff" * 4), "zip_malformed"),
    ("offset.npz", with_end_record(ONE, 12, b"\xff" * 8), "zip_malformed"),
    ("no_member.npz", archive(), "nothing_found"),
    ("other_member.npz", archive(("readme.txt", b"")), "unknown_format"),
    ("bad_member.npz", archive(("x.npy", npy(NPY % "1,3")), ("y.npy", b"no array")), "npy_bad_magic"),
    ("twice.npz", archive(("x.npy", npy(NPY % "1,3")), ("y.npy", npy(NPY % "1,3"))).replace(b"y.npy", b"x.npy"),
     "duplicate_tensor"),
    ("utf16.jsonl", (GOOD % (1, 1)).encode("utf-16"), "unknown_format"),
]


@pytest.mark.parametrize(("name", "content", "word"), BAD_FILES, ids=[name for name, _, _ in BAD_FILES])
def test_a_bad_file_costs_itself_alone(cli, tmp_path, name, content, word):
    calls = tmp_path / "calls"
    calls.mkdir()
    for i in (1, 2):
        np.savez(calls / f"call_{i}.npz", x=np.zeros((i, 3), np.float32))
    (calls / name).write_bytes(content)
    code, out, err = cli("learn", calls, "-o", tmp_path / "c.json", "--quiet")
    assert code == 1
    assert len(err.splitlines()) == 1 and str(calls / name) in err and err.endswith(f" [{word}]\n"), err
    contract = json.loads((tmp_path / "c.json").read_text())
    assert [variant["calls"] for variant in contract["variants"]] == [2], "no half call among them"
    code, _, err = cli("learn", calls, "--strict", "-o", tmp_path / "strict.json")
    assert code == 2 and len(err.splitlines()) == 1 and not (tmp_path / "strict.json").exists()
    code, out, err = cli("learn", calls / name, "--quiet")
    assert code == 2 and out == "" and len(err.splitlines()) == 1, "nothing to learn from, and that is said once"


@pytest.mark.parametrize(("line", "word"), [
    ('{"inputs": {"x": {"dtype": "float32", "sha', "json_syntax"),
    ('{"inputs": ' + "[" * 70, "json_too_deep"),
    ('{"inputs": {"x\0": {"shape": [1]}}}', "json_syntax"),
    ('{"inputs": {"x": {"shape": [1]}, "x": {"shape": [1]}}}', "duplicate_tensor"),
    ('{"inputs": {"x": {"shape": [1], "shape": [2]}}}', "json_duplicate_key"),
    ('{"inputs": {}, "inputs": {}}', "json_duplicate_key"),
    ('{"inputs": {"x": {"shape": [-1]}}}', "invalid_extent"),
    ('{"inputs": {"x": {"shape": [%d]}}}' % (2**62 + 1), "invalid_extent"),
    ('{"inputs": {"x": {"shape": [%d]}}}' % 2**64, "json_syntax"),
    ('{"inputs": {"x": {"shape": [1.0]}}}', "json_type"),
    ('{"inputs": {"x": {"shape": ["1"]}}}', "json_type"),
    ('{"inputs": {"x": {"shape": [NaN]}}}', "json_syntax"),
    ('{"inputs": {"x": {"shape": [%s]}}}' % ",".join(65 * "1"), "rank_too_large"),
    ('{"inputs": {"x": {"dtype": "int8"}}}', "recording_call"),
    ('{"batch_size": 0, "inputs": {}}', "invalid_batch_size"),
    ('{"count": 0, "inputs": {}}', "json_type"),
    ("{}", "recording_call"),
    ("[]", "recording_call"),
])
def test_a_bad_line_costs_itself_alone(cli, tmp_path, line, word):
    path = tmp_path / "r.jsonl"
    path.write_text(GOOD % (1, 1) + line + "\n" + GOOD % (2, 2))
    code, out, err = cli("learn", path)
    assert code == 1 and "2 calls (2 different), 1 variant" in out
    assert len(err.splitlines()) == 1 and f"{path}:line 2" in err and err.endswith(f" [{word}]\n"), err
    assert cli("learn", path, "--strict")[0] == 2


def test_what_a_folder_holds_besides_files(cli, tmp_path):
    calls = tmp_path / "calls"
    (calls / "inner").mkdir(parents=True)
    (calls / "a.jsonl").write_text(GOOD % (1, 1))
    (calls / "inner" / "b.jsonl").write_text(GOOD % (2, 2))
    (calls / "inner" / "up").symlink_to("..")
    (calls / "self").symlink_to("self")
    (calls / "gone.npy").symlink_to("nowhere")
    os.mkfifo(calls / "pipe")
    os.mkfifo(calls / "pipe.npy")
    with socket.socket(socket.AF_UNIX) as listener:
        here = os.getcwd()
        os.chdir(calls)  # the path of a socket must be short
        listener.bind("socket")
        os.chdir(here)
    code, out, err = cli("learn", "calls", cwd=tmp_path)
    assert code == 1 and "2 calls" in out
    assert sorted(err.splitlines()) == [
        "note: calls/inner/up: passed over, a link to a folder",
        "note: calls/pipe: passed over, not a regular file",
        "note: calls/socket: passed over, not a regular file",
        "tensorspec: calls/gone.npy: cannot open: No such file or directory [file_open]",
        "tensorspec: calls/pipe.npy: cannot open: not a regular file [file_open]",
        "tensorspec: calls/self: cannot open: Too many levels of symbolic links [file_open]",
    ]
    code, out, err = cli("learn", "calls/[as]*", "calls/p*", cwd=tmp_path)
    assert code == 1 and "1 call " in out and len(err.splitlines()) == 4, err


@pytest.mark.parametrize(("path", "reason"), [
    ("nowhere", "cannot open: No such file or directory [file_open]"),
    ("loop", "cannot open: Too many levels of symbolic links [file_open]"),
    ("good.jsonl/x", "cannot open: Not a directory [file_open]"),
    ("loop/*", "cannot open: Too many levels of symbolic links [file_open]"),
    ("none*", "cannot open: no file fits the pattern [file_open]"),
    ("empty", "no tensors and no calls found: no file in it that a reader knows [nothing_found]"),
    ("emp*", "no tensors and no calls found: no file in it that a reader knows [nothing_found]"),
    ("/dev/null", "not a format that any reader knows: it is empty [unknown_format]"),
])
def test_a_path_that_gives_nothing(cli, tmp_path, path, reason):
    (tmp_path / "good.jsonl").write_text(GOOD % (1, 1))
    (tmp_path / "empty").mkdir()
    (tmp_path / "loop").symlink_to("loop")
    code, out, err = cli("learn", path, "good.jsonl", cwd=tmp_path)
    assert code == 1 and "1 call" in out
    where = {"emp*": "empty", "loop/*": "loop"}.get(path, path)
    assert err == f"tensorspec: {where}: {reason}\n"
    assert cli("learn", path, "good.jsonl", "--strict", cwd=tmp_path)[0] == 2
    assert cli("learn", "good.jsonl", "-o", "c.json", cwd=tmp_path)[0] == 0
    code, out, err = cli("check", "c.json", path, cwd=tmp_path)
    assert code == 2 and out == "" and err == f"tensorspec: {where}: {reason}\n"


def test_what_may_not_be_read(root):
    """As a user without rights: root may read everything."""
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        program = shutil.copy(root / "build/release/tensorspec", folder)
        for inner in ("locked", "listed"):
            (folder / inner).mkdir()
            (folder / inner / "r.jsonl").write_text(GOOD % (1, 1))
        (folder / "good.jsonl").write_text(GOOD % (1, 1))
        (folder / "unreadable.jsonl").write_text(GOOD % (2, 2))
        for inner, mode in ((".", 0o755), ("locked", 0), ("listed", 0o644), ("unreadable.jsonl", 0)):
            (folder / inner).chmod(mode)
        user = {"user": 65534, "group": 65534, "extra_groups": []} if os.getuid() == 0 else {}

        def run(*arguments):
            done = subprocess.run([program, *arguments], cwd=folder, capture_output=True, text=True, timeout=60, **user)
            return done.returncode, done.stderr

        try:
            for path, where in (("unreadable.jsonl", "unreadable.jsonl"), ("locked", "locked"), ("listed", "listed/r.jsonl"),
                                ("locked/r.jsonl", "locked/r.jsonl"), ("lock*/*.jsonl", "locked")):
                wanted = f"tensorspec: {where}: cannot open: Permission denied [file_open]\n"
                assert run("learn", path, "good.jsonl") == (1, wanted)
            assert run("learn", "good.jsonl", "-o", "locked/c.json") == (
                2, "tensorspec: locked/c.json: cannot write: Permission denied [file_write]\n")
        finally:
            for inner in ("locked", "listed"):
                (folder / inner).chmod(0o755)


def test_a_call_of_which_a_file_is_bad_is_left_out(cli, tmp_path):
    for i in range(3):
        np.save(tmp_path / f"ids_{i}.npy", np.zeros((i + 1, 7), np.int64))
        np.save(tmp_path / f"mask_{i}.npy", np.zeros((i + 1, 7), bool))
    (tmp_path / "mask_1.npy").write_bytes(b"\x93NUMPY\1\0")
    code, out, err = cli("learn", tmp_path)
    assert code == 1 and "2 calls (2 different), 1 variant" in out
    assert "mask_1.npy" in err and "1 call left out, of which a file cannot be read" in err


@pytest.mark.parametrize(("target", "reason"), [
    ("nowhere/c.json", "No such file or directory"),
    ("folder", "Is a directory"),
    ("r.jsonl/c.json", "Not a directory"),
    ("loop", "Too many levels of symbolic links"),
    ("dangling", "No such file or directory"),
    ("/dev/full", "No space left on device"),
])
def test_an_output_that_cannot_be_written(cli, tmp_path, target, reason):
    (tmp_path / "r.jsonl").write_text(GOOD % (1, 1))
    (tmp_path / "folder").mkdir()
    (tmp_path / "loop").symlink_to("loop")
    (tmp_path / "dangling").symlink_to("nowhere/c.json")
    before = sorted(os.listdir(tmp_path))
    assert cli("learn", "r.jsonl", "-o", target, cwd=tmp_path) == (
        2, "", f"tensorspec: {target}: cannot write: {reason} [file_write]\n")
    assert sorted(os.listdir(tmp_path)) == before and os.listdir(tmp_path / "folder") == []


def test_links_and_pipes_as_output(cli, root, tmp_path):
    (tmp_path / "r.jsonl").write_text(GOOD % (1, 1))
    (tmp_path / "kept").mkdir()
    (tmp_path / "link").symlink_to("kept/c.json")
    for _ in range(2):  # the link leads nowhere, then to a file
        assert cli("learn", "r.jsonl", "-o", "link", cwd=tmp_path)[0] == 0
        assert (tmp_path / "link").is_symlink() and os.listdir(tmp_path / "kept") == ["c.json"]
    code, out, _ = cli("learn", tmp_path / "r.jsonl", "-q", "-o", "/dev/stdout")
    assert code == 0 and out == (tmp_path / "kept" / "c.json").read_text()
    with open("/dev/full", "w") as full:
        done = subprocess.run([root / "build/release/tensorspec", "show", tmp_path / "link"], stdout=full,
                              stderr=subprocess.PIPE, text=True)
    assert done.returncode == 2
    assert done.stderr == "tensorspec: standard output: cannot write: No space left on device [file_write]\n"


@pytest.mark.parametrize("killed", [False, True])
def test_a_save_that_stops_in_the_middle(root, tmp_path, killed):
    """A limit on the size of files stops the write after 100 bytes: with an error, or with a signal that kills."""
    (tmp_path / "r.jsonl").write_text(GOOD % (1, 1))
    (tmp_path / "c.json").write_text("old")
    done = subprocess.run([root / "build/release/tensorspec", "learn", "r.jsonl", "-q", "-o", "c.json"], cwd=tmp_path,
                          capture_output=True, text=True, restore_signals=killed,
                          preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (100, 100)))
    if killed:
        assert done.returncode == -signal.SIGXFSZ
    else:
        assert (done.returncode, done.stderr) == (2, "tensorspec: c.json: cannot write: File too large [file_write]\n")
    assert (tmp_path / "c.json").read_text() == "old"
    try:
        os.close(os.open(tmp_path, os.O_TMPFILE | os.O_WRONLY))
    except OSError:
        killed = killed and pytest.skip("this file system has no files without a name")
    assert sorted(os.listdir(tmp_path)) == ["c.json", "r.jsonl"]


def test_unknown_commands_are_named(cli):
    code, out, err = cli("lern", "x")
    assert code == 2 and out == "" and "no command is called lern; there are check, diff, export" in err


@pytest.mark.parametrize("name, said", [("a" * 5000, "5000 bytes"), ("a\0b", "a NUL")])
def test_names_in_contracts_have_limits(cli, root, tmp_path, name, said):
    contract = json.loads((root / "tests/contracts/ocr.contract.json").read_text())
    contract["variants"][0]["inputs"][0]["name"] = name
    path = tmp_path / "c.json"
    path.write_text(json.dumps(contract))
    code, out, err = cli("show", path)
    assert code == 2 and out == "" and "invalid_name" in err and said in err and len(err) < 6000


@pytest.mark.parametrize("arguments", [["learn", ""], ["learn", "r.jsonl", "-o", ""], ["learn", "r.jsonl", "--name", ""],
                                       ["check", "", "r.jsonl"], ["learn"], ["learn", "r.jsonl", "--nonsense"], []])
def test_a_wrong_command_line_is_one_line(cli, tmp_path, arguments):
    (tmp_path / "r.jsonl").write_text(GOOD % (1, 1))
    code, out, err = cli(*arguments, cwd=tmp_path)
    assert code == 2 and out == "" and len(err.splitlines()) == 1 and err.endswith(" [invalid_argument]\n"), err
