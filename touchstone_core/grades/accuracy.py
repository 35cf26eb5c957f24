"""How reliable a rater's answers are: the accuracy on known answers, its uncertainty, and whether it has declined.

Admins look at this, and nothing is decided automatically. With fewer than `ENOUGH` known answers there is no verdict: 80 %
of 10 right may mean anything from 49 to 94 %.
"""

from collections import Counter
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from math import log, sqrt

import numpy as np
from numpy.typing import NDArray
from scipy.special import stdtr, xlogy

Floats = NDArray[np.float64]

ENOUGH = 20
GOOD, BAD, ERROR = 0.85, 0.60, 0.05
"""The accuracy that raters should reach, an accuracy that is too low, and the error rate of verdicts between the two."""
HIT, MISS = log(GOOD / BAD), log((1 - GOOD) / (1 - BAD))
DECISION = log((1 - ERROR) / ERROR)
LATEST, EARLIER, FEWEST_QUERIES, CHANCE = 40, 20, 15, 9e-5
"""The LATEST known answers are compared with at least so many EARLIER ones, both of at least FEWEST_QUERIES effective queries. A
decline must be as rare as CHANCE."""
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


def has_declined(outcomes: Sequence[bool], queries: Sequence[int], others: Sequence[float | None]) -> bool:
    """Whether a rater's known answers, oldest first, have become worse recently, compared with the rater's own earlier ones.

    Of each answer also the query, and the share of other raters who are right about the pair; None if there are none.
    True if the latest answers were worse by more than chance after any of the latest LATEST answers. CHANCE is so small
    that testing after every answer flags at most 2.5 % of raters who do not change, over 1,000 known answers and at any
    accuracy (by simulation; docs/judging.md has the rates). By as much as others are less often right, too, the latest pairs are harder.
    """
    right = np.asarray(outcomes, dtype=np.float64)
    _, query = np.unique(np.asarray(queries, dtype=np.int64), return_inverse=True)
    shares = np.array([np.nan if share is None else share for share in others])
    for end in range(len(right), max(LATEST + EARLIER, len(right) - LATEST + 1) - 1, -1):
        start = _start(queries, end)
        if start < EARLIER or effective(Counter(queries[:start]).values()) < FEWEST_QUERIES:
            continue
        if chance_of_decline(right[:end], query[:end], start, _harder(shares[:end], start)) <= CHANCE:
            return True
    return False


def _start(queries: Sequence[int], end: int) -> int:
    """Where the latest answers begin: LATEST of them, or more until they are of FEWEST_QUERIES effective queries."""
    start = end - LATEST
    answers = Counter(queries[start:end])
    while start and effective(answers.values()) < FEWEST_QUERIES:
        start -= 1
        answers[queries[start]] += 1
    return start


def effective(answers: Collection[int]) -> float:
    """The effective number of queries with so many answers each (Kish 1965): fewer than there are if some have most answers."""
    return sum(answers) ** 2 / sum(count * count for count in answers)


def _harder(shares: Floats, start: int) -> float:
    """How much less often others are right about the pairs from `start` on than about those before; 0 without others (NaN)."""
    later, earlier = (part[~np.isnan(part)] for part in (shares[start:], shares[:start]))
    return max(0.0, float(earlier.mean() - later.mean())) if len(later) and len(earlier) else 0.0


def chance_of_decline(right: Floats, query: NDArray[np.int64], start: int, harder: float = 0.0) -> float:
    """The probability that the answers from `start` on are so much less often right than those before by chance alone.

    `harder`: how much less often they would be right because their pairs are harder.

    A likelihood ratio test of two shares. Answers to one query are alike, so its statistic is divided by the design
    effect, how much more sums by query vary than independent answers would (Rao & Scott 1987), at least 1. Student's t
    then has as many degrees of freedom as there are queries, less two. 1.0 if the later answers aren't worse.
    """
    later = (np.arange(len(right)) >= start).astype(np.int64)
    answers, hits = (np.bincount(later, one).astype(np.float64) for one in (None, right))
    share = hits / answers
    hits[1] += harder * answers[1]
    if hits[1] / answers[1] >= share[0]:
        return 1.0
    apart = _log_likelihood(hits, answers) - _log_likelihood(
        hits.sum(keepdims=True), answers.sum(keepdims=True)
    )
    _, part = np.unique(query * 2 + later, return_inverse=True)
    sums = np.bincount(part, right - share[later])
    parts = len(sums)
    expected = (answers * share * (1 - share)).sum()
    effect = max(1.0, (sums**2).sum() / expected * parts / (parts - 2)) if expected else 1.0
    return float(stdtr(parts - 2, -sqrt(max(0.0, 2 * apart) / effect)))


def _log_likelihood(hits: Floats, answers: Floats) -> float:
    """The highest log-likelihood of so many hits in groups of answers, each with a share of its own."""
    return float((xlogy(hits, hits / answers) + xlogy(answers - hits, 1 - hits / answers)).sum())


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
