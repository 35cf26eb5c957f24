"""Unpacks and decodes a file into blocks of UTF-8."""

import codecs
import gzip
import zlib
from collections.abc import Iterator
from pathlib import Path

from touchstone_core.formats.kinds import GZIP, UTF8_BOM, UTF16_BOMS, refuse_other_kinds
from touchstone_core.formats.packing import Growth
from touchstone_core.formats.problems import FormatError


def read_blocks(path: Path, *, name: str, limit: int, size: int) -> Iterator[bytes]:
    """UTF-8 without a byte order mark. `limit` is for the unpacked bytes, `size` for those of a block before decoding."""
    blocks = _raw(path, name=name, limit=limit, size=size)
    first = next(blocks, b"")
    refuse_other_kinds(first, name=name)
    if first.startswith(UTF16_BOMS):
        decoder = codecs.getincrementaldecoder("utf-16")()
        try:
            yield decoder.decode(first).encode()
            for block in blocks:
                yield decoder.decode(block).encode()
            yield decoder.decode(b"", final=True).encode()
        except UnicodeError:
            raise FormatError(f"{name} is not valid UTF-16.") from None
        return
    yield first.removeprefix(UTF8_BOM)
    yield from blocks


def _raw(path: Path, *, name: str, limit: int, size: int) -> Iterator[bytes]:
    """The bytes of the file, through gzip where it is packed."""
    growth = Growth(name, path.stat().st_size)
    with path.open("rb") as file:
        stream = gzip.GzipFile(fileobj=file) if file.peek(2).startswith(GZIP) else file
        try:
            while block := stream.read(min(size, limit + 1)):
                growth.look(block)
                growth.limit(limit)
                yield block
        except EOFError:
            raise FormatError(f"{name} is cut off: the gzip data ends too early.") from None
        except (gzip.BadGzipFile, zlib.error):
            raise FormatError(f"{name} is damaged: it starts as gzip but cannot be unpacked.") from None
