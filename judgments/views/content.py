"""Queries and documents."""

from django.core.paginator import Paginator
from django.db.models import Count, Q
from django.http import HttpResponse
from django.shortcuts import get_object_or_404, render
from django.urls import reverse

from judgments import cleaning
from judgments.models import Document, JudgmentList, Pair, Query, QuerySet
from judgments.reports import query_sets as reports
from judgments.views.http import MemberRequest
from judgments.views.trails import query_set_trail

PER_PAGE = 50


def queries(request: MemberRequest, pk: int) -> HttpResponse:
    query_set = get_object_or_404(QuerySet.objects.staffed_by(request.user), pk=pk)
    text = request.GET.get("q", "").strip()
    context = {
        "query_set": query_set,
        "page": Paginator(reports.found_queries(query_set, text), PER_PAGE).get_page(request.GET.get("page")),
        "q": text,
        "role": reports.role_in(query_set, request.user),
        "tab": "queries",
        "trail": query_set_trail(query_set, "Queries"),
    }
    return render(request, "judgments/queries.html", context)


def documents(request: MemberRequest, pk: int) -> HttpResponse:
    query_set = get_object_or_404(QuerySet.objects.staffed_by(request.user), pk=pk)
    text = request.GET.get("q", "").strip()
    context = {
        "query_set": query_set,
        "page": Paginator(reports.found_documents(query_set, text), PER_PAGE).get_page(
            request.GET.get("page")
        ),
        "q": text,
        "role": reports.role_in(query_set, request.user),
        "tab": "documents",
        "trail": query_set_trail(query_set, "Documents"),
    }
    return render(request, "judgments/documents.html", context)


def query(request: MemberRequest, pk: int) -> HttpResponse:
    """One query, the lists it is in, and its pairs with the grades of one of them (`?list=`)."""
    found = get_object_or_404(Query.objects.visible_to(request.user).select_related("query_set"), pk=pk)
    lists = list(
        JudgmentList.objects.filter(query_set=found.query_set)
        .select_related("scale")
        .annotate(pair_count=Count("pairs", filter=Q(pairs__query=found)))
        .filter(pair_count__gt=0)
        .order_by("name")
    )
    chosen = _chosen(request.GET.get("list", ""), lists)
    pairs = Pair.objects.filter(judgment_list=chosen, query=found).select_related("document").order_by("id")
    page = Paginator(pairs.defer("document__body", "document__fields"), PER_PAGE).get_page(
        request.GET.get("page")
    )
    context = {
        "query": found,
        "lists": lists,
        "chosen": chosen,
        "page": page,
        "pairs": reports.graded_pairs(chosen, page.object_list) if chosen else [],
        "trail": query_set_trail(
            found.query_set, ("Queries", reverse("query-set-queries", args=[found.query_set_id])), found.text
        ),
    }
    return render(request, "judgments/query.html", context)


def document(request: MemberRequest, pk: int) -> HttpResponse:
    found = get_object_or_404(Document.objects.visible_to(request.user).select_related("query_set"), pk=pk)
    title = cleaning.plain(found.title) or found.external_id
    context = {
        "document": found,
        "title": title,
        "body": cleaning.vouched(cleaning.prose(found.body)),
        "address": cleaning.web_address(found.url),
        "fields": [(name, cleaning.vouched(cleaning.prose(value))) for name, value in found.fields.items()],
        "trail": query_set_trail(
            found.query_set,
            ("Documents", reverse("query-set-documents", args=[found.query_set_id])),
            title,
        ),
    }
    return render(request, "judgments/document.html", context)


def _chosen(wanted: str, lists: list[JudgmentList]) -> JudgmentList | None:
    """The list that the address asks for, else the first."""
    return next((one for one in lists if str(one.pk) == wanted), lists[0] if lists else None)
