"""What admins decide about judgments. Raters' judgments stay as they are; every decision can be taken back."""

from datetime import datetime
from typing import Any

from django.db import transaction

from judgments.base.errors import JudgmentsError
from judgments.base.sql import locks
from judgments.grades.actions.consensus import refresh_within
from judgments.judging.actions.answers import check_on_scale
from judgments.judging.actions.queue import UnknownPairError
from judgments.lists.actions.pairs import settle
from judgments.log.actions import record_act
from judgments.models import Adjudication, Cause, Exclusion, Judgment, JudgmentList, Pair, Rater, User, Verb
from judgments.raters.reports.exclusions import ExclusionEffect, effect_on_grades

MANY = 1_000
"""From so many pairs on it is less work to look through the whole list than for each of them."""


class AdjudicationError(JudgmentsError):
    """What an admin decided cannot be stored."""


class DecidedMeanwhileError(JudgmentsError):
    """Another decision of the pair has come since somebody looked at it: by a second admin, or by a double click."""

    def __init__(self, standing: Adjudication) -> None:
        who = standing.by.display_name if standing.by else "Somebody"
        super().__init__(f"{who} decided this pair after you opened this page. Decide again to replace that.")
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
    """The grade of the pair from now on, whatever raters say; an earlier decision is withdrawn by it.

    `seen` is the key of the decision that whoever decides has seen, 0 for none. No further judgment of the pair is
    wanted: its free slots go. Raises AnswerError for a grade that is not on the scale, AdjudicationError for an unknown
    cause, UnknownPairError for a pair of another list, DecidedMeanwhileError where another decision than `seen` stands.
    """
    check_on_scale(judgment_list.scale, value)
    if cause not in Cause.values:
        raise AdjudicationError(f"There is no cause “{cause}”.")
    pair = _locked(judgment_list, pair_id)
    standing = Adjudication.objects.standing().filter(pair=pair).select_related("by").first()
    if seen is not None and standing is not None and standing.pk != seen:
        raise DecidedMeanwhileError(standing)
    before = _withdraw(pair, user, at)
    made = Adjudication.objects.create(
        query_set_id=judgment_list.query_set_id,
        judgment_list=judgment_list,
        pair=pair,
        value=value,
        cause=cause,
        note=note.strip(),
        by=user,
        at=at,
    )
    _follow(judgment_list, [pair.pk], at)
    _record(Verb.ADJUDICATED, pair, before=before, after=_said(made), note=made.note)
    return made


@transaction.atomic
def withdraw_adjudication(*, judgment_list: JudgmentList, pair_id: int, user: User, at: datetime) -> bool:
    """The pair's grade is again what its judgments make it, and those that lack are wanted again.

    False where no decision stands.
    """
    pair = _locked(judgment_list, pair_id)
    before = _withdraw(pair, user, at)
    if not before:
        return False
    _follow(judgment_list, [pair.pk], at)
    _record(Verb.ADJUDICATION_WITHDRAWN, pair, before=before)
    return True


@transaction.atomic
def exclude_rater(
    *, judgment_list: JudgmentList, rater: Rater, note: str = "", user: User, at: datetime
) -> int | None:
    """Leaves the rater's judgments out of the list's consensus; gives the number of grades that changed.

    What the rater judged is wanted of somebody else. None where the rater is left out already. The rater may go
    on judging and is not told.
    """
    locks.lock_list(judgment_list.pk)
    if Exclusion.objects.standing().filter(judgment_list=judgment_list, rater=rater).exists():
        return None
    made = _leave_out(judgment_list, rater, note, user, at)
    changed = _follow(judgment_list, _judged_by(judgment_list, rater), at, rater)
    after = {"grades_settled_anew": changed}
    record_act(
        Verb.RATER_EXCLUDED, f"rater {rater.name}", judgment_list=judgment_list, after=after, note=made.note
    )
    return changed


