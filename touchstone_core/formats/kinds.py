"""Recognizes the kind of a file by its first bytes, so that it can be refused before it takes up memory."""

import re
from typing import Final, NoReturn

from touchstone_core.formats.problems import FormatError

LONGEST_LINE: Final = 10_000_000
CHECK_FILE: Final = "Check that this is the file you meant, or save it again without the blanks."
GZIP: Final = b"\x1f\x8b"
UTF8_BOM: Final = b"\xef\xbb\xbf"
UTF16_BOMS: Final = (b"\xff\xfe", b"\xfe\xff")
OLD_OFFICE: Final = b"\xd0\xcf\x11\xe0"
OTHER_KINDS: Final = {
    b"PK\x03\x04": "a zip archive or a spreadsheet",
    b"%PDF": "a PDF file",
    b"BZh": "a bzip2 file",
    b"\x28\xb5\x2f\xfd": "a zstd file",
    b"PAR1": "a Parquet file",
    OLD_OFFICE: "an old spreadsheet or office document",
}
# Not by its first tag alone: somebody may search for “<html>”.
_WEB_PAGE: Final = re.compile(
    rb"(?:\xef\xbb\xbf)?\s*<(?:!doctype\s+html|html)\b.{,10000}?<(?:head|body)\b", re.IGNORECASE | re.DOTALL
)


def is_tar(head: bytes) -> bool:
    return head[257:262] == b"ustar"


def refuse_other_kinds(raw: bytes, *, name: str) -> None:
    for magic, kind in OTHER_KINDS.items():
        if raw.startswith(magic):
            advice = "Save it as CSV" if magic == OLD_OFFICE else "Use a text file, plain or packed with gzip"
            raise FormatError(f"{name} is {kind}. {advice}.")
    if is_tar(raw):
        raise FormatError(f"{name} is a tar archive. Unpack it, and use the file that is meant.")
    if _WEB_PAGE.match(raw):
        raise FormatError(
            f"{name} is a web page (HTML). Look at it: it may say why the file was not there to download."
        )


def refuse_binary(line: int, *, name: str) -> NoReturn:
    raise FormatError(
        f"{name} is not a text file: line {line} holds a NUL character (binary data, or UTF-16 without its mark).",
        line=line,
    )


def size_in_words(size: int) -> str:
    """Matches Django's filesizeformat, which the pages use and this module can't import."""
    units = ("KB", "MB", "GB", "TB")
    power = min(len(units), max(0, size.bit_length() - 1) // 10)
    if not power:
        return f"{size} {'byte' if size == 1 else 'bytes'}".replace(" ", "\xa0")
    return f"{size / (1 << 10 * power):,.1f}\xa0{units[power - 1]}"
