"""A list's progress, its pace, and how long it will take. The cost is limited, however long the list is."""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from datetime import date, datetime, timedelta
from math import ceil

from django.db.models import Count, Max, Subquery, Sum, Value
from django.db.models.functions import Mod
from django.utils import timezone

from judgments.base.moments import range_of_time
from judgments.models import FREE, ConsensusGrade, JudgmentList, Slot
from judgments.overview.reports.burn_down import HISTORY_DAYS, BurnDown, burn_down
from judgments.overview.reports.forecast import Forecast, forecast
from judgments.overview.rhythm import LEAST_HOURS
from judgments.overview.sql import Daily, daily
from judgments.raters.sql.recent_judgments import RecentJudgment
from touchstone_core.words import counted

DAYS = 7
SAMPLE_PAIRS = 50_000
EACH_UP_TO = 4


@dataclass(frozen=True, slots=True)
class Step:
    """Pairs with a certain number of judgments, and their share of all."""

    label: str
    pairs: int
    share: float


@dataclass(frozen=True, slots=True)
class Day:
    """The judgments of a day that the list required, and the raters who gave them."""

    day: date
    judgments: int
    raters: int


@dataclass(frozen=True, slots=True)
class Leases:
    """The pairs that raters hold at this moment."""

    pairs: int = 0
    raters: int = 0
    until: datetime | None = None


@dataclass(frozen=True, slots=True)
class Outlook:
    """If `every` is more than 1, `steps` are estimated from every nth query. `activity` has each rater's judgments on `days`."""

    forecast: Forecast
    steps: list[Step]
    every: int
    days: list[Day]
    leases: Leases
    activity: list[Daily] = field(default_factory=list)
    burn_down: BurnDown | None = None

    @property
    def pace(self) -> float:
        """Required judgments per day, over the days with such judgments."""
        counts = [day.judgments for day in self.days if day.judgments]
        return sum(counts) / len(counts) if counts else 0.0

    @property
    def busiest(self) -> int:
        return max((day.judgments for day in self.days), default=0)

    @property
    def days_left(self) -> int | None:
        """Days of judging at this pace; None without a pace, or if it's too slow to say anything about the remaining work."""
        if not self.pace or not self.forecast.eligible_raters:
            return None
        days = ceil(self.forecast.missing / self.pace)
        return days if days == 1 or self.forecast.hours[0] >= LEAST_HOURS * days else None

    @property
    def left(self) -> str:
        low, _, high = self.forecast.hours
        return range_of_time(low, high)

    @property
    def left_each(self) -> str:
        low, _, high = self.forecast.hours_each
        return range_of_time(low, high)

    @property
    def in_words(self) -> str:
        low, _, high = self.forecast.seconds
        each = f"{low:.0f}" if round(low) == round(high) else f"{low:.0f}–{high:.0f}"
        whose = "this list’s pace" if self.forecast.own_times else "assumed until 20 judgments are timed"
        work = f"{counted(self.forecast.missing, 'judgment')} at {each} s each on average ({whose}): {self.left}."
        if self.days_left is None:
            return work
        return f"{work} At {self.pace:,.0f} a day: {counted(self.days_left, 'day')} of judging."


def outlook(
    judgment_list: JudgmentList,
    *,
    pairs: int,
    at: datetime,
    missing: int | None = None,
    recent: Iterable[RecentJudgment] | None = None,
) -> Outlook:
    """Five statements, one less for each of `missing` and `recent` (see `forecast`) that is given.

    `pairs` is the number of the list's pairs.
    """
    every = nth_query(pairs)
    history = daily(
        judgment_list.pk, since=_start_of_day(at, HISTORY_DAYS), zone=timezone.get_current_timezone_name()
    )
    first = _start_of_day(at, DAYS).date()
    activity = [one for one in history if one.day >= first]
    ahead = forecast(judgment_list, at=at, missing=missing, recent=recent)
    return Outlook(
        forecast=ahead,
        steps=_steps(judgment_list, pairs, every) if pairs else [],
        every=every,
        days=_by_day(activity, at),
        leases=_leases(judgment_list, at),
        activity=activity,
        burn_down=burn_down(
            history,
            missing=ahead.missing,
            today=timezone.localtime(at).date(),
            hours=ahead.hours[0],
            is_adaptive=judgment_list.adaptive_step is not None,
        ),
    )


