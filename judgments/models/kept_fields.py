"""Fields of imported files for which no other table has a column."""

from __future__ import annotations

from django.db import models
from django.db.models import Q

from judgments.models.access import AdminQuerySet
from judgments.models.content import Document, Query
from judgments.models.judgment_list import JudgmentList
from judgments.models.query_set import QuerySet


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
