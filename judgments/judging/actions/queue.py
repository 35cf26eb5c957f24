"""A rater's place in a list: which pairs are handed out next. Locks follow the order of `judgments.base.sql`."""

import hashlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from types import EllipsisType
from typing import cast
from uuid import UUID

from django.db import transaction
from django.db.models import QuerySet

from judgments.base.errors import ArchivedError, JudgmentsError
from judgments.judging.actions import gold, repeats
from judgments.judging.actions.rounds import further_queries
from judgments.judging.reports.handing_out import allowance
from judgments.judging.sql import draws, slots, visits
from judgments.models import (
    GoldDraw,
    JudgmentList,
    ListQuery,
    Pair,
    Rater,
    RaterQueue,
    RepeatDraw,
    Skip,
    Slot,
    SlotState,
    User,
)

LEASE = timedelta(minutes=15)
PLACE_FIELDS = ("query_position", "round_since", "round_position", "round_over")


class NotAMemberError(JudgmentsError):
    """Someone judges a list of a query set that they do not belong to."""

    def __init__(self) -> None:
        super().__init__("You are not a member of the query set of this list.")


class UnknownPairError(JudgmentsError):
    """A pair that is not in the list, or that this rater was never handed: nobody learns which."""

    def __init__(self) -> None:
        super().__init__(
            "This document is not yours to judge: it was never handed to you, or it was removed from the list. "
            "Go on with the next one."
        )


@dataclass(frozen=True, slots=True)
class Handed:
    """A pair that a rater holds: number `number` of `documents` in the query at `position`. Does not tell gold pairs.

    `repeat` is the card of a pair that the rater has judged before, for the server only.
    """

    pair_id: int
    position: int
    number: int
    documents: int
    practice: bool = False
    repeat: UUID | None = None


@transaction.atomic
def claim(
    *,
    user: User,
    judgment_list: JudgmentList,
    at: datetime,
    count: int = 5,
    with_skipped: bool = False,
    ahead: bool = True,
    with_repeats: bool = True,
) -> list[Handed]:
    """Keeps up to `count` pairs for this rater for fifteen minutes, the next to judge first; empty when none is left.

    What the rater holds already comes first and is kept longer. Then follow the pairs of the current query, those
    put off last; then those of the next queries, so that a change of query can be prefetched. `with_skipped` also
    returns to queries in which only pairs are left that this rater put off. Practice comes before all else. Where it
    is not to look `ahead`, no further query is begun while there is something of one. Repeats come `with_repeats` only:
    a page that shows the rater's own answers has no use for them.
    """
    try:
        queue = enter(user, judgment_list)
    except ArchivedError:
        return []
    allowed = allowance(queue.judgment_list, user, queue.judgment_count)
    if queue.judgment_list.paused or allowed.reason:
        return []
    place = _place(queue, at)
    if practice := gold.practice(queue, place, count):
        return _handed(place, practice)
    before = [getattr(queue, name) for name in PLACE_FIELDS]
    held = _filled(queue, place, count, allowed.left, with_skipped, ahead, with_repeats)
    if [getattr(queue, name) for name in PLACE_FIELDS] != before:
        queue.save(update_fields=PLACE_FIELDS)
    return _handed(place, held)


def _filled(
    queue: RaterQueue,
    place: slots.Place,
    count: int,
    left: int | None,
    with_skipped: bool,
    ahead: bool,
    with_repeats: bool,
) -> list[slots.Held]:
    """What the rater holds and as much more as makes `count`, in order; `left` at most, gold and repeats beside `count`.

    Moves the queue to the query of the first.
    """
    most = count if left is None else min(count, left)
    known = slots.held(place) + gold.drawn(queue, place)
    if with_repeats:
        known += repeats.waiting(queue, place)
    fresh: list[slots.Held] = []
    if len(known) < most:
        for position in _queries(queue, place, known, with_skipped):
            fresh += slots.claim(place, position=position, limit=most - len(known) - len(fresh))
            if len(known) + len(fresh) >= most or (not ahead and (known or fresh)):
                break
    held = _in_order(queue, known + fresh)
    if fresh and queue.judgment_list.gold_rate:
        fresh += gold.mix_in(queue, place, held, {one.pair_id for one in fresh})
        held = _in_order(queue, known + fresh)
    if fresh and with_repeats and queue.judgment_list.repeat_rate:
        held += repeats.mix_in(queue, place, held, {one.pair_id for one in fresh})
        held = _in_order(queue, held)
    return held if left is None else held[: max(left, len(known))]


