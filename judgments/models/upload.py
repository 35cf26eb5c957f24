"""Files that were uploaded and wait for a decision."""

from __future__ import annotations

import uuid

from django.db import models

from judgments.models.access import STAFF_ROLES, Viewer, in_reach
from judgments.models.judgment_list import JudgmentList
from judgments.models.people import ApiToken
from judgments.models.query_set import REPEATED, QuerySet
from judgments.models.user import User


class Purpose(models.TextChoices):
    QUERIES = "queries", "Queries"
    DOCUMENTS = "documents", "Documents"
    JUDGMENTS = "judgments", "Judgments"
    RUN = "run", "Run"
    EVALUATION = "evaluation", "New evaluation"


class DraftQuerySet(models.QuerySet["Draft"]):
    def visible_to(self, viewer: Viewer) -> DraftQuerySet:
        """Own drafts."""
        return self.none() if viewer.is_anonymous else self.filter(user=viewer)

    def unfinished(self) -> DraftQuerySet:
        """Those of which nothing was made yet, the latest first, with the number of their `files`."""
        with_files = self.filter(query_set=None).annotate(files=models.Count("uploads"))
        return with_files.filter(files__gt=0).order_by("-created_at")


class Draft(models.Model):
    """A new evaluation while its files wait, and what was chosen for it so far.

    `query_set` is what was made of it, once: `result` says which list and runs. `requested_at` is set while a worker makes it,
    or will; `failure` says why the last try brought nothing. `reading` is what a worker found in large files, for the
    preview, and `reading_key` stands for the files and choices that it was read with.
    """

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    user = models.ForeignKey(User, on_delete=models.CASCADE, related_name="drafts")
    name = models.CharField(max_length=120)
    options = models.JSONField(default=dict)
    created_at = models.DateTimeField(auto_now_add=True)
    query_set = models.ForeignKey(QuerySet, null=True, on_delete=models.CASCADE, related_name="drafts")
    result = models.JSONField(default=dict)
    requested_at = models.DateTimeField(null=True)
    # The database has a default, too, because a server of the version before knows nothing of this column.
    failure = models.TextField(default="", db_default="", blank=True)
    reading = models.JSONField(default=dict, db_default=models.Value({}, models.JSONField()))
    reading_key = models.CharField(max_length=64, default="", db_default="", blank=True)

    objects = DraftQuerySet.as_manager()

    class Meta:
        ordering = ["-created_at"]

    def __str__(self) -> str:
        return self.name


class UploadQuerySet(models.QuerySet["Upload"]):
    def visible_to(self, viewer: Viewer) -> UploadQuerySet:
        """Own uploads, while one still has a role in the query set that allows them."""
        if viewer.is_anonymous:
            return self.none()
        return self.filter(in_reach(viewer, *STAFF_ROLES), user=viewer)

    def importable_by(self, viewer: Viewer) -> UploadQuerySet:
        """Own uploads that an admin of the query set may import; a run is stored by another page."""
        administered = QuerySet.objects.administered_by(viewer)
        return self.visible_to(viewer).filter(query_set__in=administered).exclude(purpose=Purpose.RUN)

    def requested_by(self, viewer: Viewer) -> UploadQuerySet:
        """Own uploads that a worker imports or stores on request of this account."""
        administered = QuerySet.objects.administered_by(viewer)
        is_allowed = models.Q(query_set__in=administered) | models.Q(purpose=Purpose.RUN)
        return self.visible_to(viewer).filter(is_allowed)


class Upload(models.Model):
    """A file between its preview and its import, with the choices made so far.

    A file of a new evaluation has a `draft`, and no query set before there is one.

    `requested_at` is set while a worker imports it, or will; which import that is, too, since one that was cancelled may
    still run for a moment. `token` is the one of the API that asked for it, if any. `failure` says why the last import brought nothing, `result` what the import brought.
    """

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    query_set = models.ForeignKey(QuerySet, null=True, on_delete=models.CASCADE, related_name="uploads")
    draft = models.ForeignKey(Draft, null=True, on_delete=models.CASCADE, related_name="uploads")
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
    requested_at = models.DateTimeField(null=True)
    token = models.ForeignKey(ApiToken, null=True, on_delete=models.DO_NOTHING, **REPEATED)
    applied_at = models.DateTimeField(null=True)
    failure = models.TextField(default="")
    result = models.JSONField(default=dict)

    opened: tuple[int, bytes] | None = None
    """What a storage has read of the file already, if several were opened together."""

    objects = UploadQuerySet.as_manager()

    class Meta:
        ordering = ["-created_at"]
        constraints = [
            models.CheckConstraint(
                condition=models.Q(query_set__isnull=False) | models.Q(draft__isnull=False),
                name="upload_is_for_something",
            ),
            models.CheckConstraint(
                condition=models.Q(purpose__in=Purpose.values), name="upload_purpose_known"
            ),
            models.CheckConstraint(
                condition=models.Q(applied_at=None) | models.Q(requested_at=None, failure=""),
                name="upload_imported_waits_for_nothing",
            ),
        ]

    def __str__(self) -> str:
        return self.name
