"""Large files of runs: asking a worker to store one, and storing and scoring its runs in the background (ADR 68)."""

from collections.abc import Sequence
from contextlib import suppress
from datetime import datetime
from functools import partial
from typing import BinaryIO, Final

from django.conf import settings
from django.core.files.base import ContentFile
from django.db import transaction
from django.utils import timezone
from procrastinate import JobContext
from procrastinate.contrib.django import app

from evaluation.base.errors import EvaluationError
from evaluation.formulas.reports import saved_choice
from evaluation.models import Run, SavedFormula
from evaluation.runs.actions.fetching import DEPTH, ENGINE, keep_answers, lacks_answers
from evaluation.runs.actions.run_files import RunUpload, check_right, store_requested_runs
from evaluation.runs.reports.incoming import Choices
from evaluation.scores.actions.scores import bring_up_to_date
from evaluation.scores.actions.scoring_request import ScoringRequest
from judgments.base.background import RETRY, kept_failures
from judgments.files.actions.import_jobs import FAILURE_NOTE, QUEUE
from judgments.files.actions.uploads import keep_upload, with_upload
from judgments.files.limited_process import usual_size
from judgments.log.actions import acting, acting_token
from judgments.models import JudgmentList, Purpose, QuerySet, Upload, User
from touchstone_core.metrics.errors import MetricsError
from touchstone_core.metrics.formula import Formula

MOST_BYTES: Final = 8 << 20
"""What a request stores itself: about 200,000 results, in a second."""
ANSWERS: Final = Choices(format="jsonl", queries="id", unknown="skip")
"""How the answers of a search engine are read: of queries that are there when they come."""
MOST_SCORED: Final = 20
"""Of so many lists, those that were changed last. Pages score the runs under other lists when somebody opens them."""


def is_large(file: BinaryIO, size: int) -> bool:
    """Whether a worker stores its runs."""
    return usual_size(file, size) > MOST_BYTES


@transaction.atomic
def request_storing(*, upload: Upload, about: RunUpload, at: datetime) -> bool:
    """Asks a worker to store the runs of a file; False where that is done already, as by the first of two clicks."""
    uploads = Upload.objects.filter(pk=upload.pk, requested_at=None, applied_at=None)
    if not uploads.update(
        requested_at=at, token=acting_token(), failure="", options=about.to_json(), result={}
    ):
        return False
    job = store_in_background.configure(lock=f"runs {upload.query_set_id}")
    job.defer(upload_id=str(upload.pk), requested_at=at.isoformat())
    return True


@transaction.atomic
def request_fetch(
    *, query_set: QuerySet, user: User, engine: str, depth: int, about: RunUpload, at: datetime
) -> Upload:
    """Asks a worker for the run of a search engine, which has the name and details of `about`. Asked twice, it is the same request.

    Raises UploadQuotaError.
    """
    user = User.objects.select_for_update(no_key=True).get(pk=user.pk)
    about = about._replace(
        choices=ANSWERS, name=about.name or f"{engine}, {timezone.localtime(at):%Y-%m-%d %H:%M}"
    )
    options = about.to_json() | {ENGINE: engine, DEPTH: depth}
    waiting = Upload.objects.filter(user=user, query_set=query_set, options__contains=options)
    if same := waiting.exclude(requested_at=None).first():
        return same
    upload = keep_upload(
        query_set=query_set, user=user, purpose=Purpose.RUN, file=ContentFile(b"", f"{engine}.jsonl")
    )
    Upload.objects.filter(pk=upload.pk).update(requested_at=at, token=acting_token(), options=options)
    job = store_in_background.configure(lock=f"fetch {upload.pk}")
    job.defer(upload_id=str(upload.pk), requested_at=at.isoformat())
    upload.refresh_from_db()
    return upload


@app.task(name="store_runs", queue=QUEUE, retry=RETRY, pass_context=True)
def store_in_background(context: JobContext, /, upload_id: str, requested_at: str) -> None:
    """The job. It may be done twice and be killed at any moment: storing is one transaction, and happens once.

    Where a search engine is to be asked first, that is done once, unless it dies meanwhile. It stores nothing if who asked for it loses the right to meanwhile. Where it dies while it scores the runs, the next page that shows them does that.
    """
    at = datetime.fromisoformat(requested_at)
    same_request = Upload.objects.filter(pk=upload_id, requested_at=at)
    upload = same_request.select_related("user", "query_set").first()
    if upload is None:  # cancelled, deleted, or stored by a worker that died a moment later
        return
    give_up = partial(same_request.update, requested_at=None)
    with kept_failures(context, same_request, give_up, FAILURE_NOTE), acting(upload.user, upload.token_id):
        check_right(upload)
        if lacks_answers(upload):
            keep_answers(upload=upload, same_request=same_request)
        facts = {"requested_at": at, "at": timezone.now(), "limit": settings.UNPACKED_LIMIT}
        runs = with_upload(store_requested_runs, upload, **facts).runs
        score_new_runs(runs=runs)


def score_new_runs(*, runs: Sequence[Run]) -> None:
    """Scores new runs by the default formula under the lists of their query set, so that no page has to."""
    if not runs:
        return
    query_set = runs[0].query_set_id
    saved = SavedFormula.objects.filter(query_set=query_set, is_default=True).first()
    formula = saved_choice(saved).formula if saved else Formula()
    lists = JudgmentList.objects.filter(query_set=query_set).select_related("scale")
    for judgment_list in lists.order_by("-pk")[:MOST_SCORED]:
        with suppress(EvaluationError, MetricsError):  # a formula that this scale doesn't allow
            bring_up_to_date(ScoringRequest(judgment_list, runs, formula))
