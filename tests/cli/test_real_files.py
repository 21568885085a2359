# SPDX-License-Identifier: Apache-2.0
"""Real files of public packages come out with the dtype and shape that the file's own library gives."""
import pathlib
import subprocess
import sys

import numpy


def test_every_row_of_the_table(root):
    site = pathlib.Path(numpy.__file__).parent.parent
    done = subprocess.run([sys.executable, root / "tests/read/real_files.py", "--cli", root / "build/release/tensorspec", "--table",
                           root / "tests/data/files.json", "--files", root / "tests/golden/read", "--site", site],
                          capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
