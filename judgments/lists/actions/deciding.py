"""Grades that admins decide: one by page or call, or many of a file."""

from collections.abc import Sequence
from datetime import datetime
from typing import Final, NamedTuple

from django.db import transaction

from judgments.base.sql import locks
from judgments.grades.actions.consensus import refresh_within
from judgments.lists.actions.pairs import settle
from judgments.log.actions import pair_in_words, record_act
from judgments.models import Adjudication, JudgmentList, Pair, Rater, User, Verb
from touchstone_core.words import tidied

MANY: Final = 1_000
"""With this many pairs it's less work to go through the whole list than to look up each of them."""


class Decision(NamedTuple):
    """A grade of the list's scale for a pair of the list, and the value of a Cause."""

    pair_id: int
    value: float
    cause: str
    note: str
    at: datetime


@transaction.atomic
def decide_pairs(
    *, judgment_list: JudgmentList, decisions: Sequence[Decision], user: User | None, at: datetime
) -> list[Adjudication]:
    """Sets the grades of pairs, whatever their judgments are, and withdraws earlier decisions.

    No more judgments of the pairs are required, so their free slots are deleted. Each decision has a line in the log.
    """
    locks.lock_list(judgment_list.pk)
    pair_ids = [one.pair_id for one in decisions]
    pairs = pairs_of(judgment_list, pair_ids)
    standing = Adjudication.objects.standing().filter(pair__in=pair_ids)
    before = {one.pair_id: log_facts(one) for one in standing}
    standing.update(withdrawn_by=user, withdrawn_at=at)
    rows = Adjudication.objects.bulk_create(
        Adjudication(
            query_set_id=judgment_list.query_set_id,
            judgment_list=judgment_list,
            pair=pairs[one.pair_id],
            value=one.value,
            cause=one.cause,
            note=tidied(one.note),
            by=user,
            at=one.at,
        )
        for one in decisions
    )
    update_grades(judgment_list, pair_ids, at)
    for row in rows:
        record_decision(
            Verb.ADJUDICATED,
            row.pair,
            before=before.get(row.pair_id, {}),
            after=log_facts(row),
            note=row.note,
        )
    return rows


def pairs_of(judgment_list: JudgmentList, pair_ids: Sequence[int]) -> dict[int, Pair]:
    """Those of the list, by key, with what the log says of them."""
    pairs = Pair.objects.filter(judgment_list=judgment_list).select_related(
        "query", "document", "judgment_list"
    )
    return pairs.defer("document__body", "document__fields").in_bulk(pair_ids)


def update_grades(
    judgment_list: JudgmentList, pair_ids: Sequence[int], at: datetime, rater: Rater | None = None
) -> int:
    """Updates grades and slots of the pairs, which are all those of the `rater` if given. Returns how many grades changed."""
    judgment_list.refresh_from_db(fields=["rule", "tie", "overlap", "adaptive_step", "overlap_most"])
    changes = refresh_within(judgment_list=judgment_list, pair_ids=None if rater else pair_ids, rater=rater)
    settle(judgment_list, at=at, pair_ids=pair_ids if len(pair_ids) <= MANY else None)
    return changes


def log_facts(decision: Adjudication) -> dict[str, object]:
    return {"grade": decision.value, "cause": decision.get_cause_display()}


def record_decision(
    verb: Verb,
    pair: Pair,
    *,
    before: dict[str, object],
    after: dict[str, object] | None = None,
    note: str = "",
) -> None:
    record_act(
        verb,
        pair_in_words(pair),
        judgment_list=pair.judgment_list,
        query=pair.query,
        document=pair.document,
        before=before,
        after=after,
        note=note,
    )
