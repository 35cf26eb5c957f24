"""A comparison as CSV and as JSON: every digit, and all that makes it repeatable."""

from collections.abc import Iterator, Sequence
from typing import Any, Final

from evaluation.comparisons.reports.intents import Named, compared_intent, intent_json
from evaluation.models import ComparisonResult, Run
from evaluation.scores.reports.state import State
from judgments.models import Query
from touchstone_core.comparison.comparison import DCG, Figures
from touchstone_core.comparison.comparison_cells import cells
from touchstone_core.comparison.page_evidence import COLUMNS, UNIVERSE
from touchstone_core.formats.spreadsheet import Cell
from touchstone_core.impact.intent import COLUMNS as INTENT_COLUMNS
from touchstone_core.impact.intent import intent_cells
from touchstone_core.metrics.formula import IDEALS, Formula

_TOLD: Final = (
    *("difference", "interval low", "interval high", "p", "p (adjusted)", "method", "P(better)"),
    *("won", "tied", "lost", "d_z", "URisk", "TRisk", "can show", "queries needed", "median", "trimmed mean"),
    *("weighted difference", "effective queries"),
    *("always-valid p", "always-valid low", "always-valid high"),
)
_BOUNDS: Final = ("coverage", "NDCG-global at least", "NDCG-global at most")
_STEPS: Final = ("change of NDCG-max", "by order", "by depth", "by recall")


def comparison_csv(
    runs: Sequence[Run],
    formula: Formula,
    measure: str,
    result: ComparisonResult,
    state: State,
    *,
    named: Named | None = None,
) -> Iterator[list[Cell]]:
    """A row for each run, the baseline first; what is undefined, or said of a difference, is empty there."""
    figures: Figures = result.figures
    measures = list(figures["runs"][0]["measures"])
    intents = compared_intent(named, figures) if named else []
    yield [
        *(
            "list",
            "formula",
            "measure",
            "run",
            "baseline",
            "queries",
            "held out",
            "left out",
            "answered",
            "short pages",
        ),
        *(formula.measure(ideal) for ideal in IDEALS),
        formula.dcg_measure(),
        *measures,
        *_TOLD,
        *_STEPS,
        *_BOUNDS,
        *COLUMNS,
        *("bounds over", "seed", "draws", "intent"),
        *INTENT_COLUMNS,
        *state.csv_header,
    ]
    for place, run in enumerate(runs):
        means = figures["runs"][place]
        yield [
            *(state.list_name, formula.key, measure, run.name, runs[0].name),
            *(
                figures["queries"],
                figures["held_out"],
                figures["left_out"],
                means["answered"],
                means["short_pages"]["short"],
            ),
            *(means["ndcg"][ideal] for ideal in IDEALS),
            means[DCG],
            *(means["measures"][text] for text in measures),
            *(cells(figures["comparisons"][place - 1], _TOLD) if place else [None] * len(_TOLD)),
            *(_steps(figures["splits"][place - 1]) if place else [None] * len(_STEPS)),
            *(_bounds(figures["bounds"][place]) if figures["bounds"] else [None] * len(_BOUNDS)),
            *_evidence(figures, place),
            *(UNIVERSE if figures["bounds"] else None, result.seed, result.draws),
            named.intent.name if named else None,
            *intent_cells(intents[place - 1] if place and intents else None),
            *state.csv_cells,
        ]


def comparison_json(
    runs: Sequence[Run],
    formula: Formula,
    measure: str,
    result: ComparisonResult,
    state: State,
    *,
    named: Named | None = None,
    held_out: bool,
) -> dict[str, Any]:
    """All figures in the order of the runs; those of differences begin with the second one. One query."""
    figures: Figures = result.figures
    worst = {key for one in figures["comparisons"] for key in one["worst_queries"]}
    names = dict(Query.objects.filter(pk__in=worst).values_list("pk", "external_id"))
    told = [
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
        "intent": intent_json(named, compared_intent(named, figures)) if named else None,
        "computed": result.computed_at.isoformat(),
        "figures": {name: value for name, value in figures.items() if name != "changes"}
        | {"comparisons": told},
    }


def _steps(split: list[Figures]) -> list[Cell]:
    """The content gap is the same for every run."""
    return [part["mean"] for part in split if part["part"] != "content"]


def _evidence(figures: Figures, place: int) -> list[Cell]:
    """Of the pages beside the baseline's; nothing of the baseline itself, and under a formula without bounds."""
    told = figures["evidence"][place - 1] if place and figures["evidence"] else {}
    return [told.get(name) for name in COLUMNS.values()]


def _bounds(bound: Figures) -> list[Cell]:
    return [bound["coverage"], bound["low"]["global"], bound["high"]["global"]]
