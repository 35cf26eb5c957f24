"""Where uploaded files wait, unless settings name another place: in the database, which all hosts share (ADR 66)."""

import io
from typing import Any

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

    def _open(self, name: str, mode: str) -> File[bytes]:
        return File(io.BufferedReader(StoredBytes(name), blocks.BLOCK), name)

    @transaction.atomic
    def _save(self, name: str, content: File[bytes]) -> str:
        size = blocks.copy_blocks(name, content.chunks(blocks.BLOCK))
        StoredFile.objects.create(name=name, size=size)
        return name


class StoredBytes(io.RawIOBase):
    """Reads a stored file from any position, with one statement for each block. Raises FileGoneError."""

    def __init__(self, name: str) -> None:
        super().__init__()
        opened = blocks.open_file(name)
        if opened is None:
            raise FileGoneError(name)
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
            self._block, self._number = blocks.read_block(self._name, number), number
        piece = self._block[offset : offset + len(buffer)]
        if not piece:
            raise FileGoneError(self._name)
        buffer[: len(piece)] = piece
        self._at += len(piece)
        return len(piece)
