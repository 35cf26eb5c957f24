"""What a rater says of a pair, and takes back. Locks follow the order of `judgments.ingest`."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

from django.db import transaction
from django.db.models import F, Q

from judgments.actions.consensus import refresh_within
from judgments.actions.queue import LEASE, enter, locked_pair
from judgments.errors import JudgmentsError
from judgments.ingest import locks, slots
from judgments.models import (
    Judgment,
    JudgmentHistory,
    JudgmentList,
    ListQuery,
    Method,
    Pair,
    RaterQueue,
    Reason,
    Slot,
    SlotState,
    User,
)

MOST_MS = 2**31 - 1


class AnswerError(JudgmentsError):
    """An answer that is not on the scale, or none, or two."""


class RequestReusedError(JudgmentsError):
    def __init__(self) -> None:
        super().__init__("This answer was already used for another document. Load the page again.")


@dataclass(frozen=True, slots=True)
class Timing:
    """How an answer was given. `active_ms` counts a visible page up to a minute after the last input."""

    active_ms: int | None = None
    wall_ms: int | None = None
    method: str = Method.CLICK
    device: str = ""


@dataclass(frozen=True, slots=True)
class Recorded:
    """What became of an answer. `earlier` is set where it replaced another one of the same rater."""

    judgment: Judgment
    repeated: bool = False
    earlier: JudgmentHistory | None = None


@dataclass(frozen=True, slots=True)
class Undone:
    """What was taken back: the pair to judge again, or, where a change was, the judgment as it stands again."""

    pair_id: int
    restored: Judgment | None = None


@transaction.atomic
def record_judgment(
    *,
    user: User,
    judgment_list: JudgmentList,
    pair_id: int,
    request_id: UUID,
    at: datetime,
    value: float | None = None,
    reason: str = "",
    comment: str = "",
    timing: Timing | None = None,
) -> Recorded:
    """Saves one answer, a grade's value or a reason, and everything that follows from it.

    The same `request_id` twice changes nothing. A second answer replaces the first, which goes to the history.
    It is never refused because a lease ran out or the list is paused: where no slot is left it is marked extra.
    """
    locks.lock_list(judgment_list.pk, shared=True)
    queue = enter(user, judgment_list)
    pair = locked_pair(judgment_list, pair_id)
    _check_answer(judgment_list, value, reason)
    answer = {"value": value, "reason": reason, "comment": comment.strip()}
    known, mine = _known(request_id, pair, queue)
    if known is not None:
        return Recorded(known, repeated=True)
    details = (
        answer
        | _details(queue.judgment_list, timing or Timing())
        | {"request_id": request_id, "updated_at": at}
    )
    if mine is None:
        recorded = Recorded(_first_answer(queue, pair, details, at))
    else:
        recorded = Recorded(mine, earlier=_change(mine, details, at))
    refresh_within(judgment_list=queue.judgment_list, pair_ids=[pair.pk])
    if mine is None:
        _count(queue, pair, 1)
    return recorded


def _known(request_id: UUID, pair: Pair, queue: RaterQueue) -> tuple[Judgment | None, Judgment | None]:
    """The judgment that this very request made before, and the one that the rater has for the pair."""
    found = list(Judgment.objects.filter(Q(request_id=request_id) | Q(pair=pair, rater=queue.rater)))
    known = next((one for one in found if one.request_id == request_id), None)
    mine = next((one for one in found if (one.pair_id, one.rater_id) == (pair.pk, queue.rater_id)), None)
    if known is not None and known != mine:
        raise RequestReusedError
    return known, mine


def _first_answer(queue: RaterQueue, pair: Pair, details: Mapping[str, Any], at: datetime) -> Judgment:
    filled = slots.complete(pair_id=pair.pk, rater_id=queue.rater_id, at=at)
    return Judgment.objects.create(
        query_set_id=pair.query_set_id,
        judgment_list_id=pair.judgment_list_id,
        pair=pair,
        rater=queue.rater,
        extra=not filled,
        created_at=at,
        **details,
    )


def _change(mine: Judgment, details: Mapping[str, Any], at: datetime) -> JudgmentHistory:
    at = max(at, mine.created_at)  # two machines' clocks may differ
    earlier = _remember(mine, JudgmentHistory.Action.CHANGED, at)
    for name, value in details.items():
        setattr(mine, name, value)
    mine.updated_at = at
    mine.save(update_fields=list(details))
    return earlier


@transaction.atomic
def undo(*, user: User, judgment_list: JudgmentList, at: datetime) -> Undone | None:
    """Takes the rater's last act in this list back; None when there is nothing to undo.

    A first answer is withdrawn, and the pair kept for the same rater; an answer that replaced another one gives way to it
    again. What was undone stays in the history.
    """
    locks.lock_list(judgment_list.pk, shared=True)
    queue = enter(user, judgment_list)
    last = Judgment.objects.filter(judgment_list=judgment_list, rater=queue.rater).order_by("-id").first()
    if last is None:
        return None
    change = _standing_change(queue)
    if change is not None and change.replaced_at >= last.created_at:
        return _restore(queue, change, at)
    return _withdraw(queue, last, at)


def _standing_change(queue: RaterQueue) -> JudgmentHistory | None:
    """The rater's last change of an answer in this list, unless it was undone: then the judgment is newer than it."""
    last = (
        JudgmentHistory.objects.filter(
            rater=queue.rater, pair__judgment_list=queue.judgment_list, action=JudgmentHistory.Action.CHANGED
        )
        .order_by("-id")
        .first()
    )
    if last is None:
        return None
    now = Judgment.objects.filter(pair=last.pair_id, rater=queue.rater, updated_at=last.replaced_at)
    return last if now.exists() else None


