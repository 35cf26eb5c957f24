"""A rater's queue in a list: which pairs come next. Locks follow the order of `judgments.base.sql`."""

import hashlib
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from datetime import datetime, timedelta
from functools import partial
from types import EllipsisType
from typing import cast
from uuid import UUID

from django.db import transaction

from judgments.base.errors import ArchivedError, JudgmentsError
from judgments.judging.actions import gold, repeats
from judgments.judging.reports.own_share import allowance
from judgments.judging.sql import draws, slots, visits
from judgments.judging.sql.slots import HeldPair
from judgments.judging.sql.visits import Visit
from judgments.lists.actions.held_slots import let_go
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
AGAIN = timedelta(minutes=2)
MARGIN = timedelta(minutes=10)
"""The clocks of two machines may differ, and a slow transaction commits after the time that it wrote."""
PLACE_FIELDS = ("query_position", "round_since", "round_position", "round_over")


class NotAMemberError(JudgmentsError):
    """Somebody judges a list of a query set without being a member."""

    sentence = "You are not a member of the query set of this list."


class UnknownPairError(JudgmentsError):
    """A pair that isn't in the list, or that this rater was never handed. The message doesn't tell which."""

    sentence = (
        "This document isn’t yours to judge: it was never handed to you, or it was removed from the list. "
        "Continue with the next one."
    )


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
) -> list[HeldPair]:
    """Leases up to `count` pairs to this rater for fifteen minutes, the next to judge first; empty if none is left.

    Pairs that the rater already holds come first, with renewed leases. Then come pairs of the current query, skipped
    ones last, and those of the next queries, so that the browser can prefetch them. `with_skipped` also returns to
    queries of which only skipped pairs are left. Practice comes before everything else. Unless it may look `ahead`, no
    further query is begun while any pair of one is left. Hidden repeats come only `with_repeats`: a page that shows the
    rater's own answers would give them away.
    """
    try:
        queue = enter(user, judgment_list)
    except ArchivedError:
        return []
    quota = allowance(queue.judgment_list, user, queue.judgment_count)
    if queue.judgment_list.paused or quota.reason:
        return []
    place = _place(queue, at)
    if practice := gold.practice(queue, place, count):
        return _number(place, practice)
    before = [getattr(queue, name) for name in PLACE_FIELDS]
    pairs = _fill(queue, place, count, quota.remaining, with_skipped, ahead, with_repeats)
    if [getattr(queue, name) for name in PLACE_FIELDS] != before:
        queue.save(update_fields=PLACE_FIELDS)
    return _number(place, pairs)


def _fill(
    queue: RaterQueue,
    place: slots.Place,
    count: int,
    remaining: int | None,
    with_skipped: bool,
    ahead: bool,
    with_repeats: bool,
) -> list[HeldPair]:
    """The pairs that the rater holds, filled up to `count` but not beyond `remaining`, in order. Gold and repeats are extra.

    Moves the queue to the query of the first pair.
    """
    most = count if remaining is None else min(count, remaining)
    held_pairs = slots.renew_all(place) + gold.waiting_gold_pairs(queue, place)
    if with_repeats:
        held_pairs += repeats.waiting_repeats(queue, place)
    fresh: list[HeldPair] = []
    if len(held_pairs) < most:
        for position in _queries(queue, place, held_pairs, with_skipped):
            fresh += slots.claim(place, position=position, limit=most - len(held_pairs) - len(fresh))
            if len(held_pairs) + len(fresh) >= most or (not ahead and (held_pairs or fresh)):
                break
    pairs = _in_order(queue, held_pairs + fresh)
    if fresh and queue.judgment_list.gold_rate:
        fresh += gold.mix_in(queue, place, pairs, {pair.pair_id for pair in fresh})
        pairs = _in_order(queue, held_pairs + fresh)
    if fresh and with_repeats and queue.judgment_list.repeat_rate:
        pairs += repeats.mix_in(queue, place, pairs, {pair.pair_id for pair in fresh})
        pairs = _in_order(queue, pairs)
    return pairs if remaining is None else pairs[: max(remaining, len(held_pairs))]


