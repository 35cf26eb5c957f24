"""The first page of a query set: its lists with their trends, its latest runs, and what needs attention."""

from typing import Any, Final

from evaluation.models import Run
from evaluation.scores.reports.sparklines import runs_with_values, sparklines
from evaluation.start.reports.attention import notices, with_attention
from judgments.models import QuerySet, Role, User

MOST_RUNS: Final = 8


def lists_runs_and_notices(query_set: QuerySet, user: User, role: str) -> dict[str, Any]:
    """For the template. Seven queries, and one more for admins who decide ties. The query set needs its counts (`with_counts`)."""
    by_name = query_set.judgment_lists.select_related("scale").order_by("name")
    lists = list(with_attention(by_name))
    trends = sparklines(lists)
    first_list = min(lists, key=lambda one: one.pk, default=None)
    trend = trends.get(first_list.pk) if first_list else None
    runs = Run.objects.filter(query_set=query_set).order_by("-created_at", "-pk")
    latest = runs.only("name", "tags", "is_baseline", "query_count", "created_at")[:MOST_RUNS]
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
