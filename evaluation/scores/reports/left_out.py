"""What stored means leave out because an ideal is 0, and what missing grades could make of them."""

from collections.abc import Iterator, Sequence

from evaluation.models import Evaluation
from touchstone_core.metrics.formula import Formula
from touchstone_core.metrics.left_out import LeftOut, left_out_words, skips_missing, skips_zero
from touchstone_core.metrics.rounding import RoundedMeasure


def of_formula(evaluation: Evaluation, formula: Formula, mean: float | None, counted: int) -> LeftOut | None:
    """Of one of the four NDCGs, which is over so many queries."""
    if formula.zero_ndcg is not None:
        return None
    return LeftOut.of(mean, counted, _judged(evaluation, without_missing=formula.skips_missing) - counted)


def of_measure(
    evaluation: Evaluation, one: RoundedMeasure, mean: float | None, counted: int
) -> LeftOut | None:
    """Of a further measure; `evaluation` is of the same run and grades."""
    if not skips_zero(one):
        return None
    return LeftOut.of(mean, counted, _judged(evaluation, without_missing=skips_missing(one)) - counted)


def _judged(evaluation: Evaluation, *, without_missing: bool) -> int:
    return evaluation.judged_queries - (evaluation.missing if without_missing else 0)


def words_of_table(rows: Sequence[Evaluation], formula: Formula, measures: Sequence[RoundedMeasure]) -> str:
    """Of the mean that leaves most out, among NDCG-global and the further measures of a run table; empty where none does."""
    worst = max(_of_rows(rows, formula, measures), key=lambda one: one.shift, default=None)
    if worst is None:
        return ""
    told = left_out_words(worst.queries, worst.in_mean + worst.queries)
    return f"{told} If missing grades bring them in, the mean moves by up to {worst.shift:.4f}."


def _of_rows(
    rows: Sequence[Evaluation], formula: Formula, measures: Sequence[RoundedMeasure]
) -> Iterator[LeftOut]:
    for row in rows:
        numbers = vars(row)  # with the annotations of `run_table.evaluations`
        found = [of_formula(row, formula, row.ndcg_global, row.counted)]
        for place, one in enumerate(measures):
            found.append(of_measure(row, one, None, numbers[f"counted_{place}"] or 0))
        yield from filter(None, found)
