"""Locks that belong to a transaction and end with it; and the one of `migrate`, which is many transactions."""

import time
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from uuid import UUID

from django.db import connection

CHANGE_KEY = "hashtextextended('touchstone list change', %(list)s)"
KEY = "hashtextextended('touchstone judgment list', %(list)s)"
CHANGE = f"SELECT pg_advisory_xact_lock({CHANGE_KEY})"
CHANGE_SHARED = f"SELECT pg_advisory_xact_lock_shared({CHANGE_KEY})"
LOCK = f"SELECT pg_advisory_xact_lock({KEY})"
LOCK_SHARED = f"SELECT pg_advisory_xact_lock_shared({KEY})"
LOCK_EXAMPLE = "SELECT pg_advisory_xact_lock(hashtextextended('touchstone example', 0))"
MIGRATING = "hashtextextended('touchstone migrate', 0)"
TRY_TO_MIGRATE = f"SELECT pg_try_advisory_lock({MIGRATING})"
END_MIGRATING = f"SELECT pg_advisory_unlock({MIGRATING})"
AGAIN_SECONDS = 0.2
LOCK_AGREEMENT = "SELECT pg_advisory_xact_lock(hashtextextended('touchstone agreement', %(list)s))"
LOCK_UPLOAD = "SELECT pg_advisory_xact_lock(hashtextextended('touchstone upload ' || %(upload)s, 0))"
LOCK_CONTENT = "SELECT pg_advisory_xact_lock(hashtextextended('touchstone content', %(query_set)s))"

# Nothing in the transaction waits for longer from then on: not for the list, nor for a pair that an import has written.
WAIT_AT_MOST = "set_config('lock_timeout', coalesce(%(at_most)s, current_setting('lock_timeout')), true)"
LOCK_SHARED_AT_MOST = f"""
SELECT CASE WHEN {WAIT_AT_MOST} <> '' THEN pg_advisory_xact_lock_shared({KEY}) END
"""

_at_most: ContextVar[str | None] = ContextVar("at_most", default=None)


@contextmanager
def waiting_at_most(milliseconds: int) -> Iterator[None]:
    """What raters do meanwhile ends with an OperationalError (55P03) where it would wait longer; else it waits without end."""
    before = _at_most.set(str(milliseconds))
    try:
        yield
    finally:
        _at_most.reset(before)


def at_most() -> str | None:
    """Milliseconds, for WAIT_AT_MOST; None where the database has its way."""
    return _at_most.get()


def lock_list(list_id: int, *, shared: bool = False) -> None:
    """Waits for the list, and for an import into it. Advisory locks: claims and readers pass, and no row is written."""
    with connection.cursor() as cursor:
        cursor.execute(CHANGE_SHARED if shared else CHANGE, {"list": list_id})
        cursor.execute(LOCK_SHARED if shared else LOCK, {"list": list_id})


def announce_change(list_id: int) -> None:
    """Waits until no other change of many pairs of the list runs, and keeps others out. Raters go on until `lock_list`."""
    with connection.cursor() as cursor:
        cursor.execute(CHANGE, {"list": list_id})


def lock_content(query_set_id: int) -> None:
    """Waits until no other import brings queries, documents or raters into the query set."""
    with connection.cursor() as cursor:
        cursor.execute(LOCK_CONTENT, {"query_set": query_set_id})


def lock_upload(key: UUID) -> None:
    """Waits until nobody else imports this file. Its row stays free, so that an import can be cancelled."""
    with connection.cursor() as cursor:
        cursor.execute(LOCK_UPLOAD, {"upload": key.hex})


def lock_agreement(list_id: int) -> None:
    """Waits until nobody else computes the agreement of the list. Judging goes on."""
    with connection.cursor() as cursor:
        cursor.execute(LOCK_AGREEMENT, {"list": list_id})


def lock_example() -> None:
    """Waits until no other process loads the example data."""
    with connection.cursor() as cursor:
        cursor.execute(LOCK_EXAMPLE)


@contextmanager
def migrating() -> Iterator[None]:
    """One process at a time, across the transactions of `migrate`; the lock ends with the connection at the latest.

    It is asked for again and again: a statement that waited would be a transaction that an index made CONCURRENTLY waits for.
    """
    while True:
        with connection.cursor() as cursor:
            cursor.execute(TRY_TO_MIGRATE)
            (free,) = cursor.fetchone()
        if free:
            break
        time.sleep(AGAIN_SECONDS)
    try:
        yield
    finally:
        if connection.connection is not None and not connection.connection.closed:
            with connection.cursor() as cursor:
                cursor.execute(END_MIGRATING)
