"""Alpha with each rater left out in turn: leaving out the rater who agrees least raises it most."""

import numpy as np

from judgments.agreement.alpha import alpha
from judgments.agreement.figures import Level
from judgments.agreement.units import Floats, Ints, Units, counts


def alphas_without(
    total: Floats, units: Units, scale: Floats, level: Level, *, judgments: Ints, raters: int
) -> Floats:
    """One alpha for each rater, NaN where it is undefined: (raters,).

    `total` are the coincidences of all pairs together. `judgments` (4, N) holds rater, kind of pair in `units` (whose own
    counts of pairs aren't read), index of the rater's grade there, and number of such judgments. Without a judgment, its
    pair's coincidences become those of the remaining judgments; a pair of two adds none any more.
    """
    rater, kind, grade, times = judgments
    before = counts(units, scale)[kind]
    after = before - np.eye(len(scale), dtype=np.int64)[grade]
    remaining = np.repeat(total[None], raters, axis=0)
    for c in range(len(scale)):
        for v in range(c, len(scale)):
            change = (_coincidences(after, c, v) - _coincidences(before, c, v)) * times
            remaining[:, c, v] += np.bincount(rater, change, raters)
            remaining[:, v, c] = remaining[:, c, v]
    # Rounding errors instead of zeros would count as grades in use.
    remaining[np.abs(remaining) < 1e-9 * max(1.0, total.sum())] = 0.0
    return alpha(remaining, scale, level)


def _coincidences(grade_counts: Ints, c: int, v: int) -> Floats:
    coincidences: Floats = (
        grade_counts[:, c] * (grade_counts[:, v] - (c == v)) / np.maximum(1, grade_counts.sum(axis=1) - 1)
    )
    return coincidences
