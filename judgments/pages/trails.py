"""Breadcrumbs."""

from django.urls import reverse

from judgments.models import JudgmentList, QuerySet

Step = str | tuple[str, str]
"""A name, or a name with its address."""


def trail(*steps: Step) -> list[dict[str, str]]:
    return [{"name": step} if isinstance(step, str) else {"name": step[0], "url": step[1]} for step in steps]


def query_set_trail(query_set: QuerySet, *steps: Step) -> list[dict[str, str]]:
    """The way to a page inside a query set."""
    own: Step = (query_set.name, reverse("query-set", args=[query_set.pk])) if steps else query_set.name
    return trail(("Query sets", reverse("query-sets")), own, *steps)


def list_trail(judgment_list: JudgmentList, *steps: Step) -> list[dict[str, str]]:
    """The way to a page inside a judgment list."""
    own: Step = (
        (judgment_list.name, reverse("list", args=[judgment_list.pk])) if steps else judgment_list.name
    )
    lists = ("Lists", reverse("query-set-lists", args=[judgment_list.query_set_id]))
    return query_set_trail(judgment_list.query_set, lists, own, *steps)
