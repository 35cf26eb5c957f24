"""Deletes a row and everything that depends on it with one statement per table: no row comes into this process.

Tables are found by the models' CASCADE keys, also in apps that this one may not import; children go first. The audit log
stays.
"""

from graphlib import TopologicalSorter
from typing import Any, Final, NamedTuple

from django.apps import apps
from django.db import connection, models
from django.db.models import ForeignKey, Model
from psycopg import sql

from judgments.base.sql import copy
from judgments.models import Grade, JudgmentList, Pair, Version, VersionGrades

_Link = ForeignKey[Any, Any]
AFTER: Final[dict[type[Model], set[type[Model]]]] = {Grade: {JudgmentList, Version}, Pair: {VersionGrades}}
"""Rows that a trigger protects: grades while their scale is in use, pairs of a version."""
GO_AT_THE_END: Final = "version_goes_with_query_set, version_grades_go_with_version, history_goes_with_pair"


class Portion(NamedTuple):
    """Rows of a table whose `column` is `key`: those with an ID from `first` to before `end`."""

    column: str
    key: int
    first: int
    end: int


def delete_with_all(root: type[Model], which: int | Portion) -> dict[str, int]:
    """Deletes the row or rows of `root` and all that depends on them; returns the number of rows by the models' names.

    Call it in a transaction that has locked the row. Constraints are checked after each statement, because deferred checks
    would need memory for every row. Raises IntegrityError if somebody else adds a row meanwhile.
    """
    scope = scope_of(root)
    counts = {}
    with connection.cursor() as cursor:
        cursor.execute("SET LOCAL touchstone.deleting = 'yes'")
        cursor.execute("SET CONSTRAINTS ALL IMMEDIATE")
        cursor.execute(f"SET CONSTRAINTS {GO_AT_THE_END} DEFERRED")
        for model, link in _links_to_empty(scope):
            gone = _rows_of(link.related_model, scope, which)
            empty = sql.SQL("UPDATE {} SET {column} = NULL WHERE {column} IN ({})")
            cursor.execute(empty.format(table_of(model), gone, column=sql.Identifier(link.column)))
        for model in children_first(scope):
            statement = sql.SQL("DELETE FROM {} WHERE {}").format(
                table_of(model), _condition(model, scope, which)
            )
            cursor.execute(statement)
            if cursor.rowcount:
                counts[str(model._meta.verbose_name_plural)] = cursor.rowcount
        cursor.execute("SET CONSTRAINTS ALL IMMEDIATE")
        cursor.execute("SET CONSTRAINTS ALL DEFERRED")
        cursor.execute("SET LOCAL touchstone.deleting = ''")
    return counts


def count_with_all(root: type[Model], key: int, *, most: int | None = None) -> int:
    """How many rows `delete_with_all` would delete; of each table it counts `most` at most. One statement."""
    scope = scope_of(root)
    parts = [
        sql.SQL("(SELECT count(*) FROM (SELECT FROM {} WHERE {} LIMIT {}) part)").format(
            table_of(model), _condition(model, scope, key), sql.Literal(most)
        )
        for model in scope
    ]
    return int(copy.value(sql.SQL("SELECT ") + sql.SQL(" + ").join(parts)))


def next_portion(model: type[Model], column: str, key: int, *, first: int, rows: int) -> Portion | None:
    """So many rows whose `column` is `key`, with IDs from `first` on, or the fewer that there are; None without any."""
    statement = sql.SQL(
        "SELECT max(id) + 1 FROM (SELECT id FROM {} WHERE {} = {} AND id >= {} ORDER BY id LIMIT {}) part"
    ).format(table_of(model), sql.Identifier(column), sql.Literal(key), sql.Literal(first), sql.Literal(rows))
    end = copy.value(statement)
    return None if end is None else Portion(column, key, first, end)


def link_to(root: type[Model], model: type[Model]) -> str:
    """The column by which rows of `model` go with a row of `root`; empty if there is none."""
    link = scope_of(root).get(model)
    return str(link.column) if link is not None and link.related_model is root else ""


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


def table_of(model: type[Model]) -> sql.Identifier:
    return sql.Identifier(model._meta.db_table)


def _chosen(root: type[Model], which: int | Portion) -> sql.Composable:
    key = sql.Identifier(str(root._meta.pk.column))
    if isinstance(which, Portion):
        return sql.SQL("{} = {} AND {} >= {} AND {} < {}").format(
            *(sql.Identifier(which.column), sql.Literal(which.key)),
            *(key, sql.Literal(which.first), key, sql.Literal(which.end)),
        )
    return sql.SQL("{} = {}").format(key, sql.Literal(which))


def _condition(
    model: type[Model], scope: dict[type[Model], _Link | None], which: int | Portion
) -> sql.Composable:
    link = scope[model]
    if link is None:
        return _chosen(model, which)
    parent = link.related_model
    if scope[parent] is None and isinstance(which, int):
        return sql.SQL("{} = {}").format(sql.Identifier(link.column), sql.Literal(which))
    return sql.SQL("{} IN ({})").format(sql.Identifier(link.column), _rows_of(parent, scope, which))


def _rows_of(
    model: type[Model], scope: dict[type[Model], _Link | None], which: int | Portion
) -> sql.Composable:
    """Selects the keys of those of its rows that go."""
    key = sql.Identifier(str(model._meta.pk.column))
    return sql.SQL("SELECT {} FROM {} WHERE {}").format(key, table_of(model), _condition(model, scope, which))


def _links_to_empty(scope: dict[type[Model], _Link | None]) -> list[tuple[type[Model], _Link]]:
    """Keys of rows that stay and point to rows that go."""
    return [
        (model, link)
        for model in apps.get_models()
        if model not in scope
        for link in _links(model)
        if link.related_model in scope and link.remote_field.on_delete is models.SET_NULL
    ]
