"""Which queries a change was meant to touch."""

from __future__ import annotations

from django.db import models
from django.db.models.functions import Lower

from judgments.models import MemberQuerySet, Query, QuerySet, User


class IntentQuerySet(MemberQuerySet["Intent"]):
    """For engineers and admins."""


class Intent(models.Model):
    """The queries that a change should affect, under a name. Pages then show these queries and all others separately.

    `chosen_at` is when its queries were last chosen, so that pages can say if that was before a run was uploaded.
    """

    query_set = models.ForeignKey(QuerySet, on_delete=models.CASCADE, related_name="intents")
    name = models.CharField(max_length=80)
    created_by = models.ForeignKey(User, null=True, on_delete=models.SET_NULL, related_name="+")
    chosen_at = models.DateTimeField()

    objects = IntentQuerySet.as_manager()

    class Meta:
        ordering = ["query_set", "name"]
        constraints = [models.UniqueConstraint("query_set", Lower("name"), name="intent_name_unique")]

    def __str__(self) -> str:
        return self.name


class IntendedQueryQuerySet(MemberQuerySet["IntendedQuery"]):
    """For engineers and admins."""

    path = "intent__query_set"


class IntendedQuery(models.Model):
    """One query of an intent."""

    intent = models.ForeignKey(Intent, on_delete=models.CASCADE, related_name="intended", db_index=False)
    query = models.ForeignKey(Query, on_delete=models.CASCADE, related_name="+")

    objects = IntendedQueryQuerySet.as_manager()

    class Meta:
        constraints = [models.UniqueConstraint(fields=["intent", "query"], name="intended_query_once")]

    def __str__(self) -> str:
        return f"query {self.query_id} of {self.intent_id}"
