"""Judging that goes on by itself until it is decided which of two runs is better (ADR 85)."""

import time
from contextlib import suppress
from dataclasses import asdict
from datetime import datetime
from typing import Final

import numpy as np
from django.db import transaction
from django.utils import timezone
from procrastinate import JobContext
from procrastinate.contrib.django import app
from procrastinate.exceptions import AlreadyEnqueued

from evaluation.base.errors import EvaluationError
from evaluation.models import Contest, Run
from evaluation.pools.actions.deciding import add_batch
from evaluation.pools.reports.deciding import DecidingBatch, read_deciding_batch
from judgments.base.background import RETRY, kept_failures
from judgments.base.sql.locks import announce_change, let_others_wait
from judgments.files.actions.import_jobs import one_at_a_time
from judgments.log.actions import acting, acting_token, record_act
from judgments.models import JudgmentList, User, Verb
from judgments.models.access import check_may_change
from touchstone_core.metrics.formula import Formula

PAUSE_SECONDS: Final = 30
"""Between two looks of the worker, unless a look takes long: then the pause is BREAK times as long as that."""
BREAK: Final = 20
ALMOST: Final = 10
"""Once less than this part of a batch waits for raters, the next one is added, so that they don't run out of work."""
NOT_ALLOWED: Final = (
    "No more pairs are added, because the person who started this is no longer an engineer or admin of the query set, or it was "
    "archived."
)
FAILURE_NOTE: Final = (
    "Something went wrong, so no more pairs are added. Start it again. If that fails too, tell the site’s "
    "administrator, who finds the failed job under site administration."
)


class GoingOnError(EvaluationError):
    """The list decides between two runs already."""

    def __init__(self, contest: Contest) -> None:
        super().__init__(
            f"Pairs that decide {contest} are already being added to this list, until it’s decided. Stop that first."
        )


@transaction.atomic
def start_contest(
    *,
    judgment_list: JudgmentList,
    runs: tuple[Run, Run],
    formula: Formula,
    batch_size: int,
    budget: int,
    priority: int,
    user: User,
    at: datetime,
) -> Contest:
    """Adds the first batch of at most `batch_size` judgments, and lets a worker add further ones within the `budget` of judgments.

    The baseline comes first among the runs. Raises GoingOnError if the list decides between two runs already, as after the
    first of two clicks.
    """
    announce_change(judgment_list.pk)
    earlier = Contest.objects.going_on().filter(judgment_list=judgment_list)
    if contest := earlier.select_related("baseline", "run").first():
        raise GoingOnError(contest)
    baseline, run = runs
    contest = Contest.objects.create(
        judgment_list=judgment_list,
        baseline=baseline,
        run=run,
        formula=formula.key,
        batch_size=batch_size,
        budget=budget,
        priority=priority,
        started_by=user,
        token_id=acting_token(),
        started_at=at,
    )
    about = {"batch size": batch_size, "budget": budget}
    record_act(Verb.CREATED, _subject(contest), judgment_list=judgment_list, after=about)
    go_on(contest=contest, at=at)
    contest.refresh_from_db()
    return contest


@transaction.atomic
def stop_contest(*, contest: Contest, at: datetime) -> bool:
    """No further pairs are added; those that wait for raters stay. False if it has ended already."""
    return _end(contest, Contest.Outcome.STOPPED, at)


@transaction.atomic
def go_on(*, contest: Contest, at: datetime) -> None:
    """One look: adds the next batch once the last one is almost judged, or ends, and asks a worker to look again unless it ended.

    Whether it is decided is asked only then, so that each batch is one look, as the rule to stop wants. Nothing happens if
    somebody has stopped it meanwhile.
    """
    announce_change(contest.judgment_list_id)
    row = Contest.objects.going_on().select_for_update(no_key=True, of=("self",))
    current = row.select_related("judgment_list__scale", "baseline", "run").filter(pk=contest.pk).first()
    if current is None:
        return
    began = time.monotonic()
    batch = _next_batch(current)
    current.outlook = asdict(batch.outlook) | {"waiting": batch.waiting, "unknown": batch.unknown}
    waits = batch.waiting * current.judgment_list.overlap * ALMOST > current.batch_size
    outcome = None if waits else _outcome(current, batch)
    if not waits and outcome is None:
        pairs = add_batch(judgment_list=current.judgment_list, batch=batch, priority=current.priority)
        current.judgments_requested += pairs * current.judgment_list.overlap
        current.outlook["waiting"] += pairs
    current.save(update_fields=["outlook", "judgments_requested"])
    if outcome is None:
        _look_again(current, max(PAUSE_SECONDS, BREAK * (time.monotonic() - began)))
    else:
        _end(current, outcome, at)


def _next_batch(contest: Contest) -> DecidingBatch:
    return read_deciding_batch(
        judgment_list=contest.judgment_list,
        runs=(contest.baseline, contest.run),
        formula=Formula.from_key(contest.formula),
        judgments=min(contest.batch_size, contest.budget - contest.judgments_requested),
        random=np.random.default_rng(),
    )


def _outcome(contest: Contest, batch: DecidingBatch) -> Contest.Outcome | None:
    """None as long as it goes on."""
    if batch.decided:
        return Contest.Outcome.DECIDED
    if contest.budget - contest.judgments_requested < contest.judgment_list.overlap:
        return Contest.Outcome.SPENT
    return None if batch.fresh or batch.waiting else Contest.Outcome.EXHAUSTED


def _end(contest: Contest, outcome: Contest.Outcome, at: datetime) -> bool:
    """False if it has ended already."""
    if not Contest.objects.going_on().filter(pk=contest.pk).update(outcome=outcome, ended_at=at):
        return False
    after = {"outcome": outcome.label}
    record_act(Verb.CHANGED, _subject(contest), judgment_list=contest.judgment_list, after=after)
    return True


def _look_again(contest: Contest, seconds: float) -> None:
    """Behind imports into the query set, which may take long. With less priority: jobs wait for earlier ones with their lock
    also while these are not due."""
    job = go_on_in_background.configure(
        queueing_lock=f"contest {contest.pk}",
        lock=one_at_a_time(contest.judgment_list.query_set_id),
        priority=-1,
        schedule_in={"seconds": round(seconds)},
    )
    with suppress(AlreadyEnqueued), transaction.atomic():  # a savepoint
        job.defer(contest_id=contest.pk)


@app.task(name="go_on_deciding", retry=RETRY, pass_context=True)
def go_on_in_background(context: JobContext, contest_id: int) -> None:
    """The job. It may be done twice and be killed at any moment: a look is one transaction, and asks for the next one."""
    let_others_wait(context.job.id)
    going_on = Contest.objects.going_on().filter(pk=contest_id)
    contest = going_on.select_related("started_by").first()
    if contest is None:  # stopped, or deleted with its list or a run
        return

    def give_up(failure: str) -> None:
        going_on.update(outcome=Contest.Outcome.FAILED, ended_at=timezone.now(), failure=failure)

    with (
        kept_failures(context, going_on, give_up, FAILURE_NOTE),
        acting(contest.started_by, contest.token_id),
    ):
        own_list = JudgmentList.objects.filter(pk=contest.judgment_list_id)
        check_may_change(contest.started_by, own_list.visible_to, NOT_ALLOWED)
        go_on(contest=contest, at=timezone.now())


def _subject(contest: Contest) -> str:
    return f"judging {contest}"
