"""Unpacks gzip, zstd, bzip2 and zip files piece by piece, and stops at the first sign of trouble.

A small file can unpack to more than any memory holds. So unpacking stops at the size limit, at too many times the packed
size, at more lines than the packed size can mean, at a NUL byte, in a line that is too long, and in endless blanks.
"""

import gzip
import io
import zlib
from collections.abc import Callable, Iterator
from typing import IO, TYPE_CHECKING, BinaryIO, Final

from touchstone_core.formats.kinds import (
    CHECK_FILE,
    GZIP,
    LONGEST_LINE,
    UTF16_BOMS,
    is_tar,
    refuse_binary,
    size_in_words,
)
from touchstone_core.formats.problems import FormatError

if TYPE_CHECKING:
    import zipfile

PARQUET: Final = b"PAR1"
ZSTD: Final = b"\x28\xb5\x2f\xfd"
PIECE: Final = 1 << 20
ZSTD_PIECE: Final = 1 << 10  # one byte of zstd can stand for 32 KB, and it is all unpacked in one go
MOST_TIMES: Final = 100  # runs and judgments grow 5 to 20 times
FREE_SIZE: Final = 1 << 20  # unpacked bytes that every packed file may have
FREE_LINES: Final = 200_000
LINES_PER_BYTE: Final = 2  # qrels that hardly differ from line to line take two bytes each
LARGEST_READ: Final = 2 << 20  # the directory of a zip archive, which is read at once: some 40,000 files
HEAD: Final = 1000  # bytes that tell what kind of file it is
ENDINGS: Final = (".gz", ".zst", ".bz2", ".zip")
SPREADSHEET: Final = "[Content_Types].xml"
NOT_IN_ARCHIVES: Final = ("__MACOSX/", ".DS_Store")


def packing(data: bytes) -> str:
    """gzip, zstd, bzip2 or zip, by the first bytes. Empty for a file that isn't packed."""
    return next((kind for magic, kind in _MAGIC.items() if data.startswith(magic)), "")


def is_packed(head: bytes) -> bool:
    """Whether a file that begins like this may unpack to far more than its size. Parquet files may, too."""
    return bool(packing(head)) or head.startswith(PARQUET)


def most_unpacked(size: int) -> int:
    """How many bytes a packed file of this size may unpack to."""
    return max(FREE_SIZE, MOST_TIMES * size)


def most_lines(size: int) -> int:
    """How many lines, or rows of Parquet, a packed file of this size may unpack to."""
    return FREE_LINES + LINES_PER_BYTE * size


class Growth:
    """Refuses a file that grows too much while it's unpacked. `size` is the packed size."""

    def __init__(self, name: str, size: int) -> None:
        self._name = name
        self._most, self._most_lines = most_unpacked(size), most_lines(size)
        self._size = self._lines = 0

    def limit(self, most: int) -> None:
        """Refuses the file if more bytes than this have been unpacked."""
        if self._size > most:
            raise FormatError(f"{self._name} unpacks to more than {size_in_words(most)}.")

    def look(self, piece: bytes) -> None:
        if len(piece) >= FREE_SIZE and piece.isspace():
            raise FormatError(
                f"{self._name} holds nothing but blanks for a megabyte from line {self._lines + 1}. {CHECK_FILE}"
            )
        self._size += len(piece)
        self._lines += piece.count(b"\n")
        if self._size > self._most:
            excess = f"more than {MOST_TIMES} times its size"
        elif self._lines > self._most_lines:
            excess = f"more than {self._most_lines:,} lines, too many for its size"
        else:
            return
        raise FormatError(f"{self._name} unpacks to {excess}. Unpack it and use the file itself.")


def stem(name: str) -> str:
    """The name of a file without its ending and the ending of its packing."""
    return name.removesuffix(next((end for end in ENDINGS if name.endswith(end)), "")).rsplit(".", 1)[0]


def unpack(data: bytes, *, name: str, limit: int) -> bytes:
    """The unpacked file, or the file itself if it isn't packed. Raises FormatError."""
    if packing(data):
        return b"".join(pieces(io.BytesIO(data), name=name, limit=limit))
    if len(data) > limit:
        raise FormatError(f"{name} is larger than {size_in_words(limit)}.")
    return data


def pieces(file: BinaryIO, *, name: str, limit: int) -> Iterator[bytes]:
    """The unpacked file piece by piece. Raises FormatError.

    Archives hold one file. A file that is packed twice is refused, since each layer could be a bomb.
    """
    kind = packing(file.read(4))
    file.seek(0)
    watch, size = _Watch(name), 0
    growth = Growth(name, _size(file)) if kind else None
    for piece in _unpack_pieces(file, kind, name) if kind else _plain(file):
        size += len(piece)
        if size > limit:
            problem = "unpacks to more" if kind else "is larger"
            raise FormatError(f"{name} {problem} than {size_in_words(limit)}.")
        if growth:  # the readers check plain files themselves
            watch.look(piece)
            growth.look(piece)
        yield piece


def _size(file: BinaryIO) -> int:
    size = file.seek(0, io.SEEK_END)
    file.seek(0)
    return size


def _plain(file: BinaryIO) -> Iterator[bytes]:
    while piece := file.read(PIECE):
        yield piece


