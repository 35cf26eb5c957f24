"""A file as pieces of whole lines, or of whole queries, so that only some pieces are in memory.

A plain file is read piece by piece, once, after a look at where each piece ends. Packed files and UTF-16 are streams.
"""

import os
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import numpy as np

from touchstone_core.formats.kinds import (
    GZIP,
    LONGEST_LINE,
    UTF8_BOM,
    UTF16_BOMS,
    refuse_binary,
    refuse_other_kinds,
    size_in_words,
)
from touchstone_core.formats.problems import FormatError, NotUtf8Error
from touchstone_core.offline.fast.unpacking import read_blocks

SIZE: Final = 1 << 22  # small enough that the next piece reuses the memory of the last one
TAIL: Final = 1 << 17  # holds the last query of most pieces
WINDOW: Final = 1 << 18  # bytes that stay in the processor's cache while counting
NEWLINE: Final = 10


@dataclass(frozen=True, slots=True)
class Chunk:
    """Whole lines in UTF-8 that end in `\\n`. `line` is the number of the first line, from 1."""

    line: int
    data: bytes


def read_chunks(path: Path, *, name: str, limit: int, size: int, by_query: bool = False) -> Iterator[Chunk]:
    """The file's lines. `limit` is for the unpacked bytes. Raises FormatError as `text.decode` does.

    `by_query` keeps the adjacent rows of a query in one piece, unless they are longer than a piece.
    """
    with path.open("rb") as file:
        head = file.peek(len(UTF8_BOM))
        if not head.startswith((GZIP, *UTF16_BOMS)):
            refuse_other_kinds(head, name=name)
            start = len(UTF8_BOM) if head.startswith(UTF8_BOM) else 0
            yield from _in_place(file.fileno(), start, name=name, limit=limit, size=size, by_query=by_query)
            return
    chunks = _whole_lines(read_blocks(path, name=name, limit=limit, size=size), name=name)
    yield from _whole_queries(chunks) if by_query else chunks


def chunks_of(data: bytes, *, name: str, size: int = SIZE) -> Iterator[Chunk]:
    """Those of bytes in memory, by query. Raises FormatError for lines that are too long."""
    blocks = (data[start : start + size] for start in range(0, len(data), size))
    return _whole_queries(_whole_lines(blocks, name=name))


def count(data: bytes, byte: int) -> int:
    """How often a byte occurs. Lets other threads continue meanwhile, which `bytes.count` doesn't."""
    every = np.frombuffer(data, dtype=np.uint8)
    return sum(
        int(np.count_nonzero(every[start : start + WINDOW] == byte)) for start in range(0, len(every), WINDOW)
    )


def refuse_unreadable(chunk: Chunk, *, name: str) -> None:
    """Raises FormatError, with the line, for a NUL byte and for invalid UTF-8."""
    data = chunk.data
    place = data.find(b"\0")
    if place >= 0:
        refuse_binary(chunk.line + data.count(b"\n", 0, place), name=name)
    try:
        data.decode()
    except UnicodeDecodeError as error:
        line = chunk.line + data.count(b"\n", 0, error.start)
        raise NotUtf8Error(f"{name} is not valid UTF-8 on line {line}.", line=line) from None


def _in_place(file: int, start: int, *, name: str, limit: int, size: int, by_query: bool) -> Iterator[Chunk]:
    end = os.fstat(file).st_size
    if end > limit:
        raise FormatError(f"{name} is larger than {size_in_words(limit)}.")
    line = 1
    while start < end:
        stop = _stop(file, start, end, size, by_query=by_query)
        if stop == start:  # the line is longer than a piece
            _refuse_long_lines(_unify_line_ends(os.pread(file, size, start)), line, name=name)
            size *= 2
            continue
        data = _unify_line_ends(os.pread(file, stop - start, start))
        if not data.endswith(b"\n"):
            data += b"\n"
        _refuse_long_lines(data, line, name=name)
        yield Chunk(line, data)
        start = stop
        if start < end:
            line += count(data, NEWLINE)


def _stop(file: int, start: int, end: int, size: int, *, by_query: bool) -> int:
    """The end of the piece that begins at `start`: `start` itself if there's no line end in the next `size` bytes."""
    stop = start + size
    if stop >= end:
        return end
    window = min(TAIL, size)
    while True:
        tail = os.pread(file, window, stop - window)
        lines = _end_of_lines(tail)
        queries = _queries(tail[:lines], whole=window == size) if by_query else lines
        if queries or window == size:
            return stop - window + (queries or lines)
        window = min(window * 4, size)


def _queries(tail: bytes, *, whole: bool) -> int:
    """The start of the last query. 0 if it fills the lines, or may do so: unless `whole`, the first line isn't complete."""
    first = 0 if whole else tail.find(b"\n") + 1
    begin = _start_of_last_query(tail[first:])
    return first + begin if begin else 0


def _end_of_lines(data: bytes) -> int:
    """The position after the last line end of any kind. A `\\r` at the very end may be half of one."""
    return max(data.rfind(b"\n"), data.rfind(b"\r", 0, max(len(data) - 1, 0))) + 1


def _start_of_last_query(data: bytes) -> int:
    """The start of the last lines that begin with the same word. 0 if that's all of them or none.

    It bisects. If the rows of a query aren't adjacent, the result may be any change of query.
    """
    start = data.rfind(b"\n", 0, max(len(data) - 1, 0)) + 1
    word, before = _first_word(data, start), 0
    if not word or _first_word(data, before) == word:
        return 0
    while middle := _line_between(data, before, start):
        if _first_word(data, middle) == word:
            start = middle
        else:
            before = middle
    return start


def _first_word(data: bytes, start: int) -> list[bytes]:
    return data[start : data.find(b"\n", start)].split(maxsplit=1)[:1]


def _line_between(data: bytes, before: int, start: int) -> int:
    """The start of a line near the middle between two others, or 0."""
    middle = (before + start) // 2
    behind = data.find(b"\n", middle, start - 1) + 1
    return behind or data.rfind(b"\n", before, middle) + 1


def _whole_queries(chunks: Iterable[Chunk]) -> Iterator[Chunk]:
    """Moves the last query of each chunk to the next one, so that the adjacent rows of a query stay together.

    A chunk with a single query stays as it is: queries may be longer than a chunk.
    """
    rest = b""
    line = 1
    for chunk in chunks:
        data = rest + chunk.data
        cut = _start_of_last_query(data)
        whole, rest = (data[:cut], data[cut:]) if cut else (data, b"")
        yield Chunk(line, whole)
        line += count(whole, NEWLINE)
    if rest:
        yield Chunk(line, rest)


def _whole_lines(blocks: Iterator[bytes], *, name: str) -> Iterator[Chunk]:
    """Splits at line ends of any kind and turns them into `\\n`. Adds one to the last line if it's missing."""
    rest = b""
    line = 1
    for block in blocks:
        data = rest + block
        half_end = data[-1:] if data.endswith(b"\r") else b""  # the other half may come with the next block
        data = _unify_line_ends(data[: len(data) - len(half_end)])
        end = data.rfind(b"\n") + 1
        whole, rest = data[:end], data[end:] + half_end
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
    """Jumps from a line end to the last one within the limit, so that the check takes no time."""
    start = 0
    while len(data) - start > LONGEST_LINE:
        end = data.rfind(b"\n", start, start + LONGEST_LINE + 1)
        if end < 0:
            line += data.count(b"\n", 0, start)
            raise FormatError(f"Line {line} of {name} is longer than {LONGEST_LINE:,} characters.", line=line)
        start = end + 1
