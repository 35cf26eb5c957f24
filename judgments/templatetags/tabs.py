"""The rows of tabs of a page, from its context."""

from typing import Any

from django import template

from judgments.models import QuerySet
from judgments.pages import tabs

register = template.Library()


@register.simple_tag(takes_context=True)
def list_tabs(context: dict[str, Any]) -> list[list[tabs.Link]]:
    judgment_list = context["judgment_list"]
    return _rows(tabs.LIST, judgment_list.pk, judgment_list.query_set, context)


@register.simple_tag(takes_context=True)
def query_set_tabs(context: dict[str, Any]) -> list[list[tabs.Link]]:
    return _rows(tabs.QUERY_SET, context["query_set"].pk, context["query_set"], context)


def _rows(
    groups: tabs.Groups, key: int, query_set: QuerySet, context: dict[str, Any]
) -> list[list[tabs.Link]]:
    return tabs.rows_of_tabs(
        groups,
        key,
        current=context.get("tab", ""),
        role=context.get("role", ""),
        is_archived=bool(query_set.archived_at),
    )
