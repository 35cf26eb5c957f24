"""Compares a run with a baseline and checks conditions on its measures. Arrays with one value per query are (Q,)."""

from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, replace
from math import isfinite
from typing import Any, Final

import numpy as np

from touchstone_core.bounds.values import has_bounds
from touchstone_core.comparison.backed_figures import backed_record
from touchstone_core.comparison.comparison import ComparisonOptions, RunValues, compare_values, run_figures
from touchstone_core.comparison.coverage import Coverage, coverage_figures, judged_shares
from touchstone_core.comparison.page_evidence import RunPages
from touchstone_core.comparison.plain_verdict import PlainVerdict, plain_verdict
from touchstone_core.comparison.targeted import with_targeted
from touchstone_core.comparison.verdict import (
    Figures,
    Verdict,
    bounds_of,
    may_rest_on_zeros,
    on_of,
    verdict_of,
)
from touchstone_core.metrics.arrays import JudgedRun
from touchstone_core.metrics.coverage import holes
from touchstone_core.metrics.direction import ranks_runs
from touchstone_core.metrics.errors import MetricsError
from touchstone_core.metrics.formula import Formula
from touchstone_core.metrics.ladder import best_dcg
from touchstone_core.metrics.left_out import greatest_mean, least_mean
from touchstone_core.metrics.rounding import RoundedMeasure
from touchstone_core.metrics.selection import Selection, ideal_of
from touchstone_core.metrics.types import Floats, Ints
from touchstone_core.significance.betting import lower_end
from touchstone_core.significance.comparison import Comparison
from touchstone_core.significance.differences import TOLERANCE, differences
from touchstone_core.significance.intervals import Interval
from touchstone_core.significance.planning import SIGNIFICANCE


@dataclass(frozen=True, slots=True)
class Demand:
    """The conditions on one measure: the mean is at least `least`, drops by at most `most_drop`, differs by at most `within`.

    With `significant`, a test at 5 % must show that the drop is no larger (non-inferiority). Without `most_drop`, it fails a
    run that is worse by more than noise: p ≤ 0.05 of the permutation test. `within` must always be shown, by two one-sided
    tests at 5 %. Raises MetricsError for limits that can't be used.
    """

    measure: RoundedMeasure
    least: float | None = None
    most_drop: float | None = None
    significant: bool = False
    within: float | None = None

    def __post_init__(self) -> None:
        if self.least is not None and not isfinite(self.least):
            raise MetricsError(f"The least value of {self.measure} must be a finite number.")
        if self.most_drop is not None and not 0 <= self.most_drop < np.inf:
            raise MetricsError(f"The greatest drop of {self.measure} must be a finite number from 0.")
        if self.within is not None and not 0 < self.within < np.inf:
            raise MetricsError(f"The greatest difference of {self.measure} must be a finite number above 0.")
        object.__setattr__(self, "measure", self.measure.counting_missing)


def page_size(demands: Sequence[Demand]) -> int:
    """The greatest cutoff of the measures; 0 without demands."""
    formulas = (Selection.of(*demand.measure).formula for demand in demands)
    return max((formula.cutoff for formula in formulas), default=0)


@dataclass(frozen=True, slots=True, eq=False)
class GateRuns:
    """A run, and a baseline if one is named, over the same judged queries, Q of them.

    Only the queries at the places `counted` count, and random draws follow their order. `pages` are the documents of `every` run
    by query, best first, as many as the greatest cutoff or more. `unjudged` (Q,) is how many unjudged documents they
    retrieved together. If it is None, the pages give an upper limit. `targeted` says of `every` run whether it shows documents that
    were judged for what they decide between two runs; empty where that isn't known.
    """

    baseline: JudgedRun | None
    run: JudgedRun
    baseline_name: str
    run_name: str
    counted: Ints
    pages: Sequence[Sequence[Sequence[str]]]
    unjudged: Ints | None = None
    targeted: Sequence[bool] = ()

    @property
    def every(self) -> tuple[JudgedRun, ...]:
        """The baseline if there is one, then the run."""
        return (self.run,) if self.baseline is None else (self.baseline, self.run)


