"""What one act brought into a list, so that it can be undone."""

from __future__ import annotations

import uuid

from django.db import models

from judgments.models.access import AdminQuerySet
from judgments.models.audit import Act
from judgments.models.judgment_list import JudgmentList
from judgments.models.people import ApiToken
from judgments.models.query_set import REPEATED, QuerySet
from judgments.models.user import User


class BatchQuerySet(AdminQuerySet["Batch"]):
    def unfinished(self) -> BatchQuerySet:
        """Those that a worker undoes or will, and those where that has failed."""
        return self.exclude(requested_at=None, failure="")


class Batch(models.Model):
    """The judgments that one import wrote into a list (ADR 80). Each of them names its batch until somebody changes it.

    `name` is the file and `act` the line of the log. `judgment_count` are the judgments that the import wrote, and
    `undone_count` those of them that were taken back, last at `undone_at`.

    `requested_at` is set while a worker undoes it, or will, for `requested_by`, by a `token` of the API if there is one.
    `failure` says why the last try undid nothing, and `key` is for telling how far it is.
    """

    query_set = models.ForeignKey(QuerySet, on_delete=models.CASCADE, **REPEATED)
    judgment_list = models.ForeignKey(JudgmentList, on_delete=models.CASCADE, related_name="batches")
    act = models.ForeignKey(
        Act, null=True, on_delete=models.DO_NOTHING, related_name="batches", db_constraint=False
    )
    name = models.CharField(max_length=255, blank=True)
    at = models.DateTimeField()
    judgment_count = models.PositiveIntegerField(default=0)
    undone_count = models.PositiveIntegerField(default=0)
    undone_at = models.DateTimeField(null=True)
    requested_at = models.DateTimeField(null=True)
    requested_by = models.ForeignKey(User, null=True, on_delete=models.SET_NULL, related_name="+")
    token = models.ForeignKey(ApiToken, null=True, on_delete=models.DO_NOTHING, **REPEATED)
    failure = models.TextField(default="", blank=True)
    key = models.UUIDField(default=uuid.uuid4, editable=False)

    objects = BatchQuerySet.as_manager()

    class Meta:
        ordering = ["-id"]
        verbose_name_plural = "batches"

    def __str__(self) -> str:
        return self.name or "a file"