def _unpack_pieces(file: BinaryIO, kind: str, name: str) -> Iterator[bytes]:
    try:
        yield from _READERS[kind](file, name)
    except EOFError:
        raise FormatError(f"{name} is cut off: the {kind} data ends too early.") from None
    except (OSError, zlib.error):
        raise FormatError(f"{name} is damaged: it starts as {kind} but cannot be unpacked.") from None


class _Watch:
    """Refuses what no text file contains. Parquet files and JSON may contain it, and their readers check them."""

    def __init__(self, name: str) -> None:
        self._name = name
        self._head = b""
        self._lines = 0
        self._since_line_end = 0
        self._binary = self._one_line = False

    def look(self, piece: bytes) -> None:
        if len(self._head) < HEAD:
            head = self._head = (self._head + piece[:HEAD])[:HEAD]
            if packing(head):
                raise FormatError(f"{self._name} is packed twice. Unpack it once.")
            self._binary = head.startswith((PARQUET, *UTF16_BOMS)) or is_tar(head)
            self._one_line = self._binary or head.lstrip(b"\xef\xbb\xbf \t\r\n").startswith((b"{", b"["))
        if not self._binary and (place := piece.find(b"\0")) >= 0:
            refuse_binary(self._lines + piece.count(b"\n", 0, place) + 1, name=self._name)
        last = max(piece.rfind(b"\n"), piece.rfind(b"\r"))
        self._lines += piece.count(b"\n")
        self._since_line_end = self._since_line_end + len(piece) if last < 0 else len(piece) - last - 1
        # A character takes four bytes at most.
        if not self._one_line and self._since_line_end > 4 * LONGEST_LINE:
            line = self._lines + 1
            raise FormatError(
                f"Line {line} of {self._name} is longer than {LONGEST_LINE:,} characters.", line=line
            )


def _gzip(file: BinaryIO, name: str) -> Iterator[bytes]:
    with gzip.GzipFile(fileobj=file) as stream:
        while piece := stream.read(PIECE):
            yield piece


# The other packings are rare, and `manage.py score` starts sooner without their modules.


def _bzip2(file: BinaryIO, name: str) -> Iterator[bytes]:
    import bz2

    with bz2.BZ2File(file) as stream:
        while piece := stream.read(PIECE):
            yield piece


def _zstd(file: BinaryIO, name: str) -> Iterator[bytes]:
    """Raises EOFError for a file that is cut off, which the stream reader of zstandard ignores."""
    import zstandard

    frame = None
    try:
        while data := file.read(ZSTD_PIECE):
            while data:
                frame = frame or zstandard.ZstdDecompressor().decompressobj()
                yield frame.decompress(data)
                data = frame.unused_data if frame.eof else b""
                frame = None if frame.eof else frame
    except zstandard.ZstdError as error:
        raise OSError from error
    if frame is not None:
        raise EOFError


def _zip(file: BinaryIO, name: str) -> Iterator[bytes]:
    import zipfile

    try:
        with zipfile.ZipFile(SmallReads(file, name)) as archive, _only_file(archive, name) as stream:
            while piece := stream.read(PIECE):
                yield piece
    except zipfile.BadZipFile as error:
        raise OSError from error


class SmallReads:
    """A file that refuses large reads. zipfile reads the directory of an archive at once, even one of a million files."""

    def __init__(self, file: BinaryIO, name: str) -> None:
        self._file, self._name = file, name
        self.seek, self.tell, self.seekable = file.seek, file.tell, file.seekable

    def read(self, size: int = -1) -> bytes:
        if size > LARGEST_READ:
            raise FormatError(f"{self._name} is a zip archive of too many files. Use one with a single file.")
        return self._file.read(size)


def _only_file(archive: "zipfile.ZipFile", name: str) -> IO[bytes]:
    files = [
        entry
        for entry in archive.infolist()
        if not (entry.is_dir() or entry.filename.startswith(NOT_IN_ARCHIVES))
    ]
    if any(entry.filename == SPREADSHEET for entry in files):
        raise FormatError(f"{name} is a spreadsheet or an office document. Save it as CSV.")
    if len(files) != 1:
        raise FormatError(f"{name} is a zip archive of {len(files):,} files. Use one with a single file.")
    return open_entry(archive, files[0], name)


def open_entry(archive: "zipfile.ZipFile", entry: "zipfile.ZipInfo", name: str) -> IO[bytes]:
    """Opens a file of an archive. Raises FormatError if it can't be unpacked."""
    if entry.flag_bits & 1:
        raise FormatError(f"{name} is a zip archive with a password. Unpack it first.")
    try:
        return archive.open(entry)
    except NotImplementedError:
        raise FormatError(f"{name} is packed in a way that we can’t read. Pack it with gzip.") from None


_MAGIC: Final = {GZIP: "gzip", ZSTD: "zstd", b"BZh": "bzip2", b"PK\x03\x04": "zip", b"PK\x05\x06": "zip"}
_READERS: Final[dict[str, Callable[[BinaryIO, str], Iterator[bytes]]]] = {
    "gzip": _gzip,
    "zstd": _zstd,
    "bzip2": _bzip2,
    "zip": _zip,
}
