"""What is known of two runs beside their values: what changed, what unjudged documents could still change. Q queries."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from enum import IntEnum

import numpy as np

from evaluation.bounds import GREATEST_CUTOFF, Bounds, bounds, difference_bounds, weights
from evaluation.impact import page_change
from evaluation.ingest.comparing import read_pages
from evaluation.ingest.hits import Key
from evaluation.ingest.judged_runs import GradeIndex
from evaluation.ingest.scores import read_grades, read_hits
from evaluation.metrics.arrays import JudgedRun
from evaluation.metrics.formula import Formula
from evaluation.metrics.gain import gains, top_gain
from evaluation.metrics.types import Floats, Ints, Mask
from evaluation.models import Run
from evaluation.reports.scales import scale_info
from judgments.models import JudgmentList, Version


class Change(IntEnum):
    """How a query's page differs between two runs."""

    NONE = 0
    ORDER = 1
    DOCUMENTS = 2


class Standing(IntEnum):
    """Who wins a query in NDCG-max and NDCG-global whatever grades are missing."""

    BASELINE = -1
    EVEN = 0
    CANDIDATE = 1
    OPEN = 2


@dataclass(frozen=True, slots=True, eq=False)
class Evidence:
    """A candidate beside the baseline, query by query; every array (Q,).

    `low` and `high` bound the difference of NDCG-max; `ceiling` does so before any grade is known.
    """

    change: Ints  # Change
    standing: Ints  # Standing
    first: Mask  # another document at rank 1
    overlap: Floats
    rbo: Floats
    ceiling: Floats
    low: Floats
    high: Floats


def has_bounds(formula: Formula) -> bool:
    """Not where the formula takes unjudged documents out of the ranking, nor of pages that nobody looks at."""
    return formula.cutoff <= GREATEST_CUTOFF and not formula.condenses


class Judged:
    """The grades of a list, to be joined to one run after the other. One statement, and one more for each run.

    The hits of the runs must be up to date, as they are after `bring_up_to_date`.
    """

    def __init__(
        self, judgment_list: JudgmentList, version: Version | None, queries: Sequence[int], formula: Formula
    ) -> None:
        self.formula = formula
        self.queries = list(queries)
        self.scale = scale_info((version or judgment_list).scale)
        grades = read_grades(judgment_list.pk, self.queries, version)
        self._index = GradeIndex(grades.values(), self.scale)

    def run(self, run: Run) -> JudgedRun:
        """Over the queries in the order of their ids."""
        keys = [Key(query, run.pk) for query in self.queries]
        return self._index.join(list(read_hits(run.query_set_id, keys)))

    def bounds(self, run: Run) -> Bounds:
        """A query without an answer counts 0, as in every comparison, whatever the formula's policy for averages says.

        Raises MetricsError where the formula has no bounds (see `has_bounds`).
        """
        return bounds(self.run(run), replace(self.formula, missing=0))

    def evidence(self, baseline: Run, candidate: Run) -> Evidence:
        """Four statements."""
        discount = self.formula.discounts()
        old, new = self.pages(baseline), self.pages(candidate)
        known = self.known([self.run(baseline), self.run(candidate)], [old, new])
        top = top_gain(self.formula.gain, self.scale)
        bound = difference_bounds(
            weights(old, new, known, discount), top=top, ideal=float(top * discount.sum())
        )
        changes = [page_change(*both, discount) for both in zip(old, new, strict=True)]
        standing = np.where(bound.for_candidate, Standing.CANDIDATE, Standing.EVEN)
        standing = np.where(bound.for_baseline, Standing.BASELINE, standing)
        return Evidence(
            change=np.array([_kind(one.documents, one.changed) for one in changes], dtype=np.int64),
            standing=np.where(bound.open, Standing.OPEN, standing).astype(np.int64),
            first=np.array([one.first for one in changes], dtype=np.bool_),
            overlap=np.array([one.overlap for one in changes]),
            rbo=np.array([one.rbo for one in changes]),
            ceiling=np.array([one.ceiling for one in changes]),
            low=bound.low,
            high=bound.high,
        )

    def pages(self, run: Run) -> list[list[str]]:
        """The external ids of what a run shows, by query. One statement."""
        found = read_pages(run, self.queries, self.formula.cutoff)
        return [found.get(query, []) for query in self.queries]

    def known(
        self, runs: Sequence[JudgedRun], pages: Sequence[Sequence[Sequence[str]]]
    ) -> list[dict[str, float]]:
        """The gains of the judged documents on any of these pages, by query and external id."""
        known: list[dict[str, float]] = [{} for _ in self.queries]
        for run, shown in zip(runs, pages, strict=True):
            page = run.hit_rank <= self.formula.cutoff
            worth = gains(run.hit_grade[page], self.formula.gain, self.scale)
            hits = zip(run.hit_query[page].tolist(), run.hit_rank[page].tolist(), worth.tolist(), strict=True)
            for query, rank, gain in hits:
                known[query][shown[query][rank - 1]] = gain
        return known


def _kind(documents: bool, changed: bool) -> Change:
    if documents:
        return Change.DOCUMENTS
    return Change.ORDER if changed else Change.NONE
