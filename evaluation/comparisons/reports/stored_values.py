"""Stored runs as the arrays that a comparison is made of. R runs, Q queries."""

from collections.abc import Sequence

import numpy as np

from evaluation.comparisons.sql import read_measure, read_queries, read_scores
from evaluation.models import Evaluation, MeasureEvaluation
from evaluation.scores.sql.summaries import stored_digits
from touchstone_core.comparison.comparison import RunValues
from touchstone_core.metrics.formula import Formula
from touchstone_core.metrics.rounding import RoundedMeasure
from touchstone_core.metrics.types import Floats, Ints


class ScoresMoved(Exception):
    """Somebody judged between two statements, so that the runs were scored on different queries; read them again."""


def read_compared_values(
    evaluations: Sequence[Evaluation], *, measures: Sequence[RoundedMeasure] = (), tag: str = ""
) -> RunValues:
    """The judged queries of runs: `evaluations` are of one formula, `counting_missing`, and up to date, as what is stored of the
    measures is. Two statements, and two for each measure. Raises ScoresMoved.
    """
    first = evaluations[0]
    columns = read_scores(first.query_set_id, [one.pk for one in evaluations])
    every = read_queries(first.judgment_list_id, first.version_id, tag)
    queries = columns[0].query
    if any(not np.array_equal(queries, one.query) for one in columns):
        raise ScoresMoved
    at = np.searchsorted(every.query, queries)
    if not np.array_equal(every.query[at[at < len(every.query)]], queries):
        raise ScoresMoved
    return RunValues(
        formula=Formula.from_key(first.formula),
        queries=queries,
        place=every.place[at],
        weights=every.weight[at],
        tagged=every.tagged[at],
        answered=np.array([one.retrieved >= 0 for one in columns]),
        shown=np.array([one.shown for one in columns]),
        judged=np.array([one.judged for one in columns]),
        parts=np.array([one.parts for one in columns]),
        ideal_max=np.array([one.ideal_max for one in columns]),
        ndcgs=np.array([one.ndcgs for one in columns]),
        measures={str(one): _measure(evaluations, one.counting_missing, queries) for one in measures},
    )


def _measure(evaluations: Sequence[Evaluation], measure: RoundedMeasure, queries: Ints) -> Floats:
    """(R, Q)"""
    first = evaluations[0]
    evaluations_of_measure = MeasureEvaluation.objects.filter(
        judgment_list=first.judgment_list_id,
        version=first.version_id,
        run__in=[one.run_id for one in evaluations],
        measure=str(measure.measure),
        digits=stored_digits(measure.digits),
    )
    keys = {run: key for key, run in evaluations_of_measure.values_list("pk", "run")}
    rows = read_measure(first.query_set_id, [keys.get(one.run_id, 0) for one in evaluations])
    if any(not np.array_equal(one.query, queries) for one in rows):
        raise ScoresMoved
    return np.array([one.value for one in rows])
