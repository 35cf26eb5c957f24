"""Bytes to text: gzip, encodings and line ends, with every limit kept before memory is spent."""

import gzip
import io
import zlib
from dataclasses import dataclass
from typing import NoReturn

from judgments.formats.problems import FormatError

LONGEST_LINE = 10_000_000
CHUNK = 1 << 20
GZIP = b"\x1f\x8b"
UTF8_BOM = b"\xef\xbb\xbf"
UTF16_BOMS = (b"\xff\xfe", b"\xfe\xff")
ENCODINGS = {"utf-8": "utf-8-sig", "utf-16": "utf-16", "latin-1": "latin-1"}
OTHER_KINDS = {
    b"PK\x03\x04": "a zip archive or a spreadsheet",
    b"%PDF": "a PDF file",
    b"BZh": "a bzip2 file",
    b"\x28\xb5\x2f\xfd": "a zstd file",
    b"PAR1": "a Parquet file",
    b"\xd0\xcf\x11\xe0": "an old spreadsheet",
}


@dataclass(frozen=True, slots=True)
class Text:
    """A decoded file. Line ends are `\\n` only, there is no byte order mark, and no NUL character."""

    name: str
    content: str
    encoding: str
    gzipped: bool = False


def decode(data: bytes, *, name: str, encoding: str | None = None, limit: int) -> Text:
    """The text of an uploaded file; `limit` bounds the bytes after unpacking.

    Without `encoding` a byte order mark decides, and UTF-8 where there is none. Latin-1 fits every file, wrongly or
    not, so it is read only when it is asked for.
    """
    gzipped = data.startswith(GZIP)
    raw = _unpack(data, name=name, limit=limit) if gzipped else data
    if len(raw) > limit:
        raise FormatError(f"{name} is larger than {size_in_words(limit)}.")
    refuse_other_kinds(raw, name=name)
    chosen = encoding or ("utf-16" if raw.startswith(UTF16_BOMS) else "utf-8")
    content = _unify_line_ends(_to_text(raw, name=name, encoding=chosen))
    _refuse_nul(content, name=name)
    _refuse_long_lines(content, name=name)
    return Text(name=name, content=content, encoding=chosen, gzipped=gzipped)


def _unpack(data: bytes, *, name: str, limit: int) -> bytes:
    """Unpacks chunk by chunk and stops at the limit, so that a small file cannot fill the memory."""
    unpacked = bytearray()
    try:
        with gzip.GzipFile(fileobj=io.BytesIO(data)) as stream:
            while chunk := stream.read(min(CHUNK, limit + 1)):
                unpacked += chunk
                if len(unpacked) > limit:
                    raise FormatError(f"{name} unpacks to more than {size_in_words(limit)}.")
    except EOFError:
        raise FormatError(f"{name} is cut off: the gzip data ends too early.") from None
    except (gzip.BadGzipFile, zlib.error):
        raise FormatError(f"{name} is damaged: it starts as gzip but cannot be unpacked.") from None
    return bytes(unpacked)


def refuse_other_kinds(raw: bytes, *, name: str) -> None:
    for magic, kind in OTHER_KINDS.items():
        if raw.startswith(magic):
            raise FormatError(f"{name} is {kind}; give a text file, plain or packed with gzip.")


def _to_text(raw: bytes, *, name: str, encoding: str) -> str:
    if encoding not in ENCODINGS:
        raise FormatError(f"{encoding} is not an encoding to choose from: {', '.join(ENCODINGS)}.")
    try:
        return raw.decode(ENCODINGS[encoding])
    except UnicodeDecodeError as error:
        raise _not_decodable(raw, error, name=name, encoding=encoding) from None


def _not_decodable(raw: bytes, error: UnicodeDecodeError, *, name: str, encoding: str) -> FormatError:
    if encoding == "utf-16":
        return FormatError(f"{name} is not valid UTF-16.")
    if 0 in raw:
        return FormatError(f"{name} is not a text file: it holds binary data.")
    # The utf-8-sig codec counts from behind the byte order mark.
    start = error.start + (len(UTF8_BOM) if raw.startswith(UTF8_BOM) else 0)
    line = raw.count(b"\n", 0, start) + 1
    return FormatError(
        f"{name} is not valid UTF-8 on line {line}; if it was written as Latin-1, choose that encoding.",
        line=line,
    )


def _unify_line_ends(content: str) -> str:
    if "\r" not in content:
        return content
    return content.replace("\r\n", "\n").replace("\r", "\n")


def _refuse_nul(content: str, *, name: str) -> None:
    place = content.find("\0")
    if place >= 0:
        line = content.count("\n", 0, place) + 1
        refuse_binary(line, name=name)


def refuse_binary(line: int, *, name: str) -> NoReturn:
    raise FormatError(
        f"{name} is not a text file: line {line} holds a NUL character (binary data, or UTF-16 without its mark).",
        line=line,
    )


def _refuse_long_lines(content: str, *, name: str) -> None:
    """Jumps from one line end to the last one within reach, so that the check costs nothing on large files.

    A JSON document may well be one line: there the limit of the whole file is enough.
    """
    if content[:1000].lstrip()[:1] in ("{", "["):
        return
    start = 0
    while len(content) - start > LONGEST_LINE:
        end = content.rfind("\n", start, start + LONGEST_LINE + 1)
        if end < 0:
            line = content.count("\n", 0, start) + 1
            raise FormatError(f"Line {line} of {name} is longer than {LONGEST_LINE:,} characters.", line=line)
        start = end + 1


def size_in_words(size: int) -> str:
    """As Django's filesizeformat says it on the pages, which this module cannot use."""
    units = ("KB", "MB", "GB", "TB")
    power = min(len(units), max(0, size.bit_length() - 1) // 10)
    if not power:
        return f"{size} {'byte' if size == 1 else 'bytes'}".replace(" ", "\xa0")
    return f"{size / (1 << 10 * power):,.1f}\xa0{units[power - 1]}"
