"""When a list will be finished if raters go on as in the last weeks. Pure arithmetic on counts of days."""

from collections.abc import Sequence
from math import ceil, inf, sqrt
from typing import NamedTuple

import numpy as np
from scipy.special import stdtrit

WEEK = 7
COVERAGE, WIDER = 0.9, 5
"""How often the range should contain the true day. For that it has to be wider by WIDER / days, according to simulation: counts
of few days are more skewed than the t distribution assumes."""


LEAST_HOURS = 0.25
"""If raters judge for less time than this a day, the pace says nothing about how many days the rest will take."""


class Rhythm(NamedTuple):
    """Judgments of a day: their `mean`, and how far `days` known days leave it open (t times the standard deviation)."""

    mean: float
    spread: float
    days: int

    def given(self, after: float) -> tuple[float, float, float]:
        """How many judgments come in so many days: low, expected and high, a 90 % prediction interval."""
        expected = self.mean * after
        around = self.spread * sqrt(after + after**2 / self.days)
        return max(0.0, expected - around), expected, expected + around

    def days_for(self, missing: int) -> tuple[int, int, int | None]:
        """Days until `missing` judgments are given: low, expected, high. None if the known days leave the end open.

        These are the days at which `given` reaches `missing`: the two roots of a quadratic equation, as in Fieller's interval.
        """
        leading = self.mean**2 - self.spread**2 / self.days
        middle = 2 * missing * self.mean + self.spread**2
        root = sqrt(max(0.0, middle**2 - 4 * leading * missing**2))
        latest = (middle + root) / (2 * leading) if leading > 0 else inf
        return (
            ceil(2 * missing**2 / (middle + root)),
            ceil(missing / self.mean),
            None if latest == inf else ceil(latest),
        )


def rhythm_of(counts: Sequence[int]) -> Rhythm | None:
    """From the counts of past days, the latest last. Only whole weeks count, because few people judge on weekends.

    None without a whole week, or without any judgment in it.
    """
    days = len(counts) // WEEK * WEEK
    if not days or not any(counts[-days:]):
        return None
    latest = np.array(counts[-days:], dtype=float)
    spread = stdtrit(days - 1, (1 + COVERAGE) / 2) * (1 + WIDER / days) * latest.std(ddof=1)
    return Rhythm(float(latest.mean()), float(spread), days)
