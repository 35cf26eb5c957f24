"""The first results of a query in two runs, for a report that says what changed."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final, NamedTuple

from evaluation.base.sql import unpack_documents
from evaluation.explain.reports.drill_down import UNJUDGED, Chips, GradeChip
from evaluation.models import Ranking, Run
from evaluation.scores.sql.scores import read_grades
from judgments.models import Document, JudgmentList, Version

SHOWN: Final = 3
KINDS: Final = ("worse", "better")


class Result(NamedTuple):
    """A document by its title, or by its external ID where nothing else is known."""

    name: str
    grade: GradeChip


def with_first_results(
    fixes: Sequence[Mapping[str, Any]],
    runs: Sequence[Run],
    judgment_list: JudgmentList,
    version: Version | None,
) -> list[dict[str, Any]]:
    """The queries of `queries_with_causes`, each with the first `results` of the baseline and of its run. Three queries, and two for the
    scale of a version."""
    baseline = runs[0].pk
    keys = {
        (run, one["query"].pk)
        for row in fixes
        for kind in KINDS
        for one in row[kind]
        for run in (baseline, row["run"].pk)
    }
    results = _first_results(keys, judgment_list, version)
    return [
        {
            **row,
            **{
                kind: [_with_results(one, (runs[0], row["run"]), results) for one in row[kind]]
                for kind in KINDS
            },
        }
        for row in fixes
    ]


def _with_results(
    one: Mapping[str, Any], runs: Iterable[Run], results: Mapping[tuple[int, int], list[Result]]
) -> dict[str, Any]:
    return {**one, "results": [(run, results.get((run.pk, one["query"].pk), [])) for run in runs]}


def _first_results(
    keys: Iterable[tuple[int, int]], judgment_list: JudgmentList, version: Version | None
) -> dict[tuple[int, int], list[Result]]:
    """By run and query."""
    run_ids, query_ids = ({pair[place] for pair in keys} for place in (0, 1))
    rankings = Ranking.objects.filter(
        query_set=judgment_list.query_set_id, query__in=query_ids, run__in=run_ids
    )
    names = {
        (run, query): unpack_documents(block, first=SHOWN)
        for run, query, block in rankings.values_list("run", "query", "documents")
    }
    documents = Document.objects.filter(
        query_set=judgment_list.query_set_id,
        external_id__in={name for documents in names.values() for name in documents},
    )
    by_name = {one.external_id: one for one in documents.only("external_id", "title")}
    grades = {
        query: dict(zip(of_query.documents, of_query.values, strict=True))
        for query, of_query in read_grades(judgment_list.pk, query_ids, version).items()
    }
    chips = Chips((version or judgment_list).scale)

    def result(query: int, name: str) -> Result:
        document = by_name.get(name)
        grade = grades.get(query, {}).get(document.pk) if document else None
        chip = GradeChip(None, UNJUDGED) if grade is None else chips.of_value(grade)
        return Result(str(document) if document else name, chip)

    return {
        (run, query): [result(query, name) for name in documents] for (run, query), documents in names.items()
    }
