"""What changed before anybody judges, as CSV and as JSON: every query of one run beside the baseline, every digit."""

from collections.abc import Iterator, Mapping
from typing import Any

from evaluation.comparisons.reports.intents import IntentQueries, intent_json
from evaluation.impact.reports.impact import DISCOUNT, Impacts, QueryImpact, impact_counts, query_impacts
from evaluation.impact.reports.impact_tables import impact_columns
from judgments.models import Query, QuerySet
from touchstone_core.formats.columns import csv_rows, json_records
from touchstone_core.formats.spreadsheet import Cell


def impact_csv(
    impacts: Impacts, place: int, queries: Mapping[int, Query], intent_queries: IntentQueries | None
) -> Iterator[list[Cell]]:
    """A row for each query, the greatest ceiling first; whether it is intended is empty without an intent."""
    before: dict[str, Cell] = {
        "run": impacts.runs[place].name,
        "baseline": impacts.runs[0].name,
        "cutoff": impacts.cutoff,
        "discount": DISCOUNT,
        "p of RBO": impacts.persistence,
    }
    return csv_rows(impact_columns(intent_queries), _rows(impacts, place, queries), before=before)


def impact_json(
    query_set: QuerySet,
    impacts: Impacts,
    place: int,
    queries: Mapping[int, Query],
    intent_queries: IntentQueries | None,
) -> dict[str, Any]:
    """The same, with the counts and means over the queries."""
    baseline, run = impacts.runs[0], impacts.runs[place]
    return {
        "query_set": query_set.name,
        "baseline": {"id": baseline.pk, "name": baseline.name, "answered": impacts.answered[0]},
        "run": {"id": run.pk, "name": run.name, "answered": impacts.answered[place]},
        "cutoff": impacts.cutoff,
        "discount": DISCOUNT,
        "rbo_p": impacts.persistence,
        "compared": len(impacts.queries),
        "figures": impacts.impacts[place - 1].impact(),
        "intent": intent_json(intent_queries, [impact_counts(intent_queries, impacts)[place - 1]])
        if intent_queries
        else None,
        "queries": list(json_records(impact_columns(intent_queries), _rows(impacts, place, queries))),
    }


def _rows(impacts: Impacts, place: int, queries: Mapping[int, Query]) -> list[QueryImpact]:
    return query_impacts(impacts, place, impacts.order(place).tolist(), queries)
