"""What the charts of a comparison show, from the same figures as its files: no statement but for the names of queries."""

from collections.abc import Mapping, Sequence
from itertools import groupby
from operator import itemgetter
from typing import Any, Final
from urllib.parse import urlencode

from evaluation.comparisons.reports.query_table import BY_CAUSE
from evaluation.models import Run
from judgments.models import Query
from touchstone_core.bounds.universe import PAGES
from touchstone_core.comparison.causes import cause_words, words_of_cause
from touchstone_core.comparison.comparison import Figures
from touchstone_core.comparison.coverage import Coverage, nothing_is_judged
from touchstone_core.comparison.forest_plot import Axis, ForestNumbers, ForestRow, axis_of, forest_rows
from touchstone_core.comparison.plain_verdict import PlainVerdict, plain_verdict
from touchstone_core.comparison.values import (
    DASH,
    LOSS_WORDS,
    UNKNOWN,
    difference,
    fixed,
    if_known,
    percent_text,
    segments,
    signed,
)
from touchstone_core.comparison.verdict import (
    NOT_UNDER_FORMULA,
    WITH_BOUNDS,
    Verdict,
    bounds_of,
    compared_means,
    is_settled,
    measure_name,
)
from touchstone_core.metrics.direction import DCG
from touchstone_core.metrics.formula import GREATEST_CUTOFF, IDEALS, Formula
from touchstone_core.significance.permutation import Method
from touchstone_core.words import counted

OWN_BOUNDS: Final = ("global", "max")
"""The measures whose differences have bounds of their own."""
MOST_QUERIES: Final = 5
FEWER_QUERIES: Final = 3


def forest(
    runs: Sequence[Run],
    on: str,
    figures: Figures,
    verdicts: Sequence[Verdict],
    outlooks: Mapping[int, Mapping[str, Any]],
) -> dict[str, Any]:
    """Every run but the first with its verdict in plain words, the marks of its difference on one axis, and its outlook if it has one."""
    numbers = [forest_numbers(figures, place, on, verdict) for place, verdict in enumerate(verdicts)]
    axis = axis_of((number for row in numbers for number in row.every), _limit(on))
    rows = forest_rows(numbers, axis)
    return {
        "axis": axis,
        "has_detectable": any(row.detectable for row in rows),
        "has_bounds": any(row.bounds for row in rows),
        "has_interval": any(row.interval for row in rows),
        "rows": [
            _forest_row(
                figures,
                place,
                run,
                row,
                plain_verdict(figures, place, verdict, run=run.name, baseline=runs[0].name, on=on),
            )
            | {"values": _values(figures, place, on), "outlook": outlooks.get(run.pk)}
            | _missing(figures, place, (runs[0], run), on)
            for place, (run, row, verdict) in enumerate(zip(runs[1:], rows, verdicts, strict=True))
        ],
    }


def _forest_row(
    figures: Figures, place: int, run: Run, marks: ForestRow, verdict: PlainVerdict
) -> dict[str, Any]:
    return {
        "run": run,
        "name": run.name,
        "kind": verdict.kind,
        "text": verdict.difference,
        "words": marks_words(marks.numbers),
        "marks": marks,
        "verdict": verdict,
    }


def _values(figures: Figures, place: int, on: str) -> str:
    """Both means, “0.7141 → 0.7144”; empty where they don't make the difference."""
    means, runs = compared_means(figures, place, on), (figures["runs"][0], figures["runs"][place + 1])
    of_page = on in IDEALS or on == DCG
    return " → ".join(
        UNKNOWN if of_page and nothing_is_judged(run) else fixed(mean)
        for run, mean in zip(runs, means or (), strict=False)
    )


def _missing(figures: Figures, place: int, runs: Sequence[Run], on: str) -> dict[str, Any]:
    """How many documents that matter are unjudged, at least, and how the page that adds pairs is asked for them: as deep as pages
    go, unless only documents below could change the difference."""
    holes = figures["runs"][0]["holes"] + figures["runs"][place + 1]["holes"]
    below = not holes and not _is_settled(figures, place, on)
    depth = min(PAGES * figures["cutoff"], GREATEST_CUTOFF) if below else figures["cutoff"]
    return {"missing": holes or below, "pool": _pool_parameters(runs, depth)}


def _is_settled(figures: Figures, place: int, on: str) -> bool:
    evidence = figures["evidence"] and figures["evidence"][place]
    return is_settled(evidence, Coverage.of(figures["coverage"], place + 1), on)


def _pool_parameters(runs: Sequence[Run], depth: int) -> str:
    """What the page that adds pairs to a list is asked for: the results of these runs."""
    parameters = [*(("run", run.pk) for run in runs), ("depth", depth), ("queries", "graded")]
    return urlencode(parameters)


