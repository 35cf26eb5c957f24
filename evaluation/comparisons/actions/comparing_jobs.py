"""Large comparisons: asking a worker for one, and doing it in the background (ADR 20)."""

from collections.abc import Sequence
from contextlib import suppress
from datetime import datetime
from typing import Any, Final

from django.utils import timezone
from procrastinate import JobContext
from procrastinate.contrib.django import app

from evaluation.comparisons.actions.comparing import (
    Answer,
    Question,
    compare_runs,
    find_answer,
    find_earlier_answer,
    key_of,
    settings_of,
)
from evaluation.comparisons.actions.comparing_errors import GoneMeanwhileError, LaterError
from evaluation.models import Run
from evaluation.scores.sql.scores import read_fingerprint
from judgments.base.background import RETRY, ask_worker
from judgments.base.sql import locks
from judgments.models import JudgmentList, User, Version
from touchstone_core.metrics.formula import Formula
from touchstone_core.metrics.selection import read_measures, write_measures

AT_ONCE: Final = 10_000
"""Queries times runs that a request scores and compares by itself: about two seconds of a processor."""
TASK: Final = "compare_runs"


class BeingComparedError(LaterError):
    """A worker does it, or will; `running` says which."""

    sentence = "The comparison is being worked out; try again in a few seconds."

    def __init__(self, *, running: bool) -> None:
        super().__init__()
        self.running = running


def answer_or_ask(*, question: Question, user: User | None, at: datetime, earlier: bool = False) -> Answer:
    """As `compare_runs`, but what would keep a request for seconds is left to a worker.

    Until the answer is stored, raises BeingComparedError, or gives an `earlier` answer of other grades, so that people see
    one while others judge. Raises what `compare_runs` raises. Where a worker has failed, this request does it, and
    finds out why.
    """
    stored_answer = find_answer(question)
    if stored_answer is not None:
        return stored_answer
    if is_large(question):
        try:
            leave_to_worker(question, user)
        except BeingComparedError:
            before = find_earlier_answer(question) if earlier else None
            if before is None:
                raise
            return before
    return compare_runs(question=question, user=user, at=at)


def is_large(question: Question) -> bool:
    """Whether a request should not do it by itself. One statement for a live list."""
    if question.version is not None:
        queries = question.version.query_count
    else:
        queries = question.judgment_list.list_queries.count()
    return queries * len(question.runs) > AT_ONCE


def leave_to_worker(question: Question, user: User | None) -> None:
    """Asks for the comparison unless it is asked for, and raises BeingComparedError; returns where a worker has tried and
    failed at this state of the grades.
    """
    running = ask_worker(compare_in_background, _job_arguments(question, user))
    if running is not None:
        raise BeingComparedError(running=running)


@app.task(
    name=TASK,
    retry=RETRY,
    pass_context=True,
)
def compare_in_background(context: JobContext, /, **arguments: Any) -> None:
    """The job. What it was asked for may be gone; whatever else it fails with is found again by the next request."""
    locks.let_others_wait(context.job.id)
    question = _question(**arguments)
    if question is not None:
        user = User.objects.filter(pk=arguments["user_id"]).first()
        with suppress(GoneMeanwhileError):
            compare_runs(question=question, user=user, at=timezone.now())


def _job_arguments(question: Question, user: User | None) -> dict[str, Any]:
    """What a job is given. `question` names the same for everybody who asks for it, whatever the `state` of the grades."""
    arguments: dict[str, Any] = {
        "list_id": question.judgment_list.pk,
        "version_id": question.version and question.version.pk,
        "run_ids": [run.pk for run in question.runs],
        "formula": question.formula.key,
        "on": question.on,
        "measures": write_measures(question.measures),
        "confirming": question.confirming,
    }
    return arguments | {
        "question": f"compare {question.judgment_list.pk} {key_of(question)}",
        "state": read_fingerprint(question.judgment_list.pk, question.version),
        "user_id": user and user.pk,
    }


def _question(
    *,
    list_id: int,
    version_id: int | None,
    run_ids: Sequence[int],
    formula: str,
    on: str,
    measures: str,
    confirming: bool,
    **others: Any,
) -> Question | None:
    """None where the list, its version or a run has been deleted since."""
    judgment_list = (
        JudgmentList.objects.select_related("query_set__comparing", "scale").filter(pk=list_id).first()
    )
    version = None if version_id is None else Version.objects.filter(pk=version_id).first()
    runs = Run.objects.in_bulk(run_ids)
    if judgment_list is None or len(runs) < len(run_ids) or (version is None) != (version_id is None):
        return None
    return Question(
        judgment_list=judgment_list,
        version=version,
        runs=tuple(runs[run] for run in run_ids),
        formula=Formula.from_key(formula),
        on=on,
        measures=read_measures(measures),
        confirming=confirming,
        settings=settings_of(judgment_list.query_set),
    )
