"""Output whose reader may leave, such as head: a command goes on to its end and has the status that it would have had."""

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager, redirect_stderr, redirect_stdout
from io import BufferedWriter, FileIO, TextIOWrapper, UnsupportedOperation
from typing import Any, TextIO


class OutputError(Exception):
    """The output can't be written. The message is a sentence."""


class _Output(FileIO):
    """Sends to nowhere what nobody reads any more, and what has no place, after raising OutputError once."""

    def write(self, data: Any, /) -> int:
        try:
            return super().write(data)
        except OSError as error:
            os.dup2(os.open(os.devnull, os.O_WRONLY), self.fileno())
            if isinstance(error, BrokenPipeError):
                return len(data)
            raise OutputError(f"The output cannot be written: {error.strerror}.") from error


@contextmanager
def readers_may_leave() -> Iterator[None]:
    """Raises OutputError if the output can't be written, as on a full disk, but not if its reader closes the pipe."""
    with redirect_stdout(_leavable(sys.stdout)) as out, redirect_stderr(_leavable(sys.stderr)) as err:
        try:
            yield
        finally:
            out.flush()
            err.flush()


def _leavable(stream: TextIO | None) -> TextIO:
    """A stream of the same file. Where there is none, as `>&-` asks, it goes nowhere; one without a file, as in tests, stays."""
    if stream is None:
        return open(os.devnull, "w", encoding="utf-8")
    try:
        number = stream.fileno()
    except UnsupportedOperation:
        return stream
    stream.flush()
    return TextIOWrapper(
        BufferedWriter(_Output(number, "w", closefd=False)),
        encoding=stream.encoding,
        errors=stream.errors,
        line_buffering=stream.isatty() or stream is sys.__stderr__,
    )
