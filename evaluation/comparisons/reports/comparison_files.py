"""A comparison as CSV and as JSON: every digit, and all that makes it repeatable."""

from collections.abc import Iterator
from operator import attrgetter
from typing import Any

from evaluation.comparisons.reports.comparison_page import ComparisonPage
from evaluation.comparisons.reports.intents import IntentQueries, compared_intent, intent_json
from evaluation.models import ComparisonResult
from evaluation.scores.reports.state import State
from judgments.models import Query
from touchstone_core.comparison.comparison_cells import (
    BOUND,
    BOUNDS_OVER,
    COMPARISON,
    EVIDENCE,
    ROBUST,
    SHORT_PAGES,
    STEPS,
    VERDICT,
    ComparedRun,
    at,
    evidence,
    intent,
    means_columns,
    of_comparison,
)
from touchstone_core.comparison.page_evidence import UNIVERSE
from touchstone_core.comparison.verdict import measure_text
from touchstone_core.formats.columns import Column, csv_rows, of, snake
from touchstone_core.formats.spreadsheet import Cell
from touchstone_core.metrics.formula import Formula


def comparison_csv(
    page: ComparisonPage,
    formula: Formula,
    measure: str,
    result: ComparisonResult,
    state: State,
    *,
    intent_queries: IntentQueries | None = None,
) -> Iterator[list[Cell]]:
    """A row for each run, the baseline first; what is undefined, or said of a difference, is empty there."""
    figures, runs = page.figures, [row.run for row in page.rows]
    intents = compared_intent(intent_queries, figures) if intent_queries else [None] * (len(runs) - 1)
    rows = [
        ComparedRun(run, place, figures, counts)
        for place, (run, counts) in enumerate(zip(runs, [None, *intents], strict=True))
    ]
    of_all = ("queries", "held out", "left out")
    columns: list[Column[ComparedRun]] = [
        Column("run", "", "run__name"),
        Column("baseline", "", lambda row: runs[0].name),
        *of(attrgetter("figures"), [Column(name, "", at(snake(name))) for name in of_all]),
        Column("answered", "", lambda row: row.means["answered"]),
        SHORT_PAGES,
        *of(attrgetter("means"), means_columns(formula, figures["runs"][0]["measures"])),
        *of_comparison(VERDICT, *COMPARISON, *ROBUST),
        Column("steps of", "", lambda row: measure_text(formula, figures["split_on"]) if row.place else None),
        *of(lambda row: row.beside("splits"), STEPS),
        *of(attrgetter("bound"), BOUND),
        *evidence(*EVIDENCE),
        BOUNDS_OVER,
        Column("seed", "", lambda row: result.seed),
        Column("draws", "", lambda row: result.draws),
        Column("intent", "", lambda row: intent_queries.intent.name if intent_queries else None),
        *intent(),
    ]
    before = {"list": state.list_name, "formula": formula.key, "measure": measure}
    return csv_rows(columns, rows, before=before, after=state.cells)


def comparison_json(
    page: ComparisonPage,
    formula: Formula,
    measure: str,
    result: ComparisonResult,
    state: State,
    *,
    intent_queries: IntentQueries | None = None,
    held_out: bool,
) -> dict[str, Any]:
    """All figures in the order of the runs; those of differences begin with the second one. One query."""
    figures, runs = page.figures, [row.run for row in page.rows]
    worst = {key for one in figures["comparisons"] for key in one["worst_queries"]}
    names = dict(Query.objects.filter(pk__in=worst).values_list("pk", "external_id"))
    comparisons = [
        one | {"worst_queries": [names[key] for key in one["worst_queries"] if key in names]}
        for one in figures["comparisons"]
    ]
    return {
        "list": state.as_json,
        "formula": formula.key,
        "measure": measure,
        "runs": [{"id": run.pk, "name": run.name} for run in runs],
        "on_held_out_queries": held_out,
        "seed": result.seed,
        "draws": result.draws,
        "bounds_over": UNIVERSE if figures["bounds"] else None,
        "intent": intent_json(intent_queries, compared_intent(intent_queries, figures))
        if intent_queries
        else None,
        "computed": result.computed_at.isoformat(),
        "figures": {name: value for name, value in figures.items() if name != "changes"}
        | {"comparisons": comparisons},
    }
