"""What is too large to be deleted by a request, while a worker deletes it."""

from __future__ import annotations

import uuid

from django.contrib.postgres.fields import ArrayField
from django.db import models

from judgments.models.access import STAFF_ROLES, Role, Viewer, in_reach, only_query_set
from judgments.models.people import ApiToken
from judgments.models.query_set import REPEATED, QuerySet
from judgments.models.user import User


class DeletionQuerySet(models.QuerySet["Deletion"]):
    def visible_to(self, viewer: Viewer) -> DeletionQuerySet:
        """Own ones, and for admins those of their query sets. Nobody is a member of a query set that is being deleted."""
        if viewer.is_anonymous:
            return self.none()
        only = only_query_set()
        rows = self.all() if only is None else self.filter(query_set=only)
        if viewer.is_superuser:
            return rows
        mine = models.Q(user=viewer) & (
            in_reach(viewer, *STAFF_ROLES) | models.Q(kind=Deletion.Kind.QUERY_SET)
        )
        return rows.filter(mine | in_reach(viewer, Role.ADMIN))

    def unfinished(self) -> DeletionQuerySet:
        return self.filter(done_at=None)


class Deletion(models.Model):
    """A query set, a list or runs that a worker deletes in portions (ADR 68). Meanwhile nobody reaches them.

    `keys` are those that are still there, and `subject` names them: “list First pass”. `counts` are the rows that are
    gone so far by the models' names, and `row_total` is how many there were at the start, 0 before. `changed_at` is when the
    last portion went. `failure` says why the last try stopped. `user` asked for it, by a `token` of the API if there is one.
    """

    class Kind(models.TextChoices):
        QUERY_SET = "query-set", "query set"
        LIST = "list", "list"
        RUNS = "runs", "runs"

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    query_set = models.ForeignKey(QuerySet, on_delete=models.CASCADE, related_name="deletions")
    user = models.ForeignKey(User, null=True, on_delete=models.SET_NULL, related_name="+")
    token = models.ForeignKey(ApiToken, null=True, on_delete=models.DO_NOTHING, **REPEATED)
    kind = models.CharField(max_length=9, choices=Kind.choices)
    keys = ArrayField(models.BigIntegerField())
    subject = models.CharField(max_length=200)
    counts = models.JSONField(default=dict)
    row_total = models.PositiveBigIntegerField(default=0)
    requested_at = models.DateTimeField()
    started_at = models.DateTimeField(null=True)
    changed_at = models.DateTimeField(null=True)
    done_at = models.DateTimeField(null=True)
    failure = models.TextField(default="", blank=True)

    objects = DeletionQuerySet.as_manager()

    class Meta:
        ordering = ["-requested_at"]
        constraints = [
            models.CheckConstraint(
                condition=models.Q(kind__in=["query-set", "list", "runs"]), name="deletion_kind_known"
            ),
            models.CheckConstraint(
                condition=models.Q(done_at=None) | models.Q(keys=[], failure=""),
                name="deletion_done_left_nothing",
            ),
        ]

    def __str__(self) -> str:
        return self.subject

    @property
    def rows_gone(self) -> int:
        return sum(self.counts.values())
