"""What the home page shows, by role."""

from collections.abc import Mapping
from typing import Any

from django.conf import settings
from django.db.models import OuterRef, Subquery

from evaluation.comparisons.reports.saved_comparisons import latest_comparisons
from evaluation.models import Run
from evaluation.scores.reports.sparklines import Sparkline, runs_with_values, sparklines
from judgments.lists.reports.lists import queue_of, with_progress
from judgments.models import STAFF_ROLES, JudgmentList, Membership, QuerySet, Role, User

MOST_ROWS = 8


def home_of(user: User) -> dict[str, Any]:
    """A rater's queue; for engineers and admins also their query sets, lists, latest runs and comparisons.

    Whoever `starts` has no query set yet. At most eight queries, whatever there is.
    """
    roles = set(Membership.objects.filter(user=user).values_list("role", flat=True))
    staff = user.is_superuser or bool(roles & set(STAFF_ROLES))
    rates = Role.RATER in roles or not staff
    home = {"staff": staff, "may_create": staff, "queue": queue_of(user) if rates else []}
    if not staff:
        return home
    lists = _lists(user)
    query_sets = list(QuerySet.objects.staffed_by(user).at_work().order_by("-created_at")[:MOST_ROWS])
    return home | {
        "query_sets": query_sets,
        "starts": not query_sets,
        "limit": settings.UPLOAD_LIMIT,
        "lists": lists,
        "runs": _latest_runs(user, {one.pk: trend for one, trend in lists}),
        "comparisons": latest_comparisons(user, MOST_ROWS),
    }


def _lists(user: User) -> list[tuple[JudgmentList, Sparkline | None]]:
    """The newest lists, each with its trend where its runs were scored."""
    lists = JudgmentList.objects.visible_to(user).filter(query_set__archived_at=None)
    with_counts = with_progress(lists.select_related("query_set", "scale"))
    newest = list(with_counts.order_by("-created_at")[:MOST_ROWS])
    trends = sparklines(newest)
    return [(one, trends.get(one.pk)) for one in newest]


def _latest_runs(
    user: User, trends: Mapping[int, Sparkline | None]
) -> list[tuple[Run, Sparkline | None, str]]:
    """The latest runs, each with the pk of the first list of its query set (`list_pk`) to look at it with, and with its value there."""
    first_list = JudgmentList.objects.filter(query_set=OuterRef("query_set")).order_by("pk").values("pk")[:1]
    runs = Run.objects.visible_to(user).filter(query_set__archived_at=None).select_related("query_set")
    runs = runs.annotate(list_pk=Subquery(first_list)).order_by("-created_at")
    return runs_with_values((run, trends.get(vars(run)["list_pk"])) for run in runs[:MOST_ROWS])
