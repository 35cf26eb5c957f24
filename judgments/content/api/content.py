"""Query sets, their queries and documents."""

from datetime import datetime
from typing import Any, Final, TypeVar

from django.db import models
from django.http import HttpResponse
from django.shortcuts import get_object_or_404
from django.utils import timezone
from ninja import Query as InQuery
from ninja import Router, Schema, Status
from pydantic import Field

from judgments.content.actions import content as rows
from judgments.content.actions import query_sets as actions
from judgments.content.actions.deletion_jobs import delete_query_set_or_ask
from judgments.content.actions.query_sets import archive_query_set, restore_query_set
from judgments.content.forms import NAME, VALUE, DocumentForm, QueryForm, QuerySetForm, TagForm
from judgments.content.reports import query_sets as reports
from judgments.content.reports.content import mark_of, mark_of_facts
from judgments.models import Document, Query, QuerySet
from judgments.pages.archive_guard import in_archive_too
from judgments.pages.calls import (
    ApiRequest,
    Body,
    Key,
    Page,
    PageQuery,
    changes_of,
    form_data,
    page_answer,
    valid,
)
from judgments.pages.fetching import administered_query_set, staffed_query_set
from judgments.pages.job_answers import JobOut, deletion_answer
from judgments.pages.problems import Problem
from touchstone_core.formats.content.content_writers import written_value

router = Router()
QUERY_FIELDS: Final = {"external_id": "query_id", "text": "query"}
DOCUMENT_FIELDS: Final = {"external_id": "document_id"}
"""What calls name otherwise than the forms of the pages."""
Row = TypeVar("Row", Query, Document)


class QuerySetIn(Body):
    name: str
    description: str = ""
    show_images: bool = False


class QuerySetChange(Body):
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
    queries: int = Field(validation_alias="query_count")
    documents: int = Field(validation_alias="document_count")
    lists: int = Field(validation_alias="list_count")
    created_at: datetime

    @staticmethod
    def resolve_archived(row: QuerySet) -> bool:
        return row.archived_at is not None


class QueryIn(Body):
    query_id: str
    query: str
    information_need: str = ""
    weight: float = 1.0
    tags: list[str] = []


class QueryChange(Body):
    """What isn't named stays."""

    query: str | None = None
    information_need: str | None = None
    weight: float | None = None
    tags: list[str] | None = None


class DocumentIn(Body):
    """`fields` are any further fields, by name."""

    document_id: str
    title: str = ""
    body: str = ""
    url: str = ""
    image: str = ""
    fields: dict[str, str] = {}


class DocumentChange(Body):
    """What isn't named stays. The further fields are replaced together."""

    title: str | None = None
    body: str | None = None
    url: str | None = None
    image: str | None = None
    fields: dict[str, str] | None = None


class TagChange(Body):
    """`queries` are those of the query set, by their `id`."""

    tag: str
    queries: list[Key] = Field(max_length=10_000)
    remove: bool = False


class TaggedOut(Schema):
    changed: int


class DeleteQuery(Schema):
    name: str = Field(description="Its name, so that nothing else is deleted by mistake.")


class ArchiveIn(Body):
    archived: bool


class QueryOut(Schema):
    """With the names that imports and exports use."""

    id: int
    query_id: str = Field(validation_alias="external_id")
    query: str = Field(validation_alias="text")
    information_need: str
    weight: float
    tags: list[str]


class DocumentOut(Schema):
    id: int
    document_id: str = Field(validation_alias="external_id")
    title: str
    body: str
    url: str
    image: str
    fields: dict[str, Any]


@router.get("query-sets", response=Page[QuerySetOut], summary="List query sets")
def query_sets(request: ApiRequest, page: InQuery[PageQuery], archived: bool = False) -> dict[str, Any]:
    """Those in which you are engineer or admin; with `archived` those in the archive."""
    mine = QuerySet.objects.staffed_by(request.user)
    found = reports.with_counts(mine.archived() if archived else mine.at_work())
    return page_answer(request, found, page)


@router.post("query-sets", response={201: QuerySetOut}, summary="Create a query set")
def create_query_set(request: ApiRequest, body: QuerySetIn) -> Status[QuerySet]:
    """You become its admin. Takes a token that may do everything in all query sets."""
    may_create_query_sets(request)
    form = valid(QuerySetForm(form_data(body.dict())))
    created = actions.create_query_set(**form.cleaned_data, user=request.user)
    return Status(201, with_its_counts(request, created.pk))


