"""Output into a pipe whose reader may close it."""

import os
import select
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TextIO


@contextmanager
def readers_may_leave() -> Iterator[None]:
    """Ends quietly if the reader of the output, such as head, closes the pipe."""
    try:
        yield
        sys.stdout.flush()
        sys.stderr.flush()
    except SystemExit:
        with readers_may_leave():  # flushes, and keeps the exit status
            pass
        raise
    except BrokenPipeError:
        left = [stream for stream in (sys.stdout, sys.stderr) if _has_no_reader(stream)]
        if not left:  # of another pipe or socket
            raise
        for stream in left:  # Python writes what is left of it on its way out
            os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())


def _has_no_reader(stream: TextIO) -> bool:
    pipe = select.poll()
    pipe.register(stream, 0)
    return any(event & select.POLLERR for _, event in pipe.poll(0))
