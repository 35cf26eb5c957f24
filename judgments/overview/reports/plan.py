"""A plan for the judging of a list: how long a team takes, and what it manages until a deadline."""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from math import ceil, floor

from django.utils import timezone

from judgments.base.moments import long_day, range_of_time
from judgments.models import JudgmentList
from judgments.overview.reports.forecast import Forecast, forecast
from judgments.raters.sql.recent_judgments import recent_judgments
from touchstone_core.words import counted

GUESS = 1.25
"""A pace that somebody types is a guess: the plan also counts with this many times as long and as short."""
MOST_RATERS_PER_PAIR = 5
LONGEST_DAYS = 3_650
SEVERAL_RATERS = 3
"""From so many raters per pair on, simulations say for sure that more queries help more."""
Seconds = tuple[float, float, float]
"""What one judgment takes: low, mean and high."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Wishes:
    """What an admin asks. `documents` are new ones per query; `seconds` None is the list's own pace.

    With `weekends`, raters judge on all seven days of the week.
    """

    raters: int
    hours: float
    weekends: bool
    queries: int
    documents: int
    seconds: float | None = None
    deadline: date | None = None


@dataclass(frozen=True, slots=True)
class Option:
    """The plan with a number of raters per new pair.

    `finish` has the first and the last day, None if it takes longer than LONGEST_DAYS. `fit` has the new documents per query
    that fit before the deadline: at the slow end of the pace, and at the fast end.
    """

    overlap: int
    is_current: bool
    judgments: int
    hours: tuple[float, float]
    finish: tuple[date, date] | None
    fit: tuple[int, int] | None
    verdict: str

    @property
    def hours_in_words(self) -> str:
        return range_of_time(*self.hours)


@dataclass(frozen=True, slots=True)
class Plan:
    """`options` by raters per pair. `missing` judgments are those that the list still requires without new pairs."""

    wishes: Wishes
    missing: int
    overlap: int
    seconds: Seconds
    own_times: bool
    options: list[Option]

    @property
    def current(self) -> Option | None:
        """With the list's own number of raters per pair; None if there are fewer raters than that."""
        return next((option for option in self.options if option.is_current), None)

    @property
    def is_empty(self) -> bool:
        """Whether there is nothing to judge, and no deadline that says how much would fit."""
        return self.current is not None and not self.current.judgments and self.wishes.deadline is None

    @property
    def pace_in_words(self) -> str:
        low, mean, high = self.seconds
        each = f"{low:.0f} to {high:.0f} seconds"
        if self.wishes.seconds is not None:
            return f"The plan counts with {each} per judgment: your {mean:.0f} seconds, and a quarter more or less."
        if self.own_times:
            return f"This list’s raters take {each} per judgment on average (90 % interval)."
        return f"The plan counts with {each} per judgment, the times of experts, until 20 judgments of this list are timed."

    @property
    def in_words(self) -> str:
        """The answer for the list's own number of raters per pair."""
        option = self.current
        raters = counted(self.wishes.raters, "rater")
        finish, need = ("finishes", "needs") if self.wishes.raters == 1 else ("finish", "need")
        if option is None:
            return f"Each pair needs {self.overlap} raters, so {raters} can’t finish this list."
        if not option.judgments:
            return "Nothing is left to judge. Add new documents per query to plan more."
        if option.finish is None:
            return f"{raters} {need} more than ten years for {counted(option.judgments, 'judgment')}."
        first, last = map(long_day, option.finish)
        when = f"on {first}, even at a slow pace" if first == last else f"between {first} and {last}"
        return f"{raters} {finish} {counted(option.judgments, 'judgment')} {when}."

    @property
    def deadline_in_words(self) -> str:
        option, deadline = self.current, self.wishes.deadline
        if deadline is None or option is None or option.fit is None:
            return ""
        return {
            FITS: f"That’s in time for {long_day(deadline)}.",
            TIGHT: f"It may be too late for {long_day(deadline)}: only a fast pace is in time.",
            LATE: f"That’s too late for {long_day(deadline)}.",
        }[option.verdict]

    @property
    def advice(self) -> str:
        """Empty where new pairs don't get several raters."""
        if self.overlap < SEVERAL_RATERS or not self.wishes.documents:
            return ""
        return (
            "To compare runs, more queries help more than more raters. In simulations, one rater per pair on three times as "
            "many queries told runs apart as well as 1.2 to 2.8 times as many judgments by three raters per pair. To know "
            "how far raters agree, it’s enough to have 10 to 15 % of the pairs judged twice."
        )


