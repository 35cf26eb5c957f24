"""Rank-biased overlap (Webber, Moffat & Zobel, A Similarity Measure for Indefinite Rankings, TOIS 2010)."""

from functools import cache
from math import log
from typing import Final

import numpy as np

from touchstone_core.metrics.types import Floats, Ints

_SHARE: Final = 0.9
_BITS: Final = 50


def rbo(common: Ints, first: Ints, second: Ints, p: float) -> Floats:
    """RBO extrapolated to infinite depth (their equation 32), (Q,) from 0 to 1. `p` is the persistence of the reader.

    `common` (Q, N) counts the documents that both rankings share within each depth from 1 to N. `first` and `second` (Q,) are
    the lengths of the rankings, at most N. RBO is 1 for two empty rankings, and 0 if only one is empty. Raises ValueError
    unless p is between 0 and 1.
    """
    if not 0 < p < 1:
        raise ValueError(f"The persistence is {p}; it must lie between 0 and 1.")
    depth = np.arange(1, common.shape[1] + 1)
    least, most = np.minimum(first, second)[:, None], np.maximum(first, second)[:, None]
    shorter = np.maximum(least, 1)
    agreement = np.take_along_axis(common, shorter - 1, axis=1)
    last = np.take_along_axis(common, np.maximum(most, 1) - 1, axis=1)
    # Below the end of the shorter ranking, its agreement is assumed to continue.
    beyond = agreement * np.maximum(depth - least, 0) / shorter
    series = np.where(depth <= most, (common + beyond) / depth, 0.0) @ p**depth
    tail = ((last - agreement) / np.maximum(most, 1) + agreement / shorter)[:, 0] * p ** most[:, 0]
    values = np.minimum(1.0, (1 - p) / p * series + tail)
    return np.where(least[:, 0] > 0, values, np.where(most[:, 0] > 0, 0.0, 1.0))


def weight_of_top(n: int, p: float) -> float:
    """The share of RBO that the first n ranks decide (their equation 21): 0.8556 for 10 ranks and p = 0.9."""
    series = sum(p**rank / rank for rank in range(1, n))
    return 1 - p ** (n - 1) + (1 - p) / p * n * (log(1 / (1 - p)) - series)


@cache
def persistence(n: int) -> float:
    """The p for which the first n ranks have 90 % of the weight: 0.876 for 10. By bisection."""
    low, high = 0.0, 1.0  # the weight falls as p rises
    for _ in range(_BITS):
        middle = (low + high) / 2
        low, high = (middle, high) if weight_of_top(n, middle) > _SHARE else (low, middle)
    return low