def _queries(
    queue: RaterQueue, place: slots.Place, held_pairs: Sequence[HeldPair], with_skipped: bool
) -> Iterator[int]:
    """Positions of the current query, of those of which the rater holds a pair, then of further ones.

    A rater without a slot may have sent all answers at once, and continues with the query that was begun last, unless it
    was skipped.
    """
    yield queue.query_position
    others = {pair.query_position for pair in held_pairs if not pair.is_draw}
    if not others and queue.round_since and queue.query_position > slots.START:
        others = {queue.round_position}
    yield from sorted(others - {queue.query_position})
    yield from _further_queries(queue, place, idle=not held_pairs, with_skipped=with_skipped)


def _further_queries(
    queue: RaterQueue, place: slots.Place, *, idle: bool, with_skipped: bool
) -> Iterator[int]:
    """Positions of queries with a slot for this rater, the next first. Moves the queue's round on, unsaved.

    A round runs once from the first query to the last. Slots that become free behind the rater are found by the time when
    they did, so that nothing is scanned twice: the cost of a claim depends on what happened since the round began, not on
    the length of the list. A rater with nothing left (`idle`) starts a new round now and then, for slots that were missed,
    such as one that another transaction had locked and released.
    """
    due = idle and queue.round_over and place.at - (queue.round_since or place.at) > AGAIN
    if queue.round_since is None or due:
        queue.round_since, queue.round_position, queue.round_over = place.at, slots.START, False
    if not queue.round_over:
        for position in _positions(slots.next_position, place, queue.round_position):
            queue.round_position = position
            yield position
        queue.round_over = True
    since = queue.round_since - MARGIN
    yield from _positions(partial(slots.returned_position, since=since), place)
    if with_skipped:
        yield from _positions(slots.skipped_position, place)


def _positions(
    position_after: Callable[..., int | None], place: slots.Place, after: int | None = slots.START
) -> Iterator[int]:
    while (after := position_after(place, after=after)) is not None:
        yield after


def _in_order(queue: RaterQueue, pairs: Sequence[HeldPair]) -> list[HeldPair]:
    """The current query, then pairs drawn from other queries, then the other queries in the order of the list."""
    here = queue.query_position

    def order(pair: HeldPair) -> tuple[object, ...]:
        if pair.query_position == here:
            return 0, here, *pair.order
        return 1 if pair.is_draw else 2, pair.query_position, *pair.order

    pairs = sorted(pairs, key=order)
    if pairs and not pairs[0].is_draw:
        queue.query_position = pairs[0].query_position
    return pairs


def _number(place: slots.Place, pairs: Sequence[HeldPair]) -> list[HeldPair]:
    """Adds the number of each document in its query. A repeat isn't counted."""
    progress = draws.progress(place, [pair.position for pair in pairs]) if pairs else {}
    numbered_pairs = []
    for pair in pairs:
        documents, judged = progress[pair.position]
        number = min(judged + 1, documents)
        if pair.repeat is None:
            progress[pair.position] = documents, number
        numbered_pairs.append(replace(pair, number=number, documents=documents))
    return numbered_pairs


