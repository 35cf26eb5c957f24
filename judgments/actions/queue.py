"""A rater's place in a list: which pairs are handed out next. Locks follow the order of `judgments.ingest`."""

import hashlib
from datetime import datetime, timedelta
from operator import attrgetter

from django.db import transaction

from judgments.errors import JudgmentsError
from judgments.ingest import locks, slots
from judgments.models import (
    FREE,
    JudgmentList,
    ListQuery,
    Pair,
    Rater,
    RaterQueue,
    Skip,
    Slot,
    SlotState,
    User,
)

LEASE = timedelta(minutes=15)
ORDER = attrgetter("order")


class NotAMemberError(JudgmentsError):
    """Someone judges a list of a query set that they do not belong to."""

    def __init__(self) -> None:
        super().__init__("You are not a member of the query set of this list.")


class UnknownPairError(JudgmentsError):
    def __init__(self) -> None:
        super().__init__("This pair is not in the list; it may have been removed.")


@transaction.atomic
def claim(
    *, user: User, judgment_list: JudgmentList, at: datetime, count: int = 5, with_skipped: bool = False
) -> list[slots.Held]:
    """Keeps up to `count` pairs for this rater for fifteen minutes, the next to judge first; empty when none is left.

    What the rater holds already comes first and is kept longer. Then follow the pairs of the current query, those
    put off last; then the next query that has any, around the end of the list once. `with_skipped` also returns to
    queries in which only pairs are left that this rater put off.
    """
    queue = enter(user, judgment_list)
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
def skip(*, user: User, judgment_list: JudgmentList, pair_id: int, at: datetime) -> None:
    """Puts a pair off to the end of its query, for this rater only; put off again, the whole query waits.

    The slot becomes free at once, so that another rater may take it.
    """
    locks.lock_list(judgment_list.pk, shared=True)
    queue = enter(user, judgment_list)
    pair = locked_pair(judgment_list, pair_id)
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


def enter(user: User, judgment_list: JudgmentList) -> RaterQueue:
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


def locked_pair(judgment_list: JudgmentList, pair_id: int) -> Pair:
    """Two raters' answers to one pair run one after the other, so that the consensus sees both."""
    pair = Pair.objects.select_for_update(no_key=True).filter(judgment_list=judgment_list, pk=pair_id).first()
    if pair is None:
        raise UnknownPairError
    return pair


def _place(queue: RaterQueue, at: datetime) -> slots.Place:
    return slots.Place(queue.judgment_list_id, queue.rater_id, queue.seed, at, at + LEASE)


def _seed(list_id: int, rater_id: int) -> int:
    digest = hashlib.blake2b(f"{list_id} {rater_id}".encode(), digest_size=8).digest()
    return int.from_bytes(digest, "big", signed=True)
