"""The greatest value of DCG / ideal over all grades that unjudged documents could get."""

import numpy as np

from evaluation.bounds.pages import Pages
from evaluation.bounds.tops import Tops
from evaluation.metrics.types import Floats, Ints


def greatest_ratio(shown: Pages, tops: Tops) -> Floats:
    """(Q,) the greatest ratio with an ideal above 0; NaN where every ideal is 0.

    Unjudged documents outside the page are worth nothing then, and on the page a better rank has the greater gain. Each of these
    gains is 0, the top, or a known gain: between two known gains the ratio is monotone. Dinkelbach (1967): the greatest
    ratio is the t at which DCG − t · ideal is at most 0; both are sums over layers of gain, so that a dynamic program
    over the layers finds the best gains for a t, from the top layer down with ever more ranks inside.
    """
    discount, top = shown.discount, shown.top
    counts = shown.unjudged.sum(axis=1)
    ratio = np.full(len(counts), np.nan)
    # Where nothing is open the ratio is what it is; everything else of the query is settled too.
    known = (tops.gain * discount).sum(axis=1)
    np.divide(shown.dcg, known, out=ratio, where=known > 0)
    opened = np.flatnonzero(counts)
    if opened.size:
        layers = _Layers(shown, tops, opened, top)
        ratio[opened] = layers.greatest(np.nan_to_num(ratio[opened]))
    return ratio


class _Layers:
    """The program over the layers of the queries with something open: q of them, at most U unjudged ranks each."""

    def __init__(self, shown: Pages, tops: Tops, opened: Ints, top: float) -> None:
        unjudged, discount = shown.unjudged[opened], shown.discount
        counts = unjudged.sum(axis=1)
        self.width = int(counts.max()) + 1
        # (q, U + 1) what the first m unjudged ranks weigh, and whether there are fewer than m.
        self.weight = np.zeros((len(opened), self.width))
        rows, columns = np.nonzero(unjudged)
        nth = np.cumsum(unjudged, axis=1)[rows, columns]
        self.weight[rows, nth] = np.cumsum(unjudged * discount, axis=1)[rows, columns]
        self.fewer = np.arange(self.width) > counts[:, None]
        self.dcg = shown.dcg[opened]
        self.sums = np.concatenate([[0.0], np.cumsum(discount)])
        known = tops.gain[opened]
        # Level 0 is the top gain; level i is the i-th greatest known gain, which i documents reach at least.
        self.levels = np.column_stack([np.full(len(opened), top), known, np.zeros(len(opened))])

    def greatest(self, ratio: Floats) -> Floats:
        """(q,) the greatest ratio, begun with one that is reached."""
        while (
            True
        ):  # rises to one of finitely many ratios, faster than linearly: a handful of rounds is the rule
            dcg, ideal = self._best(ratio)
            better = np.divide(dcg, ideal, out=ratio.copy(), where=ideal > 0)
            if not (better > ratio).any():
                return ratio
            ratio = np.maximum(ratio, better)

    def _best(self, ratio: Floats) -> tuple[Floats, Floats]:
        """(q,) DCG and ideal of the gains that are best for this ratio."""
        shape = self.weight.shape
        cutoff = len(self.sums) - 1
        gained, ideal = np.zeros(shape), np.zeros(shape)
        at = np.arange(self.width)
        for level in range(self.levels.shape[1] - 1):
            step = (self.levels[:, level] - self.levels[:, level + 1])[:, None]
            layer = self.sums[np.minimum(level + at, cutoff)]
            gained = np.where(self.fewer, -np.inf, gained + step * self.weight)
            ideal = ideal + step * layer
            gained, ideal = _best_so_far(gained, ideal, ratio)
        dcg = self.dcg[:, None] + gained
        best = np.argmax(dcg - ratio[:, None] * ideal, axis=1)
        row = np.arange(shape[0])
        return dcg[row, best], ideal[row, best]


def _best_so_far(gained: Floats, ideal: Floats, ratio: Floats) -> tuple[Floats, Floats]:
    """For every m the best of all m' ≤ m: a lower layer holds at least the ranks of the layer above."""
    worth = gained - ratio[:, None] * ideal
    rises = worth >= np.maximum.accumulate(worth, axis=1)
    best = np.maximum.accumulate(np.where(rises, np.arange(worth.shape[1]), 0), axis=1)
    return np.take_along_axis(gained, best, axis=1), np.take_along_axis(ideal, best, axis=1)