@router.get("query-sets/{int:pk}", response=QuerySetOut, summary="Read a query set")
def query_set(request: ApiRequest, pk: int) -> QuerySet:
    return with_its_counts(request, pk)


@router.patch("query-sets/{int:pk}", response=QuerySetOut, summary="Change a query set")
def change_query_set(request: ApiRequest, pk: int, body: QuerySetChange) -> QuerySet:
    """For admins."""
    row = administered_query_set(request, pk)
    before = {name: getattr(row, name) for name in actions.SETTINGS}
    seen_mark = mark_of_facts(actions.query_set_settings(row))
    form = valid(QuerySetForm(form_data(before | changes_of(body)), instance=row))
    actions.change_query_set(query_set=row, **form.cleaned_data, seen_mark=seen_mark)
    return with_its_counts(request, pk)


@router.delete("query-sets/{int:pk}", response={202: JobOut, 204: None}, summary="Delete a query set")
@in_archive_too
def delete_query_set(
    request: ApiRequest, pk: int, query: InQuery[DeleteQuery], response: HttpResponse
) -> Status[dict[str, Any] | None]:
    """For admins. Everything in it is gone for good. Its lines in the log stay.

    A worker deletes a large one, which nobody can reach any more: the answer is 202 with its job, which goes with it.
    """
    query_set = administered_query_set(request, pk)
    deletion = delete_query_set_or_ask(
        query_set=query_set, confirmed_name=query.name, user=request.user, at=timezone.now()
    )
    return deletion_answer(deletion, response)


@router.put(
    "query-sets/{int:pk}/archived", response=QuerySetOut, summary="Archive a query set, or restore it"
)
@in_archive_too
def archive(request: ApiRequest, pk: int, body: ArchiveIn) -> QuerySet:
    """For admins. Nothing in an archived query set can be changed."""
    row = administered_query_set(request, pk)
    if body.archived:
        archive_query_set(query_set=row, user=request.user, at=timezone.now())
    else:
        restore_query_set(query_set=row)
    return with_its_counts(request, pk)


@router.get("query-sets/{int:pk}/queries", response=Page[QueryOut], summary="List queries")
def queries(
    request: ApiRequest, pk: int, page: InQuery[PageQuery], query_id: str | None = None
) -> dict[str, Any]:
    """All of them; with `query_id` the one with this ID."""
    staffed_query_set(request, pk)
    return page_answer(request, _of_id(Query.objects.filter(query_set=pk), query_id), page)


@router.get("queries/{int:pk}", response=QueryOut, summary="Read a query")
def query(request: ApiRequest, pk: int) -> Query:
    return get_object_or_404(Query.objects.visible_to(request.user), pk=pk)


@router.post("query-sets/{int:pk}/queries", response={201: QueryOut}, summary="Add a query")
def add_query(request: ApiRequest, pk: int, body: QueryIn) -> Status[Query]:
    """For admins. To add many, import a file."""
    query_set = administered_query_set(request, pk)
    values = _query_values(body.dict()) | {"external_id": body.query_id}
    form = valid(QueryForm(form_data(values)), QUERY_FIELDS)
    return Status(201, rows.add_query(query_set=query_set, **form.cleaned_data))


@router.patch("queries/{int:pk}", response=QueryOut, summary="Change a query")
def change_query(request: ApiRequest, pk: int, body: QueryChange) -> Query:
    """For admins."""
    row = _own_row(request, Query, pk)
    values = _query_values(QueryOut.from_orm(row).dict() | changes_of(body))
    form = valid(QueryForm(form_data(values), query=row), QUERY_FIELDS)
    return rows.change_query(query=row, seen_mark=mark_of(row), **form.cleaned_data)


