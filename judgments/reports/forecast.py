"""How long a list will still take, from the medians of the times that judgments took."""

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime, timedelta

import numpy as np
from django.db.models import Sum

from judgments.ingest.recent import Recent, recent_judgments
from judgments.models import JudgmentList

TYPICAL_MS = (14_000.0, 25_000.0, 43_000.0)
"""Quartiles of experts' times per document, until the list has own ones (research on NYT articles)."""
ENOUGH_TIMES = 20
ACTIVE = timedelta(days=7)
LATEST = 100


@dataclass(frozen=True, slots=True)
class Forecast:
    """`missing` judgments; seconds for one and hours for all as (low, middle, high); hours for each active rater.

    `measured` says whether the times are the list's own. Without active raters `hours_each` is as if there were one.
    """

    missing: int
    seconds: tuple[float, float, float]
    active_raters: int
    measured: bool

    @property
    def hours(self) -> tuple[float, float, float]:
        low, middle, high = (self.missing * seconds / 3600 for seconds in self.seconds)
        return low, middle, high

    @property
    def hours_each(self) -> tuple[float, float, float]:
        low, middle, high = (hours / max(1, self.active_raters) for hours in self.hours)
        return low, middle, high


def forecast(
    judgment_list: JudgmentList,
    *,
    at: datetime,
    missing: int | None = None,
    recent: Iterable[Recent] | None = None,
) -> Forecast:
    """Reads the counts of the list's queries and the latest judgments of each rater: two queries, if these are not given.

    The times are the quartiles of the raters' medians; of one rater alone, those of the single times. Judgments that
    disagreement will still ask for are not among the missing.
    """
    if missing is None:
        missing = judgment_list.list_queries.aggregate(missing=Sum("open_count", default=0))["missing"]
    by_rater: dict[int, list[Recent]] = defaultdict(list)
    for one in recent_judgments(judgment_list.pk, limit=LATEST) if recent is None else recent:
        by_rater[one.rater_id].append(one)
    latest = {rater_id: own[-LATEST:] for rater_id, own in by_rater.items()}
    timed = {rater_id: [one.active_ms for one in own if one.active_ms] for rater_id, own in latest.items()}
    times = [own for own in timed.values() if own]
    active = [rater_id for rater_id, own in latest.items() if any(one.at > at - ACTIVE for one in own)]
    measured = sum(map(len, times)) >= ENOUGH_TIMES
    low, middle, high = _quartiles(times) if measured else TYPICAL_MS
    return Forecast(missing, (low / 1000, middle / 1000, high / 1000), len(active), measured)


def _quartiles(times: list[list[int]]) -> tuple[float, float, float]:
    values = times[0] if len(times) == 1 else [float(np.median(own)) for own in times]
    low, middle, high = np.percentile(values, [25, 50, 75])
    return float(low), float(middle), float(high)
