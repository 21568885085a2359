# SPDX-License-Identifier: Apache-2.0
"""The command ``tensorspec``, also ``python -m tensorspec``: the same program as the one built without Python."""
import os
import signal
import sys

from tensorspec import _core


def main() -> None:
    # As in a program without Python: Ctrl-C and a closed pipe end it at once. Who started it may have Ctrl-C ignored.
    if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
        signal.signal(signal.SIGINT, signal.SIG_DFL)
    if hasattr(signal, "SIGPIPE"):
        signal.signal(signal.SIGPIPE, signal.SIG_DFL)
    sys.exit(_core.main([b"tensorspec", *map(os.fsencode, sys.argv[1:])]))


if __name__ == "__main__":
    main()
