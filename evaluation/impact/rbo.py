"""Rank-biased overlap (Webber, Moffat & Zobel, A Similarity Measure for Indefinite Rankings, TOIS 2010)."""

from collections.abc import Hashable, Sequence
from functools import cache
from math import log
from typing import Final

_SHARE: Final = 0.9
_BITS: Final = 50


def rbo(first: Sequence[Hashable], second: Sequence[Hashable], p: float) -> float:
    """RBO extrapolated to infinite depth (their equation 32), 0 to 1; `p` is the persistence of the reader.

    The rankings may differ in length; each holds a document once. Two empty rankings are the same, 1; one empty ranking
    has nothing in common with another, 0. Raises ValueError for a p that is not between 0 and 1.
    """
    if not 0 < p < 1:
        raise ValueError(f"The persistence is {p}; it must lie between 0 and 1.")
    short, long = sorted((first, second), key=len)
    if not short:
        return 1.0 if not long else 0.0
    common = _common(short, long)
    least, most = len(short), len(long)
    total = sum(common[depth - 1] / depth * p**depth for depth in range(1, most + 1))
    # Beyond the shorter ranking its agreement is taken to go on.
    at_least = common[least - 1]
    total += sum(
        at_least * (depth - least) / (least * depth) * p**depth for depth in range(least + 1, most + 1)
    )
    beyond = ((common[most - 1] - at_least) / most + at_least / least) * p**most
    return min(1.0, (1 - p) / p * total + beyond)


def _common(short: Sequence[Hashable], long: Sequence[Hashable]) -> list[int]:
    """How many documents the first d of both rankings share, for every depth d of the longer one."""
    above: set[Hashable] = set()  # of either ranking: a document that is met again is shared from there on
    shared, counts = 0, []
    for depth, document in enumerate(long):
        for one in (document, short[depth]) if depth < len(short) else (document,):
            shared += one in above
            above.add(one)
        counts.append(shared)
    return counts


def weight_of_top(n: int, p: float) -> float:
    """The share of RBO that the first n ranks decide (their equation 21): .8556 for 10 ranks and p = .9."""
    series = sum(p**rank / rank for rank in range(1, n))
    return 1 - p ** (n - 1) + (1 - p) / p * n * (log(1 / (1 - p)) - series)


@cache
def persistence(n: int) -> float:
    """The p with which the first n ranks carry 90 % of the weight: .876 for 10. By bisection, to the last digit."""
    low, high = 0.0, 1.0  # the weight falls as p rises
    for _ in range(_BITS):
        middle = (low + high) / 2
        low, high = (middle, high) if weight_of_top(n, middle) > _SHARE else (low, middle)
    return low
