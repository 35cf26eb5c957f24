"""How good a run is, from documents of its pages that are drawn at random. D documents on the pages of all queries.

Priority sampling (Duffield, Lund & Thorup, Journal of the ACM 54(6), 2007): a document with the weight w and a random number u of
its own, uniform between 0 and 1, has the priority w / u, and the highest priorities are drawn. If τ is the highest of the others, a
document was drawn with the chance min(1, w / τ). To draw more goes on in the same order.
"""

from dataclasses import dataclass
from typing import Final, Self

import numpy as np
from scipy.special import stdtrit

from touchstone_core.metrics.types import Floats, Ints, Mask
from touchstone_core.significance.planning import SIGNIFICANCE

FEWEST_DRAWS: Final = 30
"""From fewer documents than that no interval is worked out, unless nothing else is unjudged."""
_CONFIDENCE: Final = 1 - SIGNIFICANCE / 2


@dataclass(frozen=True, slots=True)
class Level:
    """Mean NDCG-max of a run if all documents on its pages were judged, with a 95 % interval. It says nothing about other queries."""

    expected: float
    low: float
    high: float


@dataclass(frozen=True, slots=True, eq=False)
class _Sample:
    """Which of the first documents were drawn `by_chance`, the `weight` of these and of all that weren't drawn, and what mean chance they
    had not to be drawn."""

    by_chance: Mask
    weight: float
    left: float


@dataclass(frozen=True, slots=True, eq=False)
class DrawOrder:
    """The documents of a run in the order in which they are drawn, as all arrays here.

    The first ones, `certain` of them, needn't be drawn: they were judged, or waited for raters, before the first draw. `top` is the
    greatest gain that the scale allows.
    """

    document: Ints  # (D,) indices of the documents as they were given
    weight: Floats  # (D,) what a gain of 1 adds to the mean NDCG-max
    priority: Floats  # (D,) infinite for the certain ones
    gain: Floats  # (D,) NaN without a grade
    certain: int
    top: float

    @classmethod
    def of(cls, weight: Floats, number: Floats, is_certain: Mask, gain: Floats, top: float) -> Self:
        """`number` (D,) is the random number of each document, above 0 and at most 1."""
        priority = np.where(is_certain, np.inf, weight / number)
        order = np.argsort(-priority, kind="stable")
        return cls(order, weight[order], priority[order], gain[order], int(np.count_nonzero(is_certain)), top)

    def level(self, draws: int) -> Level | None:
        """From the gains of the certain documents and of so many that were drawn, none of which is NaN; others aren't read. None where
        they are too few.

        The mean gain of those that were drawn by chance stands for all that were not. The interval is Student's with a gain of 0 and one
        of `top` added, as Agresti & Coull (1998) do it for shares: without these it holds far too rarely where few documents
        are relevant. They move its middle the less, the more of all are drawn.
        """
        end = self.certain + draws
        points = self.weight[:end] * self.gain[:end]
        least = float(points.sum())
        if end == len(self.weight):
            return Level(least, least, least)
        sample = self._sample(draws)
        gains = self.gain[:end][sample.by_chance]
        if len(gains) < FEWEST_DRAWS:
            return None
        mean = float(gains.mean())
        with_ends = float(np.append(gains, [0.0, self.top]).mean())
        sure = float(points[~sample.by_chance].sum())
        middle = sure + sample.weight * (mean + (with_ends - mean) * np.sqrt(sample.left))
        width = self.expected_width(draws, gains)
        return Level(
            expected=sure + sample.weight * mean,
            low=max(least, middle - width),
            high=min(least + self.top * float(self.weight[end:].sum()), middle + width),
        )

    def expected_width(self, draws: int, gains: Floats) -> float:
        """Half of the interval once so many are drawn, if their gains spread as these (any number) do."""
        sample = self._sample(draws)
        size = int(np.count_nonzero(sample.by_chance))
        if not size:
            return sample.weight * self.top
        # With a gain of 0 and one of top, and never more than if half of them were at each end.
        variance = min(float(np.var(np.append(gains, [0.0, self.top]), ddof=1)), self.top**2 / 4)
        quantile = float(stdtrit(max(size - 1, 1), _CONFIDENCE))
        return sample.weight * quantile * float(np.sqrt(variance / (size + 2) * sample.left))

    def draws_for(self, width: float, gains: Floats) -> int:
        """The least number of documents in all that makes half of the interval so narrow, as far as these gains tell."""
        every = len(self.weight) - self.certain
        low, high = FEWEST_DRAWS - 1, max(FEWEST_DRAWS, every)
        while high - low > 1:
            middle = (low + high) // 2
            low, high = (low, middle) if self.expected_width(middle, gains) <= width else (middle, high)
        return min(high, every)

    def _sample(self, draws: int) -> _Sample:
        end = self.certain + draws
        rest = self.priority[end:]
        chances = np.ones(end)
        if len(rest):
            chances[self.certain :] = np.minimum(1.0, self.weight[self.certain : end] / rest[0])
        by_chance = chances < 1
        weight = float(self.weight[:end][by_chance].sum() + self.weight[end:].sum())
        left = float(1 - chances[by_chance].mean()) if by_chance.any() else 0.0
        return _Sample(by_chance, weight, left)
