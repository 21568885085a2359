# SPDX-License-Identifier: Apache-2.0
"""Exports in the hands of the engines they are for."""
import json

import pytest


@pytest.fixture
def contracts(root):
    return root / "tests/contracts"


@pytest.fixture
def export(cli, contracts):
    """The text that the command writes for a contract of tests/contracts/, or for a path."""

    def run(contract, to, *arguments):
        path = contract if hasattr(contract, "parent") else contracts / f"{contract}.contract.json"
        code, out, err = cli("export", path, "--to", to, "-q", *arguments)
        assert code == 0, err
        return out

    return run


@pytest.fixture
def run_source(export):
    """The names that exported Python source defines."""

    def run(contract, to, *arguments):
        names = {}
        exec(compile(export(contract, to, *arguments), f"{to}.py", "exec"), names)
        return names

    return run


@pytest.fixture
def corners(export):
    """Conforming sizes of a contract: {input: shape} for each corner call, the typical one first."""

    def run(contract, *arguments):
        lines = export(contract, "recording", *arguments).splitlines()
        return [{name: tuple(tensor["shape"]) for name, tensor in json.loads(line)["inputs"].items()} for line in lines]

    return run
