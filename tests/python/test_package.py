# SPDX-License-Identifier: Apache-2.0
"""The package as it is installed: what it needs, what it holds, the command."""
import importlib.metadata
import os
import pathlib
import re
import signal
import subprocess
import sys
import sysconfig
import time

import pytest

import tensorspec
from tensorspec import _core

PACKAGE = pathlib.Path(tensorspec.__file__).parent
SCRIPT = pathlib.Path(sysconfig.get_path("scripts")) / "tensorspec"


def run(*arguments, **options):
    return subprocess.run([str(a) for a in arguments], capture_output=True, text=True, timeout=120, **options)


@pytest.fixture
def installed():
    if not SCRIPT.exists() or (PACKAGE.parent / "pyproject.toml").exists() or PACKAGE.parent.name == "python":
        pytest.skip("the package is used from the checkout")


def test_needs_neither_torch_nor_numpy(tmp_path):
    for blocked in ("torch", "numpy", "pyarrow", "pandas"):
        (tmp_path / f"{blocked}.py").write_text("raise ImportError('blocked')")
    code = f"""
import sys
sys.path[:0] = [{str(tmp_path)!r}, {str(PACKAGE.parent)!r}]
import tensorspec
learner = tensorspec.Learner()
for batch in (1, 2, 3):
    learner.observe({{"x": ("float32", (batch, 7))}}, batch_size=batch)
learner.observe_columns({{"x": ("float32", ([4, 5], 7))}}, batch_size=[4, 5])
assert str(learner.contract().tensors[0].shape[0]) == "batch"
assert not [name for name in ("torch", "numpy", "pyarrow", "pandas") if name in sys.modules]
"""
    done = run(sys.executable, "-c", code)
    assert done.returncode == 0, done.stderr


def test_version_and_types(root):
    wanted = re.search(r'VERSION "(.+)"', (root / "include/tensorspec/version.h").read_text())[1]
    assert tensorspec.__version__ == wanted
    assert (PACKAGE / "py.typed").exists()


def test_every_public_name_is_documented():
    for name in tensorspec.__all__:
        if name != "__version__":
            assert getattr(tensorspec, name).__doc__, name
        # Classes that only other objects hand out are found there.
        if not isinstance(getattr(tensorspec, name), type):
            assert re.search(rf"\b{name}\b", tensorspec.__doc__) or name == "__version__", name


def test_wheel_holds_its_libraries(installed):
    listed = run("ldd", _core.__file__).stdout
    system = {"linux-vdso.so.1", "libc.so.6", "libstdc++.so.6", "libm.so.6", "libgcc_s.so.1", "libpthread.so.0"}
    seen = 0
    for line in listed.splitlines():
        name, _, where = line.strip().partition(" => ")
        name = name.split(" ")[0]
        seen += 1
        if name in system or "ld-linux" in name:
            continue
        assert pathlib.Path(where.split(" (")[0]).parent == PACKAGE, line
    assert seen >= 4


def test_works_in_an_empty_environment(installed, tmp_path):
    """Nothing but the package's own files and the standard library."""
    (tmp_path / "site").mkdir()
    (tmp_path / "site/tensorspec").symlink_to(PACKAGE)
    code = "import sys; sys.path.insert(0, sys.argv[1]); import tensorspec; print(len(tensorspec.formats()) > 3)"
    done = run(os.path.realpath(sys.executable), "-I", "-S", "-c", code, tmp_path / "site", env={})
    assert (done.returncode, done.stdout.strip()) == (0, "True"), done.stderr


def test_the_command_is_the_same_program(installed, cli, root):
    assert importlib.metadata.entry_points(group="console_scripts")["tensorspec"].value == "tensorspec.__main__:main"
    for arguments in (["--version"], ["--help"], ["learn", root / "examples/ocr"], ["learn"], ["no-such-command"],
                      ["inspect", root / "README.md", "--json"]):
        done = run(SCRIPT, *arguments)
        assert (done.returncode, done.stdout, done.stderr) == cli(*arguments), arguments


def test_module_runs_as_command():
    done = run(sys.executable, "-m", "tensorspec", "--version", env={**os.environ, "PYTHONPATH": str(PACKAGE.parent)})
    assert (done.returncode, done.stdout.strip()) == (0, f"tensorspec {tensorspec.__version__}")


def test_ctrl_c_ends_the_command():
    """It waits for standard input, without the interpreter: Python's own handler would never be asked."""
    process = subprocess.Popen([sys.executable, "-m", "tensorspec", "learn", "-"], stdin=subprocess.PIPE,
                               stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                               # The tests may run where it is ignored, in the background of a shell for instance.
                               preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
                               env={**os.environ, "PYTHONPATH": str(PACKAGE.parent)})
    process.stdin.write(b'{"inputs": {"x": {"dtype": "int64", "shape": [2]}}}\n')
    process.stdin.flush()
    # The handlers are set before anything is read; /proc says when it waits.
    status = pathlib.Path(f"/proc/{process.pid}/status")
    for _ in range(1000):
        caught = int(re.search(r"SigCgt:\s+(\w+)", status.read_text())[1], 16)
        if not caught & (1 << (signal.SIGINT - 1)) and "_core" in pathlib.Path(f"/proc/{process.pid}/maps").read_text():
            break
        time.sleep(0.02)
    process.send_signal(signal.SIGINT)
    assert process.wait(timeout=60) == -signal.SIGINT
    process.stdin.close(), process.stdout.close(), process.stderr.close()


def test_a_closed_pipe_ends_the_command_quietly(root):
    command = f"{sys.executable} -m tensorspec learn {root / 'examples/ocr'} | head -n 1"
    done = run("bash", "-c", command, env={**os.environ, "PYTHONPATH": str(PACKAGE.parent)})
    assert (done.returncode, done.stderr) == (0, "")
