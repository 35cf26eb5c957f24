"""Which pairs a list judges, and how many judgments of each are still wanted."""

from collections.abc import Iterable, Sequence
from datetime import datetime

from django.db import transaction
from django.utils import timezone

from judgments.errors import JudgmentsError
from judgments.ingest import locks
from judgments.ingest import pairs as sql
from judgments.models import MAX_OVERLAP, JudgmentList


class ForeignPairError(JudgmentsError):
    """A pair names a query or a document that is not in the list's query set."""

    def __init__(self, count: int) -> None:
        pairs = "1 pair names" if count == 1 else f"{count:,} pairs name"
        super().__init__(f"{pairs} a query or a document that is not in the query set of this list.")


class OverlapError(JudgmentsError):
    """The overlap is out of range."""

    def __init__(self, overlap: int) -> None:
        super().__init__(f"The overlap is {overlap}; it must lie between 1 and {MAX_OVERLAP}.")


@transaction.atomic
def add_pairs(*, judgment_list: JudgmentList, pairs: Iterable[tuple[int, int]]) -> int:
    """Adds pairs of (query key, document key) to the list; known ones are left alone. Returns how many are new.

    Queries join the list in the order in which they first appear. Takes any number of pairs in bounded memory.
    Waits for, and then holds up, whatever else changes this list until the transaction ends.
    """
    locks.lock_list(judgment_list.pk)
    judgment_list.refresh_from_db(fields=["overlap"])
    sql.bring_in(pairs)
    if foreign := sql.count_foreign(judgment_list.query_set_id):
        raise ForeignPairError(foreign)
    return sql.add_incoming(
        query_set_id=judgment_list.query_set_id,
        list_id=judgment_list.pk,
        overlap=judgment_list.overlap,
    )


@transaction.atomic
def close_slots_of_judged(
    *, judgment_list: JudgmentList, pair_ids: Sequence[int] | None = None, at: datetime | None = None
) -> None:
    """To be called after judgments came in by the thousand: open slots and counts follow the judgments.

    Each of these pairs (or all of the list) keeps max(0, overlap - judgments) open slots; what a rater holds stays.
    """
    locks.lock_list(judgment_list.pk)
    judgment_list.refresh_from_db(fields=["overlap"])
    _settle(judgment_list, at, pair_ids)
    sql.recount_judgments(list_id=judgment_list.pk, pair_ids=pair_ids)


@transaction.atomic
def set_overlap(*, judgment_list: JudgmentList, overlap: int, at: datetime | None = None) -> None:
    """Raising adds slots; lowering removes free ones only, so that no rater loses what is on the screen."""
    if not 1 <= overlap <= MAX_OVERLAP:
        raise OverlapError(overlap)
    locks.lock_list(judgment_list.pk)
    judgment_list.overlap = overlap
    judgment_list.save(update_fields=["overlap"])
    _settle(judgment_list, at, None)


def _settle(judgment_list: JudgmentList, at: datetime | None, pair_ids: Sequence[int] | None) -> None:
    sql.settle_slots(
        query_set_id=judgment_list.query_set_id,
        list_id=judgment_list.pk,
        overlap=judgment_list.overlap,
        at=at or timezone.now(),
        pair_ids=pair_ids,
    )
