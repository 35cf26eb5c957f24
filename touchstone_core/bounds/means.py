"""The least and the greatest mean of each of the four NDCGs, whatever grades are missing."""

import math
from typing import Any, Final

import numpy as np

from touchstone_core.bounds.values import Bounds
from touchstone_core.metrics.averages import mean
from touchstone_core.metrics.formula import IDEALS
from touchstone_core.metrics.left_out import greatest_mean, least_mean
from touchstone_core.metrics.types import Floats, Mask

PROVISIONAL: Final = 0.95
"""Below this discounted coverage a value is provisional: unjudged documents could move it."""


def is_provisional(coverage: float | None) -> bool:
    """Whether so little is judged that unjudged documents could move the values. An unknown coverage says nothing."""
    return coverage is not None and coverage < PROVISIONAL


def mean_bounds(ndcgs: Floats, found: Bounds, holes: Mask) -> dict[str, Any]:
    """Of one run with its `ndcgs` (4, Q) and its bounds query by query, as plain numbers.

    `any_low` is the least of NDCG-global if anything may exist. `holes` (L,): which of the queries left out show a document
    without a grade. Missing grades can bring them in, at 0 or, where there is a hole, at up to 1.
    """
    low, high = {}, {}
    for ideal, values in zip(IDEALS, ndcgs, strict=True):
        out = np.isnan(values)
        # A query that is out has bounds where missing grades can bring it in.
        least, most = _numbers(found.low[ideal][out]), _numbers(found.high[ideal][out])
        low[ideal] = _none_for_nan(least_mean(found.low[ideal][~out], np.append(least, np.zeros(len(holes)))))
        high[ideal] = _none_for_nan(greatest_mean(found.high[ideal][~out], np.append(most, holes)))
    return {
        "coverage": mean(found.coverage),
        "least_covered": float(found.coverage.min()),
        "low": low,
        "high": high,
        "any_low": least_mean(_numbers(found.low["max"]), np.zeros(len(holes))),
    }


def _none_for_nan(number: float) -> float | None:
    return None if math.isnan(number) else number


def _numbers(values: Floats) -> Floats:
    """Without NaN."""
    return np.asarray(values[~np.isnan(values)], dtype=np.float64)
