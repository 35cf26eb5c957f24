"""The greatest value of (known + Σ weight · gain) / ideal over all grades that unjudged documents could get."""

import numpy as np

from touchstone_core.bounds.tops import Tops
from touchstone_core.metrics.types import Floats, Ints


def greatest_ratio(judged_sum: Floats, weight: Floats, tops: Tops, discount: Floats, top: float) -> Floats:
    """(Q,) the greatest ratio with an ideal above 0; NaN where every ideal is 0. It must be able to reach 0 or more.

    `judged_sum` (Q,) is what the judged documents give, `weight` (Q, M) what a gain of each unjudged document counts: above 0,
    falling, then zeros. Documents that count less or nothing, or stand outside the pages, are worth nothing then: they could
    only lift the ideal. A greater weight has the greater gain.

    Each of these gains is 0, the top, or a known gain: between two known gains the ratio is monotone. Dinkelbach (1967):
    the greatest ratio is the t at which the sum − t · ideal is at most 0; both are sums over layers of gain, so that a dynamic
    program over the layers finds the best gains for a t, from the top layer down with ever more documents inside.
    """
    counts = (weight > 0).sum(axis=1)
    ratio = np.full(len(counts), np.nan)
    # Where nothing is open the ratio is what it is.
    ideal = (tops.gain * discount).sum(axis=1)
    np.divide(judged_sum, ideal, out=ratio, where=ideal > 0)
    open_queries = np.flatnonzero(counts)
    if open_queries.size:
        layers = _Layers(
            judged_sum[open_queries], weight[open_queries], tops.gain[open_queries], discount, top
        )
        ratio[open_queries] = layers.greatest(np.maximum(np.nan_to_num(ratio[open_queries]), 0.0))
    return ratio


class _Layers:
    """The program over the layers of q queries, each with at most U unjudged documents that count."""

    def __init__(
        self, judged_sum: Floats, weight: Floats, tops: Floats, discount: Floats, top: float
    ) -> None:
        counts = (weight > 0).sum(axis=1)
        self.width = int(counts.max()) + 1
        # (q, U + 1) what the first m unjudged documents weigh, and whether there are fewer than m.
        self.weight = np.zeros((len(weight), self.width))
        self.weight[:, 1:] = np.cumsum(weight, axis=1)[:, : self.width - 1]
        self.fewer = np.arange(self.width) > counts[:, None]
        self.judged_sum = judged_sum
        self.sums = np.concatenate([[0.0], np.cumsum(discount)])
        # Level 0 is the top gain; level i is the i-th greatest known gain, which i documents reach at least.
        self.levels = np.column_stack([np.full(len(weight), top), tops, np.zeros(len(weight))])

    def greatest(self, ratio: Floats) -> Floats:
        """(q,) the greatest ratio, begun with one that is reached or exceeded."""
        while (
            True
        ):  # rises to one of finitely many ratios, faster than linearly: a handful of rounds is the rule
            total, ideal = self._best(ratio)
            better = np.divide(total, ideal, out=ratio.copy(), where=ideal > 0)
            if not (better > ratio).any():
                return ratio
            ratio = np.maximum(ratio, better)

    def _best(self, ratio: Floats) -> tuple[Floats, Floats]:
        """(q,) sum and ideal of the gains that are best for this ratio."""
        shape = self.weight.shape
        cutoff = len(self.sums) - 1
        total, ideal = np.zeros(shape), np.zeros(shape)
        at = np.arange(self.width)
        for level in range(self.levels.shape[1] - 1):
            step = (self.levels[:, level] - self.levels[:, level + 1])[:, None]
            layer = self.sums[np.minimum(level + at, cutoff)]
            total = np.where(self.fewer, -np.inf, total + step * self.weight)
            ideal = ideal + step * layer
            total, ideal = _best_so_far(total, ideal, ratio)
        total = self.judged_sum[:, None] + total
        best = np.argmax(total - ratio[:, None] * ideal, axis=1)
        row = np.arange(shape[0])
        return total[row, best], ideal[row, best]


def _best_so_far(total: Floats, ideal: Floats, ratio: Floats) -> tuple[Floats, Floats]:
    """For every m the best of all m' ≤ m: a lower layer holds at least the documents of the layer above."""
    worth = total - ratio[:, None] * ideal
    rises = worth >= np.maximum.accumulate(worth, axis=1)
    best: Ints = np.maximum.accumulate(np.where(rises, np.arange(worth.shape[1]), 0), axis=1)
    return np.take_along_axis(total, best, axis=1), np.take_along_axis(ideal, best, axis=1)
