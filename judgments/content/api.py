"""Query sets, their queries and documents."""

from datetime import datetime
from typing import Any

from django.shortcuts import get_object_or_404
from ninja import Query as InQuery
from ninja import Router, Schema, Status

from judgments.content.actions import query_sets as actions
from judgments.content.forms.query_sets import QuerySetForm
from judgments.content.reports import query_sets as reports
from judgments.models import Document, Query, QuerySet
from judgments.pages.calls import ApiRequest, Page, PageQuery, form_data, page_of
from judgments.pages.problems import Problem, form_problem

router = Router()


class QuerySetIn(Schema):
    name: str
    description: str = ""
    show_images: bool = False


class QuerySetChange(Schema):
    """What isn't named stays."""

    name: str | None = None
    description: str | None = None
    show_images: bool | None = None


class QuerySetOut(Schema):
    id: int
    name: str
    description: str
    show_images: bool
    archived: bool
    queries: int
    documents: int
    lists: int
    created_at: datetime


class QueryOut(Schema):
    """With the names that imports and exports use."""

    id: int
    query_id: str
    query: str
    information_need: str
    weight: float
    tags: list[str]


class DocumentOut(Schema):
    id: int
    document_id: str
    title: str
    body: str
    url: str
    image: str
    fields: dict[str, Any]


@router.get("query-sets", response=Page[QuerySetOut], summary="List query sets")
def query_sets(request: ApiRequest, page: InQuery[PageQuery], archived: bool = False) -> dict[str, Any]:
    """Those in which you are engineer or admin; with `archived` those in the archive."""
    mine = QuerySet.objects.staffed_by(request.user)
    rows = reports.with_counts(mine.archived() if archived else mine.at_work())
    shown, following = page_of(request, rows, page)
    return {"items": [_query_set(one) for one in shown], "next": following}


@router.post("query-sets", response={201: QuerySetOut}, summary="Create a query set")
def create_query_set(request: ApiRequest, body: QuerySetIn) -> Status[dict[str, Any]]:
    """You become its admin. Takes a token that may do everything in all query sets."""
    limits = request.token.limits
    if limits.without_admin or limits.query_set or not reports.may_create_query_set(request.user):
        raise Problem(403, "Only a token that may do everything in all your query sets can create one.")
    form = QuerySetForm(form_data(body.dict()))
    if not form.is_valid():
        raise form_problem(form)
    created = actions.create_query_set(**form.cleaned_data, user=request.user)
    return Status(201, _query_set(_counted(request, created.pk)))


@router.get("query-sets/{int:pk}", response=QuerySetOut, summary="Read a query set")
def query_set(request: ApiRequest, pk: int) -> dict[str, Any]:
    return _query_set(_counted(request, pk))


@router.patch("query-sets/{int:pk}", response=QuerySetOut, summary="Change a query set")
def change_query_set(request: ApiRequest, pk: int, body: QuerySetChange) -> dict[str, Any]:
    """For admins."""
    row = get_object_or_404(QuerySet.objects.administered_by(request.user), pk=pk)
    before = {name: getattr(row, name) for name in actions.SETTINGS}
    changes = {name: value for name, value in body.dict().items() if value is not None}
    form = QuerySetForm(form_data(before | changes), instance=row)
    if not form.is_valid():
        raise form_problem(form)
    actions.change_query_set(query_set=row, **form.cleaned_data)
    return _query_set(_counted(request, pk))


@router.get("query-sets/{int:pk}/queries", response=Page[QueryOut], summary="List queries")
def queries(request: ApiRequest, pk: int, page: InQuery[PageQuery]) -> dict[str, Any]:
    get_object_or_404(QuerySet.objects.staffed_by(request.user), pk=pk)
    rows, following = page_of(request, Query.objects.filter(query_set=pk), page)
    return {"items": [_query(row) for row in rows], "next": following}


@router.get("queries/{int:pk}", response=QueryOut, summary="Read a query")
def query(request: ApiRequest, pk: int) -> dict[str, Any]:
    return _query(get_object_or_404(Query.objects.visible_to(request.user), pk=pk))


@router.get("query-sets/{int:pk}/documents", response=Page[DocumentOut], summary="List documents")
def documents(request: ApiRequest, pk: int, page: InQuery[PageQuery]) -> dict[str, Any]:
    get_object_or_404(QuerySet.objects.staffed_by(request.user), pk=pk)
    rows, following = page_of(request, Document.objects.filter(query_set=pk), page)
    return {"items": [_document(row) for row in rows], "next": following}


@router.get("documents/{int:pk}", response=DocumentOut, summary="Read a document")
def document(request: ApiRequest, pk: int) -> dict[str, Any]:
    return _document(get_object_or_404(Document.objects.visible_to(request.user), pk=pk))


def _counted(request: ApiRequest, pk: int) -> QuerySet:
    return get_object_or_404(reports.with_counts(QuerySet.objects.staffed_by(request.user)), pk=pk)


def _query_set(row: Any) -> dict[str, Any]:
    fields = ("id", "name", "description", "show_images", "created_at")
    return {name: getattr(row, name) for name in fields} | {
        "archived": row.archived_at is not None,
        "queries": row.query_count,
        "documents": row.document_count,
        "lists": row.list_count,
    }


def _query(row: Query) -> dict[str, Any]:
    fields = ("id", "information_need", "weight", "tags")
    return {name: getattr(row, name) for name in fields} | {"query_id": row.external_id, "query": row.text}


def _document(row: Document) -> dict[str, Any]:
    fields = ("id", "title", "body", "url", "image", "fields")
    return {name: getattr(row, name) for name in fields} | {"document_id": row.external_id}
