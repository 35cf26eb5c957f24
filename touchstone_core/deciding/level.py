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

FEWEST_DRAWN: Final = 30
"""From fewer documents than that no interval is worked out, unless nothing else is unjudged."""
_CONFIDENCE: Final = 1 - SIGNIFICANCE / 2


@dataclass(frozen=True, slots=True)
class Level:
    """Mean NDCG-max of a run if all documents on its pages were judged, with a 95 % interval. It says nothing about other queries."""

    expected: float
    low: float
    high: float


@dataclass(frozen=True, slots=True, eq=False)
class Draw:
    """The documents of a run in the order in which they are drawn, as all arrays here.

    The first `known` ones needn't be drawn: they were judged, or waited for raters, before the first draw. `top` is the greatest
    gain that the scale allows.
    """

    document: Ints  # (D,) indices of the documents as they were given
    weight: Floats  # (D,) what a gain of 1 adds to the mean NDCG-max
    priority: Floats  # (D,) infinite for the known ones
    gain: Floats  # (D,) NaN without a grade
    known: int
    top: float

    @classmethod
    def of(cls, weight: Floats, number: Floats, before: Mask, gain: Floats, top: float) -> Self:
        """`number` (D,) is the random number of each document, above 0 and at most 1; `before` (D,) says which needn't be drawn."""
        priority = np.where(before, np.inf, weight / number)
        order = np.argsort(-priority, kind="stable")
        return cls(order, weight[order], priority[order], gain[order], int(np.count_nonzero(before)), top)

    def level(self, drawn: int) -> Level | None:
        """From the gains of the known documents and of so many that were `drawn`, none of which is NaN; others aren't read. None where
        they are too few.

        The mean gain of those that were drawn by chance stands for all that were not. The interval is Student's with a gain of 0 and one
        of `top` added, as Agresti & Coull (1998) do it for shares: without these it holds far too rarely where few documents
        are relevant. They move its middle the less, the more of all are drawn.
        """
        taken = self.known + drawn
        chances, open_weight = self._chances(taken), float(self.weight[taken:].sum())
        by_chance = chances < 1
        some, gained = self.gain[:taken][by_chance], self.weight[:taken] * self.gain[:taken]
        least = float(gained.sum())
        if taken == len(self.weight):
            return Level(least, least, least)
        if len(some) < FEWEST_DRAWN:
            return None
        of_sure = float(gained[~by_chance].sum())
        unsure_weight = open_weight + float(self.weight[:taken][by_chance].sum())
        mean = float(some.mean())
        moved = (float(some.sum() + self.top) / (len(some) + 2) - mean) * np.sqrt(
            1 - float(chances[by_chance].mean())
        )
        center, width = of_sure + unsure_weight * (mean + moved), self.expected_width(drawn, some)
        return Level(
            expected=of_sure + unsure_weight * mean,
            low=max(least, center - width),
            high=min(least + self.top * open_weight, center + width),
        )

    def expected_width(self, drawn: int, gains: Floats) -> float:
        """Half of the interval once so many are drawn, if their gains spread as these (any number) do."""
        taken = self.known + drawn
        if taken >= len(self.weight):
            return 0.0
        chances = self._chances(taken)
        by_chance = chances < 1
        unsure_weight = float(self.weight.sum() - self.weight[:taken][~by_chance].sum())
        if not (some := int(np.count_nonzero(by_chance))):
            return unsure_weight * self.top
        # With a gain of 0 and one of top, and never more than if half of them were at each end.
        variance = min(float(np.var(np.append(gains, [0.0, self.top]), ddof=1)), self.top**2 / 4)
        spread = np.sqrt(variance / (some + 2) * float(1 - chances[by_chance].mean()))
        return unsure_weight * float(stdtrit(max(some - 1, 1), _CONFIDENCE) * spread)

    def draws_for(self, width: float, gains: Floats) -> int:
        """The least number of documents in all that makes half of the interval so narrow, as far as these gains tell."""
        low, high = FEWEST_DRAWN - 1, max(FEWEST_DRAWN, len(self.weight) - self.known)
        while high - low > 1:
            middle = (low + high) // 2
            low, high = (low, middle) if self.expected_width(middle, gains) <= width else (middle, high)
        return min(high, len(self.weight) - self.known)

    def _chances(self, taken: int) -> Floats:
        """(taken,) of each of the first documents to be among them; 1 for the known ones, and if they are all."""
        left = self.priority[taken:]
        chances = np.minimum(1.0, self.weight[:taken] / left[0]) if len(left) else np.ones(taken)
        chances[: self.known] = 1.0
        return chances
