"""Assigns raters to a list, and marks pairs as gold, singly and from files."""

from collections.abc import Collection, Sequence
from datetime import datetime
from typing import Any

from django.db import transaction
from django.db.models import QuerySet

from judgments.base.errors import JudgmentsError
from judgments.base.sql import locks
from judgments.content.reports.content import refuse_if_changed
from judgments.files.actions.imports import Source
from judgments.judging.actions.answers import check_on_scale
from judgments.judging.actions.queue import UnknownPairError, let_go
from judgments.lists.actions.pairs import settle
from judgments.log.actions import one_act, pair_in_words, record_act
from judgments.models import Assignment, GoldDraw, GoldPair, JudgmentList, Pair, Rater, RaterQueue, User, Verb
from judgments.raters.reports.gold_files import KnownAnswer
from judgments.raters.reports.raters import leased_slots
from touchstone_core.words import counted

MOST_QUOTA = 2**31 - 1


class AssignmentError(JudgmentsError):
    """The person can't judge the list, or the quota isn't valid."""


@transaction.atomic
def assign(*, judgment_list: JudgmentList, user: User, quota: int | None = None) -> Assignment:
    """Assigns a rater to the list, for at most `quota` judgments if given. If the rater is assigned already, sets the quota.

    Assignments have an effect once only assigned raters get pairs.
    """
    if quota is not None and not 1 <= quota <= MOST_QUOTA:
        raise AssignmentError("The quota must be at least 1. Leave it empty for any number of judgments.")
    if not JudgmentList.objects.judgeable_by(user).filter(pk=judgment_list.pk).exists():
        raise AssignmentError(
            f"{user.display_name} isn’t a member of this list’s query set. Add {user.display_name} as a member first."
        )
    earlier = Assignment.objects.filter(judgment_list=judgment_list, user=user).first()
    assignment, _ = Assignment.objects.update_or_create(
        judgment_list=judgment_list, user=user, defaults={"quota": quota}
    )
    record_act(
        Verb.CHANGED if earlier else Verb.ASSIGNED,
        f"the quota of {user.display_name} in list {judgment_list}"
        if earlier
        else f"{user.display_name} to list {judgment_list}",
        judgment_list=judgment_list,
        before={"quota": earlier.quota} if earlier else None,
        after={"quota": quota},
    )
    return assignment


@transaction.atomic
def unassign(*, judgment_list: JudgmentList, user: User, at: datetime) -> None:
    """Ends an assignment. The rater's pairs are released, and the judgments stay."""
    Assignment.objects.filter(judgment_list=judgment_list, user=user).delete()
    with one_act():
        pairs = sum(
            release_rater(judgment_list=judgment_list, rater=rater, at=at)
            for rater in Rater.objects.filter(query_set_id=judgment_list.query_set_id, user=user)
        )
    record_act(
        Verb.UNASSIGNED,
        f"{user.display_name} off list {judgment_list}",
        judgment_list=judgment_list,
        after={"released_pairs": pairs},
    )


@transaction.atomic
def release_slot(*, judgment_list: JudgmentList, slot_id: int, at: datetime) -> bool:
    """Releases one slot from its rater. False if it's judged or free already. A late answer is still saved."""
    locks.lock_list(judgment_list.pk, shared=True)
    slot = leased_slots(judgment_list, at).filter(pk=slot_id).select_related("rater__user").first()
    if slot is None:
        return False
    _wait_for_answers(judgment_list, slot.rater_id)
    pairs = let_go(leased_slots(judgment_list, at).filter(pk=slot_id, rater=slot.rater_id), at)
    _record_release(judgment_list, slot.rater, pairs)
    return bool(pairs)


@transaction.atomic
def release_rater(*, judgment_list: JudgmentList, rater: Rater, at: datetime) -> int:
    """Releases all pairs that a rater holds in the list, even gold pairs. Returns their number."""
    locks.lock_list(judgment_list.pk, shared=True)
    _wait_for_answers(judgment_list, rater.pk)
    draws = GoldDraw.objects.filter(judgment_list=judgment_list, rater=rater, answered=False)
    gold_pairs, _ = draws.delete()
    pairs = gold_pairs + let_go(leased_slots(judgment_list, at).filter(rater=rater), at)
    _record_release(judgment_list, rater, pairs)
    return pairs


def _record_release(judgment_list: JudgmentList, rater: Rater | None, pairs: int) -> None:
    if rater is not None and pairs:
        record_act(
            Verb.RELEASED,
            f"{rater.display_name} in list {judgment_list}",
            judgment_list=judgment_list,
            after={"pairs": pairs},
        )


def _wait_for_answers(judgment_list: JudgmentList, rater_id: int | None) -> None:
    """Waits until an answer of this rater is saved and blocks the next one, which then finds the slot released."""
    queues = RaterQueue.objects.filter(judgment_list=judgment_list, rater=rater_id)
    queues.select_for_update(no_key=True).first()


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
            "explanation": explanation.strip(),
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
