"""Decodes files piece by piece: packing, encodings and line ends. Limits apply before memory is used."""

import codecs
import io
import os
import re
import tempfile
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from itertools import chain
from typing import BinaryIO

from touchstone_core.formats.kinds import (
    CHECK_FILE,
    LONGEST_LINE,
    UTF8_BOM,
    UTF16_BOMS,
    refuse_binary,
    refuse_other_kinds,
)
from touchstone_core.formats.packing import packing, pieces, unpack
from touchstone_core.formats.problems import FormatError, Report

CHUNK = 1 << 20
START = 1 << 20
BLANK = 1 << 19  # a piece of a file with this many characters can't be all white space
ENCODINGS = {"utf-8": "utf-8-sig", "utf-16": "utf-16", "cp1252": "cp1252", "latin-1": "latin-1"}
ENCODING_NAMES = {
    "utf-8": "UTF-8",
    "utf-16": "UTF-16",
    "cp1252": "Windows-1252 (spreadsheets)",
    "latin-1": "Latin-1",
}
C1 = re.compile(r"[\x80-\x84\x86-\x9f]")  # except U+0085, a line end of old mainframes
UTF_8 = re.compile(rb"[\xc2-\xdf][\x80-\xbf]|[\xe0-\xef][\x80-\xbf]{2}")
MIXED_ENCODINGS = (
    "{name} is not valid UTF-8 on line {line}, and other lines are. Save the file as UTF-8 again, or choose its encoding: "
    "Windows-1252 for files of spreadsheets."
)
NOT_WINDOWS = "Line {line} of {name} holds bytes that neither UTF-8 nor Windows-1252 has. Save the file as UTF-8, or choose its encoding."
LATIN_1 = (
    "Line {line} of {name} holds control characters if it is read as Latin-1. It was probably written as Windows-1252, "
    "which has curly quotes and € there: choose that encoding."
)


class Text:
    """A decoded file, with `\\n` as line ends, and without a byte order mark or NUL characters.

    `is_guess`: nothing in the file says that the encoding is right. `packing` says how it was packed. Formats are
    recognized by `start`.
    """

    def __init__(
        self, name: str, content: str, encoding: str, packing: str = "", *, is_guess: bool = False
    ) -> None:
        self.name = name
        self.encoding = encoding
        self.is_guess = is_guess
        self.packing = packing
        self.start = content[:START]
        self._content = content

    @property
    def content(self) -> str:
        """The whole text."""
        return self._content

    @property
    def is_blank(self) -> bool:
        return not self.start.strip() and not any(line.strip() for line in self.lines())

    def lines(self) -> Iterator[str]:
        """All lines with their ends. Can be read any number of times."""
        yield from io.StringIO(self._content, newline="\n")


class KeptText(Text):
    """A text in a file. Only a piece of it is in memory, unless somebody reads `content`."""

    def __init__(
        self, name: str, file: BinaryIO, encoding: str, packing: str, *, is_guess: bool = False
    ) -> None:
        super().__init__(name, "", encoding, packing, is_guess=is_guess)
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
        """Reads by position, so that several readers of one file don't disturb each other."""
        at = 0
        while block := os.pread(self._number, CHUNK, at):
            at += len(block)
            yield block


def decode(data: bytes, *, name: str, encoding: str | None = None, limit: int) -> Text:
    """The text of an uploaded file, plain or packed; `limit` bounds the bytes after unpacking.

    Without `encoding` the byte order mark decides. Without a mark it's UTF-8, or Windows-1252 if the text can't be UTF-8,
    contains no letter in UTF-8 and every byte fits. Latin-1 has to be chosen.
    """
    raw = unpack(data, name=name, limit=limit)
    texts = _Decoder([raw], name=name, encoding=encoding)
    content = "".join(texts)
    return Text(name, content, texts.encoding, packing(data), is_guess=texts.is_guess)


@contextmanager
def kept_text(file: BinaryIO, *, name: str, encoding: str | None = None, limit: int) -> Iterator[KeptText]:
    """Like `decode`, for files of any size: decodes to a temporary file, which is deleted at the end."""
    kind = packing(file.read(4))
    file.seek(0)
    with tempfile.TemporaryFile() as copy:
        texts = _Decoder(pieces(file, name=name, limit=limit), name=name, encoding=encoding)
        for text in texts:
            copy.write(text.encode())
        copy.flush()
        yield KeptText(name, copy, texts.encoding, kind, is_guess=texts.is_guess)


