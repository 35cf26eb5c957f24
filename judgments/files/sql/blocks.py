"""Uploaded files as blocks in the database: written by COPY, read one at a time, so that no file is in memory as a whole."""

from collections.abc import Iterable, Sequence
from datetime import datetime
from typing import Final, TypeAlias

import zstandard
from django.db import connection
from psycopg.pq import TransactionStatus

from judgments.base.sql import copy as statements
from touchstone_core.ahead import ahead

BLOCK: Final = 1 << 18
"""Bytes of a block before it's packed."""
LEVEL: Final = 1
"""A run file takes 0.4 s of processor time for 130 MB, and a third of the room in the tables and in PostgreSQL's log."""

COPY_BLOCKS: Final = "COPY judgments_storedblock (file_id, position, data) FROM STDIN (FORMAT BINARY)"
# A small file is all in the first block, so opening it takes one statement.
OPEN: Final = """
SELECT f.name, f.size, b.data FROM judgments_storedfile f
LEFT JOIN judgments_storedblock b ON b.file_id = f.name AND b.position = 0
WHERE f.name = ANY(%(names)s)
"""
READ: Final = """
SELECT data FROM judgments_storedblock WHERE file_id = %(name)s AND position BETWEEN %(first)s AND %(last)s ORDER BY position
"""
DELETE_BLOCKS: Final = "DELETE FROM judgments_storedblock WHERE file_id = %(name)s"
DELETE_FILE: Final = "DELETE FROM judgments_storedfile WHERE name = %(name)s"
# An upload that goes with its query set or account, or whose process is killed at the wrong moment, leaves its file.
LEFT_BEHIND: Final = """
SELECT name FROM judgments_storedfile f
WHERE created_at < %(before)s AND NOT EXISTS (SELECT FROM judgments_upload u WHERE u.file = f.name)
"""


Opened: TypeAlias = tuple[int, bytes]
"""The size of a file, and its first block."""


def copy_blocks(name: str, pieces: Iterable[bytes]) -> int:
    """Streams a file into blocks, and returns its size. Call it in a transaction that then adds the file."""
    size = 0
    with connection.cursor() as cursor, cursor.copy(COPY_BLOCKS) as copy:
        copy.set_types(["text", "int4", "bytea"])
        for position, (length, packed) in enumerate(ahead(_packed, _blocks(pieces))):
            size += length
            copy.write_row((name, position, packed))
    return size


def open_files(names: Sequence[str]) -> dict[str, Opened]:
    """Those of the files that exist, by name."""
    _refuse_while_copying()
    return {name: (size, _unpacked(data)) for name, size, data in statements.rows(OPEN, names=list(names))}


def read_blocks(name: str, first: int, count: int = 1) -> bytes:
    """The bytes of so many blocks, or of those up to the end. Nothing if the file is gone."""
    _refuse_while_copying()
    found = statements.stream(READ, ["bytea"], name=name, first=first, last=first + count - 1)
    return b"".join(_unpacked(data) for (data,) in found)


def delete_file(name: str) -> None:
    statements.run(DELETE_BLOCKS, name=name)
    statements.run(DELETE_FILE, name=name)


def left_behind(before: datetime) -> list[str]:
    """The names of older files that no upload has any more."""
    return [name for (name,) in statements.rows(LEFT_BEHIND, before=before)]


def _refuse_while_copying() -> None:
    """Raises RuntimeError where rows are being copied on this connection, which would wait for itself for ever."""
    raw = connection.connection
    if raw is not None and raw.info.transaction_status is TransactionStatus.ACTIVE:
        raise RuntimeError("A stored file can’t be read while its connection copies rows. Read it before.")


def _blocks(pieces: Iterable[bytes]) -> Iterable[bytes]:
    buffer = bytearray()
    for piece in pieces:
        buffer += piece
        while len(buffer) >= BLOCK:
            yield bytes(buffer[:BLOCK])
            del buffer[:BLOCK]
    if buffer:
        yield bytes(buffer)


def _packed(block: bytes) -> tuple[int, bytes]:
    """With its length before."""
    return len(block), zstandard.ZstdCompressor(level=LEVEL).compress(block)


def _unpacked(data: memoryview | bytes | None) -> bytes:
    return zstandard.ZstdDecompressor().decompress(data) if data is not None else b""
