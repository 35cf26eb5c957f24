"""Marks pairs as gold, singly and from files."""

from collections.abc import Collection, Sequence
from datetime import datetime
from typing import Any

from django.db import transaction
from django.db.models import QuerySet

from judgments.base.sql import locks
from judgments.content.reports.content import refuse_if_changed
from judgments.files.actions.imports import Source
from judgments.judging.actions.answers import check_on_scale
from judgments.judging.actions.queue import UnknownPairError
from judgments.lists.actions.pairs import settle
from judgments.log.actions import pair_in_words, record_act
from judgments.models import GoldDraw, GoldPair, JudgmentList, Pair, User, Verb
from judgments.raters.reports.gold_files import KnownAnswer
from touchstone_core.words import counted, tidied


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
    seen_mark: str | None = None,
) -> GoldPair:
    """Marks a pair as gold, or changes a gold pair. Each rater gets it at most once, regardless of the overlap.

    Its free slots are deleted. `also` are other grades that count as correct. `seen_mark` is as for `change_list`, of
    `gold_facts`. Raises AnswerError for a grade off the scale, and ChangedSinceError.
    """
    for grade in (value, *also):
        check_on_scale(judgment_list.scale, grade)
    locks.lock_list(judgment_list.pk)
    pair = _pairs(judgment_list).filter(pk=pair_id).first()
    if pair is None:
        raise UnknownPairError
    before = gold_facts(judgment_list, getattr(pair, "gold", None))
    refuse_if_changed("gold pair", getattr(pair, "gold", None), before, seen_mark)
    gold, _ = GoldPair.objects.update_or_create(
        pair=pair,
        defaults={
            "query_set_id": pair.query_set_id,
            "judgment_list": judgment_list,
            "value": value,
            "also": sorted(set(also) - {value}),
            "explanation": tidied(explanation),
            "made_by": user,
            "made_at": at,
            "retired_at": None,
        },
    )
    _settle(judgment_list, pair_id, at)
    _record(Verb.GOLD_MARKED, judgment_list, pair, before, gold_facts(judgment_list, gold))
    return gold


@transaction.atomic
def retire_gold(*, judgment_list: JudgmentList, pair_id: int, at: datetime) -> None:
    """Makes the pair an ordinary one with slots again. Answers to it as gold stay marked."""
    locks.lock_list(judgment_list.pk)
    pair = _pairs(judgment_list).filter(pk=pair_id, gold__retired_at=None, gold__isnull=False).first()
    if pair is None:
        return
    before = gold_facts(judgment_list, pair.gold)
    GoldPair.objects.filter(judgment_list=judgment_list, pair=pair_id, retired_at=None).update(retired_at=at)
    GoldDraw.objects.filter(pair=pair_id, judgment_list=judgment_list, answered=False).delete()
    _settle(judgment_list, pair_id, at)
    _record(Verb.GOLD_RETIRED, judgment_list, pair, before, {})


def _pairs(judgment_list: JudgmentList) -> QuerySet[Pair]:
    """With the fields for the audit log, without bodies."""
    pairs = Pair.objects.filter(judgment_list=judgment_list).select_related("query", "document", "gold")
    return pairs.defer("query__information_need", "document__body", "document__fields")


def gold_facts(judgment_list: JudgmentList, gold: GoldPair | None) -> dict[str, Any]:
    """What the form of a gold pair shows, in words; nothing unless the pair is gold."""
    if gold is None or gold.retired_at is not None:
        return {}
    scale = judgment_list.scale
    return {
        "grade": scale.name_of(gold.value),
        "also_right": list(map(scale.name_of, gold.also)),
        "explanation": gold.explanation,
    }


def _record(
    verb: Verb, judgment_list: JudgmentList, pair: Pair, before: dict[str, Any], after: dict[str, Any]
) -> None:
    record_act(
        verb,
        pair_in_words(pair),
        judgment_list=judgment_list,
        query=pair.query,
        document=pair.document,
        before={name: fact for name, fact in before.items() if fact},
        after={name: fact for name, fact in after.items() if fact},
    )


def _settle(judgment_list: JudgmentList, pair_id: int, at: datetime) -> None:
    judgment_list.refresh_from_db(fields=["overlap", "adaptive_step", "overlap_most"])
    settle(judgment_list, at=at, pair_ids=[pair_id])


UPDATE_FIELDS = ["value", "also", "explanation", "made_by", "made_at", "retired_at"]


@transaction.atomic
def mark_gold_pairs(
    *,
    judgment_list: JudgmentList,
    answers: Collection[KnownAnswer],
    user: User,
    at: datetime,
    source: Source | None,
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
