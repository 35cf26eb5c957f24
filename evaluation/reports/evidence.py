"""What is known of runs of a list beside their values: their hits, their pages, and what follows from these. Q queries."""

from collections.abc import Sequence
from functools import cached_property
from itertools import groupby
from operator import attrgetter
from typing import Final

import numpy as np

from evaluation.bounds import (
    GREATEST_CUTOFF,
    PAGES,
    Bounds,
    PooledPages,
    all_unjudged,
    bounds,
    most_unjudged,
    unjudged_of,
)
from evaluation.ingest.comparing import read_pages
from evaluation.ingest.documents import known_ids
from evaluation.ingest.hits import Key
from evaluation.ingest.judged_runs import GradeIndex
from evaluation.ingest.scores import read_grades, read_hits
from evaluation.metrics.arrays import JudgedRun
from evaluation.metrics.formula import Formula
from evaluation.metrics.gain import gains, top_gain
from evaluation.metrics.moves import numbered
from evaluation.metrics.types import Floats, Ints
from evaluation.models import Run
from evaluation.reports.compared import ScoresMoved
from evaluation.reports.page_evidence import Evidence, evidence, page_gains
from evaluation.reports.scales import scale_info
from judgments.models import JudgmentList, Version

MOST_ON_PAGES: Final = 500_000
"""Documents on the pages of stored runs that are read to know the pool: a second or two."""


def has_bounds(formula: Formula) -> bool:
    """Not where the formula takes unjudged documents out of the ranking, nor of pages that nobody looks at."""
    return formula.cutoff <= GREATEST_CUTOFF and not formula.condenses


class Judged:
    """The grades of a list joined to runs, with the pages that these show. Five statements, whatever the number of runs.

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
        self.query_set = judgment_list.query_set_id
        self.queries = list(queries)
        self.scale = scale_info((version or judgment_list).scale)
        self._place = {run.pk: place for place, run in enumerate(runs)}
        self._grades = read_grades(judgment_list.pk, queries, version)
        index = GradeIndex(self._grades.values(), self.scale)
        if index.queries != self.queries:
            raise ScoresMoved
        keys = [Key(query, run) for run in self._place for query in queries]
        hits = groupby(read_hits(self.query_set, keys), attrgetter("run_id"))
        found = {run: index.join(list(of_run)) for run, of_run in hits}
        self._runs = [found[run] if run in found else index.join([]) for run in self._place]
        self._shown = read_pages(self.query_set, list(self._place), queries, formula.cutoff)
        self.document = numbered(self._shown, formula.cutoff)  # (R, Q, N)
        self.gain = np.stack([page_gains(run, formula) for run in self._runs])  # (R, Q, N)

    @property
    def top(self) -> float:
        """The greatest gain that the scale allows."""
        return float(top_gain(self.formula.gain, self.scale))

    @cached_property
    def unjudged(self) -> Ints:
        """(Q,) how many unjudged documents these runs retrieved together; any number above PAGES of the cutoff stands for all."""
        enough = PAGES * self.formula.cutoff
        found = most_unjudged(self._runs, self.document, self.gain)
        least = np.max([unjudged_of(run) for run in self._runs], axis=0)
        # Only where short rankings share documents below the cutoff does it matter which ones these are.
        doubtful = np.flatnonzero((least < enough) & (least < found))
        if doubtful.size:
            keys = [self.queries[query] for query in doubtful]
            whole = read_pages(self.query_set, list(self._place), keys, -1)
            found[doubtful] = all_unjudged(self._runs, doubtful, whole)
        return found

    def pool_pages(self) -> tuple[PooledPages, int]:
        """The pages of these runs, then those of all other stored runs of the query set, the newest first; and how many of
        these are too many to be read. Three statements, whatever the number of runs."""
        every = Run.objects.filter(query_set=self.query_set).exclude(pk__in=self._place).order_by("-pk")
        others = list(every.values_list("pk", flat=True))
        room = MOST_ON_PAGES // (len(self.queries) * self.formula.cutoff) - len(self._place)
        chosen = others[: max(room, 0)]
        shown = read_pages(self.query_set, chosen, self.queries, self.formula.cutoff) if chosen else []
        document = numbered([*self._shown, *shown], self.formula.cutoff)
        gain = np.concatenate([self.gain, self._page_gains(shown)])
        pages = PooledPages(document, gain, self.formula.discounts(), self.top)
        return pages, len(others) - len(chosen)

    def _page_gains(self, shown: list[list[list[str]]]) -> Floats:
        """(R, Q, N) of the pages of other runs, whose hits may be out of date."""
        found = np.full((len(shown), len(self.queries), self.formula.cutoff), np.nan)
        known = known_ids(self.query_set, {name for run in shown for page in run for name in page})
        for place, query in enumerate(self.queries):
            grades = self._grades[query]
            worth = gains(np.array(grades.values), self.formula.gain, self.scale)
            by_document = dict(zip(grades.documents, worth.tolist(), strict=True))
            for run, pages in enumerate(shown):
                page = [by_document.get(known.get(name, 0), np.nan) for name in pages[place]]
                found[run, place, : len(page)] = page
        return found

    def run(self, run: Run) -> JudgedRun:
        """Over the queries in the order of their ids."""
        return self._runs[self._place[run.pk]]

    def bounds(self, run: Run) -> Bounds:
        """Over the unjudged documents that one of the runs retrieved. A query without an answer counts 0, as in every
        comparison, whatever the formula's policy for averages says.

        Raises MetricsError where the formula has no bounds (see `has_bounds`).
        """
        return bounds(self.run(run), self.formula.counting_missing, self.unjudged)

    def evidence(self, baseline: Run, candidate: Run) -> Evidence:
        old, new = self._place[baseline.pk], self._place[candidate.pk]
        pair = self._runs[old], self._runs[new]
        return evidence(self.document[[old, new]], pair, self.formula, self.unjudged)
