# SPDX-License-Identifier: Apache-2.0
import pathlib
import subprocess

import pytest

ROOT = pathlib.Path(__file__).resolve().parent.parent
CLI = ROOT / "build" / "release" / "tensorspec"


@pytest.fixture
def root():
    return ROOT


@pytest.fixture
def cli():
    """Runs the built command; returns (exit code, standard output, standard error)."""

    def run(*arguments, stdin=None, cwd=None):
        done = subprocess.run([str(CLI), *map(str, arguments)], input=stdin, capture_output=True, text=True,
                              timeout=120, cwd=cwd)
        assert done.returncode in (0, 1, 2), done
        return done.returncode, done.stdout, done.stderr

    return run