@transaction.atomic
def include_rater(*, judgment_list: JudgmentList, rater: Rater, user: User, at: datetime) -> int | None:
    """Takes an exclusion back; gives the number of grades that changed. What was wanted in the rater's stead is not any more.

    None where the rater counts already.
    """
    locks.lock_list(judgment_list.pk)
    if not _count_again(judgment_list, rater, user, at):
        return None
    changed = _follow(judgment_list, _judged_by(judgment_list, rater), at, rater)
    after = {"grades_settled_anew": changed}
    record_act(Verb.RATER_INCLUDED, f"rater {rater.name}", judgment_list=judgment_list, after=after)
    return changed


@transaction.atomic
def effect_of_exclusion(
    *, judgment_list: JudgmentList, rater: Rater, excluded: bool, user: User, at: datetime
) -> ExclusionEffect:
    """What `exclude_rater` would do to the grades, or `include_rater`: the rater is excluded, or not, and this is taken back.

    Keeps nobody waiting but another admin who changes whether this very rater counts.
    """
    standing = Exclusion.objects.standing().filter(judgment_list=judgment_list, rater=rater)
    if not excluded:
        _count_again(judgment_list, rater, user, at)
    elif not standing.exists():
        _leave_out(judgment_list, rater, "", user, at)
    effect = effect_on_grades(judgment_list, rater)
    transaction.set_rollback(True)
    return effect


def _leave_out(judgment_list: JudgmentList, rater: Rater, note: str, user: User, at: datetime) -> Exclusion:
    return Exclusion.objects.create(
        query_set_id=judgment_list.query_set_id,
        judgment_list=judgment_list,
        rater=rater,
        note=note.strip(),
        by=user,
        at=at,
    )


def _count_again(judgment_list: JudgmentList, rater: Rater, user: User, at: datetime) -> bool:
    """Whether the rater was excluded."""
    standing = Exclusion.objects.standing().filter(judgment_list=judgment_list, rater=rater)
    return bool(standing.update(lifted_by=user, lifted_at=at))


def _locked(judgment_list: JudgmentList, pair_id: int) -> Pair:
    """The list is held as a whole, since slots are counted anew."""
    locks.lock_list(judgment_list.pk)
    pairs = Pair.objects.filter(judgment_list=judgment_list, pk=pair_id).select_related(
        "query", "document", "judgment_list"
    )
    pair = pairs.defer("document__body", "document__fields").first()
    if pair is None:
        raise UnknownPairError
    return pair


def _judged_by(judgment_list: JudgmentList, rater: Rater) -> list[int]:
    own = Judgment.objects.filter(judgment_list=judgment_list, rater=rater).order_by()
    return list(own.values_list("pair", flat=True))


def _follow(
    judgment_list: JudgmentList, pair_ids: list[int], at: datetime, rater: Rater | None = None
) -> int:
    """Brings grades and slots of the pairs up to date, all those of a rater; how many grades changed in value."""
    judgment_list.refresh_from_db(fields=["rule", "tie", "overlap", "adaptive_step", "overlap_most"])
    changed = refresh_within(judgment_list=judgment_list, pair_ids=None if rater else pair_ids, rater=rater)
    settle(judgment_list, at=at, pair_ids=pair_ids if len(pair_ids) <= MANY else None)
    return changed


def _withdraw(pair: Pair, user: User, at: datetime) -> dict[str, object]:
    """What stood, for the log; nothing where no decision stood."""
    standing = Adjudication.objects.standing().filter(pair=pair).first()
    if standing is None:
        return {}
    standing.withdrawn_by, standing.withdrawn_at = user, at
    standing.save(update_fields=["withdrawn_by", "withdrawn_at"])
    return _said(standing)


def _said(made: Adjudication) -> dict[str, object]:
    return {"grade": made.value, "cause": made.get_cause_display()}


def _record(verb: Verb, pair: Pair, **more: Any) -> None:
    record_act(
        verb,
        f"“{pair.query.text[:120]}” with {pair.document.external_id[:120]}",
        judgment_list=pair.judgment_list,
        query=pair.query,
        document=pair.document,
        **more,
    )
