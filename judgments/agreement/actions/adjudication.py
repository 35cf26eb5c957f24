"""Admins' decisions: grades of pairs, and raters left out. Judgments stay as they are; every decision can be undone."""

from datetime import datetime

from django.db import transaction

from judgments.base.errors import JudgmentsError
from judgments.base.sql import locks
from judgments.judging.actions.answers import check_on_scale
from judgments.judging.actions.queue import UnknownPairError
from judgments.lists.actions.deciding import (
    Decision,
    decide_pairs,
    log_facts,
    pairs_of,
    record_decision,
    update_grades,
)
from judgments.log.actions import record_act
from judgments.models import Adjudication, Cause, Exclusion, Judgment, JudgmentList, Pair, Rater, User, Verb
from judgments.raters.reports.exclusions import ExclusionEffect, effect_on_grades


class AdjudicationError(JudgmentsError):
    """An admin's decision can't be saved."""


class DecidedMeanwhileError(JudgmentsError):
    """The pair was decided after the admin opened its page: by a second admin, or by a double click."""

    def __init__(self, standing: Adjudication) -> None:
        who = standing.by.display_name if standing.by else "Somebody"
        super().__init__(f"{who} decided this pair meanwhile. Decide again to replace that decision.")
        self.standing = standing


@transaction.atomic
def adjudicate(
    *,
    judgment_list: JudgmentList,
    pair_id: int,
    value: float,
    cause: str,
    note: str = "",
    user: User,
    at: datetime,
    seen: int | None = None,
) -> Adjudication:
    """Sets the pair's grade, whatever its judgments are, and withdraws an earlier decision.

    `seen` is the key of the decision that the admin saw on the page, 0 for none. No more judgments of the pair are
    required, so its free slots are deleted. Raises AnswerError for a grade off the scale, AdjudicationError for an unknown
    cause, UnknownPairError for a pair of another list, and DecidedMeanwhileError if a decision other than `seen` is valid.
    """
    check_on_scale(judgment_list.scale, value)
    if cause not in Cause.values:
        raise AdjudicationError(f"Unknown cause “{cause}”. Choose one of these: {', '.join(Cause.values)}.")
    pair = lock_pair(judgment_list, pair_id)
    standing = Adjudication.objects.standing().filter(pair=pair).select_related("by").first()
    if seen is not None and standing is not None and standing.pk != seen:
        raise DecidedMeanwhileError(standing)
    decision = Decision(pair.pk, value, cause, note, at)
    return decide_pairs(judgment_list=judgment_list, decisions=[decision], user=user, at=at)[0]


@transaction.atomic
def withdraw_adjudication(*, judgment_list: JudgmentList, pair_id: int, user: User, at: datetime) -> bool:
    """Derives the pair's grade from its judgments again, and requests those that are missing.

    False if there is no decision to withdraw.
    """
    pair = lock_pair(judgment_list, pair_id)
    before = _withdraw(pair, user, at)
    if not before:
        return False
    update_grades(judgment_list, [pair.pk], at)
    record_decision(Verb.ADJUDICATION_WITHDRAWN, pair, before=before)
    return True


@transaction.atomic
def exclude_rater(
    *, judgment_list: JudgmentList, rater: Rater, note: str = "", user: User, at: datetime
) -> int | None:
    """Leaves the rater's judgments out of the list's consensus. Returns the number of grades that changed.

    Other raters get the rater's pairs. None if the rater is left out already. The rater can continue to judge and isn't
    notified.
    """
    locks.lock_list(judgment_list.pk)
    if judgment_list.exclusions.standing().filter(rater=rater).exists():
        return None
    exclusion = _exclude(judgment_list, rater, note, user, at)
    changes = update_grades(judgment_list, _judged_by(judgment_list, rater), at, rater)
    record_act(
        Verb.RATER_EXCLUDED,
        f"rater {rater.name}",
        judgment_list=judgment_list,
        after={"grades_settled_anew": changes},
        note=exclusion.note,
    )
    return changes


@transaction.atomic
def include_rater(*, judgment_list: JudgmentList, rater: Rater, user: User, at: datetime) -> int | None:
    """Ends an exclusion, and the requests to replace the rater's judgments. Returns the number of grades that changed.

    None if the rater counts already.
    """
    locks.lock_list(judgment_list.pk)
    if not _lift_exclusion(judgment_list, rater, user, at):
        return None
    changes = update_grades(judgment_list, _judged_by(judgment_list, rater), at, rater)
    after = {"grades_settled_anew": changes}
    record_act(Verb.RATER_INCLUDED, f"rater {rater.name}", judgment_list=judgment_list, after=after)
    return changes


@transaction.atomic
def effect_of_exclusion(
    *, judgment_list: JudgmentList, rater: Rater, excluded: bool, user: User, at: datetime
) -> ExclusionEffect:
    """What `exclude_rater` or `include_rater` would do to the grades. It excludes or includes the rater, and rolls that back.

    Only another admin who excludes or includes the same rater has to wait for it.
    """
    standing = judgment_list.exclusions.standing().filter(rater=rater)
    if not excluded:
        _lift_exclusion(judgment_list, rater, user, at)
    elif not standing.exists():
        _exclude(judgment_list, rater, "", user, at)
    effect = effect_on_grades(judgment_list, rater)
    transaction.set_rollback(True)
    return effect


def _exclude(judgment_list: JudgmentList, rater: Rater, note: str, user: User, at: datetime) -> Exclusion:
    return Exclusion.objects.create(
        query_set_id=judgment_list.query_set_id,
        judgment_list=judgment_list,
        rater=rater,
        note=note.strip(),
        by=user,
        at=at,
    )


def _lift_exclusion(judgment_list: JudgmentList, rater: Rater, user: User, at: datetime) -> bool:
    """Whether the rater was excluded."""
    standing = judgment_list.exclusions.standing().filter(rater=rater)
    return bool(standing.update(lifted_by=user, lifted_at=at))


def lock_pair(judgment_list: JudgmentList, pair_id: int) -> Pair:
    """Locks the list as a whole, since slots are counted again. Raises UnknownPairError for a pair of another one."""
    locks.lock_list(judgment_list.pk)
    pair = pairs_of(judgment_list, [pair_id]).get(pair_id)
    if pair is None:
        raise UnknownPairError
    return pair


def _judged_by(judgment_list: JudgmentList, rater: Rater) -> list[int]:
    own = Judgment.objects.filter(judgment_list=judgment_list, rater=rater).order_by()
    return list(own.values_list("pair", flat=True))


def _withdraw(pair: Pair, user: User, at: datetime) -> dict[str, object]:
    """Withdraws the pair's decision and returns it for the log; empty if there was none."""
    standing = Adjudication.objects.standing().filter(pair=pair).first()
    if standing is None:
        return {}
    standing.withdrawn_by, standing.withdrawn_at = user, at
    standing.save(update_fields=["withdrawn_by", "withdrawn_at"])
    return log_facts(standing)
