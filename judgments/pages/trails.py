"""Breadcrumbs, and what every page with tabs says."""

from typing import Any

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
    return query_set_trail(judgment_list.query_set, own, *steps)


def query_set_page(query_set: QuerySet, role: str, tab: str, *steps: Step) -> dict[str, Any]:
    """Context of a page of a query set: its tabs, as this role sees them, and the way to it."""
    trail = query_set_trail(query_set, *steps)
    return {"query_set": query_set, "role": role, "tab": tab, "trail": trail}


def list_page(judgment_list: JudgmentList, role: str, tab: str, *steps: Step) -> dict[str, Any]:
    """The same of a page of a judgment list."""
    trail = list_trail(judgment_list, *steps)
    return {"judgment_list": judgment_list, "role": role, "tab": tab, "trail": trail}
