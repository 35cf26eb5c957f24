"""What imports leave beside judgments: who wrote them, so that they can be undone, and fields that are kept for exports."""

from __future__ import annotations

import uuid

from django.db import models
from django.db.models import Q

from judgments.models.access import AdminQuerySet
from judgments.models.audit import Act
from judgments.models.content import Document, Query
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


class KeptFields(models.Model):
    """Fields of an imported file, as JSON, which an export in the same format writes back. For admins: a book names its raters.

    With neither query nor document they are those of the file as a whole, with one of them its own, with both those of
    the pair. `format` is a key of `touchstone_core.formats.judgments.judgment_files.FORMATS`.
    """

    query_set = models.ForeignKey(QuerySet, on_delete=models.CASCADE, related_name="+")
    judgment_list = models.ForeignKey(
        JudgmentList, on_delete=models.CASCADE, related_name="kept_fields", db_index=False
    )
    format = models.CharField(max_length=20)
    query = models.ForeignKey(Query, null=True, on_delete=models.CASCADE, related_name="+")
    document = models.ForeignKey(Document, null=True, on_delete=models.CASCADE, related_name="+")
    fields = models.JSONField()

    objects = AdminQuerySet["KeptFields"].as_manager()

    class Meta:
        verbose_name_plural = "kept fields"
        constraints = [
            models.UniqueConstraint(
                fields=["judgment_list", "format", "query", "document"],
                name="kept_fields_once",
                nulls_distinct=False,
            ),
            models.CheckConstraint(condition=~Q(format=""), name="kept_fields_format_given"),
        ]

    def __str__(self) -> str:
        return f"{self.format} of {self.judgment_list_id}"
