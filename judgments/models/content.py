"""Queries and documents. For engineers and admins: raters see them only on the rating screen."""

from __future__ import annotations

from django.contrib.postgres.fields import ArrayField
from django.contrib.postgres.indexes import GinIndex
from django.contrib.postgres.search import SearchVector
from django.db import models
from django.db.models.functions import Left

from judgments.base.cleaning import plain
from judgments.models.access import MemberQuerySet
from judgments.models.query_set import QuerySet

ID_LENGTH = 512
SEARCH_LENGTH = 50_000
"""How many characters of a text can be searched: PostgreSQL refuses search vectors of more than a megabyte."""


def search_vector(*fields: str) -> SearchVector:
    """The words of these fields as the index holds them, in any language. A search must use the same vector."""
    return SearchVector(*(Left(field, SEARCH_LENGTH) for field in fields), config="simple")


QUERY_WORDS = ("text", "information_need")
DOCUMENT_WORDS = ("title", "body")


class Query(models.Model):
    """What a searcher typed. Its identity is the external ID; two queries may share a text."""

    query_set = models.ForeignKey(QuerySet, on_delete=models.CASCADE, related_name="queries")
    external_id = models.CharField("query id", max_length=ID_LENGTH, db_collation="C")
    text = models.TextField()
    information_need = models.TextField(blank=True)
    weight = models.FloatField(
        default=1.0, help_text="Traffic: how much this query counts in a weighted mean."
    )
    tags = ArrayField(models.CharField(max_length=60), default=list, blank=True)

    objects = MemberQuerySet["Query"].as_manager()

    class Meta:
        ordering = ["id"]
        verbose_name_plural = "queries"
        indexes = [GinIndex(search_vector(*QUERY_WORDS), name="query_search")]
        constraints = [
            models.UniqueConstraint(fields=["query_set", "external_id"], name="query_id_unique"),
            models.CheckConstraint(
                condition=models.Q(weight__gte=0) & models.Q(weight__lt=float("inf")),
                name="query_weight_finite",
            ),
            models.CheckConstraint(condition=~models.Q(external_id=""), name="query_id_given"),
        ]

    def __str__(self) -> str:
        return self.text


class Document(models.Model):
    """Something that can be retrieved. Only documents with a text, a pair or a judgment have a row."""

    query_set = models.ForeignKey(QuerySet, on_delete=models.CASCADE, related_name="documents")
    external_id = models.CharField("document id", max_length=ID_LENGTH, db_collation="C")
    title = models.TextField(blank=True)
    body = models.TextField(blank=True)
    url = models.TextField("URL", blank=True)
    image = models.TextField("image URL", blank=True)
    fields = models.JSONField(default=dict, blank=True)

    objects = MemberQuerySet["Document"].as_manager()

    class Meta:
        ordering = ["id"]
        indexes = [GinIndex(search_vector(*DOCUMENT_WORDS), name="document_search")]
        constraints = [
            models.UniqueConstraint(fields=["query_set", "external_id"], name="document_id_unique"),
            models.CheckConstraint(condition=~models.Q(external_id=""), name="document_id_given"),
        ]

    def __str__(self) -> str:
        """The title in words, without the markup that some files have in it; the ID where it has none."""
        return plain(self.title) or self.external_id

    @property
    def missing(self) -> bool:
        """Known by its ID only: no text has been imported for it."""
        return not (self.title or self.body or self.url or self.fields)
