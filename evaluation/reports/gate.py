"""A gate: one run beside a baseline, on measures that each have conditions. (Q,) in every array."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import isfinite
from typing import Any, Final

import numpy as np

from evaluation.bounds import GREATEST_CUTOFF, bounds
from evaluation.metrics.arrays import JudgedRun
from evaluation.metrics.chosen import Chosen, ideal_of
from evaluation.metrics.direction import ranks_runs
from evaluation.metrics.errors import MetricsError
from evaluation.metrics.rounding import Rounded
from evaluation.metrics.types import Mask
from evaluation.reports.file_comparison import counts_missing
from evaluation.significance.comparison import Comparison, compare
from evaluation.significance.differences import TOLERANCE
from evaluation.significance.planning import SIGNIFICANCE
from evaluation.significance.settings import Settings


@dataclass(frozen=True, slots=True)
class Demand:
    """What is demanded of one measure: a mean of at least `least`, and a drop of at most `most_drop` from the baseline.

    With `significant` a larger drop counts only where it is more than noise: p ≤ .05 of the permutation test. Raises
    MetricsError for limits that are no limits.
    """

    measure: Rounded
    least: float | None = None
    most_drop: float | None = None
    significant: bool = False

    def __post_init__(self) -> None:
        if self.least is not None and not isfinite(self.least):
            raise MetricsError(f"The least value of {self.measure} must be a finite number.")
        if self.most_drop is not None and not 0 <= self.most_drop < np.inf:
            raise MetricsError(f"The greatest drop of {self.measure} must be a finite number from 0.")
        object.__setattr__(self, "measure", counts_missing(self.measure))


@dataclass(frozen=True, slots=True)
class Condition:
    """`kind` is min or max-drop. `short` is by how much the limit is missed; below 0 where there is room.

    `noise`: the limit is missed, by a drop that may be noise, which was to be let pass.
    """

    kind: str
    limit: float
    short: float
    passed: bool
    noise: bool = False


@dataclass(frozen=True, slots=True)
class Unjudged:
    """How many documents of the run within the cutoff nobody judged, and in how many queries. None: the whole ranking."""

    cutoff: int | None
    documents: int
    queries: int


@dataclass(frozen=True, slots=True)
class Measured:
    """One measure of a gate. `bounds` hold the run's mean whatever the unjudged are worth; None where unknown."""

    measure: str
    left_out: int
    comparison: Comparison
    conditions: tuple[Condition, ...]
    unjudged: Unjudged
    bounds: tuple[float, float] | None

    @property
    def passed(self) -> bool:
        return all(condition.passed for condition in self.conditions)

    def as_json(self) -> dict[str, Any]:
        return {
            "measure": self.measure,
            "passed": self.passed,
            "left_out": self.left_out,
            "conditions": [
                {
                    "kind": one.kind,
                    "limit": one.limit,
                    "passed": one.passed,
                    "short_by": one.short,
                    "noise": one.noise,
                }
                for one in self.conditions
            ],
            "unjudged": {
                "cutoff": self.unjudged.cutoff,
                "documents": self.unjudged.documents,
                "queries": self.unjudged.queries,
            },
            "bounds": None if self.bounds is None else {"low": self.bounds[0], "high": self.bounds[1]},
            "comparison": self.comparison.as_json(),
        }


NO_CONDITION: Final = "No condition is given: say with a measure the least value, the greatest drop, or both."


def check_demands(demands: Sequence[Demand]) -> None:
    """Raises MetricsError where nothing is demanded, or of one measure twice: it would be unclear what holds; and where a
    measure that does not say which run is better has a condition."""
    if not any(True for one in demands for _ in _limits(one)):
        raise MetricsError(NO_CONDITION)
    texts = [str(one.measure) for one in demands]
    for text in texts:
        if texts.count(text) > 1:
            raise MetricsError(f"{text} is named twice; give all conditions of a measure together.")
    for one in demands:
        if any(True for _ in _limits(one)) and not ranks_runs(str(one.measure)):
            raise MetricsError(
                f"{one.measure} does not say which run is better, so that nothing can be demanded of it."
            )


def measured(demand: Demand, baseline: JudgedRun, run: JudgedRun, counted: Mask, seed: int) -> Measured:
    """The run beside the baseline, both over the same judged queries, of which those of `counted` (Q,) count.

    Raises MetricsError where no query has a value in both, and for a measure that the grades do not allow.
    """
    before, after = demand.measure.values(baseline), demand.measure.values(run)
    kept = counted & ~np.isnan(before) & ~np.isnan(after)
    if not kept.any():
        raise MetricsError(f"No query has a value of {demand.measure} in both runs.")
    (found,) = compare(before[kept], [after[kept]], settings=Settings(seed=seed))
    return Measured(
        measure=str(demand.measure),
        left_out=int((counted & ~kept).sum()),
        comparison=found,
        conditions=tuple(_conditions(demand, found)),
        unjudged=_unjudged(run, kept, demand.measure.measure.cutoff),
        bounds=_bounds(run, kept, demand.measure),
    )


def _limits(demand: Demand) -> Iterator[tuple[str, float]]:
    if demand.least is not None:
        yield "min", demand.least
    if demand.most_drop is not None:
        yield "max-drop", demand.most_drop
    elif demand.significant:
        yield "max-drop", 0.0


def _conditions(demand: Demand, found: Comparison) -> Iterator[Condition]:
    for kind, limit in _limits(demand):
        short = limit - found.run if kind == "min" else -found.difference.mean - limit
        missed = short > TOLERANCE
        p = found.permutation.value
        noise = missed and kind == "max-drop" and demand.significant and (p is None or p > SIGNIFICANCE)
        yield Condition(kind, limit, short, not missed or noise, noise)


def _unjudged(run: JudgedRun, kept: Mask, cutoff: int | None) -> Unjudged:
    shown = run.retrieved if cutoff is None else np.minimum(run.retrieved, cutoff)
    on_page = run.hit_query if cutoff is None else run.hit_query[run.hit_rank <= cutoff]
    holes = (shown - np.bincount(on_page, minlength=run.queries))[kept]
    return Unjudged(cutoff, int(holes.sum()), int((holes > 0).sum()))


def _bounds(run: JudgedRun, kept: Mask, measure: Rounded) -> tuple[float, float] | None:
    """None for what is not among the four NDCGs of a formula, and where that has no bounds."""
    formula = Chosen.of(*measure).formula
    ideal = ideal_of(formula, measure)
    if not ideal or formula.condenses or formula.cutoff > GREATEST_CUTOFF:
        return None
    found = bounds(run, formula)
    low, high = float(found.low[ideal][kept].mean()), float(found.high[ideal][kept].mean())
    return (low, high) if isfinite(low) and isfinite(high) else None
