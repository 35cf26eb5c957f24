"""The rows of tabs of a page, from its context."""

from typing import Any

from django import template

from judgments.pages import tabs

register = template.Library()


@register.simple_tag(takes_context=True)
def list_tabs(context: dict[str, Any]) -> list[list[tabs.Link]]:
    judgment_list = context["judgment_list"]
    return tabs.rows_of_tabs(
        tabs.LIST,
        judgment_list.pk,
        current=context.get("tab", ""),
        role=context.get("role", ""),
        is_archived=bool(judgment_list.query_set.archived_at),
    )


@register.simple_tag(takes_context=True)
def query_set_tabs(context: dict[str, Any]) -> list[list[tabs.Link]]:
    query_set = context["query_set"]
    return tabs.rows_of_tabs(
        tabs.QUERY_SET,
        query_set.pk,
        current=context.get("tab", ""),
        role=context.get("role", ""),
        is_archived=bool(query_set.archived_at),
    )
