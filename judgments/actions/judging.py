"""What a rater does: take pairs, answer, undo, put off. Locks follow the order of `judgments.ingest`."""

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from operator import attrgetter
from typing import Any
from uuid import UUID

from django.db import transaction
from django.db.models import F, Q

from judgments.actions.consensus import refresh_within
from judgments.errors import JudgmentsError
from judgments.ingest import locks, slots
from judgments.models import (
    FREE,
    Judgment,
    JudgmentHistory,
    JudgmentList,
    ListQuery,
    Method,
    Pair,
    Rater,
    RaterQueue,
    Reason,
    Skip,
    Slot,
    SlotState,
    User,
)

LEASE = timedelta(minutes=15)
MOST_MS = 2**31 - 1
ORDER = attrgetter("order")


class NotAMemberError(JudgmentsError):
    """Someone judges a list of a query set that they do not belong to."""

    def __init__(self) -> None:
        super().__init__("You are not a member of the query set of this list.")


class UnknownPairError(JudgmentsError):
    def __init__(self) -> None:
        super().__init__("This pair is not in the list; it may have been removed.")


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


@transaction.atomic
def claim(
    *, user: User, judgment_list: JudgmentList, at: datetime, count: int = 5, with_skipped: bool = False
) -> list[slots.Held]:
    """Keeps up to `count` pairs for this rater for fifteen minutes, the next to judge first; empty when none is left.

    What the rater holds already comes first and is kept longer. Then follow the pairs of the current query, those
    put off last; then the next query that has any, around the end of the list once. `with_skipped` also returns to
    queries in which only pairs are left that this rater put off.
    """
    queue = _enter(user, judgment_list)
    if queue.judgment_list.paused:
        return []
    place = _place(queue, at)
    held = sorted(slots.renew(place), key=ORDER)
    position = held[0].position if held else queue.query_position
    if len(held) < count:
        more = slots.claim(place, position=position, limit=count - len(held))
        if not held and not more:
            position, more = _move_on(place, position, count, with_skipped)
        held = sorted(held + more, key=ORDER)
    if held and queue.query_position != held[0].position:
        queue.query_position = held[0].position
        queue.save(update_fields=["query_position"])
    return held


def _move_on(
    place: slots.Place, position: int, count: int, with_skipped: bool
) -> tuple[int, list[slots.Held]]:
    """The next query with a slot for this rater. Where another rater was faster, the one after."""
    for start, last in ((position, slots.LAST_POSITION), (-1, position)):
        after = start
        while True:
            found = slots.next_position(place, after=after, last=last, with_skipped=with_skipped)
            if found is None:
                break
            held = slots.claim(place, position=found, limit=count)
            if held:
                return found, held
            after = found
    return position, []


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
    queue = _enter(user, judgment_list)
    pair = _locked_pair(judgment_list, pair_id)
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
    earlier = _remember(mine, JudgmentHistory.Action.CHANGED, at)
    for name, value in details.items():
        setattr(mine, name, value)
    mine.updated_at = max(at, mine.created_at)  # two machines' clocks may differ
    mine.save(update_fields=list(details))
    return earlier


@transaction.atomic
def undo(*, user: User, judgment_list: JudgmentList, at: datetime) -> int | None:
    """Withdraws the rater's last judgment of this list and keeps the pair for the same rater again.

    Returns the pair's key, or None when there is nothing to undo. The answer stays in the history.
    """
    locks.lock_list(judgment_list.pk, shared=True)
    queue = _enter(user, judgment_list)
    last = Judgment.objects.filter(judgment_list=judgment_list, rater=queue.rater).order_by("-id").first()
    if last is None:
        return None
    pair = _locked_pair(judgment_list, last.pair_id)
    Slot.objects.filter(pair=pair, rater=queue.rater).update(state=SlotState.OPEN, lease_until=at + LEASE)
    _remember(last, JudgmentHistory.Action.WITHDRAWN, at)
    last.delete()
    refresh_within(judgment_list=queue.judgment_list, pair_ids=[pair.pk])
    _count(queue, pair, -1)
    return pair.pk


@transaction.atomic
def skip(*, user: User, judgment_list: JudgmentList, pair_id: int, at: datetime) -> None:
    """Puts a pair off to the end of its query, for this rater only; put off again, the whole query waits.

    The slot becomes free at once, so that another rater may take it.
    """
    locks.lock_list(judgment_list.pk, shared=True)
    queue = _enter(user, judgment_list)
    pair = _locked_pair(judgment_list, pair_id)
    _, first_time = Skip.objects.update_or_create(
        rater=queue.rater,
        pair=pair,
        defaults={"judgment_list": judgment_list, "query_id": pair.query_id, "at": at},
    )
    mine = Slot.objects.filter(judgment_list=judgment_list, rater=queue.rater, state=SlotState.OPEN)
    if first_time:
        mine.filter(pair=pair).update(rater=None, lease_until=FREE)
        return
    position = ListQuery.objects.get(judgment_list=judgment_list, query_id=pair.query_id).position
    mine.filter(query_position=position).update(rater=None, lease_until=FREE)
    RaterQueue.objects.filter(pk=queue.pk).update(query_position=position + 1)


def _enter(user: User, judgment_list: JudgmentList) -> RaterQueue:
    """The rater's place in the list with the list as it is now, made on the first visit, locked until the end.

    The seed follows from list and rater, so that the order of documents can be told again from the keys alone.
    """
    mine = RaterQueue.objects.filter(
        judgment_list__in=JudgmentList.objects.judgeable_by(user).filter(pk=judgment_list.pk),
        rater__user=user,
    ).select_related("rater", "judgment_list")
    queue = mine.select_for_update(no_key=True, of=("self",)).first()
    if queue is not None:
        return queue
    if not JudgmentList.objects.judgeable_by(user).filter(pk=judgment_list.pk).exists():
        raise NotAMemberError
    rater, _ = Rater.objects.get_or_create(
        query_set_id=judgment_list.query_set_id, user=user, defaults={"name": user.username}
    )
    RaterQueue.objects.get_or_create(
        judgment_list=judgment_list, rater=rater, defaults={"seed": _seed(judgment_list.pk, rater.pk)}
    )
    return mine.select_for_update(no_key=True, of=("self",)).get()


def _seed(list_id: int, rater_id: int) -> int:
    digest = hashlib.blake2b(f"{list_id} {rater_id}".encode(), digest_size=8).digest()
    return int.from_bytes(digest, "big", signed=True)


def _place(queue: RaterQueue, at: datetime) -> slots.Place:
    return slots.Place(queue.judgment_list_id, queue.rater_id, queue.seed, at, at + LEASE)


def _locked_pair(judgment_list: JudgmentList, pair_id: int) -> Pair:
    """Two raters' answers to one pair run one after the other, so that the consensus sees both."""
    pair = Pair.objects.select_for_update(no_key=True).filter(judgment_list=judgment_list, pk=pair_id).first()
    if pair is None:
        raise UnknownPairError
    return pair


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
