"""Deleting whatever hangs on one row, by a statement for each table: no row comes into this process.

Which tables these are is read from the models, those of other apps too, which this one may not import: rows that would
be deleted with their parent (`CASCADE`) are, children first. The audit log names what is gone and stays.
"""

from graphlib import TopologicalSorter
from typing import Any, Final

from django.apps import apps
from django.db import connection, models
from django.db.models import ForeignKey, Model
from psycopg import sql

from judgments.models import Grade, JudgmentList, Pair, Version, VersionGrades

_Link = ForeignKey[Any, Any]
AFTER: Final[dict[type[Model], set[type[Model]]]] = {
    Grade: {JudgmentList, Version},
    Pair: {VersionGrades},
}
"""What the database keeps for another reason than a key: grades while their scale is in use, pairs of a version."""
GO_AT_THE_END: Final = "version_goes_with_query_set, version_grades_go_with_version, history_goes_with_pair"


def delete_with_all(root: type[Model], key: int) -> dict[str, int]:
    """Deletes the row of `root` with everything of it; how many rows went, by what the models are called.

    In a transaction that holds the row. The database's checks run after each statement, so that it does not keep a
    note of every row until the end. A row that somebody else adds meanwhile raises IntegrityError.
    """
    scope = scope_of(root)
    gone = {}
    with connection.cursor() as cursor:
        cursor.execute("SET LOCAL touchstone.deleting = 'yes'")
        cursor.execute("SET CONSTRAINTS ALL IMMEDIATE")
        cursor.execute(f"SET CONSTRAINTS {GO_AT_THE_END} DEFERRED")
        for model in children_first(scope):
            statement = sql.SQL("DELETE FROM {} WHERE {}").format(
                _table(model), _condition(model, scope, key)
            )
            cursor.execute(statement)
            if cursor.rowcount:
                gone[str(model._meta.verbose_name_plural)] = cursor.rowcount
        cursor.execute("SET CONSTRAINTS ALL IMMEDIATE")
        cursor.execute("SET CONSTRAINTS ALL DEFERRED")
        cursor.execute("SET LOCAL touchstone.deleting = ''")
    return gone


def scope_of(root: type[Model]) -> dict[type[Model], _Link | None]:
    """The models whose rows go with a row of `root`, each with the key by which they hang on it; the shortest way."""
    scope: dict[type[Model], _Link | None] = {root: None}
    level = [root]
    while level:
        found = {
            model: link
            for model in apps.get_models(include_auto_created=True)
            if model not in scope
            for link in reversed(_links(model))
            if link.related_model in level and link.remote_field.on_delete is models.CASCADE
        }
        scope |= found
        level = list(found)
    return scope


def children_first(scope: dict[type[Model], _Link | None]) -> list[type[Model]]:
    """No row goes before those that point to it, or need it otherwise."""
    first = {model: AFTER.get(model, set()) & scope.keys() for model in scope}
    for model in scope:
        for link in _links(model):
            if link.related_model in scope and link.related_model is not model:
                first[link.related_model].add(model)
    return list(TopologicalSorter(first).static_order())


def _links(model: type[Model]) -> list[_Link]:
    return [field for field in model._meta.concrete_fields if isinstance(field, ForeignKey)]


def _table(model: type[Model]) -> sql.Identifier:
    return sql.Identifier(model._meta.db_table)


def _condition(model: type[Model], scope: dict[type[Model], _Link | None], key: int) -> sql.Composable:
    link = scope[model]
    if link is None:
        return sql.SQL("{} = {}").format(sql.Identifier(str(model._meta.pk.column)), sql.Literal(key))
    parent = link.related_model
    if scope[parent] is None:
        return sql.SQL("{} = {}").format(sql.Identifier(link.column), sql.Literal(key))
    return sql.SQL("{} IN (SELECT {} FROM {} WHERE {})").format(
        sql.Identifier(link.column),
        sql.Identifier(str(parent._meta.pk.column)),
        _table(parent),
        _condition(parent, scope, key),
    )
