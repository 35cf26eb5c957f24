"""Large new evaluations: asking a worker for one, making it in the background, and cancelling it (ADR 57)."""

from datetime import datetime
from functools import partial

from django.db import transaction
from django.utils import timezone
from procrastinate import JobContext
from procrastinate.contrib.django import app

from evaluation.models import Run
from evaluation.runs.actions.run_jobs import score_new_runs
from evaluation.start.actions.drafts import with_draft
from evaluation.start.actions.making import check_right, make_evaluation
from evaluation.start.reports.draft_choices import DraftChoices
from judgments.base.background import RETRY, kept_failures
from judgments.files.actions.import_jobs import QUEUE
from judgments.files.reports.uploads import CANCEL_NOTE
from judgments.files.sql import progress
from judgments.log.actions import acting
from judgments.models import Draft, Upload

FAILURE_NOTE = (
    "Something went wrong that isn’t the files’ fault. Press the button again. If that fails too, tell the site’s "
    "administrator, who finds the failed job under site administration."
)


@transaction.atomic
def request_evaluation(*, draft: Draft, seen: str, at: datetime) -> bool:
    """Asks a worker to make the evaluation; False where that is done already, as by the first of two clicks.

    `seen` is that of `make_evaluation`. Files of a draft that a worker makes can't be discarded.
    """
    drafts = Draft.objects.filter(pk=draft.pk, requested_at=None, query_set=None)
    if not drafts.update(requested_at=at, failure=""):
        return False
    Upload.objects.filter(draft=draft).update(requested_at=at)
    job = make_in_background.configure(lock=f"draft {draft.pk}")
    job.defer(draft_id=str(draft.pk), requested_at=at.isoformat(), seen=seen)
    return True


def cancel_evaluation(*, draft: Draft) -> bool:
    """Takes back what `request_evaluation` asked for, also while it is made; False where that has ended."""
    if not _give_up(draft, draft.requested_at, CANCEL_NOTE):
        return False
    progress.end(draft.pk)
    return True


@transaction.atomic
def _give_up(draft: Draft, requested_at: datetime | None, failure: str) -> bool:
    """The files wait for a decision again. False where this request has ended."""
    same_request = Draft.objects.filter(pk=draft.pk, requested_at=requested_at).exclude(requested_at=None)
    if not same_request.update(requested_at=None, failure=failure):
        return False
    Upload.objects.filter(draft=draft).update(requested_at=None)
    return True


@app.task(name="make_evaluation", queue=QUEUE, retry=RETRY, pass_context=True)
def make_in_background(context: JobContext, /, draft_id: str, requested_at: str, seen: str) -> None:
    """The job. What it fails with is kept with the draft, for its page; what may pass by itself is tried again.
    It keeps nothing if who asked for it loses the right to meanwhile.

    It may be done twice and be killed at any moment: all is one transaction, and happens once. Where it dies while it scores the
    runs, the next page that shows them does that.
    """
    at = datetime.fromisoformat(requested_at)
    same_request = Draft.objects.filter(pk=draft_id, requested_at=at)
    draft = same_request.select_related("user").first()
    if draft is None:  # cancelled, or made by a worker that died a moment later
        return
    give_up = partial(_give_up, draft, at)
    with kept_failures(context, same_request, give_up, FAILURE_NOTE), acting(draft.user):
        check_right(draft, draft.name)
        made = with_draft(
            make_evaluation,
            draft,
            name=draft.name,
            choices=DraftChoices.from_json(draft.options),
            seen=seen,
            user=draft.user,
            at=timezone.now(),
            requested_at=at,
        )
        score_new_runs(runs=list(Run.objects.filter(query_set=made.query_set_id)))
