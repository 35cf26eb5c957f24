"""Views of the run table that a query set keeps by name."""

from __future__ import annotations

from django.db import models
from django.db.models.functions import Lower

from judgments.models import MemberQuerySet, QuerySet, User


class SavedViewQuerySet(MemberQuerySet["SavedView"]):
    """For engineers and admins."""


class SavedView(models.Model):
    """A run table under a name: formula, measures, filters, columns and order.

    `query` is the query string of the table's address, without page and version. So a view fits every list of the query set.
    """

    query_set = models.ForeignKey(QuerySet, on_delete=models.CASCADE, related_name="saved_views")
    name = models.CharField(max_length=80)
    query = models.TextField(blank=True)
    created_by = models.ForeignKey(User, null=True, on_delete=models.SET_NULL, related_name="+")
    created_at = models.DateTimeField(auto_now_add=True)

    objects = SavedViewQuerySet.as_manager()

    class Meta:
        ordering = ["query_set", "name"]
        constraints = [models.UniqueConstraint("query_set", Lower("name"), name="saved_view_name_unique")]

    def __str__(self) -> str:
        return self.name
