"""What the hosts of a site share and know of each other (ADR 67)."""

from __future__ import annotations

from django.db import models

from judgments.models.stored_file import InternalQuerySet


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
