"""Which pairs a list judges, in which order, and how many judgments of each are still wanted."""

from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from typing import Any

from django.db import transaction
from django.utils import timezone

from judgments.base.errors import JudgmentsError
from judgments.base.sql import locks
from judgments.lists.sql import pairs as sql
from judgments.lists.sql import wanted
from judgments.log.actions import readable_fields, record_act
from judgments.models import FREE, MAX_OVERLAP, JudgmentList, Level, RaterQueue, Verb

LEAST_PRIORITY, MOST_PRIORITY = -100, 100
RATERS_PER_PAIR = ("overlap", "adaptive_step", "overlap_most")
TINY = 1e-9
"""Grades are stored as floats: a step of 0.1 must hold between 0.3 and 0.2 as well."""


class ForeignPairError(JudgmentsError):
    """A pair names a query or a document that is not in the list's query set."""

    def __init__(self, count: int) -> None:
        pairs = "1 pair names" if count == 1 else f"{count:,} pairs name"
        super().__init__(f"{pairs} a query or a document that is not in the query set of this list.")


class OverlapError(JudgmentsError):
    """The overlap is out of range."""

    def __init__(self, overlap: int) -> None:
        super().__init__(f"The overlap is {overlap}; it must lie between 1 and {MAX_OVERLAP}.")


class AdaptiveError(JudgmentsError):
    """The rule for further raters makes no sense."""


class PriorityError(JudgmentsError):
    def __init__(self, priority: int) -> None:
        super().__init__(
            f"The priority is {priority}; it must lie between {LEAST_PRIORITY} and {MOST_PRIORITY}."
        )


@transaction.atomic
def add_pairs(
    *,
    judgment_list: JudgmentList,
    pairs: Iterable[tuple[int, int]],
    priority: int = 0,
    source: Mapping[str, Any] | None = None,
) -> int:
    """Adds pairs of (query key, document key) to the list; known ones are left alone. Returns how many are new. The log keeps the
    `source` that they came from.

    Queries join the list in the order in which they first appear. Takes any number of pairs in bounded memory.
    Waits for, and then holds up, whatever else changes this list until the transaction ends.
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
        record_act(Verb.PAIRS_ADDED, f"list {judgment_list}", judgment_list=judgment_list, after=facts)
    return added


@transaction.atomic
def set_priority(*, judgment_list: JudgmentList, pair_ids: Sequence[int], priority: int) -> None:
    """Pairs of higher priority come first within their query, and queries that have some before other queries.

    A rater finishes the query on the screen, and what is prefetched, before the change is felt.
    """
    check_priority(priority)
    locks.lock_list(judgment_list.pk)
    queries = sql.set_priority(list_id=judgment_list.pk, pair_ids=pair_ids, priority=priority)
    if queries:
        sql.order_queries(list_id=judgment_list.pk, query_ids=queries)
        begin_rounds_anew(judgment_list)
        facts = {"pairs": len(set(pair_ids)), "queries": len(queries), "priority": priority}
        record_act(Verb.PRIORITY_SET, f"list {judgment_list}", judgment_list=judgment_list, after=facts)


@transaction.atomic
def set_overlap(*, judgment_list: JudgmentList, overlap: int, at: datetime | None = None) -> None:
    """Raising adds slots; lowering removes free ones at once, and those that a rater holds as soon as they are free."""
    if not 1 <= overlap <= MAX_OVERLAP:
        raise OverlapError(overlap)
    locks.lock_list(judgment_list.pk)
    before = readable_fields(judgment_list, *RATERS_PER_PAIR)
    judgment_list.overlap = overlap
    if judgment_list.overlap_most is not None:
        judgment_list.overlap_most = max(judgment_list.overlap_most, overlap)
    judgment_list.save(update_fields=["overlap", "overlap_most"])
    settle(judgment_list, at=at)
    _record_raters_per_pair(judgment_list, before)


@transaction.atomic
def set_adaptive(
    *, judgment_list: JudgmentList, step: float | None, most: int | None, at: datetime | None = None
) -> None:
    """From now on a further rater is asked where there are not `overlap` answers within less than `step`, up to `most`.

    On a nominal scale any two grades differ. Without a step the overlap alone counts. Holds for answers given before.
    """
    if step is not None:
        if step <= 0:
            raise AdaptiveError("The step from which answers differ must be more than 0.")
        if most is None or not judgment_list.overlap < most <= MAX_OVERLAP:
            raise AdaptiveError(
                f"Say how many raters at most: more than the overlap of {judgment_list.overlap}, and {MAX_OVERLAP} at most."
            )
    locks.lock_list(judgment_list.pk)
    before = readable_fields(judgment_list, *RATERS_PER_PAIR)
    judgment_list.adaptive_step, judgment_list.overlap_most = step, None if step is None else most
    judgment_list.save(update_fields=["adaptive_step", "overlap_most"])
    settle(judgment_list, at=at)
    _record_raters_per_pair(judgment_list, before)


def _record_raters_per_pair(judgment_list: JudgmentList, before: Mapping[str, Any]) -> None:
    after = readable_fields(judgment_list, *RATERS_PER_PAIR)
    record_act(Verb.CHANGED, f"list {judgment_list}", judgment_list=judgment_list, before=before, after=after)


def settle(
    judgment_list: JudgmentList, *, at: datetime | None = None, pair_ids: Sequence[int] | None = None
) -> None:
    """Open slots and counts follow the list's settings. For actions that hold the list."""
    settle_slots(judgment_list, at=at or timezone.now(), pair_ids=pair_ids)
    wanted.recount(list_id=judgment_list.pk, pair_ids=pair_ids)
    begin_rounds_anew(judgment_list)


def settle_slots(judgment_list: JudgmentList, *, at: datetime, pair_ids: Sequence[int] | None) -> None:
    """The slots alone. Writes no row but those of the pairs, so that raters of other pairs wait for nothing."""
    wanted.settle(rules_of(judgment_list), at=at, freed=FREE, pair_ids=pair_ids)


def rules_of(judgment_list: JudgmentList) -> wanted.Rules:
    """How many judgments the list wants of a pair. Reads the level of the scale where answers may differ."""
    step = judgment_list.adaptive_step
    if step is not None:
        step = TINY if judgment_list.scale.level == Level.NOMINAL else step - TINY
    return wanted.Rules(
        judgment_list.query_set_id, judgment_list.pk, judgment_list.overlap, step, judgment_list.overlap_most
    )


def begin_rounds_anew(judgment_list: JudgmentList) -> None:
    """Many slots came or moved: each rater looks through the list from its beginning when a query is finished."""
    RaterQueue.objects.filter(judgment_list=judgment_list).update(round_since=None, round_over=False)


def check_priority(priority: int) -> None:
    """Raises PriorityError for one that is out of range."""
    if not LEAST_PRIORITY <= priority <= MOST_PRIORITY:
        raise PriorityError(priority)
