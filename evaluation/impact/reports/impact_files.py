"""What changed before anybody judges, as CSV and as JSON: every query of one run beside the baseline, every digit."""

from collections.abc import Iterator, Mapping
from typing import Any, Final

from evaluation.comparisons.reports.compared_query_rows import CHANGES
from evaluation.comparisons.reports.intents import Named, intent_json
from evaluation.impact.reports.impact import DISCOUNT, Impacts, impact_counts
from evaluation.scores.reports.run_files import tags_cell
from judgments.models import Query, QuerySet
from touchstone_core.comparison.page_evidence import Change
from touchstone_core.formats.spreadsheet import Cell

_FIGURES: Final = ("change", "changed at rank 1", "overlap", "RBO", "NDCG-max ceiling")


def impact_csv(
    found: Impacts, place: int, queries: Mapping[int, Query], named: Named | None
) -> Iterator[list[Cell]]:
    """A row for each query, the greatest ceiling first; whether it is intended is empty without an intent."""
    yield [
        *("run", "baseline", "cutoff", "discount", "p of RBO"),
        *("query id", "query", "tags", "weight", *_FIGURES, "intent", "intended"),
    ]
    about = (found.runs[place].name, found.runs[0].name, found.cutoff, DISCOUNT, found.persistence)
    name, intended = _intended(named)
    for query, figures in _records(found, place, queries):
        cells = (query.external_id, query.text, tags_cell(query.tags), query.weight, *figures.values())
        yield [*about, *cells, name, query.pk in intended if named else None]


def impact_json(
    query_set: QuerySet, found: Impacts, place: int, queries: Mapping[int, Query], named: Named | None
) -> dict[str, Any]:
    """The same, with the counts and means over the queries."""
    baseline, run = found.runs[0], found.runs[place]
    _, intended = _intended(named)
    return {
        "query_set": query_set.name,
        "baseline": {"id": baseline.pk, "name": baseline.name, "answered": found.answered[0]},
        "run": {"id": run.pk, "name": run.name, "answered": found.answered[place]},
        "cutoff": found.cutoff,
        "discount": DISCOUNT,
        "rbo_p": found.persistence,
        "compared": len(found.queries),
        "figures": found.found[place - 1].impact(),
        "intent": intent_json(named, [impact_counts(named, found)[place - 1]]) if named else None,
        "queries": [
            {"id": query.external_id, "text": query.text, "tags": query.tags, "weight": query.weight}
            | {"intended": query.pk in intended if named else None}
            | {name.replace(" ", "_").replace("-", "_").lower(): value for name, value in figures.items()}
            for query, figures in _records(found, place, queries)
        ],
    }


def _intended(named: Named | None) -> tuple[str | None, set[int]]:
    """The name of an intent, and the keys of its queries."""
    return (named.intent.name, set(named.queries.tolist())) if named else (None, set())


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