@dataclass(frozen=True, slots=True)
class Condition:
    """One condition and whether it passed. The mean decides min and max-drop, an interval no-worse and same-within.

    `short_by` is how far the mean or the end of the interval is beyond the limit: below 0 if there is room, None if nothing
    can be shown. `beyond_noise`: only a drop that is more than noise fails. `noise`: it is missed, but passes for that. `untold`: one run is judged less
    than the other, or documents were judged for what they decide, and unjudged documents could take the difference beyond the limit, so that nothing can be shown.
    """

    kind: str
    limit: float
    short_by: float | None
    passed: bool
    noise: bool = False
    untold: bool = False
    beyond_noise: bool = False


@dataclass(frozen=True, slots=True)
class Unjudged:
    """How many documents of a run nobody judged, and in how many queries. Without a cutoff, in the whole rankings."""

    cutoff: int | None
    documents: int
    queries: int


@dataclass(frozen=True, slots=True)
class BaselineComparison:
    """What the baseline adds to the figures of one measure.

    `ends` are the one-sided ends of the difference, each with an error of 5 %, None where zeros would decide them.
    `bounds_of_difference` are those of the difference, whatever grades the unjudged documents get that either retrieved. They are
    None if unknown. `verdict` and `plain` are what the page of a comparison says of these two runs. `caveat` says how much of
    each is judged, where one is judged less than the other or documents were judged for what they decide.
    """

    figures: Comparison
    ends: tuple[float, float] | None
    unjudged: Unjudged
    bounds_of_difference: tuple[float, float] | None
    caveat: str
    verdict: Verdict
    plain: PlainVerdict

    @property
    def interval(self) -> Interval | None:
        """That of the difference, if the values of both runs can be told apart at all."""
        return None if self.verdict.needs_judging else self.figures.difference.interval

    def as_json(self) -> dict[str, Any]:
        return {
            "one_sided": ends_json(self.ends),
            "baseline_unjudged": asdict(self.unjudged),
            "bounds_of_difference": ends_json(self.bounds_of_difference),
            "verdict": {
                "kind": self.verdict.kind,
                "headline": self.verdict.headline,
                "details": self.verdict.details,
                "sentence": self.plain.sentence,
            },
            "comparison": backed_record(self.figures.as_json(), self.verdict),
        }


@dataclass(frozen=True, slots=True)
class MeasureResult:
    """The mean of one measure over `queries`, its conditions, and what a baseline adds if there is one.

    `left_out` queries have no value. `bounds` are those of the run's mean, whatever grades the unjudged documents get that it or
    the baseline retrieved. They are None if unknown.
    """

    measure: str
    mean: float
    queries: int
    left_out: int
    conditions: tuple[Condition, ...]
    unjudged: Unjudged
    bounds: tuple[float, float] | None
    comparison: BaselineComparison | None = None

    @property
    def passed(self) -> bool:
        return all(condition.passed for condition in self.conditions)

    def as_json(self) -> dict[str, Any]:
        return {
            "measure": self.measure,
            "passed": self.passed,
            "mean": self.mean,
            "left_out": self.left_out,
            "conditions": [asdict(one) for one in self.conditions],
            "unjudged": asdict(self.unjudged),
            "bounds": ends_json(self.bounds),
            **(self.comparison.as_json() if self.comparison else {"counted": self.queries}),
        }


def ends_json(ends: tuple[float, float] | None) -> dict[str, float] | None:
    return None if ends is None else {"low": ends[0], "high": ends[1]}


NOTHING_TO_GAIN: Final = "No grade lies above 0, so that there is nothing to compare."
SHOWN: Final = ("no-worse", "same-within")
"""Conditions on what these queries show. The others are on the mean."""
NO_CONDITION: Final = (
    "No condition is given. Add --min, --max-drop, --significant or --same-within after a --measure."
)
NEEDS_BASELINE: Final = "The conditions of {} compare the run with a baseline, but none is named. Name a baseline, or keep only --min."