def _queries(
    queue: RaterQueue, place: slots.Place, held: Sequence[slots.Held], with_skipped: bool
) -> Iterator[int]:
    """The current query, those that the rater holds something of, then further ones.

    Who holds nothing of a slot may have answered all at once, and goes on with the query begun last, unless a query was
    put off.
    """
    yield queue.query_position
    others = {one.query_position for one in held if not one.drawn}
    if not others and queue.round_since and queue.query_position > slots.START:
        others = {queue.round_position}
    yield from sorted(others - {queue.query_position})
    yield from further_queries(queue, place, idle=not held, with_skipped=with_skipped)


def _in_order(queue: RaterQueue, held: Sequence[slots.Held]) -> list[slots.Held]:
    """The current query, then what was drawn of other queries, then the other queries as they stand in the list."""
    here = queue.query_position

    def order(one: slots.Held) -> tuple[object, ...]:
        if one.query_position == here:
            return 0, here, *one.order
        return 1 if one.drawn else 2, one.query_position, *one.order

    ordered = sorted(held, key=order)
    if ordered and not ordered[0].drawn:
        queue.query_position = ordered[0].query_position
    return ordered


def _handed(place: slots.Place, held: Sequence[slots.Held]) -> list[Handed]:
    """Adds where each document stands in its query."""
    positions = [one.query_position % 2**32 for one in held]  # less the priority
    known = draws.numbers(place, positions) if held else {}
    handed = []
    for one, position in zip(held, positions, strict=True):
        documents, judged = known[position]
        number = min(judged + 1, documents)
        if one.repeat is None:
            known[position] = documents, number
        handed.append(Handed(one.pair_id, position, number, documents, one.practice, one.repeat))
    return handed


@transaction.atomic
def renew(*, user: User, judgment_list: JudgmentList, pair_ids: Sequence[int], at: datetime) -> set[int]:
    """The heartbeat of the rating screen: which of these pairs are still this rater's, for fifteen minutes more.

    A lease that ran out counts as long as nobody else has taken the pair over. Judged pairs are not among them.
    """
    try:
        queue = enter(user, judgment_list)
    except ArchivedError:
        return set()
    mine = slots.renew(_place(queue, at), pair_ids)
    drawn = GoldDraw.objects.filter(rater=queue.rater, pair__in=pair_ids, answered=False)
    repeat_draws = RepeatDraw.objects.waiting().filter(rater=queue.rater, pair__in=pair_ids)
    return mine.union(drawn.values_list("pair_id", flat=True), repeat_draws.values_list("pair_id", flat=True))


@transaction.atomic
def skip(
    *,
    user: User,
    judgment_list: JudgmentList,
    pair_id: int,
    at: datetime,
    before: datetime | EllipsisType | None = ...,
    card: UUID | None = None,
) -> None:
    """Puts a pair off to the end of its query, for this rater only; put off again, the whole query waits.

    The slot becomes free at once, so that another rater may take it. `before` is when the pair had been put off last
    as far as the rater saw (None: never). Where that is not so any more, the request has come before, or from a tab
    that is behind: it changes nothing. Where the `card` shows a repeat, that doesn't come again.
    """
    queue, pair = enter_with_pair(user, judgment_list, pair_id)
    if card is not None and repeats.put_off(queue, pair, card, at):
        return
    skipped = Skip.objects.filter(rater=queue.rater, pair=pair)
    last = skipped.values_list("at", flat=True).first()
    if before is not ... and before != last:
        return
    mine = Slot.objects.filter(judgment_list=judgment_list, rater=queue.rater, state=SlotState.OPEN)
    if last is None:
        Skip.objects.create(
            rater=queue.rater, pair=pair, judgment_list=judgment_list, query_id=pair.query_id, at=at
        )
        let_go(mine.filter(pair=pair), at)
        return
    skipped.update(at=at)
    row = ListQuery.objects.get(judgment_list=judgment_list, query_id=pair.query_id)
    position = row.position - (row.priority << 32)
    let_go(mine.filter(query_position=position), at)
    GoldDraw.objects.filter(rater=queue.rater, query_position=position, answered=False).delete()
    slots.return_query(_place(queue, at), position)
    RaterQueue.objects.filter(pk=queue.pk).update(query_position=slots.START)


