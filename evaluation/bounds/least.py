"""The least value of DCG / ideal over all grades that unjudged documents could get."""

import numpy as np

from evaluation.bounds.pages import Pages
from evaluation.bounds.tops import Tops
from evaluation.metrics.types import Floats, Ints


def least_ratio(shown: Pages, tops: Tops, further: Ints) -> Floats:
    """(Q,) the least ratio with an ideal above 0; NaN where every ideal is 0.

    The ratio is linear over convex, hence quasi-concave in the unknown gains: its least value is at a corner, where every
    unknown gain is 0 or the top. By exchange the top gains stand at the worst ranks of the page, so that the m last unjudged
    ranks for m = 0 … N are all candidates; the `further` unjudged documents outside the page only lift the ideal.
    """
    cutoff = len(shown.discount)
    # From the last unjudged rank of the page upwards: what the first m of them add to the DCG.
    from_below = np.cumsum((shown.unjudged * shown.discount)[:, ::-1], axis=1)
    count = np.cumsum(shown.unjudged[:, ::-1], axis=1)
    least = _ratio(shown.dcg, _ideal(shown, tops, np.minimum(further, cutoff)))
    for rank in range(cutoff):
        at_the_top = np.minimum(count[:, rank] + np.minimum(further, cutoff), cutoff)
        candidate = _ratio(shown.dcg + shown.top * from_below[:, rank], _ideal(shown, tops, at_the_top))
        least = np.fmin(least, candidate)
    return least


def _ideal(shown: Pages, tops: Tops, at_the_top: Ints) -> Floats:
    """(Q,) the ideal of the known gains and so many documents of the top gain, which stand before them."""
    cutoff = len(shown.discount)
    sums = np.concatenate([[0.0], np.cumsum(shown.discount)])
    # The known gains move down by as many ranks; those that leave the page add nothing.
    ranks = np.arange(cutoff) + at_the_top[:, None]
    discount = np.append(shown.discount, 0.0)[np.minimum(ranks, cutoff)]
    return np.asarray(shown.top * sums[at_the_top] + (tops.gain * discount).sum(axis=1))


def _ratio(dcg: Floats, ideal: Floats) -> Floats:
    undefined: Floats = np.full(len(dcg), np.nan)
    return np.divide(dcg, ideal, out=undefined, where=ideal > 0)
