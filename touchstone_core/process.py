"""The process of `touchstone`, from its first import to its exit."""

import gc
import os
import sys
from collections.abc import Callable


def main() -> int:
    """The exit status."""
    return spared(_command) if sys.argv[1:2] == ["score"] else _command()


def spared(command: Callable[[], int]) -> int:
    """The command's exit status. Spares what a process of seconds has no use for: collecting cycles, and threads for matrices.

    With them, 143 runs miss the bar of processor time in benchmarks/README.md. Has to be called before numpy is imported.
    """
    gc.disable()
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # numpy starts them when it is imported
    status = command()
    gc.freeze()  # Python would look through every object on its way out
    return status


def _command() -> int:
    from touchstone_core.command import main

    return main()
