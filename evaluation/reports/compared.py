"""The runs of a comparison, query by query: what every part of a comparison reads. R runs, Q queries."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Self

import numpy as np

from evaluation.ingest.comparing import NO_MEASURE, NOTHING, read_measure, read_queries, read_scores
from evaluation.ingest.measure_scores import stored_digits
from evaluation.metrics.formula import Formula
from evaluation.metrics.ladder import LOSSES
from evaluation.metrics.left_out import skips_missing
from evaluation.metrics.rounding import Rounded
from evaluation.metrics.types import Floats, Ints, Mask
from evaluation.models import Evaluation, MeasureEvaluation, Run
from judgments.models import JudgmentList, Version

STEPS = ("dcg", "ideal_local", "ideal_recall", "ideal_global", "ideal_max")


@dataclass(frozen=True, slots=True, eq=False)
class Compared:
    """Several runs over the same judged queries, the baseline first. All values come from stored scores.

    A comparison is paired: a query that a run does not answer counts 0 there and is never dropped, whatever the formula's
    policy for averages says. A further measure leaves none out either, and gives it the value that it has for such a query.
    """

    formula: Formula
    runs: tuple[Run, ...]
    evaluations: tuple[Evaluation, ...]
    queries: Ints  # (Q,) ids, ascending
    place: Ints  # (Q,) rises with the external ids; what is drawn is drawn in this order
    weights: Floats  # (Q,)
    tagged: Mask  # (Q,) has the tag of the held-out queries
    answered: Mask  # (R, Q)
    shown: Ints  # (R, Q)
    judged: Ints  # (R, Q)
    steps: Floats  # (R, 5, Q) DCG and the ideals local, recall, global, max
    measures: dict[str, Floats]  # by canonical text (R, Q); NaN where a policy leaves a query out

    def ndcg(self, ideal: str) -> Floats:
        """(R, Q); NaN where the ideal is 0 and the formula leaves such queries out."""
        best = self.steps[:, STEPS.index(f"ideal_{ideal}")]
        undefined = np.nan if self.formula.undefined is None else self.formula.undefined
        values = np.full(best.shape, undefined, dtype=np.float64)
        np.divide(self.steps[:, 0], best, out=values, where=best > 0)
        left_out = np.isnan(undefined) & (self.steps[:, 3] == 0)
        return np.where(self.answered | left_out, values, 0.0)

    @property
    def dcg(self) -> Floats:
        """(R, Q)"""
        return self.steps[:, 0]

    @property
    def shares(self) -> Floats:
        """(R, 5, Q) the waterfall: DCG and the losses by order, depth, recall and content as shares of IDCG-max; they sum to 1."""
        parts = np.diff(self.steps, axis=1, prepend=0.0)
        return np.asarray(parts / self.steps[:, 4:5], dtype=np.float64)

    def loss(self, loss: str) -> Floats:
        """(R, Q) the share of IDCG-max that is lost at one step."""
        return self.shares[:, 1 + LOSSES.index(loss)]

    def of(self, kept: Mask) -> Self:
        """The same for some of the queries (Q,)."""
        return replace(
            self,
            queries=self.queries[kept],
            place=self.place[kept],
            weights=self.weights[kept],
            tagged=self.tagged[kept],
            answered=self.answered[:, kept],
            shown=self.shown[:, kept],
            judged=self.judged[:, kept],
            steps=self.steps[:, :, kept],
            measures={text: values[:, kept] for text, values in self.measures.items()},
        )


class ScoresMoved(Exception):
    """Somebody judged between two statements, so that the runs were scored on different queries; read them again."""


def compared(
    judgment_list: JudgmentList,
    runs: Sequence[Run],
    formula: Formula,
    *,
    measures: Sequence[Rounded] = (),
    version: Version | None = None,
    tag: str = "",
) -> Compared:
    """The judged queries of runs whose values are up to date. Three statements, and two for each measure.

    Raises ScoresMoved, and Evaluation.DoesNotExist where a run has no values under the formula.
    """
    evaluations = _evaluations(judgment_list, runs, formula, version)
    scores = read_scores(judgment_list.query_set_id, [one.pk for one in evaluations])
    every = read_queries(judgment_list.pk, version, tag)
    columns = [scores.get(one.pk, NOTHING) for one in evaluations]
    queries = columns[0].query
    if any(not np.array_equal(queries, one.query) for one in columns):
        raise ScoresMoved
    at = np.searchsorted(every.query, queries)
    if not np.array_equal(every.query[at[at < len(every.query)]], queries):
        raise ScoresMoved
    answered = np.array([one.retrieved >= 0 for one in columns])
    return Compared(
        formula=formula,
        runs=tuple(runs),
        evaluations=tuple(evaluations),
        queries=queries,
        place=every.place[at],
        weights=every.weight[at],
        tagged=every.tagged[at],
        answered=answered,
        shown=np.array([one.shown for one in columns]),
        judged=np.array([one.judged for one in columns]),
        steps=np.array([[getattr(one, step) for step in STEPS] for one in columns]),
        measures={
            str(one): np.where(answered, values, 0.0) if skips_missing(one) else values
            for one in measures
            for values in [_measure(judgment_list, runs, one, version, queries)]
        },
    )


def _evaluations(
    judgment_list: JudgmentList, runs: Sequence[Run], formula: Formula, version: Version | None
) -> list[Evaluation]:
    """In the order of the runs."""
    found = Evaluation.objects.filter(judgment_list=judgment_list, version=version, run__in=runs)
    by_run = {one.run_id: one for one in found.filter(formula=formula.key)}
    if len(by_run) < len(runs):
        raise Evaluation.DoesNotExist
    return [by_run[run.pk] for run in runs]


def _measure(
    judgment_list: JudgmentList,
    runs: Sequence[Run],
    measure: Rounded,
    version: Version | None,
    queries: Ints,
) -> Floats:
    """(R, Q)"""
    found = MeasureEvaluation.objects.filter(
        judgment_list=judgment_list,
        version=version,
        run__in=runs,
        measure=str(measure.measure),
        digits=stored_digits(measure.digits),
    )
    keys = {run: key for key, run in found.values_list("pk", "run")}
    columns = read_measure(judgment_list.query_set_id, list(keys.values()))
    rows = [columns.get(keys.get(run.pk, 0), NO_MEASURE) for run in runs]
    if any(not np.array_equal(one.query, queries) for one in rows):
        raise ScoresMoved
    return np.array([one.value for one in rows])
