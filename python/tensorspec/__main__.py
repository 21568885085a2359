# SPDX-License-Identifier: Apache-2.0
"""The command ``tensorspec``, also ``python -m tensorspec``: the same program as the one built without Python."""
import os
import signal
import sys

from tensorspec import _core


def main() -> None:
    # As in a program without Python: Ctrl-C and a closed pipe end it at once.
    for name in ("SIGINT", "SIGPIPE"):
        if hasattr(signal, name):
            signal.signal(getattr(signal, name), signal.SIG_DFL)
    sys.exit(_core.main([b"tensorspec", *map(os.fsencode, sys.argv[1:])]))


if __name__ == "__main__":
    main()
