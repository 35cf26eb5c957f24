"""Whether a rater has become stricter or milder: compared with the rater's own earlier judgments, query by query.

What is compared is how much higher a rater grades than the others do on the same pairs. A rater may always grade higher,
or always shy away from the highest grade; and queries differ, so that a query's judgments all lie higher or lower
together. Neither is a change. So the queries are the observations, each with its mean difference to the others, in the
order in which the rater came to them, and those of the later half of the judgments are compared with those of the earlier.

Two regressions must agree, each with standard errors that hold whatever the spread of each query (HC3, MacKinnon & White
1985): one of the difference on the half alone, one that also has the others' mean grade of the query. Where queries come
in the order of their relevance and a rater shies away from a grade, the first takes the habit for a change; the
second, whose regressor is measured with error, corrects too much. A real change shows in both, in one direction.

A milder rater differs most from others in the middle of the scale, and a straight line through the relevance of the
queries can't account for that. So where the halves have queries of unlike relevance, nothing is said.
"""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray
from scipy.special import stdtr

Floats = NDArray[np.float64]

LATEST = 600
"""Judgments that are compared at most, the latest."""
FEWEST_QUERIES = 5
"""In each half. What changes with a single query may be the query."""
CHANCE = 0.0007
"""So small that looking after every query, over 1,000 judgments, flags at most 2.5 % of raters who stay as they are (ADR 76)."""
MOST_R_SQUARED = 0.25
"""How much of the variance between the halves the relevance of their queries may explain (R²): by chance, 30 queries reach
that in one of 200 cases."""
QUERY_AS_JUDGMENTS = 4.0
"""A query varies as much as the mean of this many judgments: a query of n judgments weighs n / (n + 4)."""


def drift(differences: Sequence[float], others: Sequence[float], queries: Sequence[int]) -> str:
    """`higher`, `lower`, or nothing: which way a rater's grades have moved, by more than chance.

    Of each judgment, oldest first: the rater's grade less the mean of the others' of the same pair, that mean, and its
    query. Nothing is said where a half has fewer than FEWEST_QUERIES queries, or where the halves have unlike ones.
    """
    count, apart, level = _by_query(differences[-LATEST:], others[-LATEST:], queries[-LATEST:])
    later = (np.cumsum(count) - count / 2 > count.sum() / 2).astype(np.float64)
    if min(later.sum(), len(later) - later.sum()) < FEWEST_QUERIES:
        return ""
    if _r_squared(later, level) > MOST_R_SQUARED:
        return ""
    alone = np.stack([later, np.ones_like(later)], axis=1)
    weights = count / (count + QUERY_AS_JUDGMENTS)
    (simple, chance), (adjusted, other_chance) = (
        first_coefficient(design, apart, weights) for design in (alone, np.column_stack([alone, level]))
    )
    if max(chance, other_chance) > CHANCE or simple * adjusted <= 0:
        return ""
    return "higher" if simple > 0 else "lower"


def first_coefficient(design: Floats, values: Floats, weights: Floats) -> tuple[float, float]:
    """The first coefficient of weighted least squares, and its p-value (two-sided) with standard errors HC3.

    `design` is (N, P), `values` and `weights` (N,); Student's t has N - P degrees of freedom. 1.0 where nothing varies.
    """
    weighted = design * weights[:, None]
    inverse = np.linalg.pinv(weighted.T @ design)
    estimate = inverse @ (weighted.T @ values)
    leverage = np.einsum("ij,jk,ik->i", design, inverse, weighted)
    errors = (values - design @ estimate) / np.maximum(1 - leverage, 1e-6)
    spread = float(np.sqrt((((weighted @ inverse)[:, 0] * errors) ** 2).sum()))
    slope = float(estimate[0])
    if spread < 1e-9:
        return slope, 1.0 if abs(slope) < 1e-9 else 0.0
    return slope, float(2 * stdtr(len(values) - design.shape[1], -abs(slope) / spread))


def _r_squared(later: Floats, level: Floats) -> float:
    """The squared correlation, 0 where all queries are equally relevant."""
    if np.ptp(level) < 1e-9:
        return 0.0
    return float(np.corrcoef(later, level)[0, 1] ** 2)


def _by_query(
    differences: Sequence[float], others: Sequence[float], queries: Sequence[int]
) -> tuple[Floats, Floats, Floats]:
    """Judgments, mean difference and mean of the others' of each query, in the order of its first judgment."""
    _, first, place = np.unique(np.asarray(queries, dtype=np.int64), return_index=True, return_inverse=True)
    order = np.argsort(first)
    count = np.bincount(place).astype(np.float64)[order]
    sums = (
        np.bincount(place, np.asarray(values, dtype=np.float64))[order] for values in (differences, others)
    )
    apart, level = (each / count for each in sums)
    return count, apart, level
