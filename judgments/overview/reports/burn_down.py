"""The judgments that a list still requires, day by day, and when none will be left: a chart with its table."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from math import inf
from typing import NamedTuple

from judgments.base.moments import weekday
from judgments.overview.rhythm import LEAST_HOURS, Rhythm, rhythm_of
from judgments.overview.sql import MOST, Daily

HISTORY_DAYS = 28
LONGEST = 365
"""A forecast further ahead than this says nothing but that it takes more than a year."""


class DayLeft(NamedTuple):
    """A day, its required judgments, and how many were still required at its end."""

    day: date
    judgments: int
    left: int


@dataclass(frozen=True, slots=True)
class BurnDown:
    """`days` end today. Without a `rhythm` there is no forecast; `is_sparse`: because raters judge only minutes a day.

    `is_adaptive`: where grades differ, further raters are required later.
    """

    days: list[DayLeft]
    rhythm: Rhythm | None
    is_sparse: bool = False
    is_adaptive: bool = False

    @property
    def missing(self) -> int:
        return self.days[-1].left

    @property
    def finish(self) -> tuple[date, date | None] | None:
        """The first and the last day on which the list is finished, with 90 % confidence; two different days.

        Nobody knows how much of today's work is still ahead: for the first day it is all of it, for the last one nothing. No last
        day if the pace leaves it open. None if it takes longer than LONGEST.
        """
        if self.rhythm is None:
            return None
        low, _, high = self.rhythm.days_for(self.missing)
        if low > LONGEST:
            return None
        return self._ahead(low - 1), None if high is None or high > LONGEST else self._ahead(high)

    @property
    def in_words(self) -> str:
        more = " Judgments that are added where grades differ aren’t included." if self.is_adaptive else ""
        return self._forecast_in_words + (more if self.finish else "")

    @property
    def _forecast_in_words(self) -> str:
        if self.is_sparse:
            return "Raters judge only minutes a day here, so the pace doesn’t say when the list is finished."
        if self.rhythm is None:
            return "A forecast needs a week of judging."
        if self.finish is None:
            return "At this pace it takes more than a year."
        first, last = self.finish
        if last is None and first == self.days[-1].day:
            return "The pace varies too much to say when the list is finished."
        so_far = f"If raters continue at the pace of the last {self.rhythm.days} days"
        if last is None:
            return f"{so_far}, the list isn’t finished before {weekday(first)}. The pace varies too much to name a last day."
        return f"{so_far}, the list is finished between {weekday(first)} and {weekday(last)}."

    @property
    def chart(self) -> "Chart":
        return Chart(self.days, self.rhythm)

    def _ahead(self, days: int) -> date:
        return self.days[-1].day + timedelta(days=days)


class Chart:
    """Points for SVG in a square of 100 by 100: days from left to right, judgments still required from bottom to top."""

    def __init__(self, days: Sequence[DayLeft], rhythm: Rhythm | None) -> None:
        self._days, self._rhythm = days, rhythm
        self._past = len(days) - 1
        self._ahead = self._days_ahead()
        self.most = max(day.left for day in days)

    def _days_ahead(self) -> int:
        if self._rhythm is None:
            return 0
        _, expected, high = self._rhythm.days_for(self._days[-1].left)
        far = 2 * expected if high is None else min(high, 4 * expected)
        return max(1, min(far, LONGEST))

    @property
    def first(self) -> date:
        return self._days[0].day

    @property
    def last(self) -> date:
        return self._days[-1].day + timedelta(days=self._ahead)

    @property
    def today(self) -> str:
        """Where today is, in percent of the width."""
        return f"{self._x(self._past):.1f}"

    @property
    def line(self) -> str:
        return " ".join(self._point(at, day.left) for at, day in enumerate(self._days))

    @property
    def expected(self) -> str:
        """The line from today to the expected end, or to the edge."""
        return self._forecast(1)

    @property
    def fan(self) -> str:
        """The outline of what can be left on each day ahead, with 90 % confidence."""
        return " ".join([*self._forecast(2).split(), *reversed(self._forecast(0).split())])

    def _forecast(self, which: int) -> str:
        if self._rhythm is None:
            return ""
        missing = self._days[-1].left
        steps = min(self._ahead, 60)
        after = [self._ahead * step / steps for step in range(steps + 1)]
        judgments = [self._rhythm.given(days)[which] for days in after]
        return " ".join(
            self._point(self._past + days, max(0.0, missing - some))
            for days, some in zip(after, judgments, strict=True)
        )

    def _x(self, at: float) -> float:
        return 100 * at / max(1, self._past + self._ahead)

    def _point(self, at: float, left: float) -> str:
        return f"{self._x(at):.2f},{100 - 100 * left / max(1, self.most):.2f}"


def burn_down(
    activity: Sequence[Daily], *, missing: int, today: date, hours: float = inf, is_adaptive: bool = False
) -> BurnDown | None:
    """None if nothing is missing, or if there aren't two days to compare. No statement.

    Required judgments are counted back from what is `missing` now, so pairs that were added later count as if they had always
    been there. Days are left out if the activity doesn't reach back to all judgments of a busy rater. The missing judgments take
    `hours` or more: if that is less than LEAST_HOURS a day, there is no forecast, unless one day is surely enough.
    """
    counts: Counter[date] = Counter()
    for one in activity:
        if one.required_judgments:
            counts[one.day] += one.required_judgments
    if not missing or not counts:
        return None
    start = max([min(counts), *_starts_of_busy_raters(activity)])
    days = [start + timedelta(days=number) for number in range((today - start).days + 1)]
    if len(days) < 2:
        return None
    left, rows = missing, []
    for day in reversed(days):
        rows.append(DayLeft(day, counts[day], left))
        left += counts[day]
    rhythm = rhythm_of([counts[day] for day in days[:-1]])
    _, expected, high = rhythm.days_for(missing) if rhythm else (1, 1, 1)
    is_sparse = hours < LEAST_HOURS * expected and high != 1
    return BurnDown(rows[::-1], None if is_sparse else rhythm, is_sparse, is_adaptive)


def _starts_of_busy_raters(activity: Sequence[Daily]) -> list[date]:
    """Of each rater whose latest MOST judgments lie in this time, the first day that is complete."""
    totals: Counter[int] = Counter()
    for one in activity:
        totals[one.rater_id] += one.judgments
    firsts = {one.rater_id: one.day for one in reversed(activity)}
    counting = {one.rater_id for one in activity if one.required_judgments}
    return [firsts[rater] + timedelta(days=1) for rater in counting if totals[rater] >= MOST]
