"""Streams text and archives piece by piece while the database returns rows."""

import io
import zipfile
from collections.abc import Callable, Generator, Iterable, Iterator
from contextlib import closing
from dataclasses import dataclass
from typing import Any, Final

from django.db import transaction

from judgments.base.replica import from_replica
from judgments.base.sql.locks import end_if_stalled

Blocks = Generator[bytes, None, None]
BLOCK: Final = 1 << 16
"""Characters per block."""


@dataclass(frozen=True, slots=True)
class Export:
    """A file that is sent while it is made. Nothing is read before `content` is, which can be read once."""

    name: str
    media_type: str
    content: Iterable[bytes]


def blocks(records: Generator[Any, None, None], write: Callable[[Any], Iterable[str]]) -> Blocks:
    """Blocks of the text that `write` makes of the records, in one transaction, on the replica if there is one.

    So all rows are from the same moment. The transaction ends if the client takes nothing for minutes. The cursor is closed
    at once, because garbage collection could close it during a COPY, and wait.
    """
    return from_replica(_blocks(records, write))


def zip_files(files: Iterable[tuple[str, Blocks]]) -> Blocks:
    """A zip archive of named files, each made in its turn, in one transaction."""
    return from_replica(_zip_files(files))


def _blocks(records: Generator[Any, None, None], write: Callable[[Any], Iterable[str]]) -> Blocks:
    with transaction.atomic(), closing(records):
        end_if_stalled()
        yield from _encode(write(records))


def _zip_files(files: Iterable[tuple[str, Blocks]]) -> Blocks:
    sink = _Sink()
    with transaction.atomic(), zipfile.ZipFile(sink, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in files:
            with closing(content), archive.open(name, "w", force_zip64=True) as file:
                for block in content:
                    file.write(block)
                    yield from sink.take()
        archive.close()
        yield from sink.take()


def _encode(pieces: Iterable[str]) -> Blocks:
    buffer: list[str] = []
    size = 0
    for piece in pieces:
        buffer.append(piece)
        size += len(piece)
        if size >= BLOCK:
            yield "".join(buffer).encode()
            buffer, size = [], 0
    yield "".join(buffer).encode()


class _Sink(io.RawIOBase):
    """Keeps written chunks until `take`; it can't seek."""

    def __init__(self) -> None:
        super().__init__()
        self._chunks: list[bytes] = []

    def writable(self) -> bool:
        return True

    def write(self, data: Any) -> int:
        self._chunks.append(bytes(data))
        return len(data)

    def take(self) -> Iterator[bytes]:
        chunks, self._chunks = self._chunks, []
        yield from chunks
