"""Bytes to text: packed files, encodings and line ends, piece by piece, with every limit kept before memory is spent."""

import codecs
import io
import os
import tempfile
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from itertools import chain
from typing import BinaryIO

from judgments.formats.kinds import (
    LONGEST_LINE,
    MEANT,
    UTF16_BOMS,
    refuse_binary,
    refuse_other_kinds,
)
from judgments.formats.packing import packing, pieces, unpack
from judgments.formats.problems import FormatError

CHUNK = 1 << 20
START = 1 << 20
BLANK = 1 << 19  # characters of a piece of a file in which something has to stand
ENCODINGS = {"utf-8": "utf-8-sig", "utf-16": "utf-16", "latin-1": "latin-1"}


class Text:
    """A decoded file. Line ends are `\\n` only, there is no byte order mark, and no NUL character.

    `packing` says how it was packed; `start` is what tells one format from another.
    """

    def __init__(self, name: str, content: str, encoding: str, packing: str = "") -> None:
        self.name = name
        self.encoding = encoding
        self.packing = packing
        self.start = content[:START]
        self._content = content

    @property
    def content(self) -> str:
        """All of it."""
        return self._content

    @property
    def is_blank(self) -> bool:
        return not self.start.strip() and not any(line.strip() for line in self.lines())

    def lines(self) -> Iterator[str]:
        """From the first, with their ends, however often it is asked for."""
        yield from io.StringIO(self._content, newline="\n")


class KeptText(Text):
    """A text that lies in a file; no more than a piece of it is in memory, unless all is asked for."""

    def __init__(self, name: str, file: BinaryIO, encoding: str, packing: str) -> None:
        super().__init__(name, "", encoding, packing)
        self._number = file.fileno()
        self.start = os.pread(self._number, START, 0).decode(errors="ignore")

    @property
    def content(self) -> str:
        return b"".join(self._blocks()).decode()

    def lines(self) -> Iterator[str]:
        rest: list[bytes] = []
        for block in self._blocks():
            end = block.rfind(b"\n") + 1
            if end:
                whole = b"".join((*rest, block[:end])).decode()
                rest = [block[end:]]
                yield from io.StringIO(whole, newline="\n")
            else:
                rest.append(block)
        if last := b"".join(rest):
            yield last.decode()

    def _blocks(self) -> Iterator[bytes]:
        """By position, so that readings of one file do not disturb each other."""
        at = 0
        while block := os.pread(self._number, CHUNK, at):
            at += len(block)
            yield block


def decode(data: bytes, *, name: str, encoding: str | None = None, limit: int) -> Text:
    """The text of an uploaded file, plain or packed; `limit` bounds the bytes after unpacking.

    Without `encoding` a byte order mark decides, and UTF-8 where there is none. Latin-1 fits every file, wrongly or
    not, so it is read only when it is asked for.
    """
    raw = unpack(data, name=name, limit=limit)
    chosen, texts = _decoded([raw], name=name, encoding=encoding)
    return Text(name, "".join(texts), chosen, packing(data))


@contextmanager
def kept_text(file: BinaryIO, *, name: str, encoding: str | None = None, limit: int) -> Iterator[KeptText]:
    """As `decode`, for a file of any size: it is unpacked and decoded to a temporary file, which goes at the end."""
    kind = packing(file.read(4))
    file.seek(0)
    with tempfile.TemporaryFile() as kept:
        chosen, texts = _decoded(pieces(file, name=name, limit=limit), name=name, encoding=encoding)
        for text in texts:
            kept.write(text.encode())
        kept.flush()
        yield KeptText(name, kept, chosen, kind)


def _decoded(raw: Iterable[bytes], *, name: str, encoding: str | None) -> tuple[str, Iterator[str]]:
    """The encoding, and the text piece by piece."""
    found = iter(raw)
    first = _first(found)
    refuse_other_kinds(first, name=name)
    marked = first.startswith(UTF16_BOMS)
    chosen = encoding or ("utf-16" if marked else "utf-8")
    if chosen not in ENCODINGS:
        raise FormatError(f"{chosen} is not an encoding to choose from: {', '.join(ENCODINGS)}.")
    codec = "utf-16-le" if chosen == "utf-16" and not marked else ENCODINGS[chosen]
    return chosen, _texts(chain([first], found), codec, name=name, encoding=chosen)


def _first(raw: Iterator[bytes]) -> bytes:
    """The first piece, with as many bytes as tell one kind of file from another."""
    first = b""
    for piece in raw:
        first = first + piece if first else piece
        if len(first) >= 8:
            break
    return first


def _texts(raw: Iterator[bytes], codec: str, *, name: str, encoding: str) -> Iterator[str]:
    decoder = io.IncrementalNewlineDecoder(codecs.getincrementaldecoder(codec)(), translate=True)
    watch = _Watch(name)
    for piece, last in chain(((piece, False) for piece in raw), [(b"", True)]):
        try:
            text = decoder.decode(piece, final=last)
        except UnicodeDecodeError as error:
            raise _not_decodable(error, watch.lines, name=name, encoding=encoding) from None
        watch.look(text)
        yield text


def _not_decodable(error: UnicodeDecodeError, lines: int, *, name: str, encoding: str) -> FormatError:
    if encoding == "utf-16":
        return FormatError(f"{name} is not valid UTF-16.")
    if 0 in error.object:
        return FormatError(f"{name} is not a text file: it holds binary data.")
    line = lines + error.object.count(b"\n", 0, error.start) + 1
    return FormatError(
        f"{name} is not valid UTF-8 on line {line}; if it was written as Latin-1, choose that encoding.",
        line=line,
    )


class _Watch:
    """Counts lines, and refuses NUL characters and lines that are too long.

    A JSON document may well be one line: there the limit of the whole file is enough.
    """

    def __init__(self, name: str) -> None:
        self.name = name
        self.lines = 0
        self._since_line_end = 0
        self._head = ""

    def look(self, text: str) -> None:
        if len(self._head) < 1000:
            self._head += text[:1000]
        place = text.find("\0")
        if place >= 0:
            refuse_binary(self.lines + text.count("\n", 0, place) + 1, name=self.name)
        if self._head.lstrip()[:1] not in ("{", "["):
            self._refuse_long_lines(text)
        if len(text) >= BLANK and text.isspace():
            line = self.lines + 1
            raise FormatError(f"{self.name} holds nothing but blanks from line {line} on. {MEANT}", line=line)
        self.lines += text.count("\n")

    def _refuse_long_lines(self, text: str) -> None:
        """Jumps from one line end to the last one within reach, so that the check costs nothing on large files."""
        start = -self._since_line_end
        while len(text) - start > LONGEST_LINE:
            end = text.rfind("\n", max(start, 0), start + LONGEST_LINE + 1)
            if end < 0:
                line = self.lines + text.count("\n", 0, max(start, 0)) + 1
                raise FormatError(
                    f"Line {line} of {self.name} is longer than {LONGEST_LINE:,} characters.", line=line
                )
            start = end + 1
        last = text.rfind("\n")
        self._since_line_end = self._since_line_end + len(text) if last < 0 else len(text) - last - 1
