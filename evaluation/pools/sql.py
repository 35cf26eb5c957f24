"""Pooled documents, which may have no row yet, into keys of pairs."""

from collections.abc import Iterable, Sequence

from judgments.base.sql import copy
from judgments.base.sql.searching import by_bitmaps

_COLUMNS = {"ordinal": "integer", "query_id": "bigint", "document": 'text COLLATE "C"'}
# In the order of the IDs, so that two pools with common documents never wait for each other in a circle.
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
# The vector is that of the index document_search. No words of a document are parsed: the index knows which words it has.
_WORDS = """
WITH chosen AS MATERIALIZED (
    SELECT query.id, left(query.text, 1000) AS text FROM judgments_query query
    WHERE query.query_set_id = %(query_set)s AND NOT EXISTS (
        SELECT FROM judgments_listquery known
        WHERE known.judgment_list_id = %(list)s AND known.query_id = query.id AND known.pair_count > 0
    )
    ORDER BY query.id LIMIT %(queries)s
), words AS MATERIALIZED (
    SELECT word, array_agg(chosen.id) AS queries FROM chosen
    CROSS JOIN LATERAL unnest(tsvector_to_array(to_tsvector('simple', chosen.text))) word
    GROUP BY word
)
SELECT word, queries, ARRAY(
    SELECT id FROM judgments_document
    WHERE to_tsvector('simple'::regconfig, COALESCE("left"(title, 50000), '') || ' ' || COALESCE("left"(body, 50000), ''))
          @@ plainto_tsquery('simple', word)
      AND query_set_id + 0 = %(query_set)s
    LIMIT %(most)s
) FROM words ORDER BY word
"""


def pair_keys(query_set_id: int, pairs: Iterable[tuple[int, str]]) -> list[tuple[int, int]]:
    """Keys of queries and documents, in the order given; makes rows for documents that have none, with an ID only."""
    copy.stage("staged_pool", _COLUMNS, ((at, *pair) for at, pair in enumerate(pairs)))
    copy.run(_ADD_DOCUMENTS, query_set=query_set_id)
    keys = [(query, document) for query, document in copy.rows(_PAIRS, query_set=query_set_id)]
    copy.drop("staged_pool")
    return keys


def documents_of_words(
    query_set_id: int, list_id: int, *, queries: int, most: int
) -> list[tuple[str, list[int], list[int]]]:
    """The words of the first `queries` without pairs, each with its queries and at most `most` documents that have it."""
    with by_bitmaps():
        return [
            (word, of, documents)
            for word, of, documents in copy.rows(
                _WORDS, query_set=query_set_id, list=list_id, queries=queries, most=most
            )
        ]


def count_without_text(query_set_id: int, documents: Sequence[str]) -> int:
    """How many of these documents a rater could know by their ID only. Each is given once."""
    readable = copy.rows(_READABLE, query_set=query_set_id, documents=list(documents))[0][0]
    return len(documents) - int(readable)
