"""Queries that stored means leave out because an ideal is 0, and how far missing grades could move the means."""

from collections.abc import Iterator, Sequence

from evaluation.models import Evaluation
from touchstone_core.metrics.formula import Formula
from touchstone_core.metrics.left_out import LeftOut, left_out_words, skips_missing, skips_zero
from touchstone_core.metrics.rounding import RoundedMeasure


def of_formula(evaluation: Evaluation, formula: Formula, mean: float | None, counted: int) -> LeftOut | None:
    """For the mean of one of the four NDCGs over `counted` queries."""
    if formula.zero_ndcg is not None:
        return None
    return LeftOut.of(
        mean, counted, _judged_queries(evaluation, without_missing=formula.skips_missing) - counted
    )


def of_measure(
    evaluation: Evaluation, one: RoundedMeasure, mean: float | None, counted: int
) -> LeftOut | None:
    """For a further measure; `evaluation` has the same run and grades."""
    if not skips_zero(one):
        return None
    return LeftOut.of(
        mean, counted, _judged_queries(evaluation, without_missing=skips_missing(one)) - counted
    )


def _judged_queries(evaluation: Evaluation, *, without_missing: bool) -> int:
    return evaluation.judged_queries - (evaluation.missing if without_missing else 0)


def words_of_table(rows: Sequence[Evaluation], formula: Formula, measures: Sequence[RoundedMeasure]) -> str:
    """About the mean of a run table that could move most, NDCG-global or a further measure; empty if none could."""
    worst = max(_of_rows(rows, formula, measures), key=lambda one: one.shift, default=None)
    if worst is None:
        return ""
    sentence = left_out_words(worst.queries, worst.in_mean + worst.queries)
    return f"{sentence} If missing grades bring them in, the mean moves by up to {worst.shift:.4f}."


def _of_rows(
    rows: Sequence[Evaluation], formula: Formula, measures: Sequence[RoundedMeasure]
) -> Iterator[LeftOut]:
    for row in rows:
        numbers = vars(row)  # with the annotations of `run_table.evaluations`
        cases = [of_formula(row, formula, row.ndcg_global, row.counted)]
        for place, one in enumerate(measures):
            cases.append(of_measure(row, one, None, numbers[f"counted_{place}"] or 0))
        yield from filter(None, cases)
