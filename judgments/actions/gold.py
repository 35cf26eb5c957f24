"""Marking pairs as gold: their right grade is known."""

from collections.abc import Sequence
from datetime import datetime

from django.db import transaction

from judgments.actions.answers import check_on_scale
from judgments.actions.pairs import settle
from judgments.actions.queue import UnknownPairError
from judgments.ingest import locks
from judgments.models import GoldDraw, GoldPair, JudgmentList, Pair, User


@transaction.atomic
def mark_gold(
    *,
    judgment_list: JudgmentList,
    pair_id: int,
    value: float,
    user: User,
    at: datetime,
    also: Sequence[float] = (),
    explanation: str = "",
) -> GoldPair:
    """The pair is handed to each rater once at most, beside the overlap; its free slots go. Marked again, it changes.

    `also` are further grades that count as right. Raises AnswerError for a grade off the scale.
    """
    for grade in (value, *also):
        check_on_scale(judgment_list.scale, grade)
    locks.lock_list(judgment_list.pk)
    pair = Pair.objects.filter(judgment_list=judgment_list, pk=pair_id).first()
    if pair is None:
        raise UnknownPairError
    gold, _ = GoldPair.objects.update_or_create(
        pair=pair,
        defaults={
            "query_set_id": pair.query_set_id,
            "judgment_list": judgment_list,
            "value": value,
            "also": sorted(set(also) - {value}),
            "explanation": explanation.strip(),
            "made_by": user,
            "made_at": at,
            "retired_at": None,
        },
    )
    _settle(judgment_list, pair_id, at)
    return gold


@transaction.atomic
def retire_gold(*, judgment_list: JudgmentList, pair_id: int, at: datetime) -> None:
    """The pair is an ordinary one again and gets slots; answers that were given to it as gold stay marked."""
    locks.lock_list(judgment_list.pk)
    GoldPair.objects.filter(judgment_list=judgment_list, pair=pair_id, retired_at=None).update(retired_at=at)
    GoldDraw.objects.filter(pair=pair_id, judgment_list=judgment_list, answered=False).delete()
    _settle(judgment_list, pair_id, at)


def _settle(judgment_list: JudgmentList, pair_id: int, at: datetime) -> None:
    judgment_list.refresh_from_db(fields=["overlap", "adaptive_step", "overlap_most"])
    settle(judgment_list, at=at, pair_ids=[pair_id])
