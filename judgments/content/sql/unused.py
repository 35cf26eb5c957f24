"""Deletes many queries or documents that nothing uses: those that are free at the very moment in which they go."""

from collections.abc import Mapping, Sequence
from functools import cache
from typing import Any, Final

from django.apps import apps
from django.db import models
from django.db.models import ForeignKey
from psycopg import sql

from judgments.base.sql import copy
from judgments.content.sql.content import LONGEST_IN_LOG
from judgments.content.sql.deleting import table_of
from judgments.models import Document, Query

Kind = type[Query] | type[Document]
Link = ForeignKey[Any, Any]

# Two steps: a row that somebody put to use while we waited for it is only seen by a statement that begins afterwards.
_TAKE: Final = sql.SQL("""
CREATE TEMP TABLE touchstone_going ON COMMIT DROP AS
SELECT one.id FROM {table} one
WHERE one.query_set_id = %(query_set)s AND one.id = ANY(%(keys)s::bigint[]) AND NOT ({used})
ORDER BY one.id FOR UPDATE
""")
_LEAVE: Final = sql.SQL(
    "DELETE FROM touchstone_going going USING {table} one WHERE one.id = going.id AND ({used})"
)
_USED: Final = sql.SQL("EXISTS (SELECT FROM {table} WHERE {column} = one.id)")
# As the line of a single deletion: what it said, without what was empty.
_LOG: Final = sql.SQL("""
INSERT INTO judgments_act
    (query_set_id, {own_key}, at, by_id, by_name, token_id, verb, subject, before, after, note)
SELECT one.query_set_id, one.id, %(at)s, %(by)s, %(by_name)s, %(token)s, 'deleted',
       left({kind} || ' ' || one.external_id, 300),
       (SELECT coalesce(jsonb_object_agg(name, {cut}), '{{}}') FROM ({fields}) field (name, value)
        WHERE value NOT IN ('""', '0', '[]', '{{}}', 'false', 'null')),
       '{{}}', %(note)s
FROM touchstone_going going JOIN {table} one ON one.id = going.id ORDER BY one.id
""")
_CUT: Final = sql.SQL(f"""
CASE WHEN jsonb_typeof(value) = 'string' AND length(value #>> '{{}}') > {LONGEST_IN_LOG}
     THEN to_jsonb(left(value #>> '{{}}', {LONGEST_IN_LOG}) || '…') ELSE value END
""")
_FIELDS: Final[Mapping[Kind, str]] = {
    Query: "VALUES ('text', to_jsonb(text)), ('information_need', to_jsonb(information_need)), "
    "('weight', to_jsonb(weight)), ('tags', to_jsonb(tags))",
    Document: "VALUES ('title', to_jsonb(title)), ('body', to_jsonb(body)), ('url', to_jsonb(url)), "
    "('image', to_jsonb(image)) UNION ALL SELECT 'fields.' || key, value FROM jsonb_each(fields)",
}
_EMPTY: Final = sql.SQL("DELETE FROM {table} WHERE {column} IN (SELECT id FROM touchstone_going)")
_DELETE: Final = sql.SQL("DELETE FROM {table} WHERE id IN (SELECT id FROM touchstone_going)")


def uses(model: Kind) -> list[Link]:
    """The keys by which other rows use a query or a document, which then can't be deleted."""
    return [
        link for relation in model._meta.related_objects if isinstance(link := relation.field, ForeignKey)
    ]


def delete_unused(
    model: Kind, query_set_id: int, keys: Sequence[int], author: Mapping[str, Any], *, note: str
) -> int:
    """Deletes those of the rows that nothing uses, with what goes with them; returns how many. Each gets a line in the log.

    So many statements for any number of rows. Whoever wants to use one of them waits, and then finds it deleted.
    """
    names = {"table": table_of(model), "used": _used(model)}
    kind = str(model._meta.verbose_name)
    copy.drop("touchstone_going")
    if not copy.run(_TAKE.format(**names), query_set=query_set_id, keys=list(keys)):
        return 0
    copy.run("ANALYZE touchstone_going")
    copy.run(_LEAVE.format(**names))
    log = _LOG.format(
        table=table_of(model),
        own_key=sql.Identifier(f"{kind}_id"),
        kind=sql.Literal(kind),
        cut=_CUT,
        fields=sql.SQL(_FIELDS[model]),
    )
    count = copy.run(log, **author, note=note)
    for link in _links_that_go(model):
        copy.run(_EMPTY.format(table=table_of(link.model), column=sql.Identifier(link.column)))
    copy.run(_DELETE.format(table=table_of(model)))
    return count


@cache
def _links_that_go(model: Kind) -> list[Link]:
    """Keys of rows that go with a query or document: the database checks them, and they are no use."""
    return [
        field
        for other in apps.get_models()
        for field in other._meta.concrete_fields
        if isinstance(field, ForeignKey)
        and field.related_model is model
        and field.remote_field.on_delete is models.CASCADE
        and field.db_constraint  # type: ignore[attr-defined]  # django-stubs doesn't know it
        and field not in uses(model)
    ]


def _used(model: Kind) -> sql.Composable:
    return sql.SQL(" OR ").join(
        _USED.format(table=table_of(link.model), column=sql.Identifier(link.column)) for link in uses(model)
    )
