"""The process of `touchstone`, from its first import to its exit."""

import gc
import os
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Final

KEPT: Final = 1 << 24
INTERRUPTED: Final = 130


def main() -> int:
    """The exit status."""
    return run_lean(_command) if sys.argv[1:2] == ["score"] else _command()


def run_lean(command: Callable[[], int]) -> int:
    """The command's exit status. Spares what a process of seconds has no use for: collecting cycles, threads for matrices, and giving
    the memory of each file back to the system.

    With them, 143 runs miss the bar of processor time in benchmarks/README.md. Has to be called before numpy is imported.
    """
    gc.disable()
    # No page of it is ever touched, but glibc keeps freed memory up to twice the greatest block that was freed.
    bytearray(KEPT)
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # numpy starts them when it is imported
    with stopped_quietly():
        status = command()
    gc.freeze()  # Python would look through every object on its way out
    return status


@contextmanager
def stopped_quietly() -> Iterator[None]:
    """Ends the process without a trace if somebody presses Ctrl-C."""
    try:
        yield
    except KeyboardInterrupt:
        sys.stderr.write("\nStopped.\n")
        sys.exit(INTERRUPTED)


def _command() -> int:
    with stopped_quietly():
        from touchstone_core.command import main

        return main()
