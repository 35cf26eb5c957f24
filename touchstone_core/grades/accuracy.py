"""How reliable a rater's answers are: the accuracy on known answers, its uncertainty, and whether it has declined.

Admins look at this, and nothing is decided automatically. With fewer than `ENOUGH` known answers there is no verdict: 80 %
of 10 right may mean anything from 49 to 94 %.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from math import log, sqrt

import numpy as np
from numpy.typing import NDArray
from scipy.special import gammaln

ENOUGH = 20
GOOD, BAD, ERROR = 0.85, 0.60, 0.05
"""The accuracy that raters should reach, an accuracy that is too low, and the error rate of verdicts between the two."""
HIT, MISS = log(GOOD / BAD), log((1 - GOOD) / (1 - BAD))
DECISION = log((1 - ERROR) / ERROR)
LATEST, EARLIER, CHANCE = 40, 20, 2e-4
"""The LATEST known answers are compared with at least so many EARLIER ones. A decline must be as rare as CHANCE."""
WEIGHT = 0.1
Z95 = 1.959963984540054


@dataclass(frozen=True, slots=True)
class Interval:
    low: float
    high: float


def wilson(hits: int, answers: int) -> Interval:
    """The 95 % score interval of a share (Wilson 1927); 0 to 1 without answers."""
    if not answers:
        return Interval(0.0, 1.0)
    share, square = hits / answers, Z95 * Z95
    middle = (share + square / (2 * answers)) / (1 + square / answers)
    half = Z95 * sqrt(share * (1 - share) / answers + square / (4 * answers**2)) / (1 + square / answers)
    return Interval(max(0.0, middle - half), min(1.0, middle + half))


def verdict(outcomes: Sequence[bool]) -> str:
    """Wald's sequential test of practice answers: `good`, `bad`, or `open` if neither is sure (Wald 1945).

    The first answer that decides ends the test. Both error rates are at most 5 %.
    """
    total = 0.0
    for right in outcomes:
        total += HIT if right else MISS
        if abs(total) >= DECISION:
            return "good" if total > 0 else "bad"
    return "open"


def has_declined(outcomes: Sequence[bool]) -> bool:
    """Whether a rater's known answers, oldest first, have become worse recently, compared with the rater's own earlier ones.

    After each answer, Fisher's exact test compares the latest LATEST answers with all before them, at least EARLIER. It gives
    the probability that so few of the latest are right if all are equally hard. True if that was at most CHANCE after any of
    the latest LATEST answers. CHANCE is so small that testing after every answer flags at most 2.5 % of raters who do not
    change, over 1,000 known answers and at any accuracy (by simulation; docs/judging.md has the rates).
    """
    right = np.concatenate([[0], np.cumsum(np.asarray(outcomes, dtype=np.int64))])
    answers = np.arange(max(LATEST + EARLIER, len(outcomes) - LATEST + 1), len(outcomes) + 1)
    latest = right[answers] - right[answers - LATEST]
    return bool((chance_of_so_few(latest, LATEST, right[answers], answers) <= CHANCE).any())


def chance_of_so_few(
    hits: NDArray[np.int64], draws: int, right: NDArray[np.int64], total: NDArray[np.int64]
) -> NDArray[np.float64]:
    """The probability of at most `hits` (N,) right answers in `draws` out of `total` (N,), of which `right` (N,) are right.

    This is the lower tail of the hypergeometric distribution. `draws` is at most `total`.
    """
    count = np.arange(draws + 1)
    right, total = right[:, None], total[:, None]
    possible = (count <= hits[:, None]) & (count <= right) & (draws - count <= total - right)
    count = np.where(possible, count, np.maximum(0, draws - total + right))
    logs = (
        _log_choices(right, count) + _log_choices(total - right, draws - count) - _log_choices(total, draws)
    )
    chances: NDArray[np.float64] = np.where(possible, np.exp(logs), 0.0).sum(axis=1)
    return chances


def _log_choices(total: NDArray[np.int64], draws: NDArray[np.int64] | int) -> NDArray[np.float64]:
    logs: NDArray[np.float64] = gammaln(total + 1) - gammaln(np.add(draws, 1)) - gammaln(total - draws + 1)
    return logs


def moving_averages(values: Sequence[float]) -> list[float]:
    """Exponentially weighted: z ← (1 - w) z + w x, from 0 (Roberts 1959); w is WEIGHT."""
    averages, now = [], 0.0
    for value in values:
        now += WEIGHT * (value - now)
        averages.append(now)
    return averages


def is_hasty(times: Sequence[float], typical: Sequence[float], *, differs: bool) -> bool:
    """Whether half of these times are below the tenth percentile of typical times, and the answers differ, too.

    Fast raters whose answers agree are never flagged.
    """
    if not differs or len(times) < ENOUGH or not len(typical):
        return False
    return bool(np.median(times) < np.percentile(typical, 10))
