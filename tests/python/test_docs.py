# SPDX-License-Identifier: Apache-2.0
"""The Python of the documentation runs, each page from top to bottom."""
import re

import pytest


@pytest.mark.parametrize("page", ["python-record.md", "python-export.md"])
def test_blocks_run(root, page, tmp_path, monkeypatch):
    blocks = re.findall(r"^```python\n(.*?)^```$", (root / "docs" / page).read_text(), re.M | re.S)
    assert blocks
    monkeypatch.chdir(tmp_path)
    names = {}
    for block in blocks:
        exec(compile(block, page, "exec"), names)
