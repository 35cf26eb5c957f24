"""Forgets stored values of formulas that nobody looks at any more. They are made again if somebody does."""

from collections.abc import Iterable
from typing import Final

from django.db import transaction
from django.db.models import F, Max, Q

from evaluation.models import Evaluation, MeasureEvaluation, SavedFormula
from evaluation.scores.sql.measure_scores import stored_digits
from judgments.models import JudgmentList
from touchstone_core.metrics.selection import read_measures

MOST_KEPT: Final = 50


def forget_formulas(*, judgment_list: JudgmentList, keep: int = MOST_KEPT) -> int:
    """Keeps the query set's saved formulas and the `keep` others that were computed last; gives the number of rows gone.

    What another page is scoring at this moment is locked, and passed over. One query where nothing is too much.
    """
    stored = Evaluation.objects.filter(judgment_list=judgment_list)
    saved = SavedFormula.objects.filter(query_set=judgment_list.query_set_id).values("formula")
    by_use = stored.exclude(formula__in=saved).values("formula").annotate(last=Max("computed_at"))
    # Without a time it is being computed for the first time.
    by_use = by_use.order_by(F("last").desc(nulls_first=True), "formula")
    unused = list(by_use.values_list("formula", flat=True)[keep:])
    if not unused:
        return 0
    with transaction.atomic():
        gone = stored.filter(formula__in=unused).select_for_update(skip_locked=True)
        keys = list(gone.values_list("pk", flat=True))
        Evaluation.objects.filter(pk__in=keys).delete()
    return len(keys)


def forget_measures(*, judgment_list: JudgmentList, keep: int = MOST_KEPT) -> int:
    """The same for further measures, each with its rounding; those beside saved formulas stay."""
    stored = MeasureEvaluation.objects.filter(judgment_list=judgment_list)
    by_use = stored.values("measure", "digits").annotate(last=Max("computed_at"))
    by_use = by_use.order_by(F("last").desc(nulls_first=True), "measure", "digits")
    found = list(by_use.values_list("measure", "digits"))
    if len(found) <= keep:
        return 0
    saved = _saved_measures(judgment_list)
    unused = [pair for pair in found if pair not in saved][keep:]
    if not unused:
        return 0
    with transaction.atomic():
        gone = stored.filter(_any_of(unused)).select_for_update(skip_locked=True)
        keys = list(gone.values_list("pk", flat=True))
        MeasureEvaluation.objects.filter(pk__in=keys).delete()
    return len(keys)


def _saved_measures(judgment_list: JudgmentList) -> set[tuple[str, int]]:
    texts = SavedFormula.objects.filter(query_set=judgment_list.query_set_id).exclude(measures="")
    return {
        (str(measure), stored_digits(digits))
        for text in texts.values_list("measures", flat=True)
        for measure, digits in read_measures(text)
    }


def _any_of(pairs: Iterable[tuple[str, int]]) -> Q:
    found = Q()
    for measure, digits in pairs:
        found |= Q(measure=measure, digits=digits)
    return found
