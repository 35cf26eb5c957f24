"""A rater's own judgments: how many, how fast, all of them to look through, as a page or as a file."""

from collections import Counter, defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import date, datetime, timedelta

from django.db.models import Aggregate, Count, FloatField, Max, Q, QuerySet
from django.db.models.functions import TruncDate
from django.utils import timezone

from judgments.judging.reports.judging import Choice, choices, written
from judgments.models import Gold, Judgment, JudgmentHistory, JudgmentList, RaterQueue, User
from judgments.models.answer_words import name_of
from touchstone_core.formats.columns import Column, csv_rows
from touchstone_core.formats.spreadsheet import csv_lines

PAGE = 50
DAYS = 7
CANNOT = "cannot"


class Median(Aggregate):
    function = "PERCENTILE_CONT"
    template = "%(function)s(0.5) WITHIN GROUP (ORDER BY %(expressions)s)"
    output_field = FloatField()


@dataclass(frozen=True, slots=True)
class Progress:
    """What a rater has done in a list. Practice is left out of it all."""

    judgment_list: JudgmentList
    today: int
    judgments: int
    median_seconds: float | None
    last: datetime | None


@dataclass(frozen=True, slots=True)
class Earlier:
    """An answer that another one replaced, or that was taken back."""

    answer: str
    at: datetime
    withdrawn: bool


@dataclass(frozen=True, slots=True)
class Row:
    """A judgment as its rater sees it. `choice` is its grade on the scale, None on scales without levels."""

    judgment: Judgment
    choice: Choice | None
    written: str
    practice: bool
    earlier: list[Earlier] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class Page:
    """Newest first; `before` leads to the next page."""

    rows: list[Row]
    before: int | None = None


def own_progress(user: User, lists: QuerySet[JudgmentList], *, at: datetime) -> list[Progress]:
    """Of those lists in which `user` has judged, the latest first. Two statements; cost follows the own judgments."""
    mine = RaterQueue.objects.filter(rater__user=user, judgment_list__in=lists)
    entered = dict(mine.values_list("judgment_list", "rater"))
    totals = (
        Judgment.objects.real()
        .filter(judgment_list__in=list(entered), rater__in=set(entered.values()))
        .order_by()
        .values_list("judgment_list")
        .annotate(
            today=Count("pk", filter=Q(created_at__gte=midnight(at))),
            judgments=Count("pk"),
            median=Median("active_ms", filter=Q(active_ms__gt=0)),
            last=Max("updated_at"),
        )
    )
    counts = {list_id: rest for list_id, *rest in totals}
    found = lists.filter(pk__in=list(counts)).select_related("query_set", "scale")
    rows = [_progress(one, *counts[one.pk]) for one in found]
    return sorted(rows, key=lambda row: row.last or at, reverse=True)


def _progress(
    judgment_list: JudgmentList, today: int, judgments: int, median: float | None, last: datetime | None
) -> Progress:
    return Progress(judgment_list, today, judgments, None if median is None else median / 1000, last)


def midnight(at: datetime) -> datetime:
    """The beginning of the day, by the clock of the site."""
    return timezone.localtime(at).replace(hour=0, minute=0, second=0, microsecond=0)


def own_days(user: User, *, at: datetime) -> list[tuple[date, int]]:
    """How many judgments on each of the last seven days, today last."""
    since = midnight(at) - timedelta(days=DAYS - 1)
    rows = (
        Judgment.objects.real()
        .filter(rater__user=user, created_at__gte=since)
        .order_by()
        .values_list(TruncDate("created_at"))
        .annotate(count=Count("pk"))
    )
    counts = Counter(dict(rows))
    days = [(since + timedelta(days=number)).date() for number in range(DAYS)]
    return [(day, counts[day]) for day in days]


def found_judgments(
    judgment_list: JudgmentList, user: User, *, text: str = "", grade: str = ""
) -> QuerySet[Judgment]:
    """Own judgments whose query or document has `text` in it, of one grade, or `cannot`. Newest first."""
    own = Judgment.objects.filter(judgment_list=judgment_list, rater__user=user).order_by("-pk")
    if text:
        query, document = Q(pair__query__text__icontains=text), Q(pair__document__title__icontains=text)
        body, ids = Q(pair__document__body__icontains=text), Q(pair__document__external_id=text)
        own = own.filter(query | document | body | ids)
    if grade == CANNOT:
        return own.filter(value=None)
    values = [one.value for one in judgment_list.scale.grades.all() if written(one.value) == grade]
    return own.filter(value__in=values) if values else own


def own_page(judgment_list: JudgmentList, found: QuerySet[Judgment], *, before: int | None) -> Page:
    """A page of them, those older than the key `before`, with earlier answers to the same pairs. Two statements."""
    if before is not None:
        found = found.filter(pk__lt=before)
    shown = found.select_related("pair__query", "pair__document").defer("pair__document__fields")
    judgments = list(shown[: PAGE + 1])
    earlier = _earlier(judgment_list, judgments[:PAGE])
    by_value: dict[float | None, Choice] = {
        one.grade.value: one for one in choices(judgment_list.scale, None)
    }
    rows = [
        Row(
            one,
            by_value.get(one.value),
            "" if one.value is None else written(one.value),
            one.gold == Gold.PRACTICE,
            earlier[one.pair_id],
        )
        for one in judgments[:PAGE]
    ]
    return Page(rows, judgments[PAGE - 1].pk if len(judgments) > PAGE else None)


def _earlier(judgment_list: JudgmentList, judgments: list[Judgment]) -> dict[int, list[Earlier]]:
    """By pair, the oldest first. A change that was undone stands twice: as changed, and as what was taken back."""
    found: dict[int, list[Earlier]] = defaultdict(list)
    pairs, raters = [one.pair_id for one in judgments], {one.rater_id for one in judgments}
    for one in JudgmentHistory.objects.filter(pair__in=pairs, rater__in=raters).order_by("pk"):
        answer = name_of(judgment_list.scale, one.value, one.reason)
        withdrawn = one.action == JudgmentHistory.Action.WITHDRAWN
        found[one.pair_id].append(Earlier(answer, one.answered_at, withdrawn))
    return found


def own_csv(judgment_list: JudgmentList, found: QuerySet[Judgment]) -> Iterator[str]:
    """Own judgments as CSV, oldest first, with every digit. Nothing tells a gold pair from another."""
    rows = found.select_related("pair__query", "pair__document").defer(
        "pair__document__body", "pair__document__fields"
    )
    columns: list[Column[Judgment]] = [
        Column("query_id", "", "pair__query__external_id"),
        Column("query", "", "pair__query__text"),
        Column("document_id", "", "pair__document__external_id"),
        Column("document", "", "pair__document__title"),
        Column("grade", "", "value"),
        Column(
            "label",
            "",
            lambda one: name_of(judgment_list.scale, one.value, "") if one.value is not None else "",
        ),
        Column("reason", "", "reason"),
        Column("comment", "", "comment"),
        Column("evidence", "", lambda one: " | ".join(str(part.get("quote", "")) for part in one.evidence)),
        Column("confidence", "", "confidence"),
        Column("judged_at", "", lambda one: one.updated_at.isoformat(timespec="seconds")),
        Column("seconds", "", lambda one: None if one.active_ms is None else one.active_ms / 1000),
    ]
    yield from csv_lines(csv_rows(columns, rows.order_by("pk").iterator(1000)))
