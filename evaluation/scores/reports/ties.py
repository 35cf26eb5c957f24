"""How ties affect the values on a page: expected, least and greatest over all orders of equal scores."""

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from itertools import islice
from typing import Any, Final, NamedTuple

import numpy as np
from django.contrib.postgres.expressions import ArraySubquery
from django.db.models import OuterRef, QuerySet, Subquery

from evaluation.base.reports import scale_info
from evaluation.base.sql import unpack_scores
from evaluation.models import Evaluation, Ranking, Run, Score
from evaluation.scores.sql.judged_runs import GradeIndex
from evaluation.scores.sql.scores import QueryGrades, QueryHits
from judgments.models import ConsensusGrade, JudgmentList, Version, VersionGrades
from touchstone_core.comparison.values import fixed
from touchstone_core.formats.columns import Column
from touchstone_core.metrics.arrays import JudgedRun
from touchstone_core.metrics.formula import IDEALS, Formula
from touchstone_core.metrics.order import ScoreArray, at_precision, precision_of
from touchstone_core.metrics.ties import RunSpreads, TieGroups, TieSpread, run_spreads, tie_groups

BATCH: Final = 500


@dataclass(frozen=True, slots=True)
class QueryTies:
    """A ranking with ties inside the cutoff. `ndcg` by ideal; None where no spread is defined (see RunSpreads)."""

    first_tie: int
    dcg: TieSpread
    ndcg: Mapping[str, TieSpread | None]

    @property
    def spreads(self) -> tuple[TieSpread | None, ...]:
        """Of DCG and of the four NDCGs."""
        return (self.dcg, *(self.ndcg[ideal] for ideal in IDEALS))

    @property
    def words(self) -> str:
        """For the badge."""
        return (
            f"Equal scores from rank {self.first_tie} on: over their orders DCG is {fixed(self.dcg.least)} to "
            f"{fixed(self.dcg.greatest)}, {fixed(self.dcg.expected)} expected"
        )


class TiedScore(NamedTuple):
    score: Score
    ties: QueryTies | None


def tied_rankings(run: Run, formula: Formula) -> QuerySet[Ranking]:
    """The rankings of a run in which a group of equal scores begins within the cutoff.

    Even where the formula removes unjudged documents, this is about the ranking as it was retrieved.
    """
    return Ranking.objects.filter(query_set=run.query_set_id, run=run, first_tie__lte=formula.cutoff)


def query_ties(
    judgment_list: JudgmentList,
    run: Run,
    formula: Formula,
    query_ids: Collection[int],
    version: Version | None = None,
) -> dict[int, QueryTies]:
    """Ties of the judged queries among these that have any inside the cutoff. One query; unpacks only their scores."""
    rankings = tied_rankings(run, formula).filter(query__in=query_ids)
    documents, grades = _grades(judgment_list, version)
    rankings = rankings.annotate(graded=documents, grades=grades)
    by_query = {ranking.query_id: ranking for ranking in rankings.defer("documents") if ranking.graded}
    index = GradeIndex(
        [QueryGrades(query, one.graded, one.grades) for query, one in by_query.items()],
        scale_info((version or judgment_list).scale),
    )
    judged_run = index.join(
        [
            QueryHits(run.pk, query, one.size, one.hit_ranks, one.hit_documents)
            for query, one in by_query.items()
        ]
    )
    # `or`: a ranking with a first tie has scores, but its type doesn't say so.
    precision = precision_of(run.order)
    scores = [
        at_precision(unpack_scores(by_query[query].scores or b""), precision) for query in index.queries
    ]
    spreads = run_spreads(judged_run, _groups(judged_run, scores), formula)
    return {
        query: _query_ties(spreads, place, first_tie=by_query[query].first_tie or 0)
        for place, query in enumerate(index.queries)
    }


def _grades(judgment_list: JudgmentList, version: Version | None) -> tuple[Subquery, Subquery]:
    """Documents and grades of the query of each row, in the order of the documents' keys."""
    if version is not None:
        frozen = VersionGrades.objects.filter(version=version, query=OuterRef("query_id"))
        return Subquery(frozen.values("documents")), Subquery(frozen.values("values"))
    grades = ConsensusGrade.objects.filter(
        judgment_list=judgment_list, query=OuterRef("query_id"), value__isnull=False
    ).order_by("document_id")
    return ArraySubquery(grades.values("document_id")), ArraySubquery(grades.values("value"))


def with_ties(evaluation: Evaluation, formula: Formula, rows: Iterable[Score]) -> Iterator[TiedScore]:
    """The scores of an evaluation, each with its ties. Costs a query for each `BATCH` of a run with ties."""
    scores = iter(rows)
    while batch := list(islice(scores, BATCH)):
        ties = page_ties(evaluation, formula, batch)
        yield from (TiedScore(score, ties.get(score.query_id)) for score in batch)


def page_ties(evaluation: Evaluation, formula: Formula, page: Iterable[Score]) -> dict[int, QueryTies]:
    """As `query_ties`. Costs nothing for a run without ties inside the cutoff."""
    if not evaluation.ties:
        return {}
    queries = [score.query_id for score in page]
    return query_ties(evaluation.judgment_list, evaluation.run, formula, queries, evaluation.version)


def _groups(run: JudgedRun, scores: Sequence[ScoreArray]) -> TieGroups:
    """Of the hits; `scores` has the retrieval scores of each query, as they were compared."""
    bounds = np.searchsorted(run.hit_query, np.arange(len(scores) + 1))
    return TieGroups.concatenate(
        [
            tie_groups(numbers, run.hit_rank[bounds[place] : bounds[place + 1]])
            for place, numbers in enumerate(scores)
        ]
    )


def _query_ties(spreads: RunSpreads, place: int, *, first_tie: int) -> QueryTies:
    ndcg = {ideal: spreads.ndcg[ideal].of(place) for ideal in IDEALS}
    return QueryTies(first_tie, spreads.dcg.at(place), ndcg)


def tie_columns(formula: Formula) -> list[Column[TiedScore]]:
    """In CSV a column for each figure, empty where no tie matters or no spread is defined; in JSON one object or null."""

    def figure(place: int, kind: str) -> Callable[[TiedScore], float | None]:
        return lambda row: getattr(row.ties.spreads[place], kind, None) if row.ties else None

    return [
        Column("first tie", value=lambda row: row.ties and row.ties.first_tie, json=None),
        *(
            Column(f"{text} {kind} over ties", value=figure(place, kind), json=None)
            for place, text in enumerate(_texts(formula))
            for kind in ("expected", "least", "greatest")
        ),
        Column(value=lambda row: tie_json(row.ties, formula), json=("ties",)),
    ]


def _texts(formula: Formula) -> list[str]:
    """Of `QueryTies.spreads`."""
    return [formula.dcg_measure(), *(formula.measure(ideal) for ideal in IDEALS)]


def tie_json(ties: QueryTies | None, formula: Formula) -> dict[str, Any] | None:
    """Spreads by canonical text; null where there is none."""
    if ties is None:
        return None
    spreads = zip(_texts(formula), ties.spreads, strict=True)
    values = {text: None if spread is None else asdict(spread) for text, spread in spreads}
    return {"first_tie": ties.first_tie, "values": values}
