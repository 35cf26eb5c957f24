"""How far a list has come, at what pace, and how long it will take. Bounded cost, whatever the length of the list."""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from datetime import date, datetime, timedelta
from math import ceil

from django.db.models import Count, Max, Subquery, Sum, Value
from django.db.models.functions import Mod
from django.utils import timezone

from judgments.base.moments import range_of_time
from judgments.models import FREE, ConsensusGrade, JudgmentList, Slot, SlotState
from judgments.overview.reports.forecast import Forecast, forecast
from judgments.overview.sql.activity import Daily, daily
from judgments.raters.sql.recent_judgments import Recent
from touchstone_core.words import counted

DAYS = 7
SAMPLED = 50_000
EACH_UP_TO = 4
LEAST_HOURS = 0.25
"""A day on which raters judge for less than this says how little they came, not how long the rest will take."""


@dataclass(frozen=True, slots=True)
class Step:
    """Pairs with a certain number of grades, and their share of all."""

    label: str
    pairs: int
    share: float


@dataclass(frozen=True, slots=True)
class Day:
    day: date
    judgments: int
    raters: int


@dataclass(frozen=True, slots=True)
class Held:
    """What raters hold at this moment."""

    pairs: int = 0
    raters: int = 0
    until: datetime | None = None


@dataclass(frozen=True, slots=True)
class Outlook:
    """`steps` are estimated from every nth query where `every` is more than 1; `given` is what each rater gave on `days`."""

    forecast: Forecast
    steps: list[Step]
    every: int
    days: list[Day]
    held: Held
    given: list[Daily] = field(default_factory=list)

    @property
    def pace(self) -> float:
        """Judgments per day, over the days on which there were any."""
        counts = [day.judgments for day in self.days if day.judgments]
        return sum(counts) / len(counts) if counts else 0.0

    @property
    def busiest(self) -> int:
        return max((day.judgments for day in self.days), default=0)

    @property
    def days_left(self) -> int | None:
        """Days of judging at this pace; None without any, or where it is so slow that it says nothing of the work left."""
        if not self.pace or not self.forecast.able_raters:
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
        whose = "as this list’s raters take" if self.forecast.measured else "assumed until 20 have been timed"
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
    recent: Iterable[Recent] | None = None,
) -> Outlook:
    """Five statements, one less for each of `missing` and `recent` (see `forecast`) that is known.

    `pairs` is the number of pairs of the list, as its queries count them.
    """
    every = nth_query(pairs)
    given = _given(judgment_list, at)
    return Outlook(
        forecast=forecast(judgment_list, at=at, missing=missing, recent=recent),
        steps=_steps(judgment_list, pairs, every) if pairs else [],
        every=every,
        days=_by_day(given, at),
        held=_held(judgment_list, at),
        given=given,
    )


def nth_query(pairs: int) -> int:
    """Of a list of so many pairs every such query is read, where a figure may be estimated."""
    return max(1, ceil(pairs / SAMPLED))


def _steps(judgment_list: JudgmentList, pairs: int, every: int) -> list[Step]:
    """Pairs by their number of grades. Of long lists every nth query is read, and its pairs stand for n times as many."""
    rows = ConsensusGrade.objects.filter(judgment_list=judgment_list).order_by()
    whole: Value | Subquery = Value(pairs)
    if every > 1:
        queries = judgment_list.list_queries.order_by().alias(nth=Mod("position", every)).filter(nth=0)
        rows = rows.filter(query__in=queries.values("query"))
        whole = Subquery(queries.values("judgment_list").annotate(pairs=Sum("pair_count")).values("pairs"))
    found = list(rows.values_list("judgments").annotate(count=Count("pk"), whole=whole))
    total = found[0][2] if found else pairs // every
    counts = Counter({judgments: count for judgments, count, _ in found})
    cannot = counts.pop(0, 0)
    untouched = max(0, total - cannot - sum(counts.values()))
    buckets = _buckets(counts, judgment_list.overlap)
    named = [("not judged", untouched), ("cannot judge", cannot), *buckets]
    kept = [one for one in named if one[1] or one[0] != "cannot judge"]
    return [Step(label, count * every, count / max(1, total)) for label, count in kept]


def _buckets(counts: Counter[int], overlap: int) -> list[tuple[str, int]]:
    """Each number of grades up to the overlap, those in the middle of a large one together, and what is beyond."""
    found = [(_grades(number), counts[number]) for number in range(1, min(overlap, EACH_UP_TO))]
    if overlap > EACH_UP_TO:
        between = sum(counts[number] for number in range(EACH_UP_TO, overlap))
        label = _grades(EACH_UP_TO) if overlap == EACH_UP_TO + 1 else f"{EACH_UP_TO} to {overlap - 1} grades"
        found.append((label, between))
    found.append((f"{_grades(overlap)}, as wanted", counts[overlap]))
    more = sum(count for number, count in counts.items() if number > overlap)
    return [*found, ("more", more)] if more else found


def _grades(number: int) -> str:
    return "1 grade" if number == 1 else f"{number} grades"


def _given(judgment_list: JudgmentList, at: datetime) -> list[Daily]:
    return daily(judgment_list.pk, since=_since(at), zone=timezone.get_current_timezone_name())


def _since(at: datetime) -> datetime:
    """The last seven days, today included, by the clock of the site."""
    today = timezone.localtime(at).replace(hour=0, minute=0, second=0, microsecond=0)
    return today - timedelta(days=DAYS - 1)


def _by_day(given: Sequence[Daily], at: datetime) -> list[Day]:
    judgments: Counter[date] = Counter()
    raters: Counter[date] = Counter()
    for one in given:
        judgments[one.day] += one.judgments
        raters[one.day] += 1
    days = [(_since(at) + timedelta(days=number)).date() for number in range(DAYS)]
    return [Day(day, judgments[day], raters[day]) for day in days]


def _held(judgment_list: JudgmentList, at: datetime) -> Held:
    """Follows the index of slots that were handed out: those that never were do not count."""
    handed = Slot.objects.filter(
        judgment_list=judgment_list, state=SlotState.OPEN, surplus=False, lease_until__gt=FREE
    )
    found = handed.filter(lease_until__gt=at).aggregate(
        pairs=Count("pk"), raters=Count("rater", distinct=True), until=Max("lease_until")
    )
    return Held(**found)
