"""The two roles of the database: one owns every table and migrates, and the application's role owns nothing.

So SQL of the application can't do what owners can, such as disabling a trigger. With an empty `settings.DATABASE_OWNER`
one role is both.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

from django.conf import settings
from django.db import connection, transaction
from django.db.migrations.recorder import MigrationRecorder
from psycopg import sql

from judgments.base.sql import copy

READ, ADD_AND_DELETE = "SELECT", "SELECT, INSERT, DELETE"
EVERYTHING: Final = "SELECT, INSERT, UPDATE, DELETE"
NARROW: Final = {
    MigrationRecorder.Migration._meta.db_table: READ,
    "judgments_act": "SELECT, INSERT ({columns})",
    "judgments_judgmenthistory": ADD_AND_DELETE,
    "judgments_version": ADD_AND_DELETE,
    "judgments_versiongrades": ADD_AND_DELETE,
}
"""Tables whose rows never change. Those that may be deleted go with what they belong to, which triggers look after.

A line of the log is added without its number, which is the server's: what was added later comes later.
"""
OWN: Final = """
SELECT relname, relkind, ARRAY(
    SELECT attname::text FROM pg_attribute
    WHERE attrelid = pg_class.oid AND attnum > 0 AND NOT attisdropped AND attidentity = ''
)
FROM pg_class
WHERE relnamespace = quote_ident(current_schema)::regnamespace AND relowner = quote_ident(current_user)::regrole
    AND relkind IN ('r', 'p', 'v', 'S')
ORDER BY relname
"""
SEQUENCE, VIEW = "S", "v"
ONE_AT_A_TIME: Final = "SELECT pg_advisory_xact_lock(hashtextextended('touchstone grants', 0))"
MAY_ACT_AS_OWNER: Final = """
SELECT pg_has_role(current_user, relowner, 'MEMBER') FROM pg_class WHERE oid = to_regclass(%(table)s)
"""


@contextmanager
def as_owner() -> Iterator[None]:
    """Connects as the tables' owner during the block. Not for use within a transaction."""
    if not settings.DATABASE_OWNER:
        yield
        return
    application = dict(connection.settings_dict)
    connection.close()
    connection.settings_dict.update(settings.DATABASE_OWNER)
    try:
        yield
    finally:
        connection.close()
        connection.settings_dict.clear()
        connection.settings_dict.update(application)


def current_role() -> str:
    return str(copy.value("SELECT current_user"))


def may_act_as_owner() -> bool:
    """Whether this connection could disable the triggers that protect versions."""
    found = copy.rows(MAY_ACT_AS_OWNER, table="judgments_version")
    return bool(found and found[0][0])


@transaction.atomic
def grant(role: str) -> None:
    """Grants `role` the rights that the application needs on everything that the current role owns, and revokes others."""
    to = sql.Identifier(role)
    with connection.cursor() as cursor:
        cursor.execute(ONE_AT_A_TIME)  # of two that start at once, PostgreSQL would refuse the second one
        cursor.execute("SELECT current_schema, current_database()")
        schema, database = map(sql.Identifier, cursor.fetchone())
        cursor.execute(sql.SQL("GRANT USAGE ON SCHEMA {} TO {}").format(schema, to))
        cursor.execute("SELECT has_database_privilege(%s, current_database(), 'TEMPORARY')", [role])
        if not cursor.fetchone()[0]:
            cursor.execute(sql.SQL("GRANT TEMPORARY ON DATABASE {} TO {}").format(database, to))
        cursor.execute(OWN)
        for name, kind, columns in cursor.fetchall():
            parts = {
                "name": sql.Identifier(name),
                "to": to,
                "columns": sql.SQL(", ").join(map(sql.Identifier, columns)),
            }
            for statement in _statements(name, kind):
                cursor.execute(sql.SQL(statement).format(**parts))


def _statements(name: str, kind: str) -> list[str]:
    if kind == SEQUENCE:
        return ["GRANT USAGE ON SEQUENCE {name} TO {to}"]
    statements = [
        "REVOKE ALL ON {name} FROM {to}",
        f"GRANT {READ if kind == VIEW else NARROW.get(name, EVERYTHING)} ON {{name}} TO {{to}}",
    ]
    if name == "judgments_version":
        # Deleting an account clears this key, while its name stays.
        statements.append("GRANT UPDATE (frozen_by_id) ON {name} TO {to}")
    return statements