@transaction.atomic
def renew(*, user: User, judgment_list: JudgmentList, pair_ids: Sequence[int], at: datetime) -> set[int]:
    """The heartbeat of the rating screen: renews the leases of these pairs, and returns those that are still this rater's.

    A lease that ran out is renewed unless somebody else has taken the pair over. Judged pairs are left out.
    """
    try:
        queue = enter(user, judgment_list)
    except ArchivedError:
        return set()
    mine = slots.renew(_place(queue, at), pair_ids)
    gold_draws = GoldDraw.objects.filter(rater=queue.rater, pair__in=pair_ids, answered=False)
    repeat_draws = RepeatDraw.objects.waiting().filter(rater=queue.rater, pair__in=pair_ids)
    return mine.union(*(draws.values_list("pair_id", flat=True) for draws in (gold_draws, repeat_draws)))


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
    """Puts a pair off to the end of its query, for this rater only. The second time, the whole query is put off.

    The slot becomes free at once, so that another rater may take it. `before` is when the rater saw the pair put off
    last (None: never). If that is outdated, the request is a repetition or comes from an old tab, and changes nothing.
    If the `card` shows a repeat, the repeat doesn't come again.
    """
    queue, pair = enter_with_pair(user, judgment_list, pair_id)
    if card is not None and repeats.put_off(queue, pair, card, at):
        return
    skips = Skip.objects.filter(rater=queue.rater, pair=pair)
    last = skips.values_list("at", flat=True).first()
    if before is not ... and before != last:
        return
    mine = Slot.objects.filter(judgment_list=judgment_list, rater=queue.rater, state=SlotState.OPEN)
    if last is None:
        Skip.objects.create(
            rater=queue.rater, pair=pair, judgment_list=judgment_list, query_id=pair.query_id, at=at
        )
        let_go(mine.filter(pair=pair), at)
        return
    skips.update(at=at)
    row = ListQuery.objects.get(judgment_list=judgment_list, query_id=pair.query_id)
    position = row.position - (row.priority << 32)
    let_go(mine.filter(query_position=position), at)
    GoldDraw.objects.filter(rater=queue.rater, query_position=position, answered=False).delete()
    slots.return_query(_place(queue, at), position)
    RaterQueue.objects.filter(pk=queue.pk).update(query_position=slots.START)


def enter(user: User, judgment_list: JudgmentList) -> RaterQueue:
    """The rater's place with the current list, created on the first visit, locked until the transaction ends."""
    visit = Visit(user, judgment_list)
    return unless_archived(visit.enter()) or first_place(visit, user, judgment_list)


def enter_with_list(user: User, judgment_list: JudgmentList) -> RaterQueue:
    """The same, with a lock that keeps out changes of the whole list."""
    visit = Visit(user, judgment_list)
    return unless_archived(visit.enter_with_list()) or first_place(visit, user, judgment_list)


def enter_with_pair(user: User, judgment_list: JudgmentList, pair_id: int) -> tuple[RaterQueue, Pair]:
    """The same, with a pair that the rater was handed or has judged, also locked. Raises UnknownPairError."""
    visit = Visit(user, judgment_list)
    queue, pair = visit.enter_with_pair(pair_id)
    queue = unless_archived(queue) or first_place(visit, user, judgment_list)
    if pair is None:
        raise UnknownPairError
    return queue, pair


def unless_archived(queue: RaterQueue | None) -> RaterQueue | None:
    """The same place. Raises ArchivedError if its query set is archived."""
    if queue is not None and queue.judgment_list.query_set.archived_at is not None:
        raise ArchivedError
    return queue


def first_place(visit: Visit, user: User, judgment_list: JudgmentList) -> RaterQueue:
    """Creates the place of a rater who had none, and locks it.

    The seed depends only on list and rater, so that the order of documents can be reproduced from the keys.
    """
    lists = JudgmentList.objects.judgeable_by(user).filter(pk=judgment_list.pk)
    archive_times = lists.values_list("query_set__archived_at", flat=True)
    if not archive_times:
        raise NotAMemberError
    if archive_times[0] is not None:
        raise ArchivedError
    rater, _ = Rater.objects.get_or_create(
        query_set_id=judgment_list.query_set_id, user=user, defaults={"name": user.username}
    )
    RaterQueue.objects.get_or_create(
        judgment_list=judgment_list, rater=rater, defaults={"seed": _seed(judgment_list.pk, rater.pk)}
    )
    return cast(RaterQueue, visit.enter())


def locked_pair(judgment_list: JudgmentList, pair_id: int) -> Pair:
    """Locks the pair: two raters' answers to it are saved one after the other, so that the consensus sees both."""
    pair = visits.locked_pair(list_id=judgment_list.pk, pair_id=pair_id)
    if pair is None:
        raise UnknownPairError
    return pair


def _place(queue: RaterQueue, at: datetime) -> slots.Place:
    return slots.Place(queue.judgment_list_id, queue.rater_id, queue.seed, at, at + LEASE)


def _seed(list_id: int, rater_id: int) -> int:
    digest = hashlib.blake2b(f"{list_id} {rater_id}".encode(), digest_size=8).digest()
    return int.from_bytes(digest, "big", signed=True)
