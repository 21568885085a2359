# SPDX-License-Identifier: Apache-2.0
"""Other projects can use the library: installed, found by CMake or pkg-config, or carried within their sources."""
import json
import os
import pathlib
import re
import shutil
import subprocess

import pytest

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[1]
CMAKE = "/usr/bin/cmake"
PROGRAM = HERE / "find_package" / "main.cpp"
STRICT = ["-std=c++20", "-Wall", "-Wextra", "-Wpedantic", "-Wshadow", "-Wconversion", "-Wsign-conversion", "-Wold-style-cast",
          "-Werror"]


def run(*command, **options):
    done = subprocess.run([str(word) for word in command], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                          **options)
    assert done.returncode == 0, f"{command}\n{done.stdout[-4000:]}"
    return done.stdout


def configure(source, folder, *definitions):
    if shutil.which("ccache"):
        definitions += ("-DCMAKE_CXX_COMPILER_LAUNCHER=ccache",)
    run(CMAKE, "--fresh", "-G", "Ninja", "-S", HERE / source, "-B", folder, *definitions)


def try_out(program, folder):
    """Runs a built tests/consumers/find_package/main.cpp on a recording."""
    recording = folder / "calls.jsonl"
    recording.write_text('{"batch_size": 4, "inputs": {"ids": {"dtype": "int64", "shape": [4, 12]}}, '
                         '"outputs": {"logits": {"dtype": "float32", "shape": [4, 12, 50]}}}\n')
    text = run(program, recording)
    words = " ".join(text.split())
    assert "3 calls (3 different), 1 variant" in words
    assert "input ids int64 [batch, s0]" in words and "output logits float32 [batch, s0, 50]" in words
    assert text.splitlines()[-1].startswith("logits axis 1: 8, expected 9 = s0")


@pytest.fixture(scope="module")
def prefix(tmp_path_factory):
    """An installed tree, moved to another place after it was installed."""
    installed = tmp_path_factory.mktemp("install") / "first"
    run(CMAKE, "--install", ROOT / "build/release", "--prefix", installed)
    return installed.rename(installed.with_name("moved"))


def test_find_package_asks_for_what_is_linked_alone(prefix, tmp_path):
    private = [f"-DCMAKE_DISABLE_FIND_PACKAGE_{name}=ON" for name in ("nlohmann_json", "Boost", "CLI11")]
    configure("find_package", tmp_path, f"-DCMAKE_PREFIX_PATH={prefix}", *private)
    run(CMAKE, "--build", tmp_path)
    try_out(tmp_path / "uses_tensorspec", tmp_path)
    config = next(prefix.rglob("tensorspecConfig.cmake")).read_text()
    assert set(re.findall(r"find_dependency\((\w+)", config)) == {"ZLIB", "simdjson"}
    assert "tensorspec 0." in run(prefix / "bin/tensorspec", "--version")


def test_pkg_config(prefix, tmp_path):
    environment = {**os.environ, "PKG_CONFIG_PATH": str(next(prefix.rglob("tensorspec.pc")).parent)}
    flags = run("pkg-config", "--cflags", "--libs", "tensorspec", env=environment).split()
    run("g++", *STRICT, PROGRAM, *flags, "-o", tmp_path / "program")
    try_out(tmp_path / "program", tmp_path)
    version = re.search(r'TENSORSPEC_VERSION "(.+)"', (ROOT / "include/tensorspec/version.h").read_text())[1]
    assert run("pkg-config", "--modversion", "tensorspec", env=environment).strip() == version


def test_public_headers_need_the_standard_library_alone(prefix, tmp_path):
    headers = sorted((prefix / "include/tensorspec").glob("*.h*"))
    assert len(headers) > 10
    for header in headers:
        for name in re.findall(r'^\s*#\s*include\s+(.+)$', header.read_text(), re.M):
            # No header of the standard library has an extension or a folder.
            assert re.fullmatch(r'<[a-z_]+>|"tensorspec/[a-z_]+\.(hpp|h|inc)"', name), f"{header.name} includes {name}"
    every = tmp_path / "every.cpp"
    every.write_text("".join(f'#include "tensorspec/{header.name}"\n' for header in headers))
    for compiler in ("g++", "clang++-16"):
        run(compiler, *STRICT, "-fsyntax-only", f"-I{prefix / 'include'}", every)


def test_add_subdirectory_leaves_nothing_behind():
    # Kept between runs: it is a whole build of the library, with the standard of the project around it.
    folder = ROOT / "build/consumers/add_subdirectory"
    configure("add_subdirectory", folder)
    commands = [entry["command"] for entry in json.loads((folder / "compile_commands.json").read_text())]
    assert len(commands) > 30
    for command in commands:
        assert re.search(r"-std=(gnu|c)\+\+(23|2b)\b", command), command
        assert "-Werror" not in command and "-Wall" not in command and "-fsanitize" not in command, command
    # Options are for whoever builds tensorspec itself.
    assert "TENSORSPEC_" not in (folder / "CMakeCache.txt").read_text()
    targets = run(CMAKE, "--build", folder, "--target", "help")
    assert "libtensorspec.a" in targets
    for absent in ("tensorspec_cli", "tensorspec_tests", "read_fuzz"):
        assert absent not in targets
    run(CMAKE, "--build", folder)
    try_out(folder / "carries_tensorspec", folder)
