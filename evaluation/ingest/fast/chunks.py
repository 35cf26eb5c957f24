"""A file as pieces of whole lines, unpacked and decoded on the way, so that no more than a piece is in memory."""

import codecs
import gzip
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO, Final

import numpy as np

from judgments.formats.problems import FormatError
from judgments.formats.text import (
    GZIP,
    LONGEST_LINE,
    UTF8_BOM,
    UTF16_BOMS,
    refuse_binary,
    refuse_other_kinds,
    size_in_words,
)

SIZE: Final = 16 << 20  # two or more to parse side by side, each larger than the longest line
WINDOW: Final = 1 << 18  # bytes that stay in the processor's cache while they are counted
NEWLINE: Final = 10


@dataclass(frozen=True, slots=True)
class Chunk:
    """Whole lines in UTF-8 that end in `\\n`; `line` is the number of the first, counted from 1."""

    line: int
    data: bytes


def read_chunks(path: Path, *, name: str, limit: int, size: int = SIZE) -> Iterator[Chunk]:
    """The file's lines; `limit` bounds the bytes after unpacking. Raises FormatError as `text.decode` does."""
    yield from _whole_lines(_decoded(path, name=name, limit=limit, size=size), name=name)


def count(data: bytes, byte: int) -> int:
    """How often a byte occurs. Other threads go on meanwhile, which `bytes.count` does not let them."""
    every = np.frombuffer(data, dtype=np.uint8)
    return sum(
        int(np.count_nonzero(every[start : start + WINDOW] == byte)) for start in range(0, len(every), WINDOW)
    )


def refuse_unreadable(chunk: Chunk, *, name: str) -> None:
    """Raises FormatError for a NUL byte and for what is not UTF-8, with the line."""
    _refuse_nul(chunk.data, chunk.line, name=name)
    _refuse_invalid(chunk.data, chunk.line, name=name)


@contextmanager
def unpacked(path: Path, *, name: str) -> Iterator[BinaryIO]:
    """The file's bytes as a stream, through gzip where it is packed."""
    with path.open("rb") as file:
        gzipped = file.peek(2).startswith(GZIP)
        try:
            if gzipped:
                with gzip.GzipFile(fileobj=file) as stream:
                    yield stream  # type: ignore[misc]  # a GzipFile reads as any binary stream
            else:
                yield file
        except EOFError:
            raise FormatError(f"{name} is cut off: the gzip data ends too early.") from None
        except (gzip.BadGzipFile, zlib.error):
            raise FormatError(f"{name} is damaged: it starts as gzip but cannot be unpacked.") from None


def _raw(path: Path, *, name: str, limit: int, size: int) -> Iterator[bytes]:
    total = 0
    with unpacked(path, name=name) as stream:
        while block := stream.read(min(size, limit + 1)):
            total += len(block)
            if total > limit:
                raise FormatError(f"{name} unpacks to more than {size_in_words(limit)}.")
            yield block


def _decoded(path: Path, *, name: str, limit: int, size: int) -> Iterator[bytes]:
    """UTF-8 without a byte order mark."""
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


def _whole_lines(blocks: Iterator[bytes], *, name: str) -> Iterator[Chunk]:
    """Cuts at line ends of any kind and makes them `\\n`; the last line gets one where the file has none."""
    rest = b""
    line = 1
    for block in blocks:
        data = rest + block
        held = data[-1:] if data.endswith(b"\r") else b""  # the other half may come with the next block
        data = _unify_line_ends(data[: len(data) - len(held)])
        end = data.rfind(b"\n") + 1
        whole, rest = data[:end], data[end:] + held
        _refuse_long_lines(whole, line, name=name)
        if whole:
            yield Chunk(line, whole)
            line += count(whole, NEWLINE)
        _refuse_long_lines(rest, line, name=name)
    if rest:
        yield Chunk(line, _unify_line_ends(rest).removesuffix(b"\n") + b"\n")


def _unify_line_ends(data: bytes) -> bytes:
    return data.replace(b"\r\n", b"\n").replace(b"\r", b"\n") if b"\r" in data else data


def _refuse_long_lines(data: bytes, line: int, *, name: str) -> None:
    """Jumps from line end to line end as far apart as can be, so that the check costs nothing."""
    start = 0
    while len(data) - start > LONGEST_LINE:
        end = data.rfind(b"\n", start, start + LONGEST_LINE + 1)
        if end < 0:
            line += data.count(b"\n", 0, start)
            raise FormatError(f"Line {line} of {name} is longer than {LONGEST_LINE:,} characters.", line=line)
        start = end + 1


def _refuse_nul(data: bytes, line: int, *, name: str) -> None:
    place = data.find(b"\0")
    if place >= 0:
        refuse_binary(line + data.count(b"\n", 0, place), name=name)


def _refuse_invalid(data: bytes, line: int, *, name: str) -> None:
    if data.isascii():
        return
    try:
        data.decode()
    except UnicodeDecodeError as error:
        line += data.count(b"\n", 0, error.start)
        raise FormatError(
            f"{name} is not valid UTF-8 on line {line}; if it was written as Latin-1, choose that encoding.",
            line=line,
        ) from None
