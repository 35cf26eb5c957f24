"""Deletes stored values of formulas that nobody looks at any more. They're computed again if somebody does."""

from collections.abc import Iterable
from typing import Any, Final

from django.db import transaction
from django.db.models import F, Max, Q, QuerySet

from evaluation.models import Evaluation, MeasureEvaluation, SavedFormula
from evaluation.scores.sql.summaries import stored_digits
from judgments.models import JudgmentList
from touchstone_core.metrics.selection import read_measures

MOST_KEPT: Final = 50


def forget_formulas(*, judgment_list: JudgmentList, keep: int = MOST_KEPT) -> int:
    """Keeps the query set's saved formulas and the `keep` others computed last. Returns the number of rows deleted.

    Rows that another page is scoring right now are locked, and skipped. One query where there's nothing to delete.
    """
    evaluations = Evaluation.objects.filter(judgment_list=judgment_list)
    names = SavedFormula.objects.filter(query_set=judgment_list.query_set_id).values("formula")
    by_use = evaluations.exclude(formula__in=names).values("formula").annotate(last=Max("computed_at"))
    # Without a time it's being computed for the first time.
    by_use = by_use.order_by(F("last").desc(nulls_first=True), "formula")
    surplus = list(by_use.values_list("formula", flat=True)[keep:])
    return _delete(evaluations.filter(formula__in=surplus)) if surplus else 0


def forget_measures(*, judgment_list: JudgmentList, keep: int = MOST_KEPT) -> int:
    """The same for further measures, each with its rounding. Those beside saved formulas stay."""
    evaluations = MeasureEvaluation.objects.filter(judgment_list=judgment_list)
    by_use = evaluations.values("measure", "digits").annotate(last=Max("computed_at"))
    by_use = by_use.order_by(F("last").desc(nulls_first=True), "measure", "digits")
    pairs = list(by_use.values_list("measure", "digits"))
    if len(pairs) <= keep:
        return 0
    beside_formulas = _saved_measures(judgment_list)
    surplus = [pair for pair in pairs if pair not in beside_formulas][keep:]
    return _delete(evaluations.filter(any_of(surplus))) if surplus else 0


@transaction.atomic
def _delete(evaluations: QuerySet[Any]) -> int:
    keys = list(evaluations.select_for_update(skip_locked=True).values_list("pk", flat=True))
    evaluations.model.objects.filter(pk__in=keys).delete()
    return len(keys)


def _saved_measures(judgment_list: JudgmentList) -> set[tuple[str, int]]:
    texts = SavedFormula.objects.filter(query_set=judgment_list.query_set_id).exclude(measures="")
    return {
        (str(measure), stored_digits(digits))
        for text in texts.values_list("measures", flat=True)
        for measure, digits in read_measures(text)
    }


def any_of(pairs: Iterable[tuple[str, int]]) -> Q:
    """The rows of these measures, each with its decimals."""
    condition = Q()
    for measure, digits in pairs:
        condition |= Q(measure=measure, digits=digits)
    return condition