@router.post("query-sets/{int:pk}/queries/tags", response=TaggedOut, summary="Tag queries, or remove a tag")
def tag_queries(request: ApiRequest, pk: int, body: TagChange) -> dict[str, int]:
    """For admins."""
    query_set = administered_query_set(request, pk)
    tag = valid(TagForm(form_data({"tag": body.tag}))).cleaned_data["tag"]
    keys = list(Query.objects.filter(query_set=query_set, pk__in=body.queries).values_list("pk", flat=True))
    if len(keys) < len(set(body.queries)):
        raise Problem(422, "Nothing was changed, because some of these queries aren’t in this query set.")
    return {"changed": rows.set_tag(query_set=query_set, query_ids=keys, tag=tag, on=not body.remove)}


@router.delete("queries/{int:pk}", response={204: None}, summary="Delete a query")
def delete_query(request: ApiRequest, pk: int) -> Status[None]:
    """For admins, as long as no list, version or run has it."""
    rows.delete_row(row=_own_row(request, Query, pk))
    return Status(204, None)


@router.get("query-sets/{int:pk}/documents", response=Page[DocumentOut], summary="List documents")
def documents(
    request: ApiRequest, pk: int, page: InQuery[PageQuery], document_id: str | None = None
) -> dict[str, Any]:
    """All of them; with `document_id` the one with this ID."""
    staffed_query_set(request, pk)
    return page_answer(request, _of_id(Document.objects.filter(query_set=pk), document_id), page)


@router.get("documents/{int:pk}", response=DocumentOut, summary="Read a document")
def document(request: ApiRequest, pk: int) -> Document:
    return get_object_or_404(Document.objects.visible_to(request.user), pk=pk)


@router.post("query-sets/{int:pk}/documents", response={201: DocumentOut}, summary="Add a document")
def add_document(request: ApiRequest, pk: int, body: DocumentIn) -> Status[Document]:
    """For admins. To add many, import a file."""
    query_set = administered_query_set(request, pk)
    values = _document_values(body.dict()) | {"external_id": body.document_id}
    form = valid(DocumentForm(form_data(values)), DOCUMENT_FIELDS)
    return Status(201, rows.add_document(query_set=query_set, **form.cleaned_data))


@router.patch("documents/{int:pk}", response=DocumentOut, summary="Change a document")
def change_document(request: ApiRequest, pk: int, body: DocumentChange) -> Document:
    """For admins. Judgments stay."""
    row = _own_row(request, Document, pk)
    form = valid(
        DocumentForm(
            form_data(_document_values(DocumentOut.from_orm(row).dict() | changes_of(body))), document=row
        )
    )
    return rows.change_document(document=row, seen_mark=mark_of(row), **form.cleaned_data)


@router.delete("documents/{int:pk}", response={204: None}, summary="Delete a document")
def delete_document(request: ApiRequest, pk: int) -> Status[None]:
    """For admins, as long as no list, version or run has it."""
    rows.delete_row(row=_own_row(request, Document, pk))
    return Status(204, None)


def may_create_query_sets(request: ApiRequest) -> None:
    """Raises Problem."""
    limits = request.token.limits
    if limits.without_admin or limits.query_set or not reports.may_create_query_set(request.user):
        raise Problem(403, "Only a token that may do everything in all your query sets can create one.")


def _own_row(request: ApiRequest, model: type[Row], pk: int) -> Row:
    mine = QuerySet.objects.administered_by(request.user)
    found: models.QuerySet[Row] = model._default_manager.filter(query_set__in=mine)
    return get_object_or_404(found.select_related("query_set"), pk=pk)


def _of_id(rows: models.QuerySet[Row], external_id: str | None) -> models.QuerySet[Row]:
    return rows if external_id is None else rows.filter(external_id=external_id.replace("\x00", ""))


def _query_values(values: dict[str, Any]) -> dict[str, Any]:
    """As the form of a query has them."""
    names = ("information_need", "weight")
    kept = {name: values[name] for name in names}
    return kept | {"text": values["query"], "tags": ", ".join(values["tags"])}


def _document_values(values: dict[str, Any]) -> dict[str, Any]:
    """As the form of a document has them, with its further fields as rows."""
    texts = {name: values[name] for name in ("title", "body", "url", "image")}
    further = {name: written_value(value) for name, value in values["fields"].items()}
    return texts | {NAME: list(further), VALUE: list(further.values())}


def with_its_counts(request: ApiRequest, pk: int) -> QuerySet:
    """As answers have it."""
    mine = reports.with_counts(QuerySet.objects.staffed_by(request.user))
    return get_object_or_404(mine, pk=pk)
