"""Rows that scoring reads: rankings, grades, and their change as the actions of judging make it."""

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from django.db import connection
from django.db.models import F
from django.http import HttpResponse
from django.test import Client
from django.test.utils import CaptureQueriesContext

from evaluation.base.sql import pack_joined, pack_scores
from evaluation.models import Evaluation, Ranking, Run, Score
from evaluation.scores.actions.scores import bring_up_to_date
from evaluation.scores.actions.scoring_request import ScoringRequest
from judgments.models import ConsensusGrade, JudgmentList, ListQuery, Query, Scale
from tests import factories as make
from touchstone_core.formats.columns import PageRow
from touchstone_core.metrics.formula import Formula
from touchstone_core.metrics.ties import first_tie


def make_ranking(
    run: Run, query: Query, documents: Sequence[str], scores: Sequence[float] | None = None
) -> Ranking:
    ranking = _ranking(run, query, documents, scores)
    ranking.save()
    return ranking


def make_rankings(run: Run, documents: Mapping[Query, Sequence[str]]) -> None:
    """Without scores, all at once: what most tests of comparisons begin with."""
    Ranking.objects.bulk_create(_ranking(run, query, page, None) for query, page in documents.items())


def _ranking(run: Run, query: Query, documents: Sequence[str], scores: Sequence[float] | None) -> Ranking:
    ordered_by = None if scores is None else run.compared_scores(np.array(scores))
    return Ranking(
        query_set=run.query_set,
        query=query,
        run=run,
        size=len(documents),
        documents=pack_joined("\n".join(documents), len(documents)),
        scores=None if scores is None else pack_scores(scores),
        tied=ordered_by is not None and len(set(ordered_by)) < len(ordered_by),
        first_tie=None if ordered_by is None else first_tie(ordered_by),
    )


def make_grades(judgment_list: JudgmentList, query: Query, grades: Mapping[str, float | None]) -> None:
    """Pairs with their consensus; makes documents that are not there yet."""
    make_all_grades(judgment_list, {query: grades})


def make_all_grades(judgment_list: JudgmentList, grades: Mapping[Query, Mapping[str, float | None]]) -> None:
    """The same of many queries, in as many statements."""
    documents = make.make_documents(
        judgment_list.query_set, {name for of_query in grades.values() for name in of_query}
    )
    pairs = make.make_pairs(
        judgment_list, {query: [documents[name] for name in of_query] for query, of_query in grades.items()}
    )
    values = [value for of_query in grades.values() for value in of_query.values()]
    make.make_all_consensus(zip(pairs, values, strict=True))
    known = Counter(pair.query_id for pair, value in zip(pairs, values, strict=True) if value is not None)
    rows = list(judgment_list.list_queries.filter(query__in=known))
    for row in rows:
        row.graded_count += known[row.query_id]
    ListQuery.objects.bulk_update(rows, ["graded_count"])


def change_grade(judgment_list: JudgmentList, query: Query, name: str, value: float | None) -> None:
    """As a judgment changes the consensus: the grade and the revision of its query in one transaction."""
    grade = ConsensusGrade.objects.filter(
        judgment_list=judgment_list, query=query, document__external_id=name
    )
    more = (value is not None) - (grade.get().value is not None)
    assert grade.update(value=value) == 1
    ListQuery.objects.filter(judgment_list=judgment_list, query=query).update(
        revision=F("revision") + 1, graded_count=F("graded_count") + more
    )


def make_scale(*values: float, gains: Sequence[float] | None = None) -> Scale:
    scale = Scale.objects.create(name=f"Scale of {values} {gains}")
    for place, value in enumerate(values):
        gain = value if gains is None else gains[place]
        scale.grades.create(value=value, label=f"level {value:g}", gain=max(gain, 0), key=str(place))
    return scale


def make_best_second(judgment_list: JudgmentList, queries: int = 2) -> tuple[Run, list[Query]]:
    """A run that finds the best document of each query at rank 2, behind an unjudged one."""
    run = make.make_run(judgment_list.query_set)
    asked = [make.make_query(judgment_list.query_set) for _ in range(queries)]
    for query in asked:
        make_grades(judgment_list, query, {f"{query.external_id}-a": 3, f"{query.external_id}-b": 1})
        make_ranking(run, query, ["X", f"{query.external_id}-a"])
    return run, asked


def evaluate(run: Run, judgment_list: JudgmentList, formula: Formula | None = None) -> Evaluation:
    formula = formula or Formula()
    bring_up_to_date(ScoringRequest(judgment_list, [run], formula, every_average=True))
    return Evaluation.objects.get(run=run, judgment_list=judgment_list, formula=formula.key)


def score_of(evaluation: Evaluation, query: Query) -> Score:
    return Score.objects.get(evaluation=evaluation, query=query)


def ndcgs(evaluation: Evaluation) -> list[float | None]:
    return [
        evaluation.ndcg_local,
        evaluation.ndcg_recall,
        evaluation.ndcg_global,
        evaluation.ndcg_max,
    ]


def cells_of(row: PageRow) -> dict[str, Any]:
    """What a row of a page shows, by the keys of its columns; what no click sorts is by its heading."""
    return {cell.column.key or cell.column.heading: cell.value for cell in row.cells}


def text_of(response: HttpResponse) -> str:
    """The page with single spaces, wherever the template breaks its lines."""
    return " ".join(response.content.decode().split())


def queries_of(client: Client, url: str) -> int:
    """How many a page needs that was shown before."""
    client.get(url)
    with CaptureQueriesContext(connection) as captured:
        assert client.get(url).status_code == 200
    return len(captured)
