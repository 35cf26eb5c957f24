"""Pooled documents, which may have no row yet, into keys of pairs."""

from collections.abc import Iterable, Sequence

from judgments.base.sql import copy

_COLUMNS = {"ordinal": "integer", "query_id": "bigint", "document": 'text COLLATE "C"'}
# In the order of the ids, so that two pools with common documents never wait for each other in a circle.
_ADD_DOCUMENTS = """
INSERT INTO judgments_document (query_set_id, external_id, title, body, url, image, fields)
SELECT DISTINCT %(query_set)s::bigint, document, '', '', '', '', '{}'::jsonb FROM staged_pool ORDER BY document
ON CONFLICT (query_set_id, external_id) DO NOTHING
"""
# Looked up one by one (LATERAL … OFFSET 0): see evaluation.scores.sql.hits.
_PAIRS = """
SELECT pooled.query_id, known.id
FROM staged_pool pooled
CROSS JOIN LATERAL (
    SELECT id FROM judgments_document WHERE query_set_id = %(query_set)s AND external_id = pooled.document OFFSET 0
) known
ORDER BY pooled.ordinal
"""
_READABLE = """
SELECT count(*) FROM unnest(%(documents)s::text[]) AS wanted (document)
CROSS JOIN LATERAL (
    SELECT FROM judgments_document
    WHERE query_set_id = %(query_set)s AND external_id = wanted.document
      AND (title <> '' OR body <> '' OR url <> '' OR fields <> '{}')
    OFFSET 0
) known
"""


def pair_keys(query_set_id: int, pairs: Iterable[tuple[int, str]]) -> list[tuple[int, int]]:
    """Keys of queries and documents, in the order given; makes rows for documents that have none, with an id only."""
    copy.stage("staged_pool", _COLUMNS, ((at, *pair) for at, pair in enumerate(pairs)))
    copy.run(_ADD_DOCUMENTS, query_set=query_set_id)
    keys = [(query, document) for query, document in copy.rows(_PAIRS, query_set=query_set_id)]
    copy.drop("staged_pool")
    return keys


def count_without_text(query_set_id: int, documents: Sequence[str]) -> int:
    """How many of these documents a rater could know by their id only. Each is given once."""
    readable = copy.rows(_READABLE, query_set=query_set_id, documents=list(documents))[0][0]
    return len(documents) - int(readable)
