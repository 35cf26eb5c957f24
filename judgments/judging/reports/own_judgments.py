"""A rater's own judgments: how many, how fast, and the judgments themselves as pages or as a file."""

from collections import Counter, defaultdict
from collections.abc import Iterator
from datetime import date, datetime, timedelta
from typing import Any

from django.db.models import Aggregate, Count, FloatField, Max, Q, QuerySet
from django.db.models.functions import TruncDate
from django.utils import timezone

from judgments.base.digits import written
from judgments.judging.reports.judging import choices_by_value
from judgments.models import Gold, Judgment, JudgmentHistory, JudgmentList, RaterQueue, User
from touchstone_core.formats.columns import Column, csv_rows
from touchstone_core.formats.spreadsheet import Cell

PAGE = 50
DAYS = 7
CANNOT = "cannot"


class Median(Aggregate):
    function = "PERCENTILE_CONT"
    template = "%(function)s(0.5) WITHIN GROUP (ORDER BY %(expressions)s)"
    output_field = FloatField()


def own_progress(user: User, lists: QuerySet[JudgmentList], *, at: datetime) -> list[dict[str, Any]]:
    """The lists in which `user` has judged, the latest first, without practice: `today` and all `judgments`, their
    median time, and the `last` one.

    Two statements, whose cost depends on the user's own judgments.
    """
    queues = RaterQueue.objects.filter(rater__user=user, judgment_list__in=lists)
    raters = dict(queues.values_list("judgment_list", "rater"))
    totals = (
        Judgment.objects.real()
        .filter(judgment_list__in=list(raters), rater__in=set(raters.values()))
        .order_by()
        .values("judgment_list")
        .annotate(
            today=Count("pk", filter=Q(created_at__gte=midnight(at))),
            judgments=Count("pk"),
            median_seconds=Median("active_ms", filter=Q(active_ms__gt=0)) / 1000,
            last=Max("updated_at"),
        )
    )
    by_list: dict[int, dict[str, Any]] = {row["judgment_list"]: dict(row) for row in totals}
    judged_lists = lists.filter(pk__in=list(by_list)).select_related("query_set", "scale")
    rows = [by_list[each.pk] | {"judgment_list": each} for each in judged_lists]
    return sorted(rows, key=lambda row: row["last"], reverse=True)


def midnight(at: datetime) -> datetime:
    """The beginning of the day in the site's time zone."""
    return timezone.localtime(at).replace(hour=0, minute=0, second=0, microsecond=0)


def own_days(user: User, *, at: datetime) -> list[tuple[date, int]]:
    """The number of judgments on each of the last seven days, today last."""
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


def search_judgments(judgment_list: JudgmentList, user: User, *, text: str, grade: str) -> QuerySet[Judgment]:
    """Own judgments whose query or document contains `text`, with this grade or `cannot`. Newest first."""
    own = Judgment.objects.filter(judgment_list=judgment_list, rater__user=user).order_by("-pk")
    if text:
        query, document = Q(pair__query__text__icontains=text), Q(pair__document__title__icontains=text)
        body, ids = Q(pair__document__body__icontains=text), Q(pair__document__external_id=text)
        own = own.filter(query | document | body | ids)
    if grade == CANNOT:
        return own.filter(value=None)
    values = [each.value for each in judgment_list.scale.grades.all() if written(each.value) == grade]
    return own.filter(value__in=values) if values else own


def own_page(
    judgment_list: JudgmentList, judgments: QuerySet[Judgment], *, before: int | None
) -> dict[str, Any]:
    """A page of judgments older than the key `before`, with earlier answers to the same pairs. Two statements.

    `before` in the result leads to the next page. `choice` is the grade on the scale, None on continuous scales.
    """
    if before is not None:
        judgments = judgments.filter(pk__lt=before)
    pairs = judgments.select_related("pair__query", "pair__document").defer("pair__document__fields")
    page = list(pairs[: PAGE + 1])
    earlier = _earlier_answers(judgment_list, page[:PAGE])
    by_value = choices_by_value(judgment_list.scale)
    rows = [
        {
            "judgment": judgment,
            "choice": by_value.get(judgment.value),
            "written": "" if judgment.value is None else written(judgment.value),
            "practice": judgment.gold == Gold.PRACTICE,
            "earlier": earlier[judgment.pair_id],
        }
        for judgment in page[:PAGE]
    ]
    return {"rows": rows, "before": page[PAGE - 1].pk if len(page) > PAGE else None}


def _earlier_answers(
    judgment_list: JudgmentList, judgments: list[Judgment]
) -> dict[int, list[dict[str, Any]]]:
    """By pair, the oldest first. A change that was undone appears twice: as changed, and as taken back."""
    answers: dict[int, list[dict[str, Any]]] = defaultdict(list)
    pairs, raters = [row.pair_id for row in judgments], {row.rater_id for row in judgments}
    for row in JudgmentHistory.objects.filter(pair__in=pairs, rater__in=raters).order_by("pk"):
        answer = judgment_list.scale.name_of(row.value) or row.get_reason_display()
        withdrawn = row.action == JudgmentHistory.Action.WITHDRAWN
        answers[row.pair_id].append({"answer": answer, "at": row.answered_at, "withdrawn": withdrawn})
    return answers


def own_csv(judgment_list: JudgmentList, judgments: QuerySet[Judgment]) -> Iterator[list[Cell]]:
    """Own judgments as CSV, oldest first, with every digit. Gold pairs look like any others."""
    rows = judgments.select_related("pair__query", "pair__document").order_by("pk")
    rows = rows.defer("pair__document__body", "pair__document__fields")
    columns: list[Column[Judgment]] = [
        Column("query_id", "", "pair__query__external_id"),
        Column("query", "", "pair__query__text"),
        Column("document_id", "", "pair__document__external_id"),
        Column("document", "", "pair__document__title"),
        Column("grade", "", "value"),
        Column("label", "", lambda row: judgment_list.scale.name_of(row.value)),
        Column("reason", "", "reason"),
        Column("comment", "", "comment"),
        Column("evidence", "", lambda row: " | ".join(str(part.get("quote", "")) for part in row.evidence)),
        Column("confidence", "", "confidence"),
        Column("judged_at", "", lambda row: row.updated_at.isoformat(timespec="seconds")),
        Column("seconds", "", lambda row: None if row.active_ms is None else row.active_ms / 1000),
    ]
    return csv_rows(columns, rows.iterator(1000))
