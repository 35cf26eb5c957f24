"""Checks a gate's conditions on a run alone, where no baseline is named, and chooses between that and a comparison."""

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from touchstone_core.metrics.averages import mean
from touchstone_core.metrics.errors import MetricsError
from touchstone_core.metrics.ladder import ladder
from touchstone_core.metrics.left_out import LeftOut
from touchstone_core.metrics.selection import Selection
from touchstone_core.offline.gate import (
    Condition,
    Demand,
    GateRuns,
    MeasureResult,
    Unjudged,
    bounds_of_mean,
    count_unjudged,
    ends_json,
    measure_demand,
    pages_of,
)
from touchstone_core.significance.differences import TOLERANCE


@dataclass(frozen=True, slots=True)
class MeanResult:
    """The mean of one measure over `queries`, and its conditions. Without a baseline there is nothing else to say.

    `bounds` are those of the mean, whatever grades the run's unjudged documents get. They are None if unknown.
    """

    measure: str
    mean: float
    queries: int
    left_out: int
    conditions: tuple[Condition, ...]
    unjudged: Unjudged
    bounds: tuple[float, float] | None

    @property
    def passed(self) -> bool:
        return all(condition.passed for condition in self.conditions)

    @property
    def left_out_words(self) -> str:
        """How many queries have no value, and what they could change; empty if there are none."""
        left_out = LeftOut.of(self.mean, self.queries, self.left_out)
        return left_out.words if left_out else ""

    def as_json(self) -> dict[str, Any]:
        return {
            "measure": self.measure,
            "passed": self.passed,
            "mean": self.mean,
            "counted": self.queries,
            "left_out": self.left_out,
            "conditions": [asdict(one) for one in self.conditions],
            "unjudged": asdict(self.unjudged),
            "bounds": ends_json(self.bounds),
        }


def measure_all(demands: Sequence[Demand], runs: GateRuns) -> tuple[MeasureResult | MeanResult, ...]:
    """The result of each demand. Raises what `measure_demand` raises."""
    if runs.baseline is None:
        return tuple(_measure_alone(demand, runs) for demand in demands)
    return tuple(measure_demand(demand, runs) for demand in demands)


def _measure_alone(demand: Demand, runs: GateRuns) -> MeanResult:
    values = demand.measure.values(runs.run)
    mask = runs.counted[~np.isnan(values[runs.counted])]
    average = mean(values[mask])
    if average is None:
        raise MetricsError(f"No query has a value of {demand.measure}.")
    formula = Selection.of(*demand.measure).formula
    if not ladder(runs.run, formula).ideal_max.any():
        raise MetricsError("No grade lies above 0, so that there is nothing to measure.")
    left_out = np.setdiff1d(runs.counted, mask)
    pages = pages_of(runs, formula)
    return MeanResult(
        measure=str(demand.measure),
        mean=average,
        queries=len(mask),
        left_out=len(left_out),
        conditions=tuple(_conditions(demand, average)),
        unjudged=count_unjudged(runs.run, mask, demand.measure.measure.cutoff),
        bounds=None if pages is None else bounds_of_mean(pages, mask, left_out, demand.measure),
    )


def _conditions(demand: Demand, average: float) -> list[Condition]:
    if demand.least is None:
        return []
    short = demand.least - average
    return [Condition("min", demand.least, short, passed=short <= TOLERANCE)]
