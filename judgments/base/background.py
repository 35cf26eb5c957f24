"""Asks a worker once for figures that a page waits for (ADR 20), and keeps what jobs fail with."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from typing import Any, Final

from django.db import OperationalError, transaction
from django.db.models import Q, QuerySet
from procrastinate import JobContext, RetryStrategy
from procrastinate.contrib.django.models import ProcrastinateJob
from procrastinate.exceptions import AlreadyEnqueued
from procrastinate.tasks import Task

from judgments.base.errors import JudgmentsError
from touchstone_core.formats.problems import FormatError

ATTEMPTS: Final = 3
RETRY: Final = RetryStrategy(max_attempts=ATTEMPTS, exponential_wait=3, retry_exceptions={OperationalError})
"""What the database refuses may pass by itself."""


def ask_worker(task: Task[..., Any, Any], job: dict[str, Any]) -> bool | None:
    """Queues a job unless it's queued; returns whether a worker runs it. None if it failed for the same state.

    Jobs with the same `job["question"]` are the same, whatever their `job["state"]` of the judgments. At most one of
    them waits, and it reads the judgments when it starts, so one that was queued at an earlier state serves. While a job
    for an earlier state runs, another one is queued behind it.
    """
    same_question = ProcrastinateJob.objects.filter(task_name=task.name, args__question=job["question"])
    open_or_same = same_question.filter(Q(status__in=("todo", "doing")) | Q(args__state=job["state"]))
    jobs = set(open_or_same.values_list("status", "args__state"))
    statuses = {status for status, _ in jobs}
    if not statuses <= {"todo", "doing"}:
        return None
    if "todo" not in statuses and ("doing", job["state"]) not in jobs:
        _defer(task, job)
    return "doing" in statuses


def is_asked(task: Task[..., Any, Any], question: str) -> bool:
    """Whether a worker is at it, or will be."""
    jobs = ProcrastinateJob.objects.filter(task_name=task.name, args__question=question)
    return jobs.filter(status__in=("todo", "doing")).exists()


def _defer(task: Task[..., Any, Any], job: dict[str, Any]) -> None:
    name = job["question"]
    ask = task.configure(queueing_lock=name, lock=name, priority=1)
    # The savepoint keeps the page's transaction if somebody else has just queued the job.
    with suppress(AlreadyEnqueued), transaction.atomic():
        ask.defer(**job)


@contextmanager
def kept_failures(
    context: JobContext, same_request: QuerySet[Any], give_up: Callable[..., object], note: str
) -> Iterator[None]:
    """What a job fails with within is kept by `give_up`, for a page; what may pass by itself is raised, to be tried again.

    `give_up` gets the sentence of the error as its `failure`, or `note` where it's a fault of ours, which is raised, too,
    for the log. Nothing is raised once `same_request` has no row, because it was cancelled.
    """
    try:
        yield
    except (FormatError, JudgmentsError) as error:
        give_up(failure=str(error))
    except Exception as error:
        is_cancelled = not same_request.exists()
        if context.task.get_retry_exception(error, context.job) is None:
            give_up(failure=note)
        if not is_cancelled:
            raise
