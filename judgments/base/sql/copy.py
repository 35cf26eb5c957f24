"""Copies rows by COPY, the fastest way into and out of PostgreSQL, runs single statements, and reads model instances from their rows."""

from collections.abc import Generator, Iterable, Iterator, Sequence
from typing import Any, Generic, TypeAlias, TypeVar

from django.db import connection
from django.db.models import Model
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


def stream(select: str, types: Sequence[str], **parameters: Any) -> Generator[tuple[Any, ...], None, None]:
    """The rows one by one, by binary COPY, with columns of these types. The connection does nothing else meanwhile.

    For blocks of bytes: a cursor gets them as text of twice the length, which takes three times as long.
    """
    with connection.cursor() as cursor:
        statement = cursor.mogrify(select, parameters)
        with cursor.copy(f"COPY ({statement}) TO STDOUT (FORMAT BINARY)") as copy:
            copy.set_types(types)
            yield from copy.rows()


_Row = TypeVar("_Row", bound=Model)


class Columns(Generic[_Row]):
    """All columns of a model, with the alias of its table in a statement; `sql` lists them."""

    def __init__(self, model: type[_Row], alias: str) -> None:
        fields = model._meta.concrete_fields
        self._model = model
        self._names = [field.attname for field in fields]
        self._converters = [
            (nth, convert)
            for nth, field in enumerate(fields)
            if (convert := getattr(field, "from_db_value", None))
        ]
        self.sql = ", ".join(f"{alias}.{field.column}" for field in fields)

    def read(self, values: Iterator[Any]) -> _Row:
        """The instance from the next columns."""
        row = [next(values) for _ in self._names]
        for nth, convert in self._converters:
            row[nth] = convert(row[nth], None, connection)
        return self._model.from_db("default", self._names, row)


def answers(message: str, values: dict[str, Any]) -> list[Sequence[Any]]:
    """The rows of each of several statements that go to the server in one message.

    Each sees what was committed before it began, so a statement after a lock sees all changes made during the wait.
    """
    with connection.cursor() as cursor:
        cursor.execute(message, values)
        results: list[Sequence[Any]] = []
        while True:
            results.append(cursor.fetchall() if cursor.description else [])
            if not cursor.nextset():
                return results
