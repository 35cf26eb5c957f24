"""Rows into a temporary table by COPY: the fast way into PostgreSQL, and the base of every set-based import."""

from collections.abc import Iterable, Sequence
from typing import Any

from django.db import connection
from psycopg import sql


def stage(table: str, columns: dict[str, str], rows: Iterable[Sequence[Any]]) -> None:
    """Makes the temporary table `table` (columns: name → type) and streams `rows` into it.

    It is gone at the end of the transaction, which must have begun; staging twice in one replaces the first.
    Analyzed, because joins against a table without statistics flip to plans that are slower by a factor of ten.
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
    """Quietly, also where there is none."""
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT relname FROM pg_class WHERE relname = ANY(%s) AND relpersistence = 't'", [list(tables)]
        )
        for (name,) in cursor.fetchall():
            cursor.execute(sql.SQL("DROP TABLE IF EXISTS pg_temp.{}").format(sql.Identifier(name)))


def analyze(*tables: str) -> None:
    """Tables that the application does not own; a temporary one of its own can be analyzed as such."""
    run("SELECT touchstone_analyze(VARIADIC %(tables)s::regclass[])", tables=list(tables))


def run(statement: str, **parameters: Any) -> int:
    """Executes one statement; how many rows it touched."""
    with connection.cursor() as cursor:
        cursor.execute(statement, parameters)
        return int(cursor.rowcount)


def rows(statement: str, **parameters: Any) -> list[tuple[Any, ...]]:
    with connection.cursor() as cursor:
        cursor.execute(statement, parameters)
        found: list[tuple[Any, ...]] = cursor.fetchall()
    return found
