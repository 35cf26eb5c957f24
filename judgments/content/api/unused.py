"""Deletes many queries or documents that nothing uses, and says before what would go."""

from typing import Any

from ninja import Router, Schema
from pydantic import Field

from judgments.content.actions.unused import delete_unused
from judgments.content.reports.unused import deletion_effect, unused_keys
from judgments.content.sql.unused import Kind
from judgments.models import Document, Query, QuerySet
from judgments.pages.calls import ApiRequest, Body, Key
from judgments.pages.fetching import administered_query_set

router = Router()
MOST = 10_000


class QueriesIn(Body):
    queries: list[Key] = Field(max_length=MOST, description="Queries of the query set, by their `id`.")


class DocumentsIn(Body):
    documents: list[Key] = Field(max_length=MOST, description="Documents of the query set, by their `id`.")


class DeletedOut(Schema):
    """`kept` are in use. `reasons` counts these by what uses them: one may be in a pair and in a run."""

    deleted: int
    kept: int
    reasons: dict[str, int]


@router.post(
    "query-sets/{int:pk}/queries/deletion-preview",
    response=DeletedOut,
    summary="Preview deleting many queries",
)
def preview_query_deletion(request: ApiRequest, pk: int, body: QueriesIn) -> dict[str, Any]:
    """For admins. What deleting them would do. Nothing changes."""
    return _preview(administered_query_set(request, pk), Query, body.queries)


@router.post("query-sets/{int:pk}/queries/delete", response=DeletedOut, summary="Delete many queries")
def delete_queries(request: ApiRequest, pk: int, body: QueriesIn) -> dict[str, Any]:
    """For admins. Those that a list, version or run has are kept."""
    return _delete(administered_query_set(request, pk), Query, body.queries)


@router.post(
    "query-sets/{int:pk}/documents/deletion-preview",
    response=DeletedOut,
    summary="Preview deleting many documents",
)
def preview_document_deletion(request: ApiRequest, pk: int, body: DocumentsIn) -> dict[str, Any]:
    """For admins. What deleting them would do. Nothing changes."""
    return _preview(administered_query_set(request, pk), Document, body.documents)


@router.post("query-sets/{int:pk}/documents/delete", response=DeletedOut, summary="Delete many documents")
def delete_documents(request: ApiRequest, pk: int, body: DocumentsIn) -> dict[str, Any]:
    """For admins. Those that are in a pair are kept."""
    return _delete(administered_query_set(request, pk), Document, body.documents)


def _preview(query_set: QuerySet, kind: Kind, keys: list[Key]) -> dict[str, Any]:
    effect = deletion_effect(kind._default_manager.filter(query_set=query_set, pk__in=keys), kind)
    return {"deleted": effect.deleted, "kept": effect.kept, "reasons": dict(effect.reasons)}


def _delete(query_set: QuerySet, kind: Kind, keys: list[Key]) -> dict[str, Any]:
    rows = kind._default_manager.filter(query_set=query_set, pk__in=keys)
    deleted = delete_unused(query_set=query_set, kind=kind, keys=unused_keys(rows, kind))
    return _preview(query_set, kind, keys) | {"deleted": deleted}
