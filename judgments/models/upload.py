"""Files that were uploaded and wait for a decision."""

from __future__ import annotations

import uuid

from django.db import models

from judgments.models.access import STAFF_ROLES, Viewer, in_reach
from judgments.models.judgment_list import JudgmentList
from judgments.models.query_set import QuerySet
from judgments.models.user import User


class Purpose(models.TextChoices):
    QUERIES = "queries", "Queries"
    DOCUMENTS = "documents", "Documents"
    JUDGMENTS = "judgments", "Judgments"
    RUN = "run", "Run"


class UploadQuerySet(models.QuerySet["Upload"]):
    def visible_to(self, viewer: Viewer) -> UploadQuerySet:
        """Own uploads, while one still has a role in the query set that allows them."""
        if viewer.is_anonymous:
            return self.none()
        return self.filter(in_reach(viewer, *STAFF_ROLES), user=viewer)


class Upload(models.Model):
    """A file between its preview and the decision to import it, with the choices made so far."""

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    query_set = models.ForeignKey(QuerySet, on_delete=models.CASCADE, related_name="uploads")
    judgment_list = models.ForeignKey(
        JudgmentList, null=True, on_delete=models.CASCADE, related_name="uploads"
    )
    user = models.ForeignKey(User, on_delete=models.CASCADE, related_name="uploads")
    purpose = models.CharField(max_length=10, choices=Purpose.choices)
    name = models.CharField(max_length=255)
    size = models.PositiveBigIntegerField()
    sha256 = models.CharField(max_length=64)
    file = models.FileField(upload_to="uploads/%Y/%m/")
    options = models.JSONField(default=dict)
    created_at = models.DateTimeField(auto_now_add=True)
    applied_at = models.DateTimeField(null=True)

    objects = UploadQuerySet.as_manager()

    class Meta:
        ordering = ["-created_at"]
        constraints = [
            models.CheckConstraint(
                condition=models.Q(purpose__in=Purpose.values), name="upload_purpose_known"
            )
        ]

    def __str__(self) -> str:
        return self.name
