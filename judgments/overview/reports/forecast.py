"""How long a list will still take, from the mean of the times that judgments took."""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

import numpy as np
from django.db.models import Sum
from scipy.stats import t as student

from judgments.models import JudgmentList
from judgments.raters.sql.recent_judgments import Recent, recent_judgments

TYPICAL_MS = (20_000.0, 35_000.0, 61_000.0)
"""Experts' times per document, until the list has own ones (research on NYT articles): their quartiles, 14, 25 and 43
seconds, are those of a lognormal distribution whose mean is 1.41 times its median."""
ENOUGH_TIMES = 20
ACTIVE = timedelta(days=7)
LATEST = 100
COVERED, WIDER = 0.9, 1.1
"""How often the interval is to hold the truth, and by how much simulation says that it must be wider for that."""


@dataclass(frozen=True, slots=True)
class Forecast:
    """`missing` judgments; seconds for one and hours for all as (low, mean, high), a 90 % interval; hours for each rater.

    `able_raters` judged of late and can still judge some of them. `measured` says whether the times are the list's own. Without
    able raters `hours_each` is as if there were one.
    """

    missing: int
    seconds: tuple[float, float, float]
    able_raters: int
    measured: bool

    @property
    def hours(self) -> tuple[float, float, float]:
        low, middle, high = (self.missing * seconds / 3600 for seconds in self.seconds)
        return low, middle, high

    @property
    def hours_each(self) -> tuple[float, float, float]:
        low, middle, high = (hours / max(1, self.able_raters) for hours in self.hours)
        return low, middle, high


def forecast(
    judgment_list: JudgmentList,
    *,
    at: datetime,
    missing: int | None = None,
    recent: Iterable[Recent] | None = None,
) -> Forecast:
    """Reads the counts of the list's queries and the latest judgments of each rater: two queries, if these are not given.

    The times are those of raters who can still judge, where there are any. Judgments that disagreement will still ask for
    are not among the missing.
    """
    if missing is None:
        missing = judgment_list.list_queries.aggregate(missing=Sum("open_count", default=0))["missing"]
    by_rater: dict[int, list[Recent]] = defaultdict(list)
    for one in recent_judgments(judgment_list.pk, limit=LATEST) if recent is None else recent:
        by_rater[one.rater_id].append(one)
    latest = {rater_id: own[-LATEST:] for rater_id, own in by_rater.items()}
    able = {
        rater_id
        for rater_id, own in latest.items()
        if own[-1].able and any(one.at > at - ACTIVE for one in own)
    }
    timed = {rater_id: [one.active_ms for one in own if one.active_ms] for rater_id, own in latest.items()}
    theirs = [own for rater_id, own in timed.items() if own and rater_id in able]
    times = theirs if sum(map(len, theirs)) >= ENOUGH_TIMES else [own for own in timed.values() if own]
    measured = sum(map(len, times)) >= ENOUGH_TIMES
    low, mean, high = mean_time(times, missing) if measured else TYPICAL_MS
    return Forecast(missing, (low / 1000, mean / 1000, high / 1000), len(able), measured)


def mean_time(times: Sequence[Sequence[float]], missing: int) -> tuple[float, float, float]:
    """The mean time of `missing` further judgments by raters who took these `times`, with its 90 % interval: low, mean, high.

    Times are taken as lognormal, with each rater's own median and one spread for all: the mean is exp(m + s²/2), whose
    variance in logarithms is s²/n + s⁴/2(n - 1) (Cox's method; Zhou & Gao 1997). To that come the times that are still
    to be taken, and that nobody knows which rater will give how many. There must be two times or more, all positive.
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
    factor = np.exp(student.ppf((1 + COVERED) / 2, freedom) * WIDER * np.sqrt(variance))
    mean = means.mean()
    return float(mean / factor), float(mean), float(mean * factor)
