"""Which pairs a list has, in which order they're judged, and how many judgments each still requires."""

from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from typing import Any

from django.db import transaction
from django.utils import timezone

from judgments.base.errors import JudgmentsError
from judgments.base.sql import locks
from judgments.lists.sql import pairs as sql
from judgments.lists.sql import required_slots
from judgments.log.actions import readable_fields, record_act
from judgments.models import MAX_OVERLAP, PAIR_KEYS, JudgmentList, RaterQueue, Verb

LEAST_PRIORITY, MOST_PRIORITY = -100, 100
RATERS_PER_PAIR = ("overlap", "adaptive_step", "overlap_most")


class ForeignPairError(JudgmentsError):
    """A pair names a query or a document outside the list's query set."""

    def __init__(self, count: int) -> None:
        pairs = "1 pair names" if count == 1 else f"{count:,} pairs name"
        super().__init__(f"{pairs} a query or a document that is not in the query set of this list.")


class OverlapError(JudgmentsError):
    """The number of raters per pair is out of range."""

    def __init__(self, overlap: int) -> None:
        super().__init__(f"The overlap is {overlap}, but it must be between 1 and {MAX_OVERLAP}.")


class AdaptiveError(JudgmentsError):
    """The rule for additional raters makes no sense."""


class PriorityError(JudgmentsError):
    def __init__(self, priority: int) -> None:
        super().__init__(
            f"The priority is {priority}, but it must be between {LEAST_PRIORITY} and {MOST_PRIORITY}."
        )


@transaction.atomic
def add_pairs(
    *,
    judgment_list: JudgmentList,
    pairs: Iterable[tuple[int, int]],
    priority: int = 0,
    source: Mapping[str, Any] | None = None,
) -> int:
    """Adds pairs of (query key, document key) that the list lacks; returns how many. The log keeps their `source`.

    Queries join the list in the order in which they first appear. Takes any number of pairs in bounded memory. Holds the
    lock on the list until the transaction ends.
    """
    check_priority(priority)
    locks.lock_list(judgment_list.pk)
    judgment_list.refresh_from_db(fields=["overlap"])
    sql.bring_in(pairs)
    if foreign := sql.count_foreign(judgment_list.query_set_id):
        raise ForeignPairError(foreign)
    queries = sql.incoming_queries() if priority else []
    added = sql.add_incoming(
        query_set_id=judgment_list.query_set_id,
        list_id=judgment_list.pk,
        overlap=judgment_list.overlap,
        priority=priority,
    )
    sql.count_added(list_id=judgment_list.pk, overlap=judgment_list.overlap)
    if queries:
        sql.order_queries(list_id=judgment_list.pk, query_ids=queries)
    if added:
        begin_rounds_anew(judgment_list)
        facts = {"pairs": added} | ({"priority": priority} if priority else {}) | dict(source or {})
        facts[PAIR_KEYS] = sql.keys_added()
        record_act(Verb.PAIRS_ADDED, f"list {judgment_list}", judgment_list=judgment_list, after=facts)
    return added


@transaction.atomic
def set_overlap(*, judgment_list: JudgmentList, overlap: int, at: datetime | None = None) -> None:
    """Sets the raters per pair. Raising adds slots; lowering removes free ones at once, and held ones as soon as they are free."""
    check_overlap(overlap)
    locks.lock_list(judgment_list.pk)
    before = readable_fields(judgment_list, *RATERS_PER_PAIR)
    judgment_list.overlap = overlap
    if judgment_list.overlap_most is not None:
        judgment_list.overlap_most = max(judgment_list.overlap_most, overlap)
    judgment_list.save(update_fields=["overlap", "overlap_most"])
    settle(judgment_list, at=at)
    record_change(judgment_list, before)


@transaction.atomic
def set_adaptive(
    *, judgment_list: JudgmentList, step: float | None, most: int | None, at: datetime | None = None
) -> None:
    """Adds a rater, up to `most`, where fewer than `overlap` grades lie within less than `step` of each other.

    On a nominal scale any two grades differ. Without a step the overlap alone counts. Also applies to earlier judgments.
    """
    if step is not None:
        if step <= 0:
            raise AdaptiveError("The difference must be more than 0.")
        if most is None or not judgment_list.overlap < most <= MAX_OVERLAP:
            raise AdaptiveError(
                f"Say how many raters at most: more than the overlap of {judgment_list.overlap}, and {MAX_OVERLAP} at most."
            )
    locks.lock_list(judgment_list.pk)
    before = readable_fields(judgment_list, *RATERS_PER_PAIR)
    judgment_list.adaptive_step, judgment_list.overlap_most = step, None if step is None else most
    judgment_list.save(update_fields=["adaptive_step", "overlap_most"])
    settle(judgment_list, at=at)
    record_change(judgment_list, before)


def record_change(judgment_list: JudgmentList, before: Mapping[str, Any]) -> None:
    """Records the fields that `before` has, as they were and as they are now."""
    after = readable_fields(judgment_list, *before)
    record_act(Verb.CHANGED, f"list {judgment_list}", judgment_list=judgment_list, before=before, after=after)


def settle(
    judgment_list: JudgmentList, *, at: datetime | None = None, pair_ids: Sequence[int] | None = None
) -> None:
    """Makes open slots and counts follow the list's settings. For actions that hold the list's lock."""
    settle_slots(judgment_list, at=at or timezone.now(), pair_ids=pair_ids)
    required_slots.recount(list_id=judgment_list.pk, pair_ids=pair_ids)
    begin_rounds_anew(judgment_list)


def settle_slots(judgment_list: JudgmentList, *, at: datetime, pair_ids: Sequence[int] | None) -> None:
    """As `settle`, for slots alone: writes no rows of other pairs, so that their raters needn't wait."""
    required_slots.settle(judgment_list, at=at, pair_ids=pair_ids)


def begin_rounds_anew(judgment_list: JudgmentList) -> None:
    """Sends each rater through the list from its start after the current query, because many slots came or moved."""
    RaterQueue.objects.filter(judgment_list=judgment_list).update(round_since=None, round_over=False)


def check_overlap(overlap: int) -> None:
    """Raises OverlapError if no list can have so many raters per pair."""
    if not 1 <= overlap <= MAX_OVERLAP:
        raise OverlapError(overlap)


def check_priority(priority: int) -> None:
    """Raises PriorityError if the priority is out of range."""
    if not LEAST_PRIORITY <= priority <= MOST_PRIORITY:
        raise PriorityError(priority)