FITS, TIGHT, LATE = "in time", "maybe", "too late"


def plan(judgment_list: JudgmentList, wishes: Wishes, *, missing: int, at: datetime) -> Plan:
    """One statement. The team starts tomorrow."""
    recent = recent_judgments(judgment_list.pk)

    def pace(judgments: int) -> Forecast:
        return forecast(judgment_list, at=at, missing=judgments, recent=recent)

    def seconds(judgments: int) -> Seconds:
        typed = wishes.seconds
        return pace(judgments).seconds if typed is None else (typed / GUESS, typed, typed * GUESS)

    today = timezone.localtime(at).date()
    days = None if wishes.deadline is None else _working_days(today, wishes.deadline, wishes.weekends)
    most = max(MOST_RATERS_PER_PAIR, judgment_list.overlap)
    overlaps = [
        overlap
        for overlap in range(1, min(wishes.raters, most) + 1)
        if wishes.documents or wishes.deadline or overlap == judgment_list.overlap
    ]
    options = [
        _option(wishes, overlap, overlap == judgment_list.overlap, missing, seconds, today, days)
        for overlap in overlaps
    ]
    required = missing + wishes.queries * wishes.documents * judgment_list.overlap
    return Plan(
        wishes=wishes,
        missing=missing,
        overlap=judgment_list.overlap,
        seconds=seconds(required),
        own_times=pace(required).own_times,
        options=options,
    )


def _option(
    wishes: Wishes,
    overlap: int,
    is_current: bool,
    missing: int,
    seconds: Callable[[int], Seconds],
    today: date,
    days: int | None,
) -> Option:
    judgments = missing + wishes.queries * wishes.documents * overlap
    low, _, high = seconds(judgments)
    hours = (judgments * low / 3600, judgments * high / 3600)
    team = wishes.raters * wishes.hours
    first, last = (_after(today, max(1, ceil(one / team)), wishes.weekends) for one in hours)
    finish = None if first is None or last is None else (first, last)
    if days is None or wishes.deadline is None:
        return Option(overlap, is_current, judgments, hours, finish, None, "")
    in_time = (floor(days * team * 3600 / one) for one in (high, low))
    few, many = (
        max(0, one - missing) // (wishes.queries * overlap) if wishes.queries else 0 for one in in_time
    )
    verdict = LATE if first is None or first > wishes.deadline else TIGHT
    verdict = FITS if last is not None and last <= wishes.deadline else verdict
    return Option(overlap, is_current, judgments, hours, finish, (few, many), verdict)


def _after(today: date, days: int, weekends: bool) -> date | None:
    """The last of so many working days, the first of which is tomorrow or the next working day."""
    if days > LONGEST_DAYS:
        return None
    if weekends:
        return today + timedelta(days=days)
    weeks, rest = divmod(days - 1, 5)
    day = _next_working_day(today) + timedelta(weeks=weeks)
    for _ in range(rest):
        day = _next_working_day(day)
    return day


def _next_working_day(day: date) -> date:
    day += timedelta(days=1)
    return day + timedelta(days=max(0, 7 - day.weekday()) if day.weekday() > 4 else 0)


def _working_days(today: date, deadline: date, weekends: bool) -> int:
    """From tomorrow to the deadline, this day included."""
    days = max(0, (deadline - today).days)
    if weekends:
        return days
    weeks, rest = divmod(days, 7)
    return weeks * 5 + sum((today + timedelta(days=one)).weekday() < 5 for one in range(1, rest + 1))
