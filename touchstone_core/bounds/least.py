"""The least value of (judged sum + Σ weight · gain) / ideal over all grades that unjudged documents could get."""

import numpy as np

from touchstone_core.bounds.tops import Tops
from touchstone_core.metrics.types import Floats, Ints


def least_ratio(
    judged_sum: Floats, weight: Floats, further: Ints, tops: Tops, discount: Floats, top: float
) -> Floats:
    """(Q,) the least ratio with an ideal above 0; NaN if every ideal is 0. The ratio must never be below 0.

    `judged_sum` and `weight` are as for `greatest_ratio`. The ratio is linear over convex, so it is quasi-concave in the unknown
    gains, and its least value is at a corner, where each unknown gain is 0 or the top. Documents with the smallest weights have
    the top gain there, so the candidates are the last m ones for m = 0 … M. The `further` (Q,) unjudged documents have no weight
    and only raise the ideal.
    """
    cutoff = len(discount)
    further = np.minimum(further, cutoff)
    # The sum of the m smallest weights.
    from_below = np.cumsum(weight[:, ::-1], axis=1)
    count = np.cumsum(weight[:, ::-1] > 0, axis=1)
    least = _ratio(judged_sum, _ideal(tops, further, discount, top))
    for place in range(weight.shape[1]):
        at_the_top = np.minimum(count[:, place] + further, cutoff)
        candidate = _ratio(judged_sum + top * from_below[:, place], _ideal(tops, at_the_top, discount, top))
        least = np.fmin(least, candidate)
    return least


def _ideal(tops: Tops, at_the_top: Ints, discount: Floats, top: float) -> Floats:
    """(Q,) the ideal of the known gains after so many documents of the top gain."""
    cutoff = len(discount)
    sums = np.concatenate([[0.0], np.cumsum(discount)])
    # The known gains move down by as many ranks, and those below the page add nothing.
    ranks = np.arange(cutoff) + at_the_top[:, None]
    discounts_below = np.append(discount, 0.0)[np.minimum(ranks, cutoff)]
    return np.asarray(top * sums[at_the_top] + (tops.gain * discounts_below).sum(axis=1))


def _ratio(total: Floats, ideal: Floats) -> Floats:
    values: Floats = np.full(len(total), np.nan)
    return np.divide(total, ideal, out=values, where=ideal > 0)
