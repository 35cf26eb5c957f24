"""The time that a list still needs, estimated from the times of its judgments."""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

import numpy as np
from django.db.models import Sum
from scipy.stats import t as student

from judgments.models import JudgmentList
from judgments.raters.sql.recent_judgments import RecentJudgment, recent_judgments

TYPICAL_MS = (20_000.0, 35_000.0, 61_000.0)
"""Experts' times per document (research on NYT articles), used until the list has times of its own: the quartiles of 14, 25
and 43 seconds fit a lognormal distribution whose mean is 1.41 times its median."""
ENOUGH_TIMES = 20
ACTIVE = timedelta(days=7)
LATEST = 100
COVERAGE, WIDER = 0.9, 1.1
"""How often the interval should contain the true time, and how much wider it has to be for that, according to simulation."""


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
    times_of = {rater_id: [one.active_ms for one in own if one.active_ms] for rater_id, own in latest.items()}
    times = [own for rater_id, own in times_of.items() if own and rater_id in eligible]
    if sum(map(len, times)) < ENOUGH_TIMES:
        times = [own for own in times_of.values() if own]
    own_times = sum(map(len, times)) >= ENOUGH_TIMES
    low, mean, high = mean_time(times, missing) if own_times else TYPICAL_MS
    return Forecast(missing, (low / 1000, mean / 1000, high / 1000), len(eligible), own_times)


def mean_time(times: Sequence[Sequence[float]], missing: int) -> tuple[float, float, float]:
    """The mean time of `missing` further judgments by raters with these `times`, and its 90 % interval: low, mean, high.

    Times are assumed to be lognormal, with a median for each rater and one spread for all. The mean is exp(m + s²/2) and
    its variance in logarithms s²/n + s⁴/2(n - 1) (Cox's method; Zhou & Gao 1997). The variance of the missing judgments'
    own times, and of how many each rater will give, is added. Needs two times or more, all positive.
    """
    logs = [np.log(own) for own in times]
    count, middle = np.array([len(own) for own in logs]), np.array([own.mean() for own in logs])
    freedom = max(1, int((count - 1).sum()))
    spread = sum(((own - own.mean()) ** 2).sum() for own in logs) / freedom
    means = np.exp(middle + spread / 2)
    shares = means / means.sum()
    between = max(0.0, middle.var(ddof=1) - (spread / count).mean()) if len(logs) > 1 else 0.0
    variance = (shares**2 * spread / count).sum() + spread**2 / (2 * freedom)
    variance += between / len(logs) + np.expm1(spread) / max(1, missing)
    factor = np.exp(student.ppf((1 + COVERAGE) / 2, freedom) * WIDER * np.sqrt(variance))
    mean = means.mean()
    return float(mean / factor), float(mean), float(mean * factor)
