"""The mean of few queries that people judged, made more certain by a machine's grades of many more.

Prediction-powered inference: Angelopoulos, Bates, Fannjiang, Jordan & Zrnic, Science 382 (2023), with the weight of Angelopoulos,
Duchi & Zrnic, “PPI++” (2023).
"""

from dataclasses import dataclass
from math import sqrt
from typing import Final

import numpy as np

from touchstone_core.significance.errors import SignificanceError
from touchstone_core.significance.intervals import LEVEL, Interval, around, student
from touchstone_core.significance.permutation import FEWEST
from touchstone_core.significance.types import Floats

FEWEST_PEOPLE: Final = 30
"""Below so many queries of people, how far the machine can be followed is too uncertain."""


@dataclass(frozen=True, slots=True)
class Estimate:
    """A mean over all queries, with its interval."""

    mean: float
    interval: Interval


@dataclass(frozen=True, slots=True)
class PredictionPoweredMean:
    """The mean that people would find over all queries: from their own queries (`people_alone`), and `with_machine`.

    Both are the same where the machine is no help: then its `weight` is 0. It's 1 where it is followed all the way. `correlation` is that of
    people's and the machine's values, None where either are all equal.
    """

    people: int
    others: int
    people_alone: Estimate
    with_machine: Estimate
    correlation: float | None
    weight: float


def prediction_powered_mean(
    people: Floats,
    machine: Floats,
    others: Floats,
    *,
    changed: int,
    queries: int,
    level: float = LEVEL,
    span: float,
) -> PredictionPoweredMean:
    """`people` and `machine` (n,) are values of the same queries, `others` (N,) the machine's of those that people didn't judge. All are
    of the `changed` ones among all `queries`; that of the others is known to be 0. Intervals stay within ±`span`.

    Whatever errors the machine makes, the mean is that of people in expectation, as long as their queries were drawn at random. The
    machine is followed only where its values go with people's beyond chance (correlation above 2/√n), because it makes the interval
    wider otherwise. Raises SignificanceError for fewer than FEWEST_PEOPLE queries of people, or fewer than FEWEST whose value isn't 0.
    """
    count = len(people)
    if count < FEWEST_PEOPLE:
        raise SignificanceError(
            f"It takes {FEWEST_PEOPLE} queries on which people and the machine graded all that the two runs show differently. "
            f"So far: {count}."
        )
    if (differing := np.count_nonzero(people)) < FEWEST:
        raise SignificanceError(
            f"It takes {FEWEST} queries whose value differs by people’s grades. So far: {differing}."
        )

    def estimate(mean: float, variance: float) -> Estimate:
        """Of the changed queries, made one of all: their share is uncertain, too."""
        share = changed / queries
        error = sqrt(share**2 * variance + mean**2 * share * (1 - share) / queries)
        reach = student(count, 1 - level) * error
        return Estimate(share * mean, around(share * mean, reach, level=level, span=span))

    mean, spread, own = float(people.mean()), float(people.std(ddof=1)), float(machine.std(ddof=1))
    alone = estimate(mean, spread**2 / count)
    covariance = float(np.cov(people, machine)[0, 1])
    correlation = covariance / (spread * own) if spread and own else None
    if correlation is None or correlation <= 2 / sqrt(count) or not len(others):
        return PredictionPoweredMean(count, len(others), alone, alone, correlation, 0.0)
    variance = float(np.concatenate([machine, others]).var(ddof=1))
    weight = min(1.0, covariance / ((1 + count / len(others)) * variance))
    rest = people - weight * machine
    with_machine = estimate(
        float(weight * others.mean() + rest.mean()),
        weight**2 * variance / len(others) + float(rest.var(ddof=1)) / count,
    )
    return PredictionPoweredMean(count, len(others), alone, with_machine, correlation, weight)
