"""The greatest value of (judged sum + Σ weight · gain) / ideal over all grades that unjudged documents could get."""

import numpy as np

from touchstone_core.bounds.tops import Tops
from touchstone_core.metrics.types import Floats, Ints


def greatest_ratio(judged_sum: Floats, weight: Floats, tops: Tops, discount: Floats, top: float) -> Floats:
    """(Q,) the greatest ratio with an ideal above 0; NaN if every ideal is 0. The greatest ratio must not be below 0.

    `judged_sum` (Q,) is the sum over judged documents, `weight` (Q, M) the weight of each unjudged document: positive and
    descending, then zeros. Documents with smaller weights, or outside the pages, have no gain at the maximum, since they could
    only raise the ideal. A greater weight gets the greater gain.

    Each of these gains is 0, the top, or a known gain, because the ratio is monotone between known gains. The greatest ratio is
    the t for which the greatest sum − t · ideal is 0 (Dinkelbach 1967). Both are sums over layers of gain, so a dynamic program
    over the layers finds the best gains for a t. It goes down from the top layer, and each layer has at least as many documents.
    """
    counts = (weight > 0).sum(axis=1)
    ratio = np.full(len(counts), np.nan)
    # Without unjudged documents there is only this ratio.
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
    """The dynamic program over the layers of q queries, with at most U weighted unjudged documents each."""

    def __init__(
        self, judged_sum: Floats, weight: Floats, tops: Floats, discount: Floats, top: float
    ) -> None:
        counts = (weight > 0).sum(axis=1)
        self.width = int(counts.max()) + 1
        # (q, U + 1) the weight of the first m unjudged documents, and whether there are fewer than m.
        self.weight = np.zeros((len(weight), self.width))
        self.weight[:, 1:] = np.cumsum(weight, axis=1)[:, : self.width - 1]
        self.fewer = np.arange(self.width) > counts[:, None]
        self.judged_sum = judged_sum
        self.sums = np.concatenate([[0.0], np.cumsum(discount)])
        # Level 0 is the top gain. Level i is the i-th greatest known gain, which at least i documents have.
        self.levels = np.column_stack([np.full(len(weight), top), tops, np.zeros(len(weight))])

    def greatest(self, ratio: Floats) -> Floats:
        """(q,) the greatest ratio, starting from one that is not greater."""
        while True:  # the ratio rises and has finitely many values; usually a few rounds are enough
            total, ideal = self._best(ratio)
            better = np.divide(total, ideal, out=ratio.copy(), where=ideal > 0)
            if not (better > ratio).any():
                return ratio
            ratio = np.maximum(ratio, better)

    def _best(self, ratio: Floats) -> tuple[Floats, Floats]:
        """(q,) the sum and the ideal of the best gains for this ratio."""
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
    """For every m, the best of all m' ≤ m, because a lower layer has at least as many documents as the one above."""
    worth = total - ratio[:, None] * ideal
    rises = worth >= np.maximum.accumulate(worth, axis=1)
    best: Ints = np.maximum.accumulate(np.where(rises, np.arange(worth.shape[1]), 0), axis=1)
    return np.take_along_axis(total, best, axis=1), np.take_along_axis(ideal, best, axis=1)
