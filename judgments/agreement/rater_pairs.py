"""Two raters compared on the pairs that both judged: kappa, bias and agreement.

A confusion matrix (..., V, V) counts those pairs: a row for each grade of the first rater, a column for each of the second.
"""

from typing import Literal

import numpy as np

from judgments.agreement.units import Floats

FEW_PAIRS = 20
"""With fewer pairs in common, two raters aren't compared."""

Weighting = Literal["none", "linear", "quadratic"]


def kappa(confusion: Floats, places: Floats, weighting: Weighting = "none") -> Floats:
    """Cohen's kappa (1960), weighted by the distance of grades or its square (1968); `places` (V,) are their positions.

    NaN if both always gave one and the same grade, or have no pair in common.
    """
    distance = np.abs(places[:, None] - places[None, :])
    cost = {"none": (distance > 0) * 1.0, "linear": distance, "quadratic": distance**2}[weighting]
    total = confusion.sum(axis=(-2, -1))
    rows, columns = confusion.sum(axis=-1), confusion.sum(axis=-2)
    observed = (confusion * cost).sum(axis=(-2, -1)) * total
    expected = np.einsum("...c,cv,...v->...", rows, cost, columns)
    with np.errstate(invalid="ignore", divide="ignore"):
        return np.where(expected > 0, 1 - observed / expected, np.nan)


def agreement(confusion: Floats) -> Floats:
    """The share of common pairs with the same grade from both; NaN without common pairs."""
    return _mean(np.einsum("...cc->...", confusion), confusion)


def bias(confusion: Floats, places: Floats) -> Floats:
    """How much higher the first rater grades than the second, on average."""
    difference = places[:, None] - places[None, :]
    return _mean((confusion * difference).sum(axis=(-2, -1)), confusion)


def _mean(part: Floats, confusion: Floats) -> Floats:
    total = confusion.sum(axis=(-2, -1))
    with np.errstate(invalid="ignore", divide="ignore"):
        return np.where(total > 0, part / total, np.nan)


SUMS = ("pairs", "sum", "sum of other", "squares", "squares of other", "products", "near")


def concordance(sums: Floats) -> Floats:
    """Quadratic weighted kappa of grades without fixed steps, from sums (..., 7), the columns of SUMS.

    It is Lin's concordance correlation (1989; Krippendorff 1970): 2 s_xy / (s_x² + s_y² + (x̄ - ȳ)²).
    """
    pairs, one, other, squares, squares_other, products = (sums[..., column] for column in range(6))
    observed = pairs * (squares + squares_other - 2 * products)
    expected = pairs * (squares + squares_other) - 2 * one * other
    with np.errstate(invalid="ignore", divide="ignore"):
        return np.where(expected > 1e-12 * pairs * (squares + squares_other), 1 - observed / expected, np.nan)
