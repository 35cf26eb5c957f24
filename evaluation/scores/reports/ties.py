"""What ties do to the values that are shown: expected, least and greatest over the orders of equal scores."""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from itertools import islice
from typing import Any, Final, TypeAlias

import numpy as np
from django.contrib.postgres.expressions import ArraySubquery
from django.db.models import OuterRef, QuerySet, Subquery

from evaluation.base.reports.scales import scale_info
from evaluation.base.sql.blocks import unpack_scores
from evaluation.models import Evaluation, Ranking, Run, Score
from evaluation.scores.sql.judged_runs import GradeIndex
from evaluation.scores.sql.scores import QueryGrades, QueryHits
from judgments.models import ConsensusGrade, JudgmentList, Version, VersionGrades
from touchstone_core.comparison.values import fixed
from touchstone_core.formats.spreadsheet import Cell
from touchstone_core.metrics.arrays import JudgedRun
from touchstone_core.metrics.formula import IDEALS, Formula
from touchstone_core.metrics.order import ScoreArray, at_precision, precision_of
from touchstone_core.metrics.ties import RunSpreads, TieGroups, TieSpread, run_spreads, tie_groups

BATCH: Final = 500
KINDS: Final = ("expected over ties", "least over ties", "greatest over ties")


@dataclass(frozen=True, slots=True)
class QueryTies:
    """A ranking with ties inside the cutoff. `ndcg` by ideal; None where no spread is defined (see RunSpreads)."""

    first_tie: int
    dcg: TieSpread
    ndcg: Mapping[str, TieSpread | None]

    @property
    def words(self) -> str:
        """For the badge."""
        return (
            f"Equal scores from rank {self.first_tie} on: over their orders DCG is {fixed(self.dcg.least)} to "
            f"{fixed(self.dcg.greatest)}, {fixed(self.dcg.expected)} expected"
        )


TiedScore: TypeAlias = tuple[Score, QueryTies | None]


def tied_rankings(run: Run, formula: Formula) -> QuerySet[Ranking]:
    """The rankings of a run in which a group of equal scores begins within the cutoff.

    Where the formula takes unjudged documents out, this is still said of the ranking as it was retrieved.
    """
    return Ranking.objects.filter(query_set=run.query_set_id, run=run, first_tie__lte=formula.cutoff)


def query_ties(
    judgment_list: JudgmentList,
    run: Run,
    formula: Formula,
    query_ids: Collection[int],
    version: Version | None = None,
) -> dict[int, QueryTies]:
    """The judged ones of these queries that have ties inside the cutoff. One query; unpacks the scores of these alone."""
    tied = tied_rankings(run, formula).filter(query__in=query_ids)
    graded, grades = _grades(judgment_list, version)
    tied = tied.annotate(graded=graded, grades=grades)
    found = {ranking.query_id: ranking for ranking in tied.defer("documents") if ranking.graded}
    index = GradeIndex(
        [QueryGrades(query, one.graded, one.grades) for query, one in found.items()],
        scale_info((version or judgment_list).scale),
    )
    joined = index.join(
        [QueryHits(run.pk, query, one.size, one.hit_ranks, one.hit_documents) for query, one in found.items()]
    )
    # `or`: a ranking with a first tie has scores, which its type does not say.
    precision = precision_of(run.order)
    scores = [at_precision(unpack_scores(found[query].scores or b""), precision) for query in index.queries]
    spreads = run_spreads(joined, _groups(joined, scores), formula)
    return {
        query: _query_ties(spreads, place, first_tie=found[query].first_tie or 0)
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


def with_ties(evaluation: Evaluation, formula: Formula, found: Iterable[Score]) -> Iterator[TiedScore]:
    """The scores of an evaluation, each with its ties. Costs a query for each `BATCH` of a run with ties."""
    scores = iter(found)
    while batch := list(islice(scores, BATCH)):
        ties = page_ties(evaluation, formula, batch)
        yield from ((score, ties.get(score.query_id)) for score in batch)


def page_ties(evaluation: Evaluation, formula: Formula, page: Iterable[Score]) -> dict[int, QueryTies]:
    """As `query_ties`; costs nothing for a run without ties inside the cutoff."""
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


def tie_titles(formula: Formula) -> list[str]:
    """The columns of a CSV that `tie_cells` fills."""
    measures = [formula.dcg_measure(), *(formula.measure(ideal) for ideal in IDEALS)]
    return ["first tie", *(f"{measure} {kind}" for measure in measures for kind in KINDS)]


def tie_cells(ties: QueryTies | None) -> list[Cell]:
    """Empty where no tie matters, and for the NDCGs that have no spread."""
    if ties is None:
        return [None] * (1 + len(KINDS) * (1 + len(IDEALS)))
    cells: list[Cell] = [ties.first_tie]
    for spread in (ties.dcg, *(ties.ndcg[ideal] for ideal in IDEALS)):
        cells += [None] * len(KINDS) if spread is None else [spread.expected, spread.least, spread.greatest]
    return cells


def tie_json(ties: QueryTies | None, formula: Formula) -> dict[str, Any] | None:
    """Spreads by canonical text; null where there is none."""
    if ties is None:
        return None
    spreads = {formula.dcg_measure(): ties.dcg} | {formula.measure(name): ties.ndcg[name] for name in IDEALS}
    values = {text: None if spread is None else asdict(spread) for text, spread in spreads.items()}
    return {"first_tie": ties.first_tie, "values": values}
