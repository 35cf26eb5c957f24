"""Figures that a worker makes while a page waits: asking for them once (ADR 20)."""

from contextlib import suppress
from typing import Any

from django.db import transaction
from django.db.models import Q
from procrastinate.contrib.django.models import ProcrastinateJob
from procrastinate.exceptions import AlreadyEnqueued
from procrastinate.tasks import Task


def ask_worker(task: Task[..., Any, Any], asked: dict[str, Any]) -> bool | None:
    """Asks for `asked` unless it is asked for; whether a worker is at it. None where one has tried and failed at this state.

    `asked["question"]` names the same for everybody who asks for it, whatever `asked["state"]` the judgments are in. One
    job of a question waits at most: it reads when it is begun, so that one which was asked for at an earlier state
    serves. Beside one that runs on such a state another one is asked for, and waits for it.
    """
    known = ProcrastinateJob.objects.filter(task_name=task.name, args__question=asked["question"])
    open_or_same = known.filter(Q(status__in=("todo", "doing")) | Q(args__state=asked["state"]))
    there = set(open_or_same.values_list("status", "args__state"))
    statuses = {status for status, _ in there}
    if not statuses <= {"todo", "doing"}:
        return None
    if "todo" not in statuses and ("doing", asked["state"]) not in there:
        _defer(task, asked)
    return "doing" in statuses


def _defer(task: Task[..., Any, Any], asked: dict[str, Any]) -> None:
    name = asked["question"]
    ask = task.configure(queueing_lock=name, lock=name, priority=1)
    with (
        suppress(AlreadyEnqueued),
        transaction.atomic(),
    ):  # a savepoint; somebody's whose job was not seen a moment before
        ask.defer(**asked)
