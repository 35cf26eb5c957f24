"""Query sets and their members. The class is called QuerySet as on every page; Django's is `models.QuerySet`."""

from __future__ import annotations

from typing import Any, Final

from django.db import models
from django.db.models.functions import Lower

from judgments.models.access import STAFF_ROLES, AdminQuerySet, Role, Viewer, in_reach
from judgments.models.user import User

REPEATED: Final[dict[str, Any]] = {"related_name": "+", "db_index": False, "db_constraint": False}
"""Options of a key that repeats another row's, or that outlives what it names. Nothing is looked up or guarded by it."""
BEING_DELETED: Final[dict[str, Any]] = {
    "default": False,
    "db_default": False,
    "editable": False,
    "help_text": "A worker deletes it, and nobody reaches it.",
}


class QuerySetQuerySet(models.QuerySet["QuerySet"]):
    def visible_to(self, viewer: Viewer) -> QuerySetQuerySet:
        return self.filter(in_reach(viewer, path=""))

    def staffed_by(self, viewer: Viewer) -> QuerySetQuerySet:
        """Query sets in which `viewer` is engineer or admin: everything but judging needs one of these roles."""
        return self.filter(in_reach(viewer, *STAFF_ROLES, path=""))

    def administered_by(self, viewer: Viewer) -> QuerySetQuerySet:
        return self.filter(in_reach(viewer, Role.ADMIN, path=""))

    def archived(self) -> QuerySetQuerySet:
        return self.filter(archived_at__isnull=False)

    def at_work(self) -> QuerySetQuerySet:
        """Those that are not archived."""
        return self.filter(archived_at=None)


class QuerySet(models.Model):
    """Queries that are judged and scored together. Members and roles belong to it."""

    name = models.CharField(max_length=120)
    description = models.TextField(blank=True)
    show_images = models.BooleanField(
        default=False, help_text="Load documents' images from their addresses on the rating screen."
    )
    created_by = models.ForeignKey(User, null=True, on_delete=models.SET_NULL, related_name="+")
    created_at = models.DateTimeField(auto_now_add=True)
    archived_by = models.ForeignKey(
        User, null=True, blank=True, on_delete=models.SET_NULL, related_name="+", editable=False
    )
    archived_at = models.DateTimeField(
        null=True,
        blank=True,
        editable=False,
        help_text="Archived: kept and readable, and nothing in it changes.",
    )
    being_deleted = models.BooleanField(**BEING_DELETED)

    objects = QuerySetQuerySet.as_manager()

    class Meta:
        ordering = ["name"]
        constraints = [models.UniqueConstraint(Lower("name"), name="query_set_name_unique")]

    def __str__(self) -> str:
        return self.name


class Membership(models.Model):
    """One account's role in one query set."""

    query_set = models.ForeignKey(QuerySet, on_delete=models.CASCADE, related_name="memberships")
    user = models.ForeignKey(User, on_delete=models.CASCADE, related_name="memberships")
    role = models.CharField(max_length=10, choices=Role.choices)

    objects = AdminQuerySet["Membership"].as_manager()

    class Meta:
        ordering = ["query_set", "user"]
        constraints = [
            models.UniqueConstraint(fields=["query_set", "user"], name="membership_once"),
            models.CheckConstraint(condition=models.Q(role__in=Role.values), name="membership_role_known"),
        ]

    def __str__(self) -> str:
        return f"{self.user} in {self.query_set}: {self.get_role_display()}"
