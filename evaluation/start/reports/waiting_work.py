"""Files that wait for a decision of their owner, and work of workers that has failed: everything in one statement."""

from datetime import datetime
from typing import Any, Final, NamedTuple

from django.db.models import CharField, Exists, F, OuterRef, Q, QuerySet, TextField, Value
from django.db.models.functions import Cast

from evaluation.models import Run
from evaluation.start.reports.jobs import cancellable
from judgments.files.reports.uploads import CANCEL_NOTE
from judgments.models import Batch, Deletion, Draft, Purpose, Upload, User

FILE, RUN_FILE, DRAFT, FAILED, NOT_DELETED = "file", "run file", "draft", "failed", "not deleted"
"""A file, a file of runs and a new evaluation of the viewer; failed work in a query set, and a query set that is still there."""
MOST: Final = 20
"""Of each kind."""


class WaitingWork(NamedTuple):
    """`key` is the row's own, and `query_set` the name; both are empty for what is in no query set."""

    kind: str
    key: str
    name: str
    query_set_id: int | None
    query_set: str | None
    failure: str
    requested_at: datetime | None


def waiting_work(viewer: User, since: datetime, within: Q, *, with_drafts: bool) -> list[WaitingWork]:
    """Of query sets `within`: own files, and what failed `since` then for those who see the job. One statement.

    `with_drafts` also what is in no query set yet, or is one that can't be deleted.
    """
    parts = [*_own_files(viewer, within), *_failed(viewer, since, within)]
    if with_drafts:
        drafts = Draft.objects.visible_to(viewer).unfinished().order_by("-created_at")
        parts.append(_columns(drafts, DRAFT))
        parts.append(_columns(_deletions(viewer, since).filter(_OF_SET), NOT_DELETED, name="subject"))
    first, *others = parts
    return [WaitingWork(*row) for row in first.union(*others, all=True)]


_OF_SET: Final = Q(kind=Deletion.Kind.QUERY_SET)


def _own_files(viewer: User, within: Q) -> list[QuerySet[Any, Any]]:
    """Without files that brought nothing, if a newer one of the same name took their place. What waits or is imported is never left out."""
    files = Upload.objects.requested_by(viewer).filter(within, applied_at=None).order_by("created_at")
    of_same_list = Q(judgment_list=OuterRef("judgment_list")) | Q(judgment_list=None)
    same = {one: OuterRef(one) for one in ("user", "query_set", "purpose", "name")}
    newer = Upload.objects.filter(of_same_list, draft=None, created_at__gt=OuterRef("created_at"), **same)
    stored = Run.objects.filter(
        query_set=OuterRef("query_set"),
        uploaded_by=OuterRef("user"),
        file_name=OuterRef("name"),
        created_at__gt=OuterRef("created_at"),
    )
    is_run = Q(purpose=Purpose.RUN)
    files = files.exclude(~Q(failure=""), Exists(newer) | is_run & Exists(stored), requested_at=None)
    return [_columns(files.exclude(is_run), FILE), _columns(files.filter(is_run), RUN_FILE)]


def _failed(viewer: User, since: datetime, within: Q) -> list[QuerySet[Any, Any]]:
    """Without own files, which are named one by one."""
    failed = Upload.objects.filter(
        within, cancellable(viewer), ~Q(user=viewer), ~Q(failure__in=["", CANCEL_NOTE])
    )
    uploads = failed.filter(requested_at=None, applied_at=None, draft=None, created_at__gte=since)
    undos = Batch.objects.visible_to(viewer).filter(within, requested_at=None).exclude(failure="")
    undos = undos.filter(at__gte=since)
    deletions = _deletions(viewer, since).filter(within).exclude(_OF_SET)
    return [
        _columns(uploads.order_by("-created_at"), FAILED),
        _columns(undos.order_by("-at"), FAILED),
        _columns(deletions, FAILED, name="subject"),
    ]


def _deletions(viewer: User, since: datetime) -> QuerySet[Deletion]:
    deletions = Deletion.objects.visible_to(viewer).unfinished().exclude(failure="")
    return deletions.filter(requested_at__gte=since).order_by("-requested_at")


def _columns(rows: QuerySet[Any, Any], kind: str, *, name: str = "name") -> QuerySet[Any, Any]:
    return rows.values_list(
        Value(kind, CharField()),
        Cast("pk", TextField()),
        F(name),
        F("query_set_id"),
        F("query_set__name"),
        F("failure"),
        F("requested_at"),
    )[:MOST]