def forest_numbers(figures: Figures, place: int, on: str, verdict: Verdict) -> ForestNumbers:
    """Of the run at this place behind the baseline."""
    one, evidence = figures["comparisons"][place], figures["evidence"] and figures["evidence"][place]
    has_bounds = evidence and on in OWN_BOUNDS and not _is_settled(figures, place, on)
    return ForestNumbers(
        difference=one["difference"]["mean"],
        interval=_ends(verdict.rule.interval),
        detectable=one["detectable"],
        bounds=bounds_of(evidence, on) if has_bounds else None,
    )


def marks_words(numbers: ForestNumbers) -> str:
    """The same as text."""
    words = [f"difference {signed(numbers.difference)}"]
    if numbers.interval:
        words.append(f"95 % interval {_to(numbers.interval)}")
    if numbers.detectable is not None:
        words.append(f"detectable from {signed(numbers.detectable).lstrip('+')}")
    if numbers.bounds:
        words.append(f"unjudged results leave {_to(numbers.bounds)}")
    return ", ".join(words)


def interval_words(numbers: ForestNumbers) -> str:
    return _to(numbers.interval) if numbers.interval else DASH


def unknown_words(runs: Sequence[Run], figures: Figures, on: str) -> list[str]:
    """What nobody knows for want of grades: sentences for people who did not judge."""
    bounds, holes = figures["bounds"], [one["holes"] for one in figures["runs"]]
    if figures["coverage"]["everything"]:
        return ["Nothing that matters: every document that these runs retrieved is judged."]
    if not bounds:
        return [NOT_UNDER_FORMULA]
    if not any(holes):
        first = f"first {figures['cutoff']} results are" if figures["cutoff"] > 1 else "first result is"
        judged = f"each run’s {first} judged on every query"
        return _unknown_below(runs, figures, on) or [f"Nothing that matters: {judged}."]
    return [
        _holes_words(run.name, one, bound["coverage"])
        for run, one, bound in zip(runs, figures["runs"], bounds, strict=True)
        if one["holes"]
    ]


def _holes_words(name: str, run: Figures, coverage: float) -> str:
    """The share of pages of which nothing is judged would be that of ranks without a document."""
    words = f"{name}: {counted(run['holes'], 'result is', 'results are')} not judged"
    if nothing_is_judged(run):
        return f"{words}, and none is."
    return f"{words} ({percent_text(coverage)} of what counts on its pages is)."


def _unknown_below(runs: Sequence[Run], figures: Figures, on: str) -> list[str]:
    """Of pages without holes: what documents below them could change."""
    open_runs = [
        (run, figures["evidence"][place])
        for place, run in enumerate(runs[1:])
        if not _is_settled(figures, place, on)
    ]
    if on in WITH_BOUNDS:
        return [
            f"{run.name}: pages are judged, but documents below the cutoff could change the difference: "
            f"{_to(bounds_of(evidence, on))}."
            for run, evidence in open_runs
        ]
    below = f"Pages are judged. What documents below rank {figures['cutoff']} could change isn’t known for this measure."
    return [below] if open_runs else []


def steps(runs: Sequence[Run], figures: Figures, verdicts: Sequence[Verdict]) -> dict[str, Any]:
    """What order, depth and recall gained or lost from the baseline to each other run, the greatest loss first. `on` is the
    name of the measure: the compared one, unless its change isn't the sum of steps."""
    splits = [{part["part"]: part for part in split} for split in figures["splits"]]
    names = ("order", "depth", "recall")
    on = figures["split_on"]
    means = [split[name]["mean"] for split in splits for name in names]
    axis = axis_of(means, None if on == DCG else 1.0)
    return {
        "on": measure_name(figures["cutoff"], on),
        "axis": axis,
        "moved": any(means),
        "rows": [
            {
                "run": run,
                "is_backed": verdict.backs_figures,
                "change": signed(split["change"]["mean"]),
                "steps": [
                    _step(name, split[name]["mean"], axis)
                    for name in sorted(names, key=lambda one: split[one]["mean"])
                ],
            }
            for run, split, verdict in zip(runs[1:], splits, verdicts, strict=True)
        ],
    }


def _step(name: str, mean: float, axis: Axis) -> dict[str, Any]:
    return {
        "name": name,
        "words": LOSS_WORDS[name][1],
        "mean": mean,
        "text": signed(mean),
        "bar": axis.span(min(mean, 0.0), max(mean, 0.0)),
    }


