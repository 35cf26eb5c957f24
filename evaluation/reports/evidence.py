"""What is known of runs of a list beside their values: their hits, their pages, and what follows from these. Q queries."""

from collections.abc import Sequence
from dataclasses import replace
from itertools import groupby
from operator import attrgetter

import numpy as np

from evaluation.bounds import GREATEST_CUTOFF, Bounds, bounds
from evaluation.ingest.comparing import read_pages
from evaluation.ingest.hits import Key
from evaluation.ingest.judged_runs import GradeIndex
from evaluation.ingest.scores import read_grades, read_hits
from evaluation.metrics.arrays import JudgedRun
from evaluation.metrics.formula import Formula
from evaluation.metrics.gain import top_gain
from evaluation.metrics.moves import numbered
from evaluation.models import Run
from evaluation.reports.compared import ScoresMoved
from evaluation.reports.page_evidence import Evidence, evidence, page_gains
from evaluation.reports.scales import scale_info
from judgments.models import JudgmentList, Version


def has_bounds(formula: Formula) -> bool:
    """Not where the formula takes unjudged documents out of the ranking, nor of pages that nobody looks at."""
    return formula.cutoff <= GREATEST_CUTOFF and not formula.condenses


class Judged:
    """The grades of a list joined to runs, with the pages that these show. Four statements, whatever the number of runs.

    R runs in their order, N ranks. The hits of the runs must be up to date, as they are after `bring_up_to_date`. Raises
    ScoresMoved where a query has lost its last grade since it was counted among the judged ones.
    """

    def __init__(
        self,
        judgment_list: JudgmentList,
        version: Version | None,
        queries: Sequence[int],
        formula: Formula,
        runs: Sequence[Run],
    ) -> None:
        self.formula = formula
        self.scale = scale_info((version or judgment_list).scale)
        self._place = {run.pk: place for place, run in enumerate(runs)}
        index = GradeIndex(read_grades(judgment_list.pk, queries, version).values(), self.scale)
        if index.queries != list(queries):
            raise ScoresMoved
        keys = [Key(query, run) for run in self._place for query in queries]
        hits = groupby(read_hits(judgment_list.query_set_id, keys), attrgetter("run_id"))
        found = {run: index.join(list(of_run)) for run, of_run in hits}
        self._runs = [found[run] if run in found else index.join([]) for run in self._place]
        shown = read_pages(judgment_list.query_set_id, list(self._place), queries, formula.cutoff)
        self.document = numbered(shown, formula.cutoff)  # (R, Q, N)
        self.gain = np.stack([page_gains(run, formula) for run in self._runs])  # (R, Q, N)

    @property
    def top(self) -> float:
        """The greatest gain that the scale allows."""
        return float(top_gain(self.formula.gain, self.scale))

    def run(self, run: Run) -> JudgedRun:
        """Over the queries in the order of their ids."""
        return self._runs[self._place[run.pk]]

    def bounds(self, run: Run) -> Bounds:
        """A query without an answer counts 0, as in every comparison, whatever the formula's policy for averages says.

        Raises MetricsError where the formula has no bounds (see `has_bounds`).
        """
        return bounds(self.run(run), replace(self.formula, missing=0))

    def evidence(self, baseline: Run, candidate: Run) -> Evidence:
        old, new = self._place[baseline.pk], self._place[candidate.pk]
        return evidence(self.document[[old, new]], self.gain[[old, new]], self.formula.discounts(), self.top)
