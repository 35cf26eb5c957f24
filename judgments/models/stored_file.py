"""The bytes of uploaded files, where the database keeps them (ADR 66)."""

from __future__ import annotations

from typing import TypeVar

from django.db import models

from judgments.models.access import Viewer

Row = TypeVar("Row", bound=models.Model)


class InternalQuerySet(models.QuerySet[Row]):
    def visible_to(self, viewer: Viewer) -> InternalQuerySet[Row]:
        """Nobody: only the site itself reads these rows."""
        return self.none()


class StoredFile(models.Model):
    """A file of the storage. It has no key to its upload, because a storage knows files by their names only."""

    name = models.CharField(max_length=100, primary_key=True)
    size = models.PositiveBigIntegerField()
    created_at = models.DateTimeField(auto_now_add=True)

    objects = InternalQuerySet["StoredFile"].as_manager()

    def __str__(self) -> str:
        return self.name


class StoredBlock(models.Model):
    """A piece of a file, packed with zstd."""

    pk = models.CompositePrimaryKey("file_id", "position")
    file = models.ForeignKey(StoredFile, on_delete=models.CASCADE, related_name="blocks", db_index=False)
    position = models.PositiveIntegerField()
    data = models.BinaryField()

    objects = InternalQuerySet["StoredBlock"].as_manager()

    def __str__(self) -> str:
        return f"{self.file_id}, block {self.position}"
