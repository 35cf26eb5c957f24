"""Deletes a row and everything that depends on it with one statement per table: no row comes into this process.

Tables are found by the models' CASCADE keys, also in apps that this one may not import; children go first. The audit log
stays.
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
"""Rows that a trigger protects: grades while their scale is in use, pairs of a version."""
GO_AT_THE_END: Final = "version_goes_with_query_set, version_grades_go_with_version, history_goes_with_pair"


def delete_with_all(root: type[Model], key: int) -> dict[str, int]:
    """Deletes the row of `root` and all that depends on it; returns the number of rows by the models' names.

    Call it in a transaction that has locked the row. Constraints are checked after each statement, because deferred checks
    would need memory for every row. Raises IntegrityError if somebody else adds a row meanwhile.
    """
    scope = scope_of(root)
    counts = {}
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
                counts[str(model._meta.verbose_name_plural)] = cursor.rowcount
        cursor.execute("SET CONSTRAINTS ALL IMMEDIATE")
        cursor.execute("SET CONSTRAINTS ALL DEFERRED")
        cursor.execute("SET LOCAL touchstone.deleting = ''")
    return counts


def scope_of(root: type[Model]) -> dict[type[Model], _Link | None]:
    """The models whose rows depend on a row of `root`, each with the key of the shortest way to it."""
    scope: dict[type[Model], _Link | None] = {root: None}
    level = [root]
    while level:
        children = {
            model: link
            for model in apps.get_models(include_auto_created=True)
            if model not in scope
            for link in reversed(_links(model))
            if link.related_model in level and link.remote_field.on_delete is models.CASCADE
        }
        scope |= children
        level = list(children)
    return scope


def children_first(scope: dict[type[Model], _Link | None]) -> list[type[Model]]:
    """The models in an order in which no row goes before rows that need it."""
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