def queries_with_causes(
    runs: Sequence[Run],
    figures: Figures,
    verdicts: Sequence[Verdict],
    formula: Formula,
    most: int | None,
) -> list[dict[str, Any]]:
    """Of each run but the first: why it lost, and the queries that it loses and gains most on, with the main cause of each. One
    statement.

    Queries got better or worse only where the verdict needs no judging, and where both pages are known. `pool` asks for the
    judgments that are missing where it lost; empty if none are.
    """
    most = most or (MOST_QUERIES if len(runs) == 2 else FEWER_QUERIES)
    kinds = ("worse", "better")
    keys = {one["query"] for causes in figures["causes"] for kind in kinds for one in causes[kind][:most]}
    queries = Query.objects.only("text", "external_id").in_bulk(keys)
    return [
        {
            "run": run,
            "needs_judging": verdict.needs_judging,
            "is_weighted": figures["comparisons"][place]["weighted"] is not None,
            "lost": [_lost(one, formula) for one in causes["lost"]],
            "pool": _pool_parameters((runs[0], run), figures["cutoff"]) if _lacks_judgments(causes) else "",
        }
        | {
            kind: _with_causes(causes[kind][:most], queries, formula, verdict, lost=kind == "worse")
            for kind in kinds
        }
        for place, (run, causes, verdict) in enumerate(
            zip(runs[1:], figures["causes"], verdicts, strict=True)
        )
    ]


def _lost(one: Figures, formula: Formula) -> dict[str, Any]:
    """What queries with one main cause took from the mean, weighted by traffic."""
    return {
        "cause": words_of_cause(one["cause"], formula),
        "show": BY_CAUSE[one["cause"]],
        "queries": one["queries"],
        "difference": if_known(difference(one["difference"]), one["cause"] != UNKNOWN),
    }


def _lacks_judgments(causes: Figures) -> bool:
    return any(one["cause"] == UNKNOWN for one in causes["lost"]) or not all(
        one["all_judged"] for one in causes["worse"]
    )


def _with_causes(
    records: Sequence[Figures],
    queries: Mapping[int, Query],
    formula: Formula,
    verdict: Verdict,
    *,
    lost: bool,
) -> list[dict[str, Any]]:
    """One that was deleted a moment ago is left out."""
    return [
        _with_cause(one, queries[one["query"]], formula, verdict, lost=lost)
        for one in records
        if one["query"] in queries
    ]


def _with_cause(
    one: Figures, query: Query, formula: Formula, verdict: Verdict, *, lost: bool
) -> dict[str, Any]:
    """The `ladders` are of the baseline and of the run; None where nobody knows."""
    change = if_known(difference(one["difference"]), all(one["known"]))
    return {
        "query": query,
        "difference": change.text,
        "exact": change.exact,
        "is_backed": all(one["known"]) and not verdict.needs_judging,
        "cause": cause_words(one, formula, lost=lost),
        "before": _known(one, 0),
        "after": _known(one, 1),
        "ladders": [
            segments(*ladder) if known else None
            for ladder, known in zip(one["ladders"], one["known"], strict=True)
        ],
        "traffic": one["traffic"] and f"{100 * one['traffic']:.1f}\N{NO-BREAK SPACE}% of the traffic",
    }


def _known(record: Figures, place: int) -> str:
    """The value of a query with the baseline (0) or the run (1), which nobody knows if no result on its page is judged."""
    return fixed(record["values"][place]) if record["known"][place] else UNKNOWN


def segment_plots(runs: Sequence[Run], figures: Figures, on: str) -> list[dict[str, Any]]:
    """A dot plot of the parts of the queries for each run but the first, all on one axis; none for a run of equal values."""
    every = [
        [
            ForestNumbers(one["runs"][place]["mean"], _ends(one["runs"][place]["interval"]))
            for one in figures["segments"]
        ]
        for place in range(len(runs) - 1)
    ]
    axis = axis_of((number for rows in every for row in rows for number in row.every), _limit(on))
    return [
        {
            "run": run,
            "axis": axis,
            "kinds": [
                (kind, list(of_kind))
                for kind, of_kind in groupby(_segments(figures, forest_rows(rows, axis)), itemgetter("kind"))
            ],
        }
        for run, rows, one in zip(runs[1:], every, figures["comparisons"], strict=True)
        if rows and one["permutation"]["method"] != Method.IDENTICAL
    ]


def _segments(figures: Figures, rows: Sequence[ForestRow]) -> list[dict[str, Any]]:
    return [
        {
            "name": one["name"],
            "kind": one["kind"],
            "text": signed(marks.numbers.difference),
            "words": marks_words(marks.numbers),
            "marks": marks,
        }
        for one, marks in zip(figures["segments"], rows, strict=True)
    ]


def _limit(on: str) -> float | None:
    return 1.0 if on in IDEALS else None


def _ends(interval: Figures | None) -> tuple[float, float] | None:
    return None if interval is None else (interval["low"], interval["high"])


def _to(ends: tuple[float, float]) -> str:
    return f"{signed(ends[0])} to {signed(ends[1])}"
