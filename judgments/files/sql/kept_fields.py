"""Fields of other tools' files from the stage to their rows: of the file, its queries, documents and pairs."""

import json
from collections.abc import Mapping
from typing import Any, Final

from judgments.base.sql import copy

_KEEP: Final = """
INSERT INTO judgments_keptfields (query_set_id, judgment_list_id, format, query_id, document_id, fields)
{found}
ON CONFLICT (judgment_list_id, format, query_id, document_id) DO UPDATE SET fields = excluded.fields
WHERE judgments_keptfields.fields IS DISTINCT FROM excluded.fields
"""
KEEP_HEAD: Final = _KEEP.format(
    found="SELECT %(query_set)s, %(list)s, %(format)s, NULL::bigint, NULL::bigint, %(head)s::jsonb"
)
KEEP_QUERIES: Final = _KEEP.format(
    found="""
SELECT DISTINCT ON (query_id) %(query_set)s, %(list)s, %(format)s, query_id, NULL::bigint, query_fields
FROM staged_judgment WHERE query_fields IS NOT NULL ORDER BY query_id, ordinal
"""
)
KEEP_LONELY: Final = _KEEP.format(
    found="""
SELECT %(query_set)s, %(list)s, %(format)s, query.id, NULL::bigint, lonely.fields::jsonb
FROM unnest(%(names)s::text[], %(fields)s::text[]) AS lonely (name, fields)
JOIN judgments_query query ON query.query_set_id = %(query_set)s AND query.external_id = lonely.name
"""
)
KEEP_DOCUMENTS: Final = _KEEP.format(
    found="""
SELECT %(query_set)s, %(list)s, %(format)s, NULL::bigint, document.id, staged.kept
FROM staged_document staged
JOIN judgments_document document
  ON document.query_set_id = %(query_set)s AND document.external_id = staged.external_id
WHERE staged.kept IS NOT NULL
"""
)
# What the last file says of a pair is all that is kept of it.
FORGET_PAIRS: Final = """
DELETE FROM judgments_keptfields kept USING staged_judgment staged
WHERE kept.judgment_list_id = %(list)s AND kept.format = %(format)s
  AND kept.query_id = staged.query_id AND kept.document_id = staged.document_id AND staged.pair_fields IS NULL
"""
KEEP_PAIRS: Final = _KEEP.format(
    found="""
SELECT DISTINCT ON (query_id, document_id) %(query_set)s, %(list)s, %(format)s, query_id, document_id, pair_fields
FROM staged_judgment WHERE pair_fields IS NOT NULL ORDER BY query_id, document_id, ordinal
"""
)

# Of the queries and pairs that there are already: what is new comes with judgments, which are counted themselves.
_OTHERWISE: Final = """
WHERE NOT EXISTS (
    SELECT FROM judgments_keptfields kept
    WHERE kept.judgment_list_id = %(list)s AND kept.format = %(format)s AND {same} AND kept.fields = found.fields
)
"""
CHANGED_HEAD: Final = f"""
SELECT count(*) FROM (
    SELECT %(head)s::jsonb AS fields WHERE EXISTS (SELECT FROM staged_judgment WHERE pair_id IS NOT NULL)
) found
{_OTHERWISE.format(same="kept.query_id IS NULL AND kept.document_id IS NULL")}
"""  # noqa: S608 -- nothing but the condition above
CHANGED_QUERIES: Final = f"""
SELECT count(*) FROM (
    SELECT DISTINCT ON (query_id) query_id, query_fields AS fields
    FROM staged_judgment WHERE query_fields IS NOT NULL AND query_id IS NOT NULL ORDER BY query_id, ordinal
) found {_OTHERWISE.format(same="kept.query_id = found.query_id AND kept.document_id IS NULL")}
"""  # noqa: S608
CHANGED_LONELY: Final = f"""
SELECT count(*) FROM (
    SELECT query.id AS query_id, lonely.fields::jsonb AS fields
    FROM unnest(%(names)s::text[], %(fields)s::text[]) AS lonely (name, fields)
    JOIN judgments_query query ON query.query_set_id = %(query_set)s AND query.external_id = lonely.name
) found {_OTHERWISE.format(same="kept.query_id = found.query_id AND kept.document_id IS NULL")}
"""  # noqa: S608
CHANGED_DOCUMENTS: Final = f"""
SELECT count(*) FROM (
    SELECT document.id AS document_id, staged.kept AS fields
    FROM staged_document staged
    JOIN judgments_document document
      ON document.query_set_id = %(query_set)s AND document.external_id = staged.external_id
    WHERE staged.kept IS NOT NULL AND document.id <= coalesce(%(last)s, document.id)
) found {_OTHERWISE.format(same="kept.query_id IS NULL AND kept.document_id = found.document_id")}
"""  # noqa: S608
CHANGED_PAIRS: Final = f"""
SELECT count(*) FROM (
    SELECT DISTINCT ON (query_id, document_id) query_id, document_id, pair_fields AS fields
    FROM staged_judgment WHERE pair_fields IS NOT NULL AND pair_id IS NOT NULL
    ORDER BY query_id, document_id, ordinal
) found {_OTHERWISE.format(same="kept.query_id = found.query_id AND kept.document_id = found.document_id")}
"""  # noqa: S608
FORGOTTEN_PAIRS: Final = """
SELECT count(*) FROM judgments_keptfields kept JOIN (
    SELECT query_id, document_id FROM staged_judgment WHERE pair_id IS NOT NULL
    GROUP BY query_id, document_id HAVING bool_and(pair_fields IS NULL)
) staged USING (query_id, document_id)
WHERE kept.judgment_list_id = %(list)s AND kept.format = %(format)s
"""


def count_changes(
    query_set_id: int,
    list_id: int,
    format: str,
    *,
    head: Mapping[str, Any],
    lonely: Mapping[str, str],
    documents: bool,
    last_document: int | None = None,
) -> int:
    """How many rows `keep` would change of queries, documents and pairs that there are already.

    Documents behind the `last_document` are new, too, once they are imported.
    """
    target: dict[str, Any] = {"query_set": query_set_id, "list": list_id, "format": format}
    names = {"names": list(lonely), "fields": list(lonely.values())}
    statements: list[tuple[str, dict[str, Any]]] = [
        (CHANGED_QUERIES, {}),
        (CHANGED_PAIRS, {}),
        (FORGOTTEN_PAIRS, {}),
    ]
    statements += [(CHANGED_HEAD, {"head": json.dumps(head)})] if head else []
    statements += [(CHANGED_LONELY, names)] if lonely else []
    statements += [(CHANGED_DOCUMENTS, {"last": last_document})] if documents else []
    return sum(copy.value(statement, **target, **more) for statement, more in statements)


def keep(
    query_set_id: int,
    list_id: int,
    format: str,
    *,
    head: Mapping[str, Any],
    lonely: Mapping[str, str],
    documents: bool,
) -> None:
    """Keeps what was staged in this transaction, once all queries and documents of the file have a row.

    `lonely` are fields of queries without a document, as JSON, by the IDs of the queries. With `documents` those that
    were staged last are of the same file.
    """
    target: dict[str, Any] = {"query_set": query_set_id, "list": list_id, "format": format}
    if head:
        copy.run(KEEP_HEAD, **target, head=json.dumps(head))
    copy.run(KEEP_QUERIES, **target)
    if lonely:
        copy.run(KEEP_LONELY, **target, names=list(lonely), fields=list(lonely.values()))
    if documents:
        copy.run(KEEP_DOCUMENTS, **target)
    copy.run(FORGET_PAIRS, **target)
    copy.run(KEEP_PAIRS, **target)
