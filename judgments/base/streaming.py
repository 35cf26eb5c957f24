"""Text and archives made piece by piece, while the database hands out the rows."""

import io
import zipfile
from collections.abc import Callable, Generator, Iterable, Iterator
from contextlib import closing
from typing import Any, Final

from django.db import transaction

from judgments.base.sql.stalling import end_if_stalled

Blocks = Generator[bytes, None, None]
BLOCK: Final = 1 << 16
"""Characters that are handed on together."""


def blocks(records: Generator[Any, None, None], write: Callable[[Any], Iterable[str]]) -> Blocks:
    """What `write` makes of the records, in a transaction.

    So the database hands rows out as they are wanted, all as they were when it began. Whoever takes nothing for minutes
    gets no more: the transaction does not wait without end. The cursor is closed at once: one that is closed whenever it
    is collected may meet a COPY, and wait.
    """
    with transaction.atomic(), closing(records):
        end_if_stalled()
        yield from _encoded(write(records))


def zipped(files: Iterable[tuple[str, Blocks]]) -> Blocks:
    """A zip archive of named files, each made when its turn comes, in one transaction."""
    sink = _Sink()
    with transaction.atomic(), zipfile.ZipFile(sink, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in files:
            with closing(content), archive.open(name, "w", force_zip64=True) as file:
                for block in content:
                    file.write(block)
                    yield from sink.taken()
        archive.close()
        yield from sink.taken()


def _encoded(pieces: Iterable[str]) -> Blocks:
    gathered: list[str] = []
    size = 0
    for piece in pieces:
        gathered.append(piece)
        size += len(piece)
        if size >= BLOCK:
            yield "".join(gathered).encode()
            gathered, size = [], 0
    yield "".join(gathered).encode()


class _Sink(io.RawIOBase):
    """Keeps what is written until it is taken; an archive can't go back in it."""

    def __init__(self) -> None:
        super().__init__()
        self.written: list[bytes] = []

    def writable(self) -> bool:
        return True

    def write(self, data: Any) -> int:
        self.written.append(bytes(data))
        return len(data)

    def taken(self) -> Iterator[bytes]:
        written, self.written = self.written, []
        yield from written
