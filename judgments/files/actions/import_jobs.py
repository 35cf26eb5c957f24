"""Imports of large files: asking a worker for one, doing it in the background, and cancelling it (ADR 47)."""

from datetime import datetime
from functools import partial
from typing import Final

from django.db import transaction
from django.utils import timezone
from procrastinate import JobContext
from procrastinate.contrib.django import app

from judgments.base.background import RETRY, kept_failures
from judgments.files.actions.uploads import apply_upload, check_right, with_upload
from judgments.files.limited_process import is_small
from judgments.files.reports.imports import Choices
from judgments.files.reports.uploads import CANCEL_NOTE, open_upload
from judgments.files.sql import progress
from judgments.log.actions import acting, acting_token
from judgments.models import Upload

QUEUE: Final = "imports"
"""A worker does these beside its other jobs, since most of the time it only waits for the process that reads the file."""
FAILURE_NOTE: Final = (
    "Something went wrong that isn’t the file’s fault. Import it again. If that fails too, tell the site’s "
    "administrator, who finds the failed job under site administration."
)


def one_at_a_time(query_set_id: int | None) -> str:
    """The lock of jobs that write judgments or pairs of a query set: one of them runs, and the others wait without a worker."""
    return f"import {query_set_id}"


def is_large(upload: Upload) -> bool:
    """Whether its import is left to a worker: if reading it needs a process of its own. Raises UploadGoneError."""
    with open_upload(upload) as file:
        return not is_small(file, upload.size)


@transaction.atomic
def request_import(*, upload: Upload, choices: Choices, at: datetime, latest_import: str, rows: int) -> bool:
    """Asks a worker for the import; False where that is done already, as by the first of two clicks.

    `latest_import` and `rows` are those of `apply_upload`.
    """
    uploads = Upload.objects.filter(pk=upload.pk, requested_at=None, applied_at=None)
    if not uploads.update(requested_at=at, token=acting_token(), failure="", options=choices.to_json()):
        return False
    job = import_in_background.configure(lock=one_at_a_time(upload.query_set_id))
    job.defer(upload_id=str(upload.pk), requested_at=at.isoformat(), seen=latest_import, rows=rows)
    return True


def cancel_import(*, upload: Upload) -> bool:
    """Takes back what `request_import` asked for, also while it is done; False where it has ended.

    What runs is ended with its connection. Where that comes a moment too early, the import finds out at its end.
    """
    waiting = Upload.objects.filter(pk=upload.pk).exclude(requested_at=None)
    if not waiting.update(requested_at=None, failure=CANCEL_NOTE):
        return False
    progress.end(upload.pk)
    return True


@app.task(name="import_upload", queue=QUEUE, retry=RETRY, pass_context=True)
def import_in_background(
    context: JobContext, /, upload_id: str, requested_at: str, seen: str, rows: int
) -> None:
    """The job. What it fails with is kept with the upload, for its page; what may pass by itself is tried again.
    It keeps nothing if who asked for it loses the right to meanwhile.

    It may be done twice and be killed at any moment: an import is one transaction, and happens once.
    """
    at = datetime.fromisoformat(requested_at)
    same_request = Upload.objects.filter(pk=upload_id, requested_at=at)
    upload = same_request.select_related("user").first()
    if upload is None:  # cancelled, deleted with its list, or imported by a worker that died a moment later
        return
    give_up = partial(same_request.update, requested_at=None)
    with kept_failures(context, same_request, give_up, FAILURE_NOTE), acting(upload.user, upload.token_id):
        check_right(upload)
        choices = Choices.from_json(upload.options)
        preview_facts = {"latest_import": seen, "requested_at": at, "rows": rows}
        with_upload(apply_upload, upload, choices=choices, at=timezone.now(), **preview_facts)
