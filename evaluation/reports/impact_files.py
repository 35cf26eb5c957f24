"""What changed before anybody judges, as CSV and as JSON: every query of one run beside the baseline, every digit."""

from collections.abc import Iterator, Mapping
from typing import Any, Final

from evaluation.reports.compared_query_rows import CHANGES
from evaluation.reports.impact import DISCOUNT, Impacts
from evaluation.reports.page_evidence import Change
from evaluation.reports.run_files import tags_cell
from judgments.formats.spreadsheet import Cell
from judgments.models import Query, QuerySet

_FIGURES: Final = ("change", "changed at rank 1", "overlap", "RBO", "ceiling")


def impact_csv(found: Impacts, place: int, queries: Mapping[int, Query]) -> Iterator[list[Cell]]:
    """A row for each query, the greatest ceiling first."""
    yield [
        *("run", "baseline", "cutoff", "discount", "p of RBO"),
        *("query id", "query", "tags", "weight", *_FIGURES),
    ]
    about = (found.runs[place].name, found.runs[0].name, found.cutoff, DISCOUNT, found.persistence)
    for query, figures in _records(found, place, queries):
        yield [*about, query.external_id, query.text, tags_cell(query.tags), query.weight, *figures.values()]


def impact_json(
    query_set: QuerySet, found: Impacts, place: int, queries: Mapping[int, Query]
) -> dict[str, Any]:
    """The same, with the counts and means over the queries."""
    baseline, run = found.runs[0], found.runs[place]
    return {
        "query_set": query_set.name,
        "baseline": {"id": baseline.pk, "name": baseline.name, "answered": found.answered[0]},
        "run": {"id": run.pk, "name": run.name, "answered": found.answered[place]},
        "cutoff": found.cutoff,
        "discount": DISCOUNT,
        "rbo_p": found.persistence,
        "compared": len(found.queries),
        "figures": found.found[place - 1].impact(),
        "queries": [
            {"id": query.external_id, "text": query.text, "tags": query.tags, "weight": query.weight}
            | {name.replace(" ", "_").lower(): value for name, value in figures.items()}
            for query, figures in _records(found, place, queries)
        ],
    }


def _records(
    found: Impacts, place: int, queries: Mapping[int, Query]
) -> Iterator[tuple[Query, dict[str, Any]]]:
    """Each query with its figures; one that was deleted a moment ago is left out."""
    one = found.found[place - 1]
    for at in found.order(place).tolist():
        if query := queries.get(int(found.queries[at])):
            values = (
                *(CHANGES[Change(int(one.change[at]))], bool(one.first[at])),
                *(float(of[at]) for of in (one.overlap, one.rbo, one.ceiling)),
            )
            yield query, dict(zip(_FIGURES, values, strict=True))
