"""Pairs as every answer names them."""

from typing import Any

from ninja import Schema

from judgments.models import Document, Pair, Query


class PairOut(Schema):
    """`pair_id` is the key that other operations take."""

    pair_id: int
    query_id: str
    query: str
    document_id: str
    title: str


def pair_values(pair: Pair) -> dict[str, Any]:
    return pair_values_of(pair.pk, pair.query, pair.document)


def pair_values_of(pair_id: int, query: Query, document: Document) -> dict[str, Any]:
    return {
        "pair_id": pair_id,
        "query_id": query.external_id,
        "query": query.text,
        "document_id": document.external_id,
        "title": document.title,
    }
