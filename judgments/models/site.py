"""What only the site itself reads: its hosts, its key, and the bytes of uploaded files where the database keeps them (ADR 66)."""

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


class SiteKey(models.Model):
    """The secret key of hosts that were given none. There is one row at most."""

    id = models.PositiveSmallIntegerField(primary_key=True, default=1)
    value = models.CharField(max_length=200)

    objects = InternalQuerySet["SiteKey"].as_manager()

    class Meta:
        constraints = [models.CheckConstraint(condition=models.Q(id=1), name="site_key_is_one")]

    def __str__(self) -> str:
        return "the site’s key"  # never the key itself


class Host(models.Model):
    """What a web host or a worker was started with last. Hosts that differ say so when they start.

    `key_mark` is a hash of the secret key, `source_mark` of the program's files, `uploads_mark` of the place where uploaded files wait.
    """

    name = models.CharField(max_length=300, primary_key=True)
    started_at = models.DateTimeField()
    key_mark = models.CharField(max_length=16)
    source_mark = models.CharField(max_length=16)
    uploads_mark = models.CharField(max_length=16)

    objects = InternalQuerySet["Host"].as_manager()

    def __str__(self) -> str:
        return self.name
