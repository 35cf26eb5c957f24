"""The pairs of a query or a document, with their grades."""

from typing import Any

from django.db.models import QuerySet
from django.shortcuts import get_object_or_404
from ninja import Query as InQuery
from ninja import Router, Schema
from pydantic import Field

from judgments.content.reports.query_sets import graded_pairs
from judgments.models import Document, Pair, Query
from judgments.pages.calls import ApiRequest, Key, Page, PageQuery, page_of

router = Router()


class PairOut(Schema):
    """The `pair` of a row, as every answer names it. `pair_id` is the key that other operations take."""

    pair_id: int = Field(validation_alias="pair.pk")
    query_id: str = Field(validation_alias="pair.query.external_id")
    query: str = Field(validation_alias="pair.query.text")
    document_id: str = Field(validation_alias="pair.document.external_id")
    title: str = Field(validation_alias="pair.document.title")


class GradedPairOut(PairOut):
    """`how` says in words where the grade comes from, or why there is none yet."""

    list_id: int = Field(validation_alias="pair.judgment_list_id")
    grade: float | None = Field(validation_alias="value")
    label: str
    how: str


class OwnPairsQuery(PageQuery):
    list: Key | None = Field(None, description="The ID of a list. If empty: all lists.")


@router.get(
    "queries/{int:pk}/pairs", response=Page[GradedPairOut], summary="List a query’s pairs with grades"
)
def query_pairs(request: ApiRequest, pk: int, page: InQuery[OwnPairsQuery]) -> dict[str, Any]:
    row = get_object_or_404(Query.objects.visible_to(request.user), pk=pk)
    return _page(request, row.pairs.all(), page)


@router.get(
    "documents/{int:pk}/pairs", response=Page[GradedPairOut], summary="List a document’s pairs with grades"
)
def document_pairs(request: ApiRequest, pk: int, page: InQuery[OwnPairsQuery]) -> dict[str, Any]:
    row = get_object_or_404(Document.objects.visible_to(request.user), pk=pk)
    return _page(request, row.pairs.all(), page)


def _page(request: ApiRequest, pairs: QuerySet[Pair], page: OwnPairsQuery) -> dict[str, Any]:
    pairs = pairs.filter(judgment_list__being_deleted=False)
    if page.list is not None:
        pairs = pairs.filter(judgment_list=page.list)
    pairs = pairs.select_related("query", "document", "judgment_list__scale").defer(
        "document__body", "document__fields"
    )
    shown, following = page_of(request, pairs, page)
    return {"items": graded_pairs(shown), "next": following}
