"""How judgments of a list are collected: on which screen, by whom, with which checks."""

from collections.abc import Sequence

from django.db import transaction

from judgments.actions.answers import check_on_scale
from judgments.actions.audit import one_act, record_act, said
from judgments.actions.pairs import set_adaptive
from judgments.errors import JudgmentsError
from judgments.ingest import locks
from judgments.models import MAX_GOLD_RATE, AssignmentMode, Evidence, JudgmentList, Verb, View

MOST_PRACTICE = 100


class CollectingError(JudgmentsError):
    """A setting that is none, or out of range."""


@transaction.atomic
def change_collecting(
    *,
    judgment_list: JudgmentList,
    assignment: str,
    view: str,
    evidence: str,
    evidence_grades: Sequence[float] = (),
    confidence: bool = False,
    gold_rate: int = 0,
    onboarding: int = 0,
    adaptive_step: float | None = None,
    overlap_most: int | None = None,
) -> None:
    """Sets all of it at once. Raises CollectingError, AnswerError for a grade off the scale, AdaptiveError."""
    _check(assignment, view, evidence, gold_rate, onboarding)
    for grade in evidence_grades:
        check_on_scale(judgment_list.scale, grade)
    locks.lock_list(judgment_list.pk)
    judgment_list.refresh_from_db(fields=["overlap", "adaptive_step", "overlap_most"])
    settings = {
        "assignment": assignment,
        "view": view,
        "evidence": evidence,
        "evidence_grades": sorted(set(evidence_grades)),
        "confidence": confidence,
        "gold_rate": gold_rate,
        "onboarding": onboarding,
    }
    fields = (*settings, "adaptive_step", "overlap_most")
    before = said(judgment_list, *fields)
    for name, value in settings.items():
        setattr(judgment_list, name, value)
    judgment_list.save(update_fields=list(settings))
    if (adaptive_step, overlap_most) != (judgment_list.adaptive_step, judgment_list.overlap_most):
        with one_act():
            set_adaptive(judgment_list=judgment_list, step=adaptive_step, most=overlap_most)
    record_act(
        Verb.CHANGED,
        f"list {judgment_list}",
        judgment_list=judgment_list,
        before=before,
        after=said(judgment_list, *fields),
    )


def _check(assignment: str, view: str, evidence: str, gold_rate: int, onboarding: int) -> None:
    for value, known in ((assignment, AssignmentMode), (view, View), (evidence, Evidence)):
        if value not in known.values:
            raise CollectingError(f"“{value}” is none of {', '.join(known.values)}.")
    if not 0 <= gold_rate <= MAX_GOLD_RATE:
        raise CollectingError(f"The share of gold pairs must lie between 0 and {MAX_GOLD_RATE} percent.")
    if not 0 <= onboarding <= MOST_PRACTICE:
        raise CollectingError(f"A new rater can practice on {MOST_PRACTICE} gold pairs at most.")