class _Decoder:
    """Decodes piece by piece. `encoding` may change meanwhile, and is right at the end."""

    def __init__(self, raw: Iterable[bytes], *, name: str, encoding: str | None) -> None:
        pieces_left = iter(raw)
        first = _first(pieces_left)
        refuse_other_kinds(first, name=name)
        has_mark = first.startswith(UTF16_BOMS)
        self.encoding = encoding or ("utf-16" if has_mark else "utf-8")
        if self.encoding not in ENCODINGS:
            raise FormatError(f"Unknown encoding {self.encoding}. Choose one of: {', '.join(ENCODINGS)}.")
        codec = "utf-16-le" if self.encoding == "utf-16" and not has_mark else ENCODINGS[self.encoding]
        self.is_guess = False
        self._name = name
        self._raw = chain([first], pieces_left)
        self._decoder = codecs.getincrementaldecoder(codec)()
        self._watch = _Watch(name)
        # A guess is fine as long as nothing says UTF-8: no choice, no mark, no letter.
        self._may_guess = not encoding and not has_mark and not first.startswith(UTF8_BOM)

    def __iter__(self) -> Iterator[str]:
        newlines = io.IncrementalNewlineDecoder(None, translate=True)
        for piece, last in chain(((piece, False) for piece in self._raw), [(b"", True)]):
            text = newlines.decode(self._text(piece, last), final=last)
            if self.encoding == "latin-1" and (match := C1.search(text)):
                raise self._refusal(text.count("\n", 0, match.start()), LATIN_1)
            self._watch.look(text)
            yield text

    def _text(self, piece: bytes, last: bool) -> str:
        if self.is_guess and (match := UTF_8.search(piece)):
            raise self._refusal(piece.count(b"\n", 0, match.start()), MIXED_ENCODINGS)
        try:
            text = self._decoder.decode(piece, final=last)
        except UnicodeDecodeError as error:
            return self._other_text(error, last)
        self._may_guess = self._may_guess and text.isascii()
        return text

    def _other_text(self, error: UnicodeDecodeError, last: bool) -> str:
        """Tries Windows-1252, which spreadsheets write. Raises FormatError if it can't be that."""
        data = error.object
        if self.encoding == "utf-16":
            raise FormatError(f"{self._name} is not valid UTF-16.") from None
        if 0 in data:
            raise FormatError(f"{self._name} is not a text file: it holds binary data.") from None
        lines = data.count(b"\n", 0, error.start)
        if self.encoding == "cp1252" or self.is_guess:
            raise self._refusal(lines, NOT_WINDOWS) from None
        if not self._may_guess or not data[: error.start].isascii():
            raise self._refusal(lines, MIXED_ENCODINGS) from None
        self._decoder = codecs.getincrementaldecoder("cp1252")()
        self.encoding, self.is_guess, self._may_guess = "cp1252", True, False
        return self._text(data, last)

    def _refusal(self, lines: int, sentence: str) -> FormatError:
        line = self._watch.lines + lines + 1
        return FormatError(sentence.format(name=self._name, line=line), line=line)


def tell_encoding(text: Text, report: Report) -> None:
    """Warns if the encoding is a guess."""
    if text.is_guess:
        expected = "UTF-8 (check that its letters are right, or choose another encoding)"
        report.warn(None, "encoding", ENCODING_NAMES[text.encoding], expected, kind="encoding guessed")


def _first(raw: Iterator[bytes]) -> bytes:
    """The first piece, made long enough to recognize the kind of file."""
    first = b""
    for piece in raw:
        first = first + piece if first else piece
        if len(first) >= 8:
            break
    return first


class _Watch:
    """Counts lines, and refuses NUL characters and lines that are too long.

    A JSON document may be one long line: the limit for the whole file is enough there.
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
            raise FormatError(
                f"{self.name} holds nothing but blanks from line {line} on. {CHECK_FILE}", line=line
            )
        self.lines += text.count("\n")

    def _refuse_long_lines(self, text: str) -> None:
        """Jumps from a line end to the last one within the limit, so that the check takes no time on large files."""
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
