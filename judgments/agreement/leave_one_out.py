"""Alpha with each rater left out in turn: whoever agrees least with the others raises it most by being away."""

import numpy as np

from judgments.agreement.alpha import alpha
from judgments.agreement.figures import Level
from judgments.agreement.units import Floats, Ints, Units, counts


def alphas_without(
    total: Floats, units: Units, scale: Floats, level: Level, *, judgments: Ints, raters: int
) -> Floats:
    """One alpha for each rater, NaN where it is not defined: (raters,).

    `total` are the coincidences of all pairs together, `judgments` (4, N) are rater, kind of pair (of `units`, whose own
    counts of pairs are not read), index of the grade that the rater gave there, and number of such judgments. A judgment that
    goes takes the coincidences of its kind along and leaves those of the kind without it; a pair of two is gone.
    """
    rater, kind, grade, times = judgments
    before = counts(units, scale)[kind]
    after = before - np.eye(len(scale), dtype=np.int64)[grade]
    left = np.repeat(total[None], raters, axis=0)
    for c in range(len(scale)):
        for v in range(c, len(scale)):
            change = (_coincidences(after, c, v) - _coincidences(before, c, v)) * times
            left[:, c, v] += np.bincount(rater, change, raters)
            left[:, v, c] = left[:, c, v]
    left[np.abs(left) < 1e-9 * max(1.0, total.sum())] = (
        0.0  # what rounding left of nothing is no grade in use
    )
    return alpha(left, scale, level)


def _coincidences(given: Ints, c: int, v: int) -> Floats:
    found: Floats = given[:, c] * (given[:, v] - (c == v)) / np.maximum(1, given.sum(axis=1) - 1)
    return found
