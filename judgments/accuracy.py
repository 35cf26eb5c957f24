"""How far a rater's answers can be trusted: known answers, their uncertainty, and signs of change over time.

All of it is for an admin to look at. Nothing is ever decided from it automatically, and below `ENOUGH` known answers
no verdict is given at all: 80 % right of 10 may be anything from 49 to 94 %.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from math import isfinite, log, sqrt

import numpy as np

ENOUGH = 20
GOOD, BAD, ERROR = 0.85, 0.60, 0.05
"""What a rater should reach, what is too little, and how often a verdict between the two may be wrong."""
HIT, MISS = log(GOOD / BAD), log((1 - GOOD) / (1 - BAD))
DECIDED = log((1 - ERROR) / ERROR)
ALARM = 3.0
WEIGHT = 0.1
Z95 = 1.959963984540054
CONTINUOUS_TOLERANCE = 0.1
"""On a continuous scale an answer within a tenth of the range is right."""


@dataclass(frozen=True, slots=True)
class Interval:
    low: float
    high: float


def is_right(value: float, accepted: Iterable[float], tolerance: float = 0.0) -> bool:
    return any(abs(value - right) <= tolerance for right in accepted)


def wilson(hits: int, answers: int, z: float = Z95) -> Interval:
    """The score interval of a share (Wilson 1927). No answers: anything is possible."""
    if not answers:
        return Interval(0.0, 1.0)
    share, square = hits / answers, z * z
    middle = (share + square / (2 * answers)) / (1 + square / answers)
    half = z * sqrt(share * (1 - share) / answers + square / (4 * answers**2)) / (1 + square / answers)
    return Interval(max(0.0, middle - half), min(1.0, middle + half))


def posterior_mean(hits: int, misses: int) -> float:
    """The expected accuracy after these answers, four right ones and a wrong one being known beforehand: Beta(4, 1)."""
    return (4 + hits) / (5 + hits + misses)


def verdict(outcomes: Sequence[bool]) -> str:
    """Wald's sequential test of practice answers: `good`, `bad`, or `open` while neither is sure (Wald 1945).

    Stops at the first answer that decides; both errors are 5 % at most.
    """
    total = 0.0
    for right in outcomes:
        total += HIT if right else MISS
        if abs(total) >= DECIDED:
            return "good" if total > 0 else "bad"
    return "open"


def decline(outcomes: Sequence[bool], alarm: float = ALARM) -> tuple[float, int | None]:
    """A cumulative sum that grows with each wrong answer more than right ones take off (Page 1954).

    Returns where it stands, and the index of the answer at which it last passed `alarm`; it begins anew there. With
    85 % right answers that happens by chance once in some two hundred, with 60 % after about fourteen.
    """
    total, last = 0.0, None
    for index, right in enumerate(outcomes):
        total = max(0.0, total - (HIT if right else MISS))
        if total >= alarm:
            total, last = 0.0, index
    return total, last


def moving_averages(values: Sequence[float], weight: float = WEIGHT) -> list[float]:
    """Exponentially weighted: z ← (1 - w) z + w x, from 0 (Roberts 1959)."""
    averages, now = [], 0.0
    for value in values:
        now += weight * (value - now)
        averages.append(now)
    return averages


def drift(differences: Sequence[float], sigma: float, weight: float = WEIGHT) -> str:
    """`higher`, `lower` or nothing: whether a rater's grades now stray from the others' by more than chance.

    `differences` are the rater's grades less the mean of the others' of the same pair, oldest first; `sigma` their
    usual standard deviation. The limits are three standard deviations of the moving average.
    """
    if len(differences) < ENOUGH or not sigma > 0 or not isfinite(sigma):
        return ""
    now, limit = moving_averages(differences, weight)[-1], 3 * sigma * sqrt(weight / (2 - weight))
    if abs(now) <= limit:
        return ""
    return "higher" if now > 0 else "lower"


def is_hasty(times: Sequence[float], typical: Sequence[float], *, differs: bool) -> bool:
    """Whether half of these times lie below the tenth percentile of what is typical, and the answers differ as well.

    Speed alone is never held against anyone.
    """
    if not differs or len(times) < ENOUGH or not len(typical):
        return False
    return bool(np.median(times) < np.percentile(typical, 10))
