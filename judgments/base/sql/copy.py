"""Copies rows into temporary tables by COPY, the fastest way into PostgreSQL, and runs single statements."""

from collections.abc import Iterable, Sequence
from typing import Any, TypeAlias

from django.db import connection
from psycopg import sql

Statement: TypeAlias = str | sql.Composed


def stage(table: str, columns: dict[str, str], rows: Iterable[Sequence[Any]]) -> None:
    """Creates the temporary table `table` (columns: name → type) and streams `rows` into it.

    It ends with the transaction, which must have begun, and replaces an earlier one. Analyzed, because joins with a table
    without statistics can get plans that are ten times slower.
    """
    drop(table)
    names = [sql.Identifier(name) for name in columns]
    types = [sql.SQL("{} {}").format(sql.Identifier(name), sql.SQL(kind)) for name, kind in columns.items()]
    with connection.cursor() as cursor:
        cursor.execute(
            sql.SQL("CREATE TEMP TABLE {} ({}) ON COMMIT DROP").format(
                sql.Identifier(table), sql.SQL(", ").join(types)
            )
        )
        copy_statement = sql.SQL("COPY {} ({}) FROM STDIN").format(
            sql.Identifier(table), sql.SQL(", ").join(names)
        )
        with cursor.copy(copy_statement) as copy:
            for row in rows:
                copy.write_row(row)
        cursor.execute(sql.SQL("ANALYZE {}").format(sql.Identifier(table)))


def drop(*tables: str) -> None:
    """Drops temporary tables that exist, without a notice for those that don't."""
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT relname FROM pg_class WHERE relname = ANY(%s) AND relpersistence = 't'", [list(tables)]
        )
        for (name,) in cursor.fetchall():
            cursor.execute(sql.SQL("DROP TABLE IF EXISTS pg_temp.{}").format(sql.Identifier(name)))


def analyze(*tables: str) -> None:
    """Updates statistics of tables that the application doesn't own. Its own temporary tables need no help."""
    run("SELECT touchstone_analyze(VARIADIC %(tables)s::regclass[])", tables=list(tables))


def run(statement: Statement, **parameters: Any) -> int:
    """Executes one statement and returns the number of affected rows."""
    with connection.cursor() as cursor:
        cursor.execute(statement, parameters)
        return int(cursor.rowcount)


def rows(statement: Statement, **parameters: Any) -> list[tuple[Any, ...]]:
    with connection.cursor() as cursor:
        cursor.execute(statement, parameters)
        result: list[tuple[Any, ...]] = cursor.fetchall()
    return result


def row(statement: Statement, **parameters: Any) -> tuple[Any, ...]:
    """The first row of a statement that always has one."""
    return rows(statement, **parameters)[0]


def value(statement: Statement, **parameters: Any) -> Any:
    """The first column of that row."""
    return row(statement, **parameters)[0]
