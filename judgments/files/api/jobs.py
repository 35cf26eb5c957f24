"""Jobs of a worker: imports, uploads of runs, and deletions."""

from typing import Any
from uuid import UUID

from django.shortcuts import get_object_or_404
from ninja import Router

from judgments.files.actions.import_jobs import cancel_import
from judgments.files.reports.uploads import progress_of
from judgments.models import Deletion, Purpose, Upload
from judgments.pages.calls import ApiRequest
from judgments.pages.job_answers import JobOut, job_of_deletion
from judgments.pages.problems import Problem

router = Router()


@router.get("jobs/{uuid:pk}", response=JobOut, summary="Read a job")
def job(request: ApiRequest, pk: UUID) -> dict[str, Any]:
    """Your own imports and uploads, and deletions in query sets that you administer. They are forgotten after a week."""
    deletion = _deletion(request, pk)
    return job_of_deletion(deletion) if deletion else job_of(_own(request, pk))


@router.post("jobs/{uuid:pk}/cancel", response=JobOut, summary="Cancel a job")
def cancel_job(request: ApiRequest, pk: UUID) -> dict[str, Any]:
    """Nothing of the file is imported, unless that was done already. A deletion can’t be cancelled."""
    if _deletion(request, pk):
        raise Problem(409, "A deletion can’t be cancelled: what is left of it is of no use.")
    cancel_import(upload=_own(request, pk))
    return job_of(_own(request, pk))


def _own(request: ApiRequest, pk: UUID) -> Upload:
    return get_object_or_404(Upload.objects.requested_by(request.user), pk=pk)


def _deletion(request: ApiRequest, pk: UUID) -> Deletion | None:
    return Deletion.objects.visible_to(request.user).filter(pk=pk).first()


def job_of(upload: Upload) -> dict[str, Any]:
    """One query while a worker may be at it."""
    is_run = upload.purpose == Purpose.RUN
    progress = progress_of(upload) if upload.requested_at else None
    stored = upload.result.get("summary") if is_run and upload.applied_at else None
    return {
        "id": upload.pk,
        "query_set_id": upload.query_set_id,
        "list_id": upload.judgment_list_id,
        "what": "upload of runs" if is_run else f"import of {Purpose(upload.purpose).label.lower()}",
        "file": upload.name,
        "state": _state(upload, is_running=progress is not None),
        "progress": progress,
        "result": None if is_run else upload.result or None,
        "upload": stored and {"left_out": []} | stored,  # the version before names none
        "failure": upload.failure,
        "requested_at": upload.requested_at,
        "done_at": upload.applied_at,
    }


def _state(upload: Upload, *, is_running: bool) -> str:
    if upload.applied_at:
        return "done"
    if upload.requested_at:
        return "running" if is_running else "waiting"
    return "failed"
