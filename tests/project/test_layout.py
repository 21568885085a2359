# SPDX-License-Identifier: Apache-2.0
"""The project keeps its own rules: who may include whom, sizes of files, one list of errors, README blocks that run."""
import os
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]


def tracked(*patterns):
    out = subprocess.run(["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard", "--", *patterns], cwd=ROOT,
                         capture_output=True, text=True, check=True).stdout
    return [ROOT / name for name in out.split("\0") if name and (ROOT / name).is_file()]


def table(heading):
    """Rows of the table under a heading of HACKING.md, as lists of cells without backquotes."""
    text = (ROOT / "HACKING.md").read_text().split(heading, 1)[1]
    rows = []
    for line in text.splitlines():
        if line.startswith("|"):
            rows.append([cell.strip().replace("`", "") for cell in line.strip("|").split("|")])
        elif rows:
            break
    return rows[2:]


def test_who_may_include_whom():
    allowed = {}
    for folders, may in table("## Who may include whom"):
        for folder in folders.split(", "):
            allowed[folder] = {folder} | ({f for f in may.split(", ")} if may not in ("nothing", "anything above") else set())
            if may == "anything above":
                allowed[folder] |= set(allowed)
    home = {header.strip(): folder for folder, headers in table("## Public headers") for header in headers.split(",")}
    seen = 0
    for path in tracked("src/*.cpp", "src/*.hpp", "include/tensorspec/*.hpp"):
        parts = path.relative_to(ROOT).parts
        folder = parts[1] if parts[0] == "src" else home[parts[2]]
        for name in re.findall(r'^#include "([^"]+)"', path.read_text(), re.M):
            if name.endswith("_family.inc"):
                continue
            target = home[name.split("/")[1]] if name.startswith("tensorspec/") else name.split("/")[0]
            assert target in allowed[folder], f"{path} of {folder} includes {name} of {target}"
            seen += 1
    assert seen > 100
    assert set(home) == {p.name for p in (ROOT / "include/tensorspec").iterdir()}
    assert set(allowed) == {p.parent.name for p in (ROOT / "src").glob("*/*.cpp")}


def test_root_entries_and_file_sizes():
    visible = {p.relative_to(ROOT).parts[0] for p in tracked() if not p.relative_to(ROOT).parts[0].startswith(".")}
    assert len(visible) <= 15, sorted(visible)
    for path in tracked("*.cpp", "*.hpp", "*.h", "*.py"):
        assert path.read_bytes().count(b"\n") <= 800, path


def test_sources_are_formatted():
    files = tracked("*.cpp", "*.hpp")
    done = subprocess.run(["clang-format-16", "--dry-run", "--Werror", *files], cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr[:2000]


def test_the_repository_stands_alone():
    for path in tracked():
        if path == pathlib.Path(__file__).resolve() or path.suffix in (".npz", ".npy"):
            continue
        text = path.read_text(errors="replace")
        assert not re.search(r"(\.\./|\b)shared/(design|recordings|score|cases|files|seed)", text), path
        if path.suffix in (".cpp", ".hpp", ".h", ".py"):
            assert not re.search(r"\b(TO" + r"DO|FIX" + r"ME|XX" + r"X)\b", text), path


def test_every_error_is_raised_by_some_test_and_documented():
    codes = re.findall(r"^TENSORSPEC_ERROR\((\w+), (\d+), ", (ROOT / "include/tensorspec/errors.inc").read_text(), re.M)
    assert len(codes) > 30 and len({n for _, n in codes}) == len(codes)
    tests = "".join(p.read_text() for p in tracked("tests/*.cpp", "tests/*.py") if p != pathlib.Path(__file__).resolve())
    docs = (ROOT / "docs/errors.md").read_text()
    for name, number in codes:
        assert re.search(rf"\b{name}\b", tests), f"no test raises {name}"
        assert f"| `{name}` | {number} |" in docs, f"docs/errors.md has no row of {name}"


def test_families_have_as_many_members_as_files():
    for folder, outside in (("read", {"reader", "ingest", "onnx_proto"}),
                            ("export", {"exporter", "sizes", "facts", "spelling", "torch_dims"}),
                            ("cli", {"main", "program", "paths", "learning", "ladder", "trace"})):
        files = {p.stem for p in (ROOT / "src" / folder).glob("*.cpp")} - outside
        lines = (ROOT / "build/release/src" / f"{folder}_family.inc").read_text().split()
        assert lines == [f"TENSORSPEC_MEMBER({stem})" for stem in sorted(files)]


def test_the_library_never_exits_or_prints():
    symbols = subprocess.run(["nm", "-C", "--undefined-only", ROOT / "build/release/src/libtensorspec.a"], capture_output=True,
                             text=True, check=True).stdout
    names = set(re.findall(r"^\s+U (.+)$", symbols, re.M))
    assert len(names) > 50
    for banned in ("abort", "exit", "_exit", "printf", "puts", "putchar", "fputs", "std::cout", "std::cerr", "__assert_fail"):
        assert banned not in names, banned


def test_readme_blocks_run():
    text = (ROOT / "README.md").read_text()
    blocks = re.findall(r"^```(console|python|cpp)\n(.*?)^```$", text, re.M | re.S)
    assert len(blocks) >= 3
    for kind, block in blocks:
        assert kind in ("console", "python"), "only console and Python blocks are known to this test"
        if kind == "python":
            done = subprocess.run([sys.executable, "-c", block], cwd=ROOT, capture_output=True, text=True)
            assert done.returncode == 0, done.stderr
            continue
        commands = re.split(r"^\$ ", block, flags=re.M)[1:]
        for command in commands:
            line, _, wanted = command.partition("\n")
            if line in ("./run", "./test", "./test --quick"):
                assert (ROOT / line.split()[0]).stat().st_mode & 0o111
                continue
            path = f"{ROOT / 'build/release'}:{os.environ['PATH']}"
            done = subprocess.run(["bash", "-c", line], cwd=ROOT, capture_output=True, text=True, env={**os.environ, "PATH": path})
            assert done.returncode in (0, 1), (line, done.stderr)
            assert done.stdout.strip() == wanted.strip(), f"{line}\n{done.stdout}"
