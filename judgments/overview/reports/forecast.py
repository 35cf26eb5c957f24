"""The time that a list still needs, estimated from the times of its judgments."""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime

import numpy as np
from django.db.models import Sum
from numpy.typing import NDArray
from scipy.special import stdtrit

from judgments.judging.reports.own_share import ACTIVE, ENOUGH_TIMES, LATEST
from judgments.models import JudgmentList
from judgments.raters.sql.recent_judgments import RecentJudgment, recent_judgments

Floats = NDArray[np.float64]

TYPICAL_MS = (20_000.0, 35_000.0, 61_000.0)
"""Experts' times per document (research on NYT articles), used until the list has times of its own: the quartiles of 14, 25
and 43 seconds fit a lognormal distribution whose mean is 1.41 times its median."""
COVERAGE, WIDER, FEWEST_FREEDOM = 0.9, 1.1, 4
"""How often the interval should contain the true time. For that, according to simulation, it has to be so much wider, and times of
few queries count as if they had so many degrees of freedom."""


@dataclass(frozen=True, slots=True)
class Forecast:
    """`missing` judgments; seconds for one and hours for all as (low, mean, high), a 90 % interval; hours for each rater.

    `eligible_raters` judged lately and can still judge some of these. `own_times`: the times are the list's own. Without
    eligible raters `hours_each` is as if there were one.
    """

    missing: int
    seconds: tuple[float, float, float]
    eligible_raters: int
    own_times: bool

    @property
    def hours(self) -> tuple[float, float, float]:
        low, middle, high = (self.missing * seconds / 3600 for seconds in self.seconds)
        return low, middle, high

    @property
    def hours_each(self) -> tuple[float, float, float]:
        low, middle, high = (hours / max(1, self.eligible_raters) for hours in self.hours)
        return low, middle, high


def forecast(
    judgment_list: JudgmentList,
    *,
    at: datetime,
    missing: int | None = None,
    recent: Iterable[RecentJudgment] | None = None,
) -> Forecast:
    """Reads the counts of the list's queries and each rater's latest judgments: two queries, none if these are given.

    Uses the times of eligible raters if there are any. Judgments that disagreements may still require aren't included.
    """
    if missing is None:
        missing = judgment_list.list_queries.aggregate(missing=Sum("open_count", default=0))["missing"]
    by_rater: dict[int, list[RecentJudgment]] = defaultdict(list)
    for one in recent_judgments(judgment_list.pk, limit=LATEST) if recent is None else recent:
        by_rater[one.rater_id].append(one)
    latest = {rater_id: own[-LATEST:] for rater_id, own in by_rater.items()}
    eligible = {
        rater_id
        for rater_id, own in latest.items()
        if own[-1].can_judge and any(one.at > at - ACTIVE for one in own)
    }
    timed = {rater_id: [one for one in own if one.active_ms] for rater_id, own in latest.items()}
    chosen = [own for rater_id, own in timed.items() if own and rater_id in eligible]
    if sum(map(len, chosen)) < ENOUGH_TIMES:
        chosen = [own for own in timed.values() if own]
    own_times = sum(map(len, chosen)) >= ENOUGH_TIMES
    times = [[one.active_ms or 0.0 for one in own] for own in chosen]
    queries = [[one.query_id for one in own] for own in chosen]
    low, mean, high = mean_time(times, queries, missing) if own_times else TYPICAL_MS
    return Forecast(missing, (low / 1000, mean / 1000, high / 1000), len(eligible), own_times)


def mean_time(
    times: Sequence[Sequence[float]], queries: Sequence[Sequence[int]], missing: int
) -> tuple[float, float, float]:
    """The mean time of `missing` further judgments by raters with these `times`, and its 90 % interval: low, mean, high.

    Times are assumed to be lognormal, with a median for each rater and one spread for all. The mean is exp(m + s²/2) and
    its variance in logarithms s²/n + s⁴/2(n - 1) (Cox's method; Zhou & Gao 1997). The variance of the missing judgments'
    own times, and of how many each rater will give, is added. Times of a rater in one query are alike, so variances grow by
    the design effect: how much more sums by query vary than independent times would. Needs two times or more, all positive.
    """
    logs = [np.log(own) for own in times]
    count, middle = np.array([len(own) for own in logs]), np.array([own.mean() for own in logs])
    freedom = max(1, int((count - 1).sum()))
    spread = sum(((own - own.mean()) ** 2).sum() for own in logs) / freedom
    effect, freedom_of_queries = _design_effect(logs, queries, spread)
    means = np.exp(middle + spread / 2)
    shares = means / means.sum()
    between = max(0.0, middle.var(ddof=1) - (effect * spread / count).mean()) if len(logs) > 1 else 0.0
    variance = (shares**2 * effect * spread / count).sum() + spread**2 / (2 * freedom)
    variance += between / len(logs) + effect * np.expm1(spread) / max(1, missing)
    factor = np.exp(stdtrit(freedom_of_queries, (1 + COVERAGE) / 2) * WIDER * np.sqrt(variance))
    mean = means.mean()
    return float(mean / factor), float(mean), float(mean * factor)


def _design_effect(
    logs: Sequence[Floats], queries: Sequence[Sequence[int]], spread: float
) -> tuple[float, int]:
    """At least 1, and its degrees of freedom. `spread` is the variance of all logarithms around the means of their raters."""
    sums = np.concatenate(
        [
            np.bincount(np.unique(of, return_inverse=True)[1], own - own.mean())
            for own, of in zip(logs, queries, strict=True)
        ]
    )
    parts, freedom = len(sums), len(sums) - len(logs)
    if not freedom or spread <= 0:
        return 1.0, max(FEWEST_FREEDOM, freedom)
    expected = spread * sum(map(len, logs))
    return max(1.0, float((sums**2).sum()) / expected * parts / freedom), max(FEWEST_FREEDOM, freedom)
