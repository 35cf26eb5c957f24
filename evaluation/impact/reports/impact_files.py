"""What changed before anybody judges, as CSV and as JSON: every query of one run beside the baseline, every digit."""

from collections.abc import Iterator, Mapping
from typing import Any

from evaluation.comparisons.reports.intents import Named, intent_json
from evaluation.impact.reports.impact import DISCOUNT, Impacts, QueryImpact, impact_counts, query_impacts
from evaluation.impact.reports.impact_tables import query_columns
from judgments.models import Query, QuerySet
from touchstone_core.formats.columns import csv_rows, json_records
from touchstone_core.formats.spreadsheet import Cell


def impact_csv(
    found: Impacts, place: int, queries: Mapping[int, Query], named: Named | None
) -> Iterator[list[Cell]]:
    """A row for each query, the greatest ceiling first; whether it is intended is empty without an intent."""
    before: dict[str, Cell] = {
        "run": found.runs[place].name,
        "baseline": found.runs[0].name,
        "cutoff": found.cutoff,
        "discount": DISCOUNT,
        "p of RBO": found.persistence,
    }
    return csv_rows(query_columns(named), _rows(found, place, queries), before=before)


def impact_json(
    query_set: QuerySet, found: Impacts, place: int, queries: Mapping[int, Query], named: Named | None
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
        "intent": intent_json(named, [impact_counts(named, found)[place - 1]]) if named else None,
        "queries": list(json_records(query_columns(named), _rows(found, place, queries))),
    }


def _rows(found: Impacts, place: int, queries: Mapping[int, Query]) -> list[QueryImpact]:
    return query_impacts(found, place, found.order(place).tolist(), queries)
