"""The first page of a list, and its plan."""

from datetime import datetime
from typing import cast

from django.core.paginator import Paginator
from django.db.models import Exists, OuterRef, Q, QuerySet
from django.http import HttpResponse
from django.shortcuts import get_object_or_404, render
from django.utils import timezone
from django.views.decorators.http import require_safe

from judgments.base.cleaning import guidelines_html
from judgments.content.reports.query_sets import role_in
from judgments.lists.reports import lists as reports
from judgments.lists.reports.lists import able_accounts
from judgments.models import Judgment, JudgmentList, ListQuery, Role
from judgments.overview.forms import WEEKDAYS, PlanForm
from judgments.overview.reports.overview import overview as report_of
from judgments.overview.reports.plan import plan
from judgments.pages.http import MemberRequest
from judgments.pages.trails import list_page

PER_PAGE = 50


@require_safe
def list_overview(request: MemberRequest, pk: int) -> HttpResponse:
    """Reads stored counts and computes nothing that grows with the list. Only admins see raters' names."""
    lists = JudgmentList.objects.visible_to(request.user).with_scale()
    judgment_list = get_object_or_404(lists.select_related("paused_by", "agreement_headline"), pk=pk)
    role = role_in(judgment_list.query_set, request.user)
    overview = report_of(judgment_list, with_raters=role == Role.ADMIN, at=timezone.now())
    paginator = Paginator(reports.coverage_by_query(judgment_list), PER_PAGE)
    paginator.count = overview["coverage"]["queries"]  # saves a query
    page = paginator.get_page(request.GET.get("page"))
    page.object_list = reports.with_received(judgment_list, cast("QuerySet[ListQuery]", page.object_list))
    context = list_page(judgment_list, role, "overview") | {
        **overview,
        "grades": judgment_list.scale.grades.all(),
        "rule": reports.rule_in_words(judgment_list),
        "raters_per_pair": reports.raters_in_words(judgment_list),
        "page": page,
        "guidelines": guidelines_html(judgment_list.guidelines),
        "admin": role == Role.ADMIN,
    }
    return render(request, "judgments/overview/list.html", context)


@require_safe
def list_plan(request: MemberRequest, pk: int) -> HttpResponse:
    """The plan that the URL describes; at first for all raters who can judge the list and ten documents per query."""
    lists = JudgmentList.objects.administered_by(request.user).select_related("query_set")
    judgment_list = get_object_or_404(lists, pk=pk)
    at = timezone.now()
    form, missing = read_plan(request, judgment_list, at)
    valid = form.is_valid()
    context = list_page(judgment_list, Role.ADMIN, "plan", "Plan") | {
        "form": form,
        "plan": plan(judgment_list, form.wishes, missing=missing, at=at) if valid else None,
    }
    return render(request, "judgments/overview/plan.html", context, status=200 if valid else 422)


def read_plan(request: MemberRequest, judgment_list: JudgmentList, at: datetime) -> tuple[PlanForm, int]:
    """The plan that the URL describes, and how many judgments are missing."""
    missing = reports.coverage(judgment_list)["missing"]
    own = Judgment.objects.filter(judgment_list=judgment_list, rater__user=OuterRef("user"))
    usual = {
        "raters": judgment_list.query_set.memberships.filter(
            Q(role=Role.RATER) | Exists(own), user__in=able_accounts(judgment_list)
        ).count()
        or 1,
        "hours": 2,
        "week": WEEKDAYS,
        "queries": judgment_list.query_set.queries.count(),
        "documents": 0 if missing else 10,
    }
    return PlanForm(request.GET, usual=usual, today=timezone.localtime(at).date()), missing
