"""Queries of a comparison as files: all of them as CSV and as JSON, and one in both runs."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from evaluation.comparisons.reports.intents import IntentQueries
from evaluation.comparisons.reports.query_rows import QueryRow
from evaluation.comparisons.reports.two_rankings import PageResult, Side, TwoRankings
from evaluation.explain.reports.drill_down import IdealPlace
from evaluation.models import Run
from evaluation.scores.reports.state import State
from touchstone_core.formats.columns import Column, csv_rows, json_records
from touchstone_core.formats.spreadsheet import Cell
from touchstone_core.metrics.gaps import best_swap


@dataclass(frozen=True, slots=True)
class ListedQueries:
    """Some of the `compared` queries, in their order; `formula` and `measure` are canonical texts."""

    rows: Sequence[QueryRow]
    columns: Sequence[Column[QueryRow]]
    compared: int
    baseline: Run
    candidate: Run
    formula: str
    measure: str
    intent_queries: IntentQueries | None = None


def compared_queries_csv(queries: ListedQueries, state: State) -> Iterator[list[Cell]]:
    """A row for each query; the run is compared with the baseline."""
    before: dict[str, Cell] = {
        "list": state.list_name,
        "formula": queries.formula,
        "measure": queries.measure,
        "run": queries.candidate.name,
        "baseline": queries.baseline.name,
    }
    after = {"intent": queries.intent_queries.intent.name if queries.intent_queries else None} | state.cells
    return csv_rows(queries.columns, queries.rows, before=before, after=after)


def compared_queries_json(queries: ListedQueries, state: State, *, held_out: bool) -> dict[str, Any]:
    """The same with null for what is undefined; `queries` are those that are listed, of `compared` ones."""
    return {
        "list": state.as_json,
        "formula": queries.formula,
        "measure": queries.measure,
        "baseline": {"id": queries.baseline.pk, "name": queries.baseline.name},
        "run": {"id": queries.candidate.pk, "name": queries.candidate.name},
        "intent": queries.intent_queries.intent.name if queries.intent_queries else None,
        "on_held_out_queries": held_out,
        "compared": queries.compared,
        "queries": list(json_records(queries.columns, queries.rows)),
    }


Json = dict[str, Any]


def two_rankings_json(two: TwoRankings) -> Json:
    """Every digit of what the page shows; null is a value that is undefined. Values of a run that is `unknown` say little, because
    no result on its page is judged."""
    return {
        "moved": two.moved,
        "values": [_measure(one) for one in two.values],
        "baseline_ranking": _side(two.left),
        "run_ranking": _side(two.right),
    }


def _measure(one: Mapping[str, Any]) -> Json:
    baseline, candidate = one["baseline"].number, one["candidate"].number
    both = baseline is not None and candidate is not None
    difference = candidate - baseline if both else None
    return {"measure": one["name"], "baseline": baseline, "run": candidate, "difference": difference}


def _side(side: Side) -> Json:
    drill_down = side.drill_down
    return {
        "answered": not drill_down.missing,
        "unknown": not drill_down.known,
        "retrieved": len(drill_down.documents),
        "unjudged": drill_down.holes,
        "lost": dict(drill_down.worked.losses),
        "results": [_result(side, seen) for seen in side.page],
        **_explained(side),
    }


def _result(side: Side, seen: PageResult) -> Json:
    row, change = side.drill_down.worked.rows[seen.rank - 1], seen.change
    return {
        "rank": seen.rank,
        "document": seen.external_id,
        "title": seen.document.title if seen.document else None,
        "grade": row.grade,
        "label": seen.grade.label,
        "how": seen.grade.how,
        "gain": row.gain,
        "discount": row.discount,
        "contribution": row.contribution,
        "move": seen.kind,
        "baseline_rank": change.baseline_rank,
        "run_rank": change.candidate_rank,
        "change_of_dcg": change.difference.number,
    }


def _explained(side: Side) -> Json:
    why, run = side.explained, side.drill_down
    swap = best_swap(run.worked)
    return {
        "best_swap": swap
        and {
            "ranks": [swap.upper, swap.lower],
            "documents": [run.documents[rank - 1] for rank in (swap.upper, swap.lower)],
            "gain": swap.gain,
        },
        "below_the_cutoff": [{"rank": rank} | _place(place) for rank, place in why.below],
        "never_retrieved": [_place(place) for place in why.missing],
        "lower_than_the_top_grade": why.short.lower,
        "too_few_judged": why.short.empty,
    }


def _place(place: IdealPlace) -> Json:
    return {"document": place.external_id, "title": place.name, "grade": place.grade.value}
