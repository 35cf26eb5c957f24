"""Changes of many queries and documents: their lines in the log, the lists that they affect, and tags.

The rows that `judgments.files.sql.imports` staged in this transaction are called the file here.
"""

from collections.abc import Mapping, Sequence
from typing import Any, Final

from judgments.base.sql import copy

LONGEST_IN_LOG: Final = 300
"""Characters of a long text that the log keeps."""
BY_FILE: Final = "by import"

# In the order of keys, so that two imports of the same rows wait for each other instead of ending in a deadlock.
_HOLD: Final = """
SELECT count(*) FROM (
    SELECT FROM judgments_{kind} stored JOIN staged_{kind} file USING (external_id)
    WHERE stored.query_set_id = %(query_set)s ORDER BY stored.id FOR NO KEY UPDATE OF stored
) held
"""
_LOG: Final = """
INSERT INTO judgments_act (query_set_id, {kind}_id, at, by_id, by_name, verb, subject, before, after, note)
SELECT stored.query_set_id, stored.id, %(at)s, %(by)s, %(by_name)s, %(verb)s,
       left('{kind} ' || stored.external_id, 300), differs.before, differs.after, %(note)s
FROM judgments_{kind} stored JOIN staged_{kind} file USING (external_id)
CROSS JOIN LATERAL (
    SELECT jsonb_object_agg(name, before) AS before, jsonb_object_agg(name, after) AS after
    FROM ({fields}) AS field (name, before, after, yes) WHERE yes
) differs
WHERE stored.query_set_id = %(query_set)s AND differs.before IS NOT NULL
ORDER BY stored.id
"""
_CUT: Final = f"to_jsonb(CASE WHEN length({{0}}) > {LONGEST_IN_LOG} THEN left({{0}}, {LONGEST_IN_LOG}) || '…' ELSE {{0}} END)"
_TEXT: Final = f"""
SELECT '{{0}}', {_CUT.format("stored.{0}")}, {_CUT.format("file.{0}")}, stored.{{0}} IS DISTINCT FROM file.{{0}}
"""  # noqa: S608 -- nothing but the names below
_VALUE: Final = "SELECT '{0}', to_jsonb(stored.{0}), to_jsonb(file.{0}), stored.{0} IS DISTINCT FROM file.{0}"
_FURTHER: Final = f"""
SELECT 'fields.' || key, {_CUT.format("(stored.fields ->> key)")}, {_CUT.format("(file.fields ->> key)")},
       stored.fields -> key IS DISTINCT FROM file.fields -> key
FROM jsonb_object_keys(stored.fields || file.fields) AS further (key)
"""  # noqa: S608
_QUERY_FIELDS: Final = " UNION ALL ".join(
    [*map(_TEXT.format, ("text", "information_need")), *map(_VALUE.format, ("weight", "tags"))]
)
_DOCUMENT_FIELDS: Final = " UNION ALL ".join(
    [*map(_TEXT.format, ("title", "body", "url", "image")), _FURTHER]
)
_FIELDS: Final = {"query": _QUERY_FIELDS, "document": _DOCUMENT_FIELDS}

_LISTS_WITH_NEW_WEIGHTS: Final = """
SELECT DISTINCT list_query.judgment_list_id FROM judgments_query stored
JOIN staged_query file USING (external_id) JOIN judgments_listquery list_query ON list_query.query_id = stored.id
WHERE stored.query_set_id = %(query_set)s AND stored.weight IS DISTINCT FROM file.weight ORDER BY 1
"""

# Reads, logs and changes rows under one lock; skips queries that already have the tag, or already lack it.
_TAG: Final = """
WITH held AS (
    SELECT id, query_set_id, external_id, tags FROM judgments_query
    WHERE query_set_id = %(query_set)s AND id = ANY(%(queries)s::bigint[])
      AND %(tag)s::varchar(60) = ANY (tags) IS DISTINCT FROM %(on)s::boolean
    ORDER BY id FOR NO KEY UPDATE
), changed AS (
    UPDATE judgments_query query SET tags = {tags} FROM held WHERE query.id = held.id
    RETURNING query.id, query.tags
)
INSERT INTO judgments_act (query_set_id, query_id, at, by_id, by_name, verb, subject, before, after, note)
SELECT held.query_set_id, held.id, %(at)s, %(by)s, %(by_name)s, %(verb)s, left('query ' || held.external_id, 300),
       jsonb_build_object('tags', held.tags), jsonb_build_object('tags', changed.tags), ''
FROM held JOIN changed USING (id) ORDER BY held.id
"""
ADD_TAG: Final = _TAG.format(tags="array_append(held.tags, %(tag)s::varchar(60))")
REMOVE_TAG: Final = _TAG.format(tags="array_remove(held.tags, %(tag)s::varchar(60))")
_FIELD_NAMES: Final = """
SELECT DISTINCT name COLLATE "C" FROM judgments_document, jsonb_object_keys(fields) AS name
WHERE query_set_id = %(query_set)s ORDER BY 1 LIMIT %(most)s
"""


def hold_rows(kind: str, query_set_id: int) -> None:
    """Locks the stored rows of this kind, `query` or `document`, that the file names."""
    copy.rows(_HOLD.format(kind=kind), query_set=query_set_id)


def log_rows(kind: str, query_set_id: int, author: Mapping[str, Any]) -> int:
    """Logs the differences of each row that the file changes. Call it before the merge."""
    statement = _LOG.format(kind=kind, fields=_FIELDS[kind])
    return copy.run(statement, query_set=query_set_id, note=BY_FILE, **author)


def lists_weighed_anew(query_set_id: int) -> list[int]:
    """Judgment lists with queries whose weight the file changes.

    A trigger raises the revision of these queries there, which marks values of the old weights as stale.
    """
    return [row[0] for row in copy.rows(_LISTS_WITH_NEW_WEIGHTS, query_set=query_set_id)]


def field_names(query_set_id: int, *, most: int) -> list[str]:
    """Names of all further fields of documents, in the order of their bytes."""
    return [name for (name,) in copy.rows(_FIELD_NAMES, query_set=query_set_id, most=most)]


def set_tag(
    query_set_id: int, query_ids: Sequence[int], tag: str, *, on: bool, author: Mapping[str, Any]
) -> int:
    """Adds the tag to queries that lack it (`on`), or removes it from those that have it; returns how many changed."""
    return copy.run(
        ADD_TAG if on else REMOVE_TAG,
        query_set=query_set_id,
        queries=list(query_ids),
        tag=tag,
        on=on,
        **author,
    )
