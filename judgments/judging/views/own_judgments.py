"""A rater's own pages: progress in all lists, and all own judgments of one list."""

from urllib.parse import urlencode

from django.http import HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import render
from django.utils import timezone
from django.views.decorators.http import require_safe

from judgments.base.digits import written
from judgments.base.keys import key_in
from judgments.base.searching import without_unsearchable
from judgments.judging.reports import own_judgments as reports
from judgments.judging.reports.judging import choices
from judgments.judging.views import judge_screen as screen
from judgments.lists.reports.lists import queue_of
from judgments.models import JudgmentList
from judgments.pages.http import MemberRequest, csv_response
from judgments.pages.trails import trail


@require_safe
def overview(request: MemberRequest) -> HttpResponse:
    """Judgments today and in total, and their median time, list by list, and where to continue."""
    at = timezone.now()
    rows = reports.own_progress(request.user, JudgmentList.objects.judgeable_by(request.user), at=at)
    days = reports.own_days(request.user, at=at)
    context = {
        "rows": rows,
        "today": sum(row["today"] for row in rows),
        "judgments": sum(row["judgments"] for row in rows),
        "days": days,
        "busiest": max(count for _, count in days),
        "queue": [entry for entry in queue_of(request.user) if entry.left and not entry.judgment_list.paused],
        "trail": trail(("Home", "/"), "Your judgments"),
    }
    return render(request, "judgments/judging/own.html", context)


@require_safe
def own_judgments(request: MemberRequest, pk: int) -> HttpResponseBase:
    """Own judgments of one list: `?q=` and `?grade=` search, `?before=` is the next page, `?format=csv` a file."""
    judgment_list = screen.list_to_judge(request, pk)
    text, grade = without_unsearchable(request.GET.get("q", "")).strip()[:200], request.GET.get("grade", "")
    judgments = reports.search_judgments(judgment_list, request.user, text=text, grade=grade)
    if request.GET.get("format") == "csv":
        rows = reports.own_csv(judgment_list, judgments)
        return csv_response(rows, judgment_list.name, request.user.username)
    page = reports.own_page(judgment_list, judgments, before=key_in(request.GET.get("before")))
    lists = JudgmentList.objects.filter(pk=judgment_list.pk)
    done = reports.own_progress(request.user, lists, at=timezone.now())
    search = {name: value for name, value in (("q", text), ("grade", grade)) if value}
    context = {
        "judgment_list": judgment_list,
        "page": page,
        "done": done[0] if done else None,
        "grades": [
            (written(choice.grade.value), choice.grade) for choice in choices(judgment_list.scale, None)
        ],
        "text": text,
        "grade": grade,
        "searched": bool(search),
        "search": urlencode(search),
        "trail": screen.trail(judgment_list, "Your judgments"),
    }
    return render(request, "judgments/judging/judge_done.html", context)