def check_demands(demands: Sequence[Demand], *, has_baseline: bool) -> None:
    """Raises MetricsError if there is no condition, one lacks its baseline, a measure is named twice, or can't say which run is better."""
    kinds = [[kind for kind, _ in _limits(one)] for one in demands]
    if not any(kinds):
        raise MetricsError(NO_CONDITION)
    texts = [str(one.measure) for one in demands]
    for text in texts:
        if texts.count(text) > 1:
            raise MetricsError(f"{text} is named twice; give all conditions of a measure together.")
    for one, own_kinds in zip(demands, kinds, strict=True):
        if not has_baseline and {*own_kinds} - {"min"}:
            raise MetricsError(NEEDS_BASELINE.format(one.measure))
        if own_kinds and not ranks_runs(str(one.measure)):
            raise MetricsError(
                f"{one.measure} does not say which run is better, so that nothing can be demanded of it."
            )


def measure_demand(demand: Demand, runs: GateRuns) -> MeasureResult:
    """Compares the run with the baseline over the queries that count.

    Raises MetricsError if no query has a value in both runs, or if the grades don't allow the measure.
    """
    values = np.stack([demand.measure.values(one) for one in runs.every])
    mask = runs.counted[~np.isnan(values[:, runs.counted]).any(axis=0)]
    if not mask.size:
        raise MetricsError(f"No query has a value of {demand.measure} in both runs.")
    values = values[:, mask]
    formula, text = Selection.of(*demand.measure).formula, str(demand.measure)
    on = on_of(formula, text)
    (comparison,), span = compare_values(
        values, ComparisonOptions(on), best_dcg=best_dcg(formula, runs.run.scale)
    )
    left_out = np.setdiff1d(runs.counted, mask)
    pages = pages_of(runs, formula)
    figures = _figures(runs, comparison, on, formula, pages, mask, left_out)
    verdict, coverage = verdict_of(figures, 0, on=on), Coverage.of_figures(figures, 0)
    evidence = figures["evidence"]
    bounds = bounds_of(evidence[0], on) if evidence and on in ("global", "max") else None
    ends, conditions = conditions_of(demand, comparison, differences(*values), span)
    rests_on_zeros = may_rest_on_zeros(evidence[0] if evidence else None, coverage, on)
    if rests_on_zeros:
        conditions = tuple(_by_zeros(one, verdict, bounds) for one in conditions)
    cutoff = demand.measure.measure.cutoff
    return MeasureResult(
        measure=text,
        mean=comparison.run,
        queries=comparison.queries,
        left_out=len(left_out),
        conditions=conditions,
        unjudged=count_unjudged(runs.run, mask, cutoff),
        bounds=None if pages is None else bounds_of_mean(pages, mask, left_out, demand.measure),
        comparison=BaselineComparison(
            figures=comparison,
            ends=None if verdict.needs_judging else ends,
            unjudged=count_unjudged(runs.every[0], mask, cutoff),
            bounds_of_difference=bounds,
            caveat=coverage.words if rests_on_zeros else "",
            verdict=verdict,
            plain=plain_verdict(figures, 0, verdict, run=runs.run_name, baseline=runs.baseline_name, on=on),
        ),
    )


def _by_zeros(condition: Condition, verdict: Verdict, bounds: tuple[float, float] | None) -> Condition:
    """A condition on what is shown, where zeros may favor one of the runs: as far as the bounds of the difference show it, too."""
    if condition.kind not in SHOWN:
        return condition
    low, high = bounds or (-np.inf, np.inf)
    is_within = -low <= condition.limit and (condition.kind == "no-worse" or high <= condition.limit)
    if is_within and not verdict.needs_judging:
        return condition
    return replace(condition, short_by=None, passed=False, untold=True)


def pages_of(runs: GateRuns, formula: Formula) -> RunPages | None:
    """None where nothing bounds the formula."""
    if not has_bounds(formula):
        return None
    pages = RunPages(formula, runs.every, runs.pages)
    if runs.unjudged is not None:
        pages.unjudged = runs.unjudged  # in place of an upper limit
    return pages


