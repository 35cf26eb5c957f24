"""Further coefficients for all raters together: Fleiss' kappa, Gwet's AC1 and AC2.

They take the counts of grades in each kind of pair, (K, V), and the number of `pairs` of each kind, (K,).

| coefficient | source | valid when |
| --- | --- | --- |
| Fleiss' kappa | Fleiss 1971 | every pair has the same number of judgments |
| AC1 | Gwet 2008 | any number; steadier than kappa and alpha when one grade prevails |
| AC2 | Gwet 2014, chapter 3 | the same, near misses count in part: quadratic weights |
"""

import numpy as np

from judgments.agreement.figures import NO_COUPLES, ONE_GRADE, Figure
from judgments.agreement.units import Floats, Ints

UNEQUAL = "Fleiss’ kappa needs the same number of judgments on every pair. Here it differs."
ONE_ON_SCALE = "The scale has only one grade."


def fleiss(grade_counts: Ints, pairs: Ints) -> Figure:
    """Kappa of pairs that all have the same number of judgments."""
    if not len(grade_counts):
        return Figure(None, NO_COUPLES)
    sizes = grade_counts.sum(axis=1)
    if (sizes != sizes[0]).any():
        return Figure(None, UNEQUAL)
    shares = pairs @ grade_counts / (pairs.sum() * sizes[0])
    if (shares > 0).sum() < 2:
        return Figure(None, ONE_GRADE)
    expected = (shares**2).sum()
    return Figure(
        float((_agreement(grade_counts, pairs, np.eye(grade_counts.shape[1])) - expected) / (1 - expected))
    )


def gwet(grade_counts: Ints, pairs: Ints, singles: Ints, weights: Floats) -> Figure:
    """AC1 with the identity as `weights` (V, V), AC2 with others. V counts all grades of the scale, used or not.

    `singles` (V,) counts pairs with one judgment. They say nothing about agreement, but show how often grades are used.
    """
    grades = grade_counts.shape[1]
    if not len(grade_counts):
        return Figure(None, NO_COUPLES)
    if grades < 2:
        return Figure(None, ONE_ON_SCALE)
    usage = pairs @ (grade_counts / grade_counts.sum(axis=1, keepdims=True)) + singles
    shares = usage / usage.sum()
    by_chance = weights.sum() / (grades * (grades - 1)) * (shares * (1 - shares)).sum()
    return Figure(float((_agreement(grade_counts, pairs, weights) - by_chance) / (1 - by_chance)))


def all_agree(grade_counts: Ints, pairs: Ints) -> float:
    """The share of pairs to which everyone gave the same grade; NaN without pairs."""
    same = (grade_counts > 0).sum(axis=1) == 1
    return float((same * pairs).sum() / pairs.sum()) if len(grade_counts) else float("nan")


def quadratic_weights(places: Floats) -> Floats:
    """1 for the same grade, 0 for the two ends, 1 - (distance / range)² between."""
    apart = places[:, None] - places[None, :]
    widest = np.ptp(places) if len(places) else 0.0
    return 1 - (apart / widest) ** 2 if widest else np.ones_like(apart)


def _agreement(grade_counts: Ints, pairs: Ints, weights: Floats) -> float:
    """The mean agreement of two judgments of a pair, over all pairs."""
    sizes = grade_counts.sum(axis=1)
    together = (grade_counts * (grade_counts @ weights - 1)).sum(axis=1) / (sizes * (sizes - 1))
    return float(pairs @ together / pairs.sum())