def let_go(held: QuerySet[Slot], at: datetime) -> int:
    """Frees open slots, or removes those that are not wanted any more; how many. For actions."""
    removed, _ = held.filter(surplus=True).delete()
    return removed + held.update(rater=None, lease_until=at)


def enter(user: User, judgment_list: JudgmentList) -> RaterQueue:
    """The rater's place in the list with the list as it is now, made on the first visit, locked until the end."""
    visit = visit_of(user, judgment_list)
    return at_work(visit.enter()) or arrived(visit, user, judgment_list)


def enter_with_list(user: User, judgment_list: JudgmentList) -> RaterQueue:
    """The same, while nothing that concerns the whole list may happen until the end."""
    visit = visit_of(user, judgment_list)
    return at_work(visit.enter_with_list()) or arrived(visit, user, judgment_list)


def enter_with_pair(user: User, judgment_list: JudgmentList, pair_id: int) -> tuple[RaterQueue, Pair]:
    """The same, with a pair that the rater was handed or has judged, locked until the end. Raises UnknownPairError."""
    visit = visit_of(user, judgment_list)
    queue, pair = visit.enter_with_pair(pair_id)
    queue = at_work(queue) or arrived(visit, user, judgment_list)
    if pair is None:
        raise UnknownPairError
    return queue, pair


def at_work(queue: RaterQueue | None) -> RaterQueue | None:
    """The place as it is, unless nothing may change in its query set any more."""
    if queue is not None and queue.judgment_list.query_set.archived_at is not None:
        raise ArchivedError
    return queue


def visit_of(user: User, judgment_list: JudgmentList) -> visits.Visit:
    return visits.Visit(list_id=judgment_list.pk, user_id=user.pk, everywhere=user.is_superuser)


def arrived(visit: visits.Visit, user: User, judgment_list: JudgmentList) -> RaterQueue:
    """The place, locked, of a rater who had none.

    The seed follows from list and rater, so that the order of documents can be told again from the keys alone.
    """
    lists = JudgmentList.objects.judgeable_by(user).filter(pk=judgment_list.pk)
    archived = lists.values_list("query_set__archived_at", flat=True)
    if not archived:
        raise NotAMemberError
    if archived[0] is not None:
        raise ArchivedError
    rater, _ = Rater.objects.get_or_create(
        query_set_id=judgment_list.query_set_id, user=user, defaults={"name": user.username}
    )
    RaterQueue.objects.get_or_create(
        judgment_list=judgment_list, rater=rater, defaults={"seed": _seed(judgment_list.pk, rater.pk)}
    )
    return cast(RaterQueue, visit.enter())


def locked_pair(judgment_list: JudgmentList, pair_id: int) -> Pair:
    """Two raters' answers to one pair run one after the other, so that the consensus sees both."""
    pair = visits.locked_pair(list_id=judgment_list.pk, pair_id=pair_id)
    if pair is None:
        raise UnknownPairError
    return pair


def _place(queue: RaterQueue, at: datetime) -> slots.Place:
    return slots.Place(queue.judgment_list_id, queue.rater_id, queue.seed, at, at + LEASE)


def _seed(list_id: int, rater_id: int) -> int:
    digest = hashlib.blake2b(f"{list_id} {rater_id}".encode(), digest_size=8).digest()
    return int.from_bytes(digest, "big", signed=True)
