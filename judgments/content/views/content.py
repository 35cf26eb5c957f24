"""Pages that search and show queries and documents."""

from collections.abc import Mapping, Sequence
from typing import Any

from django.core.paginator import Paginator
from django.db import models
from django.http import HttpResponse, QueryDict
from django.shortcuts import get_object_or_404, render
from django.urls import reverse
from django.utils.safestring import SafeString
from django.views.decorators.http import require_safe

from judgments.base import cleaning
from judgments.base.keys import key_in
from judgments.base.replica import reads_replica
from judgments.content.forms import criteria_in
from judgments.content.reports import content, search
from judgments.content.reports import query_sets as reports
from judgments.models import Document, Pair, Query, QuerySet
from judgments.pages.fetching import staffed_query_set
from judgments.pages.http import MemberRequest, images_allowed
from judgments.pages.trails import Step, query_set_page, query_set_trail

PER_PAGE = 50
PLACES = ("after", "before")
Kind = type[Query] | type[Document]


@require_safe
@reads_replica
def queries(request: MemberRequest, pk: int) -> HttpResponse:
    query_set = staffed_query_set(request, pk)
    context = results_context(request, query_set, Query) | {"tags": search.tags_of(query_set)}
    return _listing(request, "judgments/content/queries.html", context)


@require_safe
@reads_replica
def documents(request: MemberRequest, pk: int) -> HttpResponse:
    query_set = staffed_query_set(request, pk)
    context = results_context(request, query_set, Document, defer=("body", "fields"))
    return _listing(request, "judgments/content/documents.html", context)


def results_context(
    request: MemberRequest, query_set: QuerySet, kind: Kind, *, defer: Sequence[str] = ()
) -> dict[str, Any]:
    """What the address searches for, and the page of results."""
    criteria = criteria_in(request.GET)
    after, before = (key_in(request.GET.get(name)) for name in PLACES)
    tab = "queries" if kind is Query else "documents"
    results: Any = search.find(kind, query_set, criteria, after=after, before=before, defer=defer)
    return query_set_page(query_set, reports.role_in(query_set, request.user), tab, tab.capitalize()) | {
        "criteria": criteria,
        "results": results,
        "sorts": [(name, sort.label) for name, sort in search.SORTS[kind].items()],
        "lists": search.lists_of(query_set),
        "search": _without_place(request.GET),
        "noun": "query" if kind is Query else "document",
    }


@require_safe
@reads_replica
def query(request: MemberRequest, pk: int) -> HttpResponse:
    """One query with its lists, its history, and its pairs and grades in one of the lists (`?list=`)."""
    one = get_object_or_404(Query.objects.visible_to(request.user).select_related("query_set"), pk=pk)
    list_queries = one.list_queries.filter(judgment_list__being_deleted=False)
    lists = list(list_queries.select_related("judgment_list__scale").order_by("judgment_list__name"))
    first = lists[0] if lists else None
    list_query = next((row for row in lists if str(row.judgment_list_id) == request.GET.get("list")), first)
    pairs = Pair.objects.filter(judgment_list=list_query.judgment_list_id if list_query else None, query=one)
    pairs = pairs.select_related("document", "judgment_list__scale")
    context = {"query": one, "lists": lists, "list_query": list_query}
    return render(request, "judgments/content/query.html", context | _shared_context(request, one, pairs))


@require_safe
@reads_replica
def document(request: MemberRequest, pk: int) -> HttpResponse:
    """One document as stored, with its pairs and its history."""
    one = get_object_or_404(Document.objects.visible_to(request.user).select_related("query_set"), pk=pk)
    pairs = one.pairs.select_related("query", "judgment_list__scale")
    context = {
        "document": one,
        "title": str(one),
        "body": cleaning.vouched(cleaning.prose(one.body)),
        "cut_at": cleaning.LONGEST if len(one.body) > cleaning.LONGEST else 0,
        "address": cleaning.web_address(one.url),
        "image": cleaning.web_address(one.image),
        "fields": _fields(one.fields),
    }
    response = render(
        request, "judgments/content/document.html", context | _shared_context(request, one, pairs)
    )
    return images_allowed(request, one.query_set, response)


def _fields(fields: Mapping[str, Any]) -> list[tuple[str, SafeString]]:
    """The further fields, cut so that the page stays quick."""
    rows, room = [], cleaning.LONGEST
    for name, value in fields.items():
        text = cleaning.written_value(value, room)
        room -= len(text)
        rows.append((name, cleaning.vouched(cleaning.prose(text))))
    return rows


def row_trail(row: Query | Document, *steps: Step) -> list[dict[str, str]]:
    """Breadcrumbs of a page about one query or document."""
    name = str(row)
    kind = "query" if isinstance(row, Query) else "document"
    return query_set_trail(row.query_set, _list_step(row), (name, reverse(kind, args=[row.pk])), *steps)


def _list_step(row: Query | Document) -> Step:
    tab = "queries" if isinstance(row, Query) else "documents"
    return tab.capitalize(), reverse(f"query-set-{tab}", args=[row.query_set_id])


def _shared_context(
    request: MemberRequest, row: Query | Document, pairs: models.QuerySet[Pair]
) -> dict[str, Any]:
    earlier = key_in(request.GET.get("earlier"))
    slim = pairs.order_by("id").defer("document__body", "document__fields")
    page = Paginator(slim, PER_PAGE).get_page(request.GET.get("page"))
    return {
        "query_set": row.query_set,
        "role": reports.role_in(row.query_set, request.user),
        "trail": query_set_trail(row.query_set, _list_step(row), str(row)),
        "page": page,
        "pairs": reports.graded_pairs(page.object_list),
        "history": content.history_of(row, request.user, before=earlier),
    }


def _listing(request: MemberRequest, template: str, context: dict[str, Any]) -> HttpResponse:
    """The page, or its part `results` where somebody types."""
    part = request.htmx and not request.htmx.history_restore_request
    return render(request, f"{template}#results" if part else template, context)


def _without_place(address: QueryDict) -> str:
    """The address without its place, as the beginning of links to other pages of the same search."""
    rest = address.copy()
    for name in PLACES:
        rest.pop(name, None)
    return rest.urlencode()
