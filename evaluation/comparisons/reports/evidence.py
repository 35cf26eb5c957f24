"""What is known of runs of a list beside their values: their hits, their pages, and what follows from these. Q queries."""

from collections.abc import Mapping, Sequence
from functools import cached_property
from itertools import groupby
from operator import attrgetter
from typing import Final

import numpy as np

from evaluation.base.reports import scale_info
from evaluation.base.sql import known_ids
from evaluation.comparisons.sql import read_measure, read_pages, read_queries, read_scores
from evaluation.models import Evaluation, MeasureEvaluation, Run
from evaluation.scores.sql.hits import Key
from evaluation.scores.sql.judged_runs import GradeIndex
from evaluation.scores.sql.scores import QueryGrades, read_grades, read_hits
from evaluation.scores.sql.summaries import stored_digits
from judgments.models import JudgmentList, Version
from touchstone_core.bounds.estimates import PooledPages
from touchstone_core.bounds.universe import PAGES, all_unjudged, most_unjudged, unjudged_of
from touchstone_core.bounds.values import has_bounds
from touchstone_core.comparison.comparison import RunValues
from touchstone_core.comparison.page_evidence import RunPages
from touchstone_core.metrics.arrays import JudgedRun
from touchstone_core.metrics.formula import Formula
from touchstone_core.metrics.gain import gains
from touchstone_core.metrics.moves import number_documents
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


MOST_ON_PAGES: Final = 500_000
"""Documents on the pages of stored runs that are read to know the pool: a second or two."""


def _judged_runs(
    judgment_list: JudgmentList,
    version: Version | None,
    grades: Mapping[int, QueryGrades],
    queries: Sequence[int],
    runs: Sequence[Run],
) -> list[JudgedRun]:
    """Stored runs, joined to the grades of these queries. Three statements, whatever the number of runs.

    The hits of the runs must be up to date, as they are after `bring_up_to_date`. Raises ScoresMoved where a query has lost
    its last grade since it was counted among the judged ones.
    """
    index = GradeIndex(grades.values(), scale_info((version or judgment_list).scale))
    if index.queries != list(queries):
        raise ScoresMoved
    keys = [Key(query, run.pk) for run in runs for query in queries]
    hits = groupby(read_hits(judgment_list.query_set_id, keys), attrgetter("run_id"))
    by_run = {run: index.join(list(of_run)) for run, of_run in hits}
    return [by_run[run.pk] if run.pk in by_run else index.join([]) for run in runs]


class StoredPages(RunPages):
    """The pages of stored runs, whose hits must be up to date. Five statements. Raises ScoresMoved as `_judged_runs` does."""

    def __init__(
        self,
        judgment_list: JudgmentList,
        version: Version | None,
        queries: Sequence[int],
        formula: Formula,
        runs: Sequence[Run],
    ) -> None:
        self.query_set, self.queries = judgment_list.query_set_id, list(queries)
        self._keys, self._names = [run.pk for run in runs], [run.name for run in runs]
        self._grades = read_grades(judgment_list.pk, queries, version)
        judged = _judged_runs(judgment_list, version, self._grades, queries, runs)
        super().__init__(formula, judged, read_pages(self.query_set, self._keys, queries, formula.cutoff))

    @cached_property
    def unjudged(self) -> Ints:
        """(Q,) as of all runs, counted one by one where that matters."""
        enough = PAGES * self.formula.cutoff
        counts = most_unjudged(self.runs, self.document, self.gain)
        least = np.max([unjudged_of(run) for run in self.runs], axis=0)
        # Only where short rankings share documents below the cutoff does it matter which ones these are.
        doubtful = np.flatnonzero((least < enough) & (least < counts))
        if doubtful.size:
            keys = [self.queries[query] for query in doubtful]
            whole = read_pages(self.query_set, self._keys, keys, -1)
            counts[doubtful] = all_unjudged(self.runs, doubtful, whole)
        return counts

    def pool_pages(self) -> tuple[PooledPages, int]:
        """The pages of these runs, then those of all other stored runs of the query set, the newest first; and how many of
        these are too many to be read. Three statements, whatever the number of runs."""
        every = Run.objects.filter(query_set=self.query_set).exclude(pk__in=self._keys).order_by("-pk")
        others = list(every.values_list("pk", "name"))
        room = MOST_ON_PAGES // (len(self.queries) * self.formula.cutoff) - len(self._keys)
        keys = [key for key, _ in others[: max(room, 0)]]
        other_pages = read_pages(self.query_set, keys, self.queries, self.formula.cutoff) if keys else []
        document = number_documents([*self.pages, *other_pages], self.formula.cutoff)
        gain = np.concatenate([self.gain, self._page_gains(other_pages)])
        names = (*self._names, *(name for _, name in others[: len(keys)]))
        pages = PooledPages(document, gain, self.formula.discounts(), self.top, names)
        return pages, len(others) - len(keys)

    def _page_gains(self, pages_by_run: list[list[list[str]]]) -> Floats:
        """(R, Q, N) of the pages of other runs, whose hits may be out of date."""
        page_gains = np.full((len(pages_by_run), len(self.queries), self.formula.cutoff), np.nan)
        document_ids = known_ids(
            self.query_set, {name for run in pages_by_run for page in run for name in page}
        )
        for place, query in enumerate(self.queries):
            grades = self._grades[query]
            worth = gains(np.array(grades.values), self.formula.gain, self.runs[0].scale)
            by_document = dict(zip(grades.documents, worth.tolist(), strict=True))
            for run, pages in enumerate(pages_by_run):
                page = [by_document.get(document_ids.get(name, 0), np.nan) for name in pages[place]]
                page_gains[run, place, : len(page)] = page
        return page_gains


def read_judged(
    judgment_list: JudgmentList,
    version: Version | None,
    queries: Sequence[int],
    formula: Formula,
    runs: Sequence[Run],
) -> tuple[Sequence[JudgedRun], StoredPages | None]:
    """The runs joined to the grades, and their pages; None under a formula without bounds."""
    if not has_bounds(formula):
        grades = read_grades(judgment_list.pk, queries, version)
        return _judged_runs(judgment_list, version, grades, queries, runs), None
    pages = StoredPages(judgment_list, version, queries, formula, runs)
    return pages.runs, pages
