"""Asks a worker once for figures that a page waits for (ADR 20)."""

from contextlib import suppress
from typing import Any

from django.db import transaction
from django.db.models import Q
from procrastinate.contrib.django.models import ProcrastinateJob
from procrastinate.exceptions import AlreadyEnqueued
from procrastinate.tasks import Task


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


def _defer(task: Task[..., Any, Any], job: dict[str, Any]) -> None:
    name = job["question"]
    ask = task.configure(queueing_lock=name, lock=name, priority=1)
    # The savepoint keeps the page's transaction if somebody else has just queued the job.
    with suppress(AlreadyEnqueued), transaction.atomic():
        ask.defer(**job)