def nth_query(pairs: int) -> int:
    """The step between the queries that are read to estimate a figure: 1 up to SAMPLE_PAIRS pairs, more beyond."""
    return max(1, ceil(pairs / SAMPLE_PAIRS))


def _steps(judgment_list: JudgmentList, pairs: int, every: int) -> list[Step]:
    """Pairs by their number of judgments. Of a long list every nth query is read, and its pairs count n times."""
    rows = ConsensusGrade.objects.filter(judgment_list=judgment_list).order_by()
    whole: Value | Subquery = Value(pairs)
    if every > 1:
        queries = judgment_list.list_queries.order_by().alias(nth=Mod("position", every)).filter(nth=0)
        rows = rows.filter(query__in=queries.values("query"))
        whole = Subquery(queries.values("judgment_list").annotate(pairs=Sum("pair_count")).values("pairs"))
    groups = list(rows.values_list("judgments").annotate(count=Count("pk"), whole=whole))
    total = groups[0][2] if groups else pairs // every
    counts = Counter({judgments: count for judgments, count, _ in groups})
    cannot = counts.pop(0, 0)
    unjudged = max(0, total - cannot - sum(counts.values()))
    steps = [("not judged", unjudged), *([("cannot judge", cannot)] if cannot else [])]
    steps += _buckets(counts, judgment_list.overlap)
    return [Step(label, count * every, count / max(1, total)) for label, count in steps]


def _buckets(counts: Counter[int], overlap: int) -> list[tuple[str, int]]:
    """Each number of judgments up to the overlap, the middle ones of a large overlap together, and more than the overlap."""
    buckets = [(counted(number, "judgment"), counts[number]) for number in range(1, min(overlap, EACH_UP_TO))]
    if overlap > EACH_UP_TO:
        between = sum(counts[number] for number in range(EACH_UP_TO, overlap))
        last = overlap - 1
        label = f"{EACH_UP_TO} judgments" if last == EACH_UP_TO else f"{EACH_UP_TO} to {last} judgments"
        buckets.append((label, between))
    buckets.append((f"{counted(overlap, 'judgment')} (complete)", counts[overlap]))
    more = sum(count for number, count in counts.items() if number > overlap)
    return [*buckets, ("more", more)] if more else buckets


def _start_of_day(at: datetime, days: int) -> datetime:
    """The start of the last `days` days, today included, in the site's time zone."""
    today = timezone.localtime(at).replace(hour=0, minute=0, second=0, microsecond=0)
    return today - timedelta(days=days - 1)


def _by_day(activity: Sequence[Daily], at: datetime) -> list[Day]:
    judgments: Counter[date] = Counter()
    raters: Counter[date] = Counter()
    for one in activity:
        judgments[one.day] += one.required_judgments
        raters[one.day] += one.required_judgments > 0
    days = [(_start_of_day(at, DAYS) + timedelta(days=number)).date() for number in range(DAYS)]
    return [Day(day, judgments[day], raters[day]) for day in days]


def _leases(judgment_list: JudgmentList, at: datetime) -> Leases:
    """Compares with FREE as well, because the index of leased slots has that condition."""
    slots = Slot.objects.required().filter(judgment_list=judgment_list, lease_until__gt=FREE)
    totals = slots.filter(lease_until__gt=at).aggregate(
        pairs=Count("pk"), raters=Count("rater", distinct=True), until=Max("lease_until")
    )
    return Leases(**totals)
