"""The runs of a comparison, query by query: what every part of a comparison reads. R runs, Q queries."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Self

import numpy as np

from evaluation.ingest.comparing import read_measure, read_queries, read_scores
from evaluation.ingest.measure_scores import stored_digits
from evaluation.metrics.formula import IDEALS, Formula
from evaluation.metrics.ladder import LOSSES
from evaluation.metrics.rounding import Rounded
from evaluation.metrics.types import Floats, Ints, Mask
from evaluation.models import Evaluation, MeasureEvaluation, Run
from judgments.models import JudgmentList, Version


@dataclass(frozen=True, slots=True, eq=False)
class Compared:
    """Several runs over the same judged queries, the baseline first. All values come from stored scores.

    A comparison is paired: a query that a run does not answer counts 0 there and is never dropped, whatever the policy for
    averages says of it; see `Formula.counting_missing`.
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
    parts: Floats  # (R, 5, Q) DCG and the losses by order, depth, recall and content, which sum to IDCG-max
    ideal_max: Floats  # (R, Q)
    ndcgs: Floats  # (R, 4, Q); NaN where the formula leaves a query out
    measures: dict[str, Floats]  # by canonical text (R, Q); NaN where a policy leaves a query out

    def ndcg(self, ideal: str) -> Floats:
        """(R, Q)"""
        return self.ndcgs[:, IDEALS.index(ideal)]

    @property
    def dcg(self) -> Floats:
        """(R, Q)"""
        return self.parts[:, 0]

    @property
    def shares(self) -> Floats:
        """(R, 5, Q) the waterfall: the parts as shares of IDCG-max; they sum to 1."""
        return np.asarray(self.parts / self.ideal_max[:, None], dtype=np.float64)

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
            parts=self.parts[:, :, kept],
            ideal_max=self.ideal_max[:, kept],
            ndcgs=self.ndcgs[:, :, kept],
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
    """The judged queries of runs whose values `counting_missing` are up to date. Three statements, and two for each measure.

    Raises ScoresMoved, and Evaluation.DoesNotExist where a run has no values under the formula.
    """
    evaluations = _evaluations(judgment_list, runs, formula, version)
    columns = read_scores(judgment_list.query_set_id, [one.pk for one in evaluations])
    every = read_queries(judgment_list.pk, version, tag)
    queries = columns[0].query
    if any(not np.array_equal(queries, one.query) for one in columns):
        raise ScoresMoved
    at = np.searchsorted(every.query, queries)
    if not np.array_equal(every.query[at[at < len(every.query)]], queries):
        raise ScoresMoved
    return Compared(
        formula=formula,
        runs=tuple(runs),
        evaluations=tuple(evaluations),
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
        measures={
            str(one): _measure(judgment_list, runs, one.counting_missing, version, queries)
            for one in measures
        },
    )


def _evaluations(
    judgment_list: JudgmentList, runs: Sequence[Run], formula: Formula, version: Version | None
) -> list[Evaluation]:
    """In the order of the runs."""
    found = Evaluation.objects.filter(judgment_list=judgment_list, version=version, run__in=runs)
    by_run = {one.run_id: one for one in found.filter(formula=formula.counting_missing.key)}
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
    rows = read_measure(judgment_list.query_set_id, [keys.get(run.pk, 0) for run in runs])
    if any(not np.array_equal(one.query, queries) for one in rows):
        raise ScoresMoved
    return np.array([one.value for one in rows])
