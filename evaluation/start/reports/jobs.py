"""The work that workers do or will, and what of it has failed: imports, undoing them, evaluations, deletions, figures for pages."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final
from uuid import UUID

from django.db.models import Q
from django.db.models.functions import Now
from django.urls import reverse
from procrastinate.contrib.django.models import ProcrastinateJob

from judgments.files.reports.uploads import CANCEL_NOTE, Progress, progress_of_all, progress_of_undo
from judgments.models import (
    STAFF_ROLES,
    Batch,
    Deletion,
    Draft,
    JudgmentList,
    Purpose,
    QuerySet,
    Role,
    Upload,
    User,
    in_reach,
)

FIGURES: Final[Mapping[str, str]] = {
    "compare_runs": "Comparison of runs",
    "score_runs": "Scores of runs",
    "fit_model": "Model of raters",
    "work_out_agreement": "Agreement",
}
"""Tasks that pages ask for. Nobody cancels them, and a failed one is tried again by the next page."""
MOST: Final = 200


@dataclass(frozen=True, slots=True)
class Job:
    """One piece of work. `key` is for cancelling and retrying, and `url` its own page."""

    what: str
    about: str = ""
    query_set: str = ""
    who: str = ""
    since: datetime | None = None
    progress: Progress | None = None
    is_running: bool = False
    failure: str = ""
    key: UUID | None = None
    url: str = ""
    can_cancel: bool = False
    can_retry: bool = False

    @property
    def state(self) -> str:
        if self.failure:
            return "failed"
        return "running" if self.is_running else "waiting"


def jobs_of(viewer: User, query_set: QuerySet | None = None) -> list[Job]:
    """The viewer's own, and all of the query sets that they administer; the newest first. Seven queries, and one for each undo.

    With `query_set` only those in it.
    """
    within = Q() if query_set is None else Q(query_set=query_set)
    deletions = Deletion.objects.visible_to(viewer).unfinished().filter(within)
    jobs = [_deletion(one) for one in deletions.select_related("user", "query_set")[:MOST]]
    undos = Batch.objects.visible_to(viewer).unfinished().filter(within)
    jobs += [_undo(one) for one in undos.select_related("requested_by", "query_set", "judgment_list")[:MOST]]
    jobs += _files(viewer, within, is_whole_site=query_set is None)
    jobs += _figures(viewer, within)
    return sorted(jobs, key=lambda job: (job.since is not None, job.since), reverse=True)


def cancellable(viewer: User) -> Q:
    """Of uploads: own ones, and for admins those of their query sets. A former member must not read new names of either."""
    return in_reach(viewer, Role.ADMIN) | in_reach(viewer, *STAFF_ROLES) & Q(user=viewer)


def _files(viewer: User, within: Q, *, is_whole_site: bool) -> list[Job]:
    open_or_failed = Q(requested_at__isnull=False) | ~Q(failure__in=["", CANCEL_NOTE])
    uploads = Upload.objects.filter(within, open_or_failed, cancellable(viewer), applied_at=None, draft=None)
    rows: list[Upload | Draft] = list(
        uploads.select_related("user", "query_set", "judgment_list").defer("result")[:MOST]
    )
    if is_whole_site:
        drafts = Draft.objects.filter(open_or_failed, query_set=None)
        own = drafts if viewer.is_superuser else drafts.filter(user=viewer)
        rows += own.select_related("user").defer("options", "result", "reading")[:MOST]
    progress = progress_of_all(rows)
    return [_file(row, progress.get(row.pk), viewer) for row in rows]


def _file(row: Upload | Draft, progress: Progress | None, viewer: User) -> Job:
    is_mine = row.user_id == viewer.pk
    facts: dict[str, Any] = {
        "who": row.user.display_name,
        "since": row.requested_at or row.created_at,
        "progress": progress,
        "is_running": progress is not None,
        "failure": "" if row.requested_at else row.failure,
        "key": row.pk,
        "can_cancel": row.requested_at is not None,
    }
    if isinstance(row, Draft):
        url = reverse("draft", args=[row.pk]) if is_mine else ""
        return Job(what="New evaluation", about=row.name, url=url, **facts)
    into = f" into {row.judgment_list}" if row.judgment_list else ""
    is_run = row.purpose == Purpose.RUN
    what = "Upload of runs" if is_run else f"Import of {Purpose(row.purpose).label.lower()}{into}"
    url = reverse("stored-runs" if is_run else "upload", args=[row.pk]) if is_mine else ""
    return Job(what=what, about=row.name, query_set=str(row.query_set or ""), url=url, **facts)


def _deletion(deletion: Deletion) -> Job:
    started, gone, total = deletion.started_at, deletion.rows_gone, deletion.row_total
    progress = None
    if started is not None and not deletion.failure:
        seconds = (deletion.changed_at - started).total_seconds() if deletion.changed_at else 0
        progress = Progress("Deleting rows", gone, total, seconds)
    is_set = deletion.kind == Deletion.Kind.QUERY_SET
    return Job(
        what=f"Deletion of {deletion.subject}",
        query_set="" if is_set else str(deletion.query_set),
        who=deletion.user.display_name if deletion.user else "",
        since=deletion.requested_at,
        progress=progress,
        is_running=progress is not None,
        failure=deletion.failure,
        key=deletion.pk,
        can_retry=bool(deletion.failure),
    )


def _undo(batch: Batch) -> Job:
    progress = progress_of_undo(batch) if batch.requested_at else None
    return Job(
        what=f"Undo of an import into {batch.judgment_list}",
        about=str(batch),
        query_set=str(batch.query_set),
        who=batch.requested_by.display_name if batch.requested_by else "",
        since=batch.requested_at or batch.at,
        progress=progress,
        is_running=progress is not None,
        failure=batch.failure,
        url=reverse("batch", args=[batch.judgment_list_id, batch.pk]),
    )


def _figures(viewer: User, within: Q) -> list[Job]:
    """Figures belong to a list. A job that runs soon after a change of the list isn't due yet, and left out."""
    is_due = Q(scheduled_at=None) | Q(scheduled_at__lte=Now())
    rows = ProcrastinateJob.objects.filter(is_due, task_name__in=list(FIGURES), status__in=("todo", "doing"))
    jobs = list(rows.order_by("-id")[:MOST])
    keys = [job.args.get("list_id") for job in jobs]
    lists = JudgmentList.objects.visible_to(viewer).filter(within, pk__in=keys).select_related("query_set")
    by_key = {one.pk: one for one in lists}
    return list(_of_lists(jobs, by_key))


def _of_lists(jobs: Iterable[ProcrastinateJob], lists: Mapping[int, JudgmentList]) -> Iterable[Job]:
    for job in jobs:
        judgment_list = lists.get(job.args.get("list_id"))
        if judgment_list is not None:
            yield Job(
                what=FIGURES[job.task_name],
                about=judgment_list.name,
                query_set=str(judgment_list.query_set),
                url=reverse("list", args=[judgment_list.pk]),
                is_running=job.status == "doing",
            )
