"""Where uploaded files wait, unless settings name another place: in the database, which all hosts share (ADR 66)."""

import io
from collections.abc import Sequence
from typing import Any, Final

from django.core.files.base import File
from django.core.files.storage import Storage
from django.db import transaction
from django.utils.deconstruct import deconstructible

from judgments.files.sql import blocks
from judgments.models import StoredFile


class FileGoneError(FileNotFoundError):
    """A file was deleted, perhaps while somebody read it."""


@deconstructible
class DatabaseStorage(Storage):
    """Django's storage on two tables. A file is written in the caller's transaction, so a rollback leaves nothing."""

    def exists(self, name: str) -> bool:
        return StoredFile.objects.filter(pk=name).exists()

    def size(self, name: str) -> int:
        return StoredFile.objects.get(pk=name).size

    @transaction.atomic
    def delete(self, name: str) -> None:
        blocks.delete_file(name)

    def open_together(self, names: Sequence[str]) -> dict[str, blocks.Opened]:
        """With one statement, what `open_ahead` needs of each of the files."""
        return blocks.open_files(names)

    def open_ahead(self, name: str, opened: blocks.Opened) -> File[bytes]:
        return File(io.BufferedReader(StoredBytes(name, opened), blocks.BLOCK), name)

    def _open(self, name: str, mode: str) -> File[bytes]:
        opened = blocks.open_files([name]).get(name)
        if opened is None:
            raise FileGoneError(name)
        return self.open_ahead(name, opened)

    @transaction.atomic
    def _save(self, name: str, content: File[bytes]) -> str:
        size = blocks.copy_blocks(name, content.chunks(blocks.BLOCK))
        StoredFile.objects.create(name=name, size=size)
        return name


TOGETHER: Final = 64
"""Blocks that are read at once where all of a file is wanted: 16 MB."""


class StoredBytes(io.RawIOBase):
    """Reads a stored file from any position, with one statement for each block. Raises FileGoneError."""

    def __init__(self, name: str, opened: blocks.Opened) -> None:
        super().__init__()
        self._name = name
        self._size, self._block = opened
        self._at = self._number = 0

    def readable(self) -> bool:
        return True

    def seekable(self) -> bool:
        return True

    def seek(self, offset: int, whence: int = io.SEEK_SET, /) -> int:
        start = {io.SEEK_SET: 0, io.SEEK_CUR: self._at, io.SEEK_END: self._size}[whence]
        self._at = max(start + offset, 0)
        return self._at

    def readinto(self, buffer: Any, /) -> int:
        if self._at >= self._size:
            return 0
        number, offset = divmod(self._at, blocks.BLOCK)
        if number != self._number:
            self._block, self._number = blocks.read_blocks(self._name, number), number
        piece = self._block[offset : offset + len(buffer)]
        if not piece:
            raise FileGoneError(self._name)
        buffer[: len(piece)] = piece
        self._at += len(piece)
        return len(piece)

    def readall(self) -> bytes:
        """The rest of the file, with one statement for many blocks."""
        pieces = [self.read(blocks.BLOCK - self._at % blocks.BLOCK) or b""]
        while self._at < self._size:
            pieces.append(blocks.read_blocks(self._name, self._at // blocks.BLOCK, TOGETHER))
            if not pieces[-1]:
                raise FileGoneError(self._name)
            self._at += len(pieces[-1])
        return b"".join(pieces)
