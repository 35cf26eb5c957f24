"""From one value per query to one value per run, and the counts that stand beside it."""

from dataclasses import dataclass

import numpy as np

from evaluation.metrics.arrays import JudgedRun
from evaluation.metrics.errors import MetricsError
from evaluation.metrics.ladder import Ladder
from evaluation.metrics.types import Floats


@dataclass(frozen=True, slots=True)
class Counts:
    """Judged queries, each of which is answered, missing from the run, or there with an empty ranking.

    `zero_ideal` counts the judged queries without a relevant document, whatever the run did with them.
    """

    judged: int
    answered: int
    missing: int
    empty: int
    zero_ideal: int


def count(run: JudgedRun, ladder: Ladder) -> Counts:
    """The counts that stand beside every mean."""
    return Counts(
        judged=run.queries,
        answered=int((run.retrieved > 0).sum()),
        missing=int((~run.answered).sum()),
        empty=int((run.answered & (run.retrieved == 0)).sum()),
        zero_ideal=int(ladder.zero_ideal.sum()),
    )


def rounded(values: Floats, digits: int) -> Floats:
    """The values to so many decimals, a half going up, as tools do that round before they average."""
    shift = 10.0**digits
    return np.floor(values * shift + 0.5) / shift


def mean(values: Floats) -> float | None:
    """Over the queries that have a value, those that are NaN being left out; None where there is none."""
    counted = values[~np.isnan(values)]
    return float(counted.mean()) if counted.size else None


def weighted_mean(values: Floats, weights: Floats) -> float | None:
    """The mean with each query counted by its weight (traffic); None where the weights add up to 0."""
    if values.shape != weights.shape:
        raise MetricsError(f"There are {weights.size} weights for {values.size} queries.")
    if not np.isfinite(weights).all() or (weights < 0).any():
        raise MetricsError("A query's weight must be a finite number from 0.")
    counted = ~np.isnan(values)
    total = weights[counted].sum()
    return float((values * weights)[counted].sum() / total) if total > 0 else None


def median(values: Floats) -> float | None:
    """Half way between the two middle values for an even number of queries; None where there is no value."""
    counted = np.sort(values[~np.isnan(values)])  # numpy's own median takes longer, above all for few values
    middle = len(counted) // 2
    return float((counted[middle] + counted[-1 - middle]) / 2.0) if counted.size else None
