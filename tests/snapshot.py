"""All rows of the test database as they once were, put back in some hundredths of a second.

Django's way after a test that commits (TRUNCATE of every table, then content types and permissions anew) takes half a
second, and loading the example data before each browser test a whole one.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from django.contrib.contenttypes.models import ContentType
from django.db import connection, transaction
from django.db.backends.utils import CursorWrapper

# Above this many bytes a table is emptied with all that hang on it, and its room given back; else only its rows go.
LARGE = 4_000_000
KEPT = "django_migrations"


@contextmanager
def undone() -> Iterator[None]:
    """Takes back what the block did, so that many cases share one world."""
    with transaction.atomic():
        yield
        transaction.set_rollback(True)


@dataclass(frozen=True, slots=True)
class Snapshot:
    """`rows` are what COPY gave of each table that held any, by name."""

    rows: dict[str, bytes]

    @classmethod
    def take(cls) -> "Snapshot":
        with connection.cursor() as cursor:
            return cls({table: _copied(cursor, table) for table in _tables_with_rows(cursor)})

    def restore(self) -> None:
        """The whole database as it was, without triggers or checks. Numbers go on where they are: none is given twice."""
        with transaction.atomic(), connection.cursor() as cursor:
            cursor.execute("SET LOCAL session_replication_role = replica")
            for table in _tables_with_rows(cursor):
                if table not in self.rows or _copied(cursor, table) != self.rows[table]:
                    _empty(cursor, table)
            for table in self.rows.keys() - set(_tables_with_rows(cursor)):
                with cursor.copy(f"COPY {table} FROM STDIN (FORMAT binary)") as copy:
                    copy.write(self.rows[table])
        ContentType.objects.clear_cache()


def _tables_with_rows(cursor: CursorWrapper) -> list[str]:
    tables = [name for name in connection.introspection.table_names(cursor) if name != KEPT]
    cursor.execute(
        " UNION ALL ".join(f"(SELECT '{name}' FROM {name} LIMIT 1)" for name in tables)  # noqa: S608 - our tables
    )
    return [name for (name,) in cursor.fetchall()]


def _copied(cursor: CursorWrapper, table: str) -> bytes:
    with cursor.copy(f"COPY {table} TO STDOUT (FORMAT binary)") as copy:
        return b"".join(bytes(part) for part in copy)


def _empty(cursor: CursorWrapper, table: str) -> None:
    cursor.execute("SELECT pg_table_size(%s)", [table])
    large = cursor.fetchone()[0] > LARGE
    cursor.execute(f"TRUNCATE {table} CASCADE" if large else f"DELETE FROM {table}")  # noqa: S608 - our tables
