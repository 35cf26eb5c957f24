"""Deletes many queries or documents that nothing uses."""

from django.shortcuts import get_object_or_404
from ninja import Router, Schema
from pydantic import Field

from judgments.content.actions.unused import delete_unused
from judgments.content.reports.unused import unused_keys
from judgments.content.sql.unused import Kind
from judgments.models import Document, Query, QuerySet
from judgments.pages.calls import ApiRequest, Body, Key

router = Router()
MOST = 10_000


class QueriesIn(Body):
    queries: list[Key] = Field(max_length=MOST, description="Queries of the query set, by their `id`.")


class DocumentsIn(Body):
    documents: list[Key] = Field(max_length=MOST, description="Documents of the query set, by their `id`.")


class DeletedOut(Schema):
    """`kept` are in use."""

    deleted: int
    kept: int


@router.post("query-sets/{int:pk}/queries/delete", response=DeletedOut, summary="Delete many queries")
def delete_queries(request: ApiRequest, pk: int, body: QueriesIn) -> dict[str, int]:
    """For admins. Those that a list, version or run has are kept."""
    return _delete(request, pk, Query, body.queries)


@router.post("query-sets/{int:pk}/documents/delete", response=DeletedOut, summary="Delete many documents")
def delete_documents(request: ApiRequest, pk: int, body: DocumentsIn) -> dict[str, int]:
    """For admins. Those that are in a pair are kept."""
    return _delete(request, pk, Document, body.documents)


def _delete(request: ApiRequest, pk: int, kind: Kind, keys: list[Key]) -> dict[str, int]:
    query_set = get_object_or_404(QuerySet.objects.administered_by(request.user), pk=pk)
    rows = kind._default_manager.filter(query_set=query_set, pk__in=keys)
    deleted = delete_unused(query_set=query_set, kind=kind, keys=unused_keys(rows, kind))
    return {"deleted": deleted, "kept": rows.count()}
