"""The queries of a comparison as CSV and as JSON: every query that is listed, every digit, and what was computed against."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from evaluation.comparisons.reports.compared_queries import QueryTable
from evaluation.comparisons.reports.compared_query_rows import CHANGES, STANDINGS
from evaluation.comparisons.reports.intents import Named
from evaluation.models import Run
from evaluation.scores.reports.run_files import tags_cell
from evaluation.scores.reports.state import State
from judgments.models import Query
from touchstone_core.comparison.page_evidence import Change, Standing
from touchstone_core.formats.spreadsheet import Cell
from touchstone_core.metrics.types import Ints

# What rests on bounds; empty, or null, under a formula that has none.
_BOUNDED = ("change", "NDCG-max ceiling", "wins", "NDCG-max at least", "NDCG-max at most")


@dataclass(frozen=True, slots=True)
class ListedQueries:
    """The queries at some `places` of a table, in their order; `formula` and `measure` are canonical texts."""

    table: QueryTable
    places: Ints
    queries: Mapping[int, Query]
    baseline: Run
    candidate: Run
    formula: str
    measure: str
    named: Named | None = None

    def records(self) -> Iterator[tuple[Query, dict[str, Any]]]:
        """Each query with its figures; one that was deleted a moment ago is left out."""
        for place in self.places.tolist():
            if query := self.queries.get(int(self.table.queries[place])):
                yield query, self._figures(place)

    def _figures(self, place: int) -> dict[str, Any]:
        table = self.table
        bounded: dict[str, Any] = dict.fromkeys(_BOUNDED)
        if table.judged:
            bounded = dict(
                zip(
                    _BOUNDED,
                    (
                        CHANGES[Change(int(table.change[place]))],
                        float(table.ceiling[place]),
                        STANDINGS[Standing(int(table.standing[place]))],
                        float(table.low[place]),
                        float(table.high[place]),
                    ),
                    strict=True,
                )
            )
        return {
            "baseline value": float(table.baseline[place]),
            "run value": float(table.candidate[place]),
            "difference": float(table.difference[place]),
            **bounded,
            "baseline holes": int(table.baseline_holes[place]),
            "run holes": int(table.candidate_holes[place]),
            "intended": int(table.queries[place]) in self.named.queries if self.named else None,
        }


def compared_queries_csv(listed: ListedQueries, state: State) -> Iterator[list[Cell]]:
    """A row for each query; the run is compared with the baseline."""
    names = (
        "baseline value",
        "run value",
        "difference",
        *_BOUNDED,
        "baseline holes",
        "run holes",
        "intended",
    )
    yield [
        *("list", "formula", "measure", "run", "baseline", "query id", "query", "tags"),
        *names,
        "intent",
        *state.csv_header,
    ]
    about = (state.list_name, listed.formula, listed.measure, listed.candidate.name, listed.baseline.name)
    for query, figures in listed.records():
        yield [
            *(*about, query.external_id, query.text, tags_cell(query.tags)),
            *(figures[name] for name in names),
            listed.named.intent.name if listed.named else None,
            *state.csv_cells,
        ]


def compared_queries_json(listed: ListedQueries, state: State, *, held_out: bool) -> dict[str, Any]:
    """The same with null for what is undefined; `queries` are those that are listed, of `compared` ones."""
    return {
        "list": state.as_json,
        "formula": listed.formula,
        "measure": listed.measure,
        "baseline": {"id": listed.baseline.pk, "name": listed.baseline.name},
        "run": {"id": listed.candidate.pk, "name": listed.candidate.name},
        "intent": listed.named.intent.name if listed.named else None,
        "on_held_out_queries": held_out,
        "compared": len(listed.table.queries),
        "queries": [
            {"id": query.external_id, "text": query.text, "tags": query.tags}
            | {name.replace(" ", "_").replace("-", "_").lower(): value for name, value in figures.items()}
            for query, figures in listed.records()
        ],
    }
