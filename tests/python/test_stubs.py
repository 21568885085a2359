# SPDX-License-Identifier: Apache-2.0
"""The stub of the module is the generator's output, and says what the module has.

After a change of the module: python -m nanobind.stubgen -m tensorspec._core -p python/stub.pat -o python/tensorspec/_core.pyi
"""
import ast
import subprocess
import sys

import tensorspec
from tensorspec import _core


def test_stub_is_up_to_date(root, tmp_path):
    made = tmp_path / "_core.pyi"
    done = subprocess.run([sys.executable, "-m", "nanobind.stubgen", "-m", "tensorspec._core", "-p", root / "python/stub.pat",
                           "-o", made], capture_output=True, text=True,
                          env={**__import__("os").environ, "PYTHONPATH": str(__import__("pathlib").Path(tensorspec.__file__).parent.parent)})
    assert done.returncode == 0, done.stderr
    assert made.read_text() == (root / "python/tensorspec/_core.pyi").read_text()


def test_stub_is_python_and_documents_everything(root):
    tree = ast.parse((root / "python/tensorspec/_core.pyi").read_text())
    classes = {node.name: node for node in tree.body if isinstance(node, ast.ClassDef)}
    assert set(classes) == {name for name in dir(_core) if isinstance(getattr(_core, name), type)}
    for name, node in classes.items():
        assert ast.get_docstring(node), name
    learner = {node.name for node in classes["Learner"].body if isinstance(node, ast.FunctionDef)}
    assert {"observe", "observe_columns", "read", "merge", "contract", "save", "load", "evidence"} <= learner