def _restore(queue: RaterQueue, change: JudgmentHistory, at: datetime) -> Undone:
    pair = locked_pair(queue.judgment_list, change.pair_id)
    judgment = Judgment.objects.get(pair=pair, rater=queue.rater)
    _remember(judgment, JudgmentHistory.Action.WITHDRAWN, at)
    judgment.value, judgment.reason, judgment.comment = change.value, change.reason, change.comment
    judgment.updated_at = max(at, judgment.updated_at)
    judgment.save(update_fields=["value", "reason", "comment", "updated_at"])
    refresh_within(judgment_list=queue.judgment_list, pair_ids=[pair.pk])
    return Undone(pair.pk, restored=judgment)


def _withdraw(queue: RaterQueue, last: Judgment, at: datetime) -> Undone:
    pair = locked_pair(queue.judgment_list, last.pair_id)
    Slot.objects.filter(pair=pair, rater=queue.rater).update(state=SlotState.OPEN, lease_until=at + LEASE)
    _remember(last, JudgmentHistory.Action.WITHDRAWN, at)
    last.delete()
    refresh_within(judgment_list=queue.judgment_list, pair_ids=[pair.pk])
    _count(queue, pair, -1)
    return Undone(pair.pk)


def _check_answer(judgment_list: JudgmentList, value: float | None, reason: str) -> None:
    if (value is None) == (not reason):
        raise AnswerError("Choose one grade, or say why the document cannot be judged.")
    if value is None:
        if reason not in Reason.values:
            raise AnswerError(f"“{reason}” is no reason why a document cannot be judged.")
        return
    scale = judgment_list.scale
    if scale.continuous:
        if not scale.minimum <= value <= scale.maximum:
            raise AnswerError(f"The grade must lie between {scale.minimum:g} and {scale.maximum:g}.")
    elif value not in {grade.value for grade in scale.grades.all()}:
        raise AnswerError(f"{value:g} is not a grade of the scale “{scale.name}”.")


def _details(judgment_list: JudgmentList, timing: Timing) -> dict[str, Any]:
    return {
        "active_ms": _clipped(timing.active_ms),
        "wall_ms": _clipped(timing.wall_ms),
        "method": timing.method if timing.method in Method.values else Method.CLICK,
        "device": timing.device[:10],
        "guidelines_version": judgment_list.guidelines_version,
    }


def _clipped(milliseconds: int | None) -> int | None:
    return None if milliseconds is None else min(max(milliseconds, 0), MOST_MS)


def _remember(judgment: Judgment, action: JudgmentHistory.Action, at: datetime) -> JudgmentHistory:
    return JudgmentHistory.objects.create(
        query_set_id=judgment.query_set_id,
        pair_id=judgment.pair_id,
        rater_id=judgment.rater_id,
        action=action,
        value=judgment.value,
        reason=judgment.reason,
        comment=judgment.comment,
        answered_at=judgment.updated_at,
        replaced_at=at,
    )


def _count(queue: RaterQueue, pair: Pair, more: int) -> None:
    """Adds to the counts of the rater and, last, of the query. Who judges has had the guidelines on the page."""
    RaterQueue.objects.filter(pk=queue.pk).update(
        judgment_count=F("judgment_count") + more, guidelines_seen=queue.judgment_list.guidelines_version
    )
    ListQuery.objects.filter(judgment_list_id=pair.judgment_list_id, query_id=pair.query_id).update(
        judgment_count=F("judgment_count") + more
    )