def _figures(
    runs: GateRuns,
    comparison: Comparison,
    on: str,
    formula: Formula,
    pages: RunPages | None,
    mask: Ints,
    left_out: Ints,
) -> Figures:
    """What a verdict reads, as `figures` of a comparison has it."""
    queries = runs.run.queries
    values = RunValues.of_runs(runs.every, formula, place=np.arange(queries))
    if not values.ideal_max.any():
        raise MetricsError(NOTHING_TO_GAIN)
    inside, outside = (np.isin(np.arange(queries), places) for places in (mask, left_out))
    every_page = None if pages is None else pages.all_evidence()
    evidence = None if every_page is None else every_page.of(inside)
    out, judged = values.of(outside), judged_shares(runs.every, formula, on).of(inside)
    figures = run_figures(values.of(inside), evidence, out) | {
        "comparisons": [comparison.as_json()],
        "coverage": coverage_figures(judged, formula, on, left_out_judged=out.pages_judged),
    }
    return with_targeted(figures, runs.targeted, None if every_page is None else every_page.pool, on)


def conditions_of(
    demand: Demand, comparison: Comparison, difference: Floats, span: float | None
) -> tuple[tuple[float, float] | None, tuple[Condition, ...]]:
    """What holds the mean of the differences (Q,), which stay within ±span, from either side, and what comes of it."""
    ends = _ends(comparison, difference, span)
    return ends, tuple(_conditions(demand, comparison, ends))


def _ends(comparison: Comparison, difference: Floats, span: float | None) -> tuple[float, float] | None:
    """Where too few queries changed for a test, by bets that hold for any distribution, and need more queries."""
    if comparison.one_sided is not None:
        return comparison.one_sided.low, comparison.one_sided.high
    if span is None:
        return None
    low, high = (lower_end(sign * difference, span, significance=SIGNIFICANCE) * sign for sign in (1.0, -1.0))
    return low, high


def _limits(demand: Demand) -> Iterator[tuple[str, float]]:
    if demand.least is not None:
        yield "min", demand.least
    if demand.most_drop is not None:
        yield "no-worse" if demand.significant else "max-drop", demand.most_drop
    elif demand.significant:
        yield "max-drop", 0.0
    if demand.within is not None:
        yield "same-within", demand.within


def _conditions(
    demand: Demand, comparison: Comparison, ends: tuple[float, float] | None
) -> Iterator[Condition]:
    for kind, limit in _limits(demand):
        short = _short(kind, limit, comparison, ends)
        missed = short is None or short > TOLERANCE
        beyond_noise = kind == "max-drop" and demand.significant
        noise = missed and beyond_noise and not _is_shown(comparison)
        yield Condition(kind, limit, short, not missed or noise, noise, beyond_noise=beyond_noise)


def _short(kind: str, limit: float, comparison: Comparison, ends: tuple[float, float] | None) -> float | None:
    if kind == "min":
        return limit - comparison.run
    if kind == "max-drop":
        return -comparison.difference.mean - limit
    if ends is None:
        return None
    low, high = ends
    return (-low if kind == "no-worse" else max(-low, high)) - limit


def _is_shown(comparison: Comparison) -> bool:
    return comparison.adjusted is not None and comparison.adjusted <= SIGNIFICANCE


def count_unjudged(run: JudgedRun, mask: Ints, cutoff: int | None) -> Unjudged:
    unjudged = holes(run, cutoff=cutoff)[mask]
    return Unjudged(cutoff, int(unjudged.sum()), int((unjudged > 0).sum()))


def bounds_of_mean(
    pages: RunPages, mask: Ints, left_out: Ints, measure: RoundedMeasure
) -> tuple[float, float] | None:
    """The bounds of the mean. None unless the measure is one of the four NDCGs of the formula.

    Missing grades can bring in queries that are `left_out` because their ideal is 0.
    """
    ideal = ideal_of(pages.formula, measure)
    if not ideal:
        return None
    run_bounds = pages.bounds(-1)
    of_low, of_high = run_bounds.low[ideal], run_bounds.high[ideal]
    out = left_out[np.isfinite(of_low[left_out])]  # the others have no document without a grade
    low, high = least_mean(of_low[mask], of_low[out]), greatest_mean(of_high[mask], of_high[out])
    return (low, high) if isfinite(low) and isfinite(high) else None
