"""What the home page shows, by role, and the first page of a query set."""

from collections.abc import Collection, Mapping
from typing import Any, Final

from django.conf import settings
from django.db.models import OuterRef, Q, Subquery

from evaluation.comparisons.reports.saved_comparisons import latest_comparisons
from evaluation.models import Run
from evaluation.runs.reports.incoming import engines_of
from evaluation.scores.reports.sparklines import ListedRun, Sparkline, runs_with_values, sparklines
from evaluation.start.reports.attention import attention, notices, with_attention
from judgments.content.reports.query_sets import with_query_count
from judgments.lists.reports.lists import queue_of
from judgments.models import STAFF_ROLES, JudgmentList, Membership, QuerySet, Role, User

MOST_ROWS: Final = 8
MOST_LISTS: Final = 50
"""The newest, of which notices are made; reading stored values of more would take too long."""


def home_of(user: User) -> dict[str, Any]:
    """A rater's queue; for engineers and admins also what needs attention, and their query sets, lists, latest runs and comparisons.

    Whoever `starts` has no query set yet. At most eleven queries, whatever there is.
    """
    role_of = dict(Membership.objects.filter(user=user).values_list("query_set", "role"))
    roles = set(role_of.values())
    staff = user.is_superuser or bool(roles & set(STAFF_ROLES))
    rates = Role.RATER in roles or not staff
    home = {"staff": staff, "may_create": staff, "queue": queue_of(user) if rates else []}
    if not staff:
        return home
    lists = _lists(user)
    most_lists = MOST_LISTS if len(lists) > MOST_LISTS else 0
    lists = lists[:MOST_LISTS]
    trends = sparklines(lists)
    query_sets = _query_sets(user, {one.query_set_id for one in lists})
    query_counts = {one.pk: vars(one)["query_count"] for one in query_sets}
    administered: Collection[int] = (
        {one.query_set_id for one in lists}
        if user.is_superuser
        else {key for key, role in role_of.items() if role == Role.ADMIN}
    )
    return home | {
        "query_sets": query_sets[:MOST_ROWS],
        "starts": not query_sets,
        "limit": settings.UPLOAD_LIMIT,
        "engines": list(engines_of(None)),
        "most_lists": most_lists,
        "attention": attention(notices(user, lists, trends, query_counts, administered)),
        "lists": [(one, trends.get(one.pk)) for one in lists[:MOST_ROWS]],
        "runs": _latest_runs(user, trends),
        "comparisons": latest_comparisons(user, MOST_ROWS),
    }


def _lists(user: User) -> list[JudgmentList]:
    """The newest lists with what is shown of them, and one more than is looked at, if there is one."""
    lists = JudgmentList.objects.visible_to(user).filter(query_set__archived_at=None)
    return list(with_attention(lists.select_related("scale")).order_by("-created_at")[: MOST_LISTS + 1])


def _query_sets(user: User, of_lists: Collection[int]) -> list[QuerySet]:
    """The newest first: those that are shown, and those of the lists, each with the number of its queries."""
    mine = QuerySet.objects.staffed_by(user).at_work()
    newest = mine.order_by("-created_at")[:MOST_ROWS]
    wanted = mine.filter(Q(pk__in=newest.values("pk")) | Q(pk__in=of_lists))
    return list(with_query_count(wanted).order_by("-created_at"))


def _latest_runs(user: User, trends: Mapping[int, Sparkline]) -> list[ListedRun]:
    """The latest runs, each with the pk of the first list of its query set (`list_pk`) to look at it with, and how it stands there."""
    first_list = JudgmentList.objects.filter(query_set=OuterRef("query_set")).order_by("pk").values("pk")[:1]
    runs = Run.objects.visible_to(user).filter(query_set__archived_at=None).select_related("query_set")
    runs = runs.annotate(list_pk=Subquery(first_list)).order_by("-created_at")
    return runs_with_values((run, trends.get(vars(run)["list_pk"])) for run in runs[:MOST_ROWS])


def lists_runs_and_notices(query_set: QuerySet, user: User, role: str) -> dict[str, Any]:
    """For the template. Seven queries, and one more for admins who decide ties. The query set needs its counts (`with_counts`)."""
    by_name = query_set.judgment_lists.select_related("scale").order_by("name")
    lists = list(with_attention(by_name))
    trends = sparklines(lists)
    first_list = min(lists, key=lambda one: one.pk, default=None)
    trend = trends.get(first_list.pk) if first_list else None
    runs = Run.objects.filter(query_set=query_set).order_by("-created_at", "-pk")
    latest = runs.only("name", "tags", "is_baseline", "query_count", "created_at")[:MOST_ROWS]
    query_counts = {query_set.pk: vars(query_set)["query_count"]}
    administered = {query_set.pk} if role == Role.ADMIN else set()
    return {
        "lists": [(one, trends.get(one.pk)) for one in lists],
        "runs": runs_with_values((run, trend) for run in latest),
        "run_count": runs.count(),
        "first_list": first_list,
        "notices": []
        if query_set.archived_at
        else notices(user, lists, trends, query_counts, administered, query_set=query_set),
    }
