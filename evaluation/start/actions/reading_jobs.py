"""Previews of new evaluations with large files: asking a worker to read them, and reading them (ADR 68)."""

import json
from hashlib import sha256
from typing import Final

from procrastinate import JobContext
from procrastinate.contrib.django import app
from pydantic import TypeAdapter

from evaluation.start.actions.drafts import is_large, read_within_limits
from evaluation.start.reports.draft_choices import DraftChoices
from evaluation.start.reports.draft_readings import DraftReading
from evaluation.start.reports.drafts import uploads_of
from judgments.base.background import RETRY, ask_worker
from judgments.base.errors import JudgmentsError
from judgments.base.sql import locks
from judgments.files.actions.import_jobs import QUEUE
from judgments.log.actions import acting
from judgments.models import Draft

READINGS: Final = TypeAdapter(DraftReading)
"""To JSON and back."""


class BeingReadError(JudgmentsError):
    """A worker reads the files, or will."""

    sentence = "The files are being read. Try again in a few seconds."


def reading_or_ask(*, draft: Draft) -> DraftReading:
    """What would be made of the draft. Large files are left to a worker: raises BeingReadError until it has read them.

    Where a worker has failed, this request reads them, and finds out why.
    """
    choices = DraftChoices.from_json(draft.options)
    if not is_large(draft):
        return read_within_limits(draft=draft, choices=choices)
    key = reading_key(draft)
    if draft.reading_key == key:
        return READINGS.validate_python(draft.reading)
    job = {"draft_id": str(draft.pk), "question": f"read draft {draft.pk}", "state": key}
    if ask_worker(read_in_background, job) is not None:
        raise BeingReadError
    return read_within_limits(draft=draft, choices=choices)


def reading_key(draft: Draft) -> str:
    """Stands for the files of a draft and everything that was chosen for them."""
    files = [[str(upload.pk), upload.options] for upload in uploads_of(draft)]
    return sha256(json.dumps([draft.options, files], sort_keys=True).encode()).hexdigest()


@app.task(name="read_draft", queue=QUEUE, retry=RETRY, pass_context=True)
def read_in_background(context: JobContext, /, draft_id: str, **others: str) -> None:
    """The job. It reads the files with the choices of now, which may be newer than those that it was asked with."""
    locks.let_others_wait(context.job.id)
    draft = Draft.objects.filter(pk=draft_id, query_set=None).select_related("user").first()
    if draft is None:  # discarded or made meanwhile
        return
    with acting(draft.user):
        keep_reading(draft=draft)


def keep_reading(*, draft: Draft) -> None:
    """Reads the files of a draft and keeps what is found, for its preview."""
    key = reading_key(draft)
    choices = DraftChoices.from_json(draft.options)
    reading = read_within_limits(draft=draft, choices=choices, progress_key=draft.pk)
    stored = READINGS.dump_python(reading, mode="json")
    Draft.objects.filter(pk=draft.pk).update(reading=stored, reading_key=key)
