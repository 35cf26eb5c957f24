"""Checks a gate's conditions on a run alone, where no baseline is named, and chooses between that and a comparison."""

from collections.abc import Sequence

import numpy as np

from touchstone_core.metrics.averages import mean
from touchstone_core.metrics.errors import MetricsError
from touchstone_core.metrics.ladder import ladder
from touchstone_core.metrics.selection import Selection
from touchstone_core.offline.gate import (
    Condition,
    Demand,
    GateRuns,
    MeasureResult,
    bounds_of_mean,
    count_unjudged,
    measure_demand,
    pages_of,
)
from touchstone_core.significance.differences import TOLERANCE


def measure_all(demands: Sequence[Demand], runs: GateRuns) -> tuple[MeasureResult, ...]:
    """The result of each demand. Raises what `measure_demand` raises."""
    if runs.baseline is None:
        return tuple(_measure_alone(demand, runs) for demand in demands)
    return tuple(measure_demand(demand, runs) for demand in demands)


def _measure_alone(demand: Demand, runs: GateRuns) -> MeasureResult:
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
    return MeasureResult(
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
