"""Marking many pairs as gold at once, from a file."""

from collections.abc import Collection
from datetime import datetime

from django.db import transaction

from judgments.base.sql import locks
from judgments.files.actions.imports import Source
from judgments.lists.actions.pairs import settle
from judgments.log.actions import record_act
from judgments.models import GoldPair, JudgmentList, User, Verb
from judgments.raters.reports.gold_files import KnownAnswer
from touchstone_core.words import counted

UPDATE_FIELDS = ["value", "also", "explanation", "made_by", "made_at", "retired_at"]


@transaction.atomic
def mark_gold_pairs(
    *,
    judgment_list: JudgmentList,
    answers: Collection[KnownAnswer],
    user: User,
    at: datetime,
    source: Source | None = None,
) -> None:
    """Like `mark_gold` for each answer, in a few statements. All answers are on pairs of this list and on its scale."""
    locks.lock_list(judgment_list.pk)
    rows = [
        GoldPair(
            pair_id=answer.pair_id,
            query_set_id=judgment_list.query_set_id,
            judgment_list=judgment_list,
            value=answer.value,
            also=sorted(answer.also),
            explanation=answer.explanation,
            made_by=user,
            made_at=at,
            retired_at=None,
        )
        for answer in answers
    ]
    GoldPair.objects.bulk_create(
        rows, update_conflicts=True, unique_fields=["pair"], update_fields=UPDATE_FIELDS
    )
    judgment_list.refresh_from_db(fields=["overlap", "adaptive_step", "overlap_most"])
    settle(judgment_list, at=at, pair_ids=[answer.pair_id for answer in answers])
    record_act(
        Verb.GOLD_MARKED,
        f"{counted(len(rows), 'pair')} of list {judgment_list}",
        judgment_list=judgment_list,
        after=source.facts if source else {},
    )
