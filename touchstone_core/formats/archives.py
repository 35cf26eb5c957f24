"""Archives of several files: zip and tar, also packed tar. They have the same limits as packed files."""

import io
from collections.abc import Iterator
from pathlib import PurePosixPath
from typing import IO, Final

from touchstone_core.formats.kinds import is_tar
from touchstone_core.formats.packing import (
    NOT_IN_ARCHIVES,
    PIECE,
    SPREADSHEET,
    Growth,
    SmallReads,
    open_entry,
    packing,
    pieces,
    unpack,
)
from touchstone_core.formats.problems import FormatError

MOST_FILES: Final = 100
SYSTEM_FILES: Final = frozenset({".DS_Store", "Thumbs.db", "desktop.ini"})


def members(data: bytes, *, name: str, limit: int) -> list[tuple[str, bytes]] | None:
    """The files of an archive, sorted by name. None if it's no archive or a zip of one file.

    `limit` is for all their bytes together. Raises FormatError for a damaged archive, too many files and packed files.
    """
    kind = packing(data)
    if kind == "zip":
        files = _zip_files(data, name=name, limit=limit)
    elif is_tar(next(pieces(io.BytesIO(data), name=name, limit=limit), b"") if kind else data[:1000]):
        files = _tar_files(unpack(data, name=name, limit=limit), name=name)
    else:
        return None
    if files is None:
        return None
    if not files:
        raise FormatError(f"{name} is an empty archive. Add at least one file.")
    for inner, content in files:
        if packing(content):
            raise FormatError(f"{inner} in {name} is packed too. Put the unpacked file into the archive.")
    return sorted(files)


def _zip_files(data: bytes, *, name: str, limit: int) -> list[tuple[str, bytes]] | None:
    """None for a single file or a spreadsheet: `packing` reads the one and refuses the other."""
    import zipfile

    try:
        with zipfile.ZipFile(SmallReads(io.BytesIO(data), name)) as archive:
            entries = [one for one in archive.infolist() if not one.is_dir() and _is_visible(one.filename)]
            if len(entries) == 1 or any(one.filename == SPREADSHEET for one in entries):
                return None
            _refuse_many(len(entries), name)
            growth = Growth(name, len(data))
            files = []
            for one in entries:
                with open_entry(archive, one, name) as stream:
                    files.append((_base(one.filename), b"".join(_entry_pieces(stream, growth, limit))))
            return files
    except (zipfile.BadZipFile, OSError, EOFError):
        raise FormatError(f"{name} is damaged: it starts as zip but cannot be unpacked.") from None


def _entry_pieces(stream: IO[bytes], growth: Growth, limit: int) -> Iterator[bytes]:
    while piece := stream.read(PIECE):
        growth.look(piece)
        growth.limit(limit)
        yield piece


def _tar_files(data: bytes, *, name: str) -> list[tuple[str, bytes]]:
    """Takes an archive that has been unpacked within its limits. Leaves out links and devices."""
    import tarfile

    files: list[tuple[str, bytes]] = []
    try:
        with tarfile.open(fileobj=io.BytesIO(data), mode="r:") as archive:
            for entry in archive:
                if entry.isreg() and _is_visible(entry.name):
                    _refuse_many(len(files) + 1, name)
                    stream = archive.extractfile(entry)
                    files.append((_base(entry.name), stream.read() if stream else b""))
    except (tarfile.TarError, OSError, EOFError):
        raise FormatError(f"{name} is damaged: it starts as tar but cannot be unpacked.") from None
    return files


def _refuse_many(count: int, name: str) -> None:
    if count > MOST_FILES:
        raise FormatError(
            f"{name} holds more than {MOST_FILES} files. Split it into archives of at most {MOST_FILES}."
        )


def is_system_file(name: str) -> bool:
    """Whether systems put files of this name into folders, for themselves."""
    return name.startswith("._") or name in SYSTEM_FILES


def _is_visible(path: str) -> bool:
    name = _base(path)
    return not path.startswith(NOT_IN_ARCHIVES) and not name.startswith(".") and not is_system_file(name)


def _base(path: str) -> str:
    return PurePosixPath(path).name
