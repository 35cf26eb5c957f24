"""Further coefficients for all raters together: Fleiss' kappa, Gwet's AC1 and AC2. From the counts of
grades in each kind of pair, (K, V), and how many `pairs` are of each kind, (K,).

| coefficient | source | holds where |
| --- | --- | --- |
| Fleiss' kappa | Fleiss 1971 | every pair has the same number of judgments |
| AC1 | Gwet 2008 | any number; steadier than kappa and alpha when one grade prevails |
| AC2 | Gwet 2014, chapter 3 | the same, near misses count in part: quadratic weights |
"""

import numpy as np

from judgments.agreement.figures import NO_COUPLES, ONE_GRADE, Figure
from judgments.agreement.units import Floats, Ints

UNEQUAL = "Fleiss' kappa needs the same number of judgments on every pair; here it differs."
ONE_ON_SCALE = "The scale has only one grade."


def fleiss(given: Ints, pairs: Ints) -> Figure:
    """Kappa of pairs that all have the same number of judgments."""
    if not len(given):
        return Figure(None, NO_COUPLES)
    sizes = given.sum(axis=1)
    if (sizes != sizes[0]).any():
        return Figure(None, UNEQUAL)
    shares = pairs @ given / (pairs.sum() * sizes[0])
    if (shares > 0).sum() < 2:
        return Figure(None, ONE_GRADE)
    expected = (shares**2).sum()
    return Figure(float((_agreement(given, pairs, np.eye(given.shape[1])) - expected) / (1 - expected)))


def gwet(given: Ints, pairs: Ints, singles: Ints, weights: Floats) -> Figure:
    """AC1 with the identity as `weights` (V, V), else AC2. V are all grades of the scale, used or not.

    `singles` (V,) counts the pairs with one judgment: they tell nothing of agreement, but how often grades are used.
    """
    grades = given.shape[1]
    if not len(given):
        return Figure(None, NO_COUPLES)
    if grades < 2:
        return Figure(None, ONE_ON_SCALE)
    used = pairs @ (given / given.sum(axis=1, keepdims=True)) + singles
    shares = used / used.sum()
    by_chance = weights.sum() / (grades * (grades - 1)) * (shares * (1 - shares)).sum()
    return Figure(float((_agreement(given, pairs, weights) - by_chance) / (1 - by_chance)))


def all_agree(given: Ints, pairs: Ints) -> float:
    """The share of pairs to which everyone gave the same grade; NaN without pairs."""
    same = (given > 0).sum(axis=1) == 1
    return float((same * pairs).sum() / pairs.sum()) if len(given) else float("nan")


def quadratic_weights(places: Floats) -> Floats:
    """1 for the same grade, 0 for the two ends, 1 - (distance / range)² between."""
    apart = places[:, None] - places[None, :]
    widest = np.ptp(places) if len(places) else 0.0
    return 1 - (apart / widest) ** 2 if widest else np.ones_like(apart)


def _agreement(given: Ints, pairs: Ints, weights: Floats) -> float:
    """The mean over pairs of how far two judgments of a pair agree."""
    sizes = given.sum(axis=1)
    together = (given * (given @ weights - 1)).sum(axis=1) / (sizes * (sizes - 1))
    return float(pairs @ together / pairs.sum())
