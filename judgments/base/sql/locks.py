"""Locks that end with their transaction, and the lock of `migrate`, which spans many transactions."""

import time
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from contextvars import ContextVar
from typing import Final
from uuid import UUID

from django.db import connection

from judgments.base.contexts import holding
from judgments.base.sql import copy

CHANGE_KEY = "hashtextextended('touchstone list change', %(list)s)"
KEY = "hashtextextended('touchstone judgment list', %(list)s)"
CHANGE = f"SELECT pg_advisory_xact_lock({CHANGE_KEY})"
CHANGE_SHARED = f"SELECT pg_advisory_xact_lock_shared({CHANGE_KEY})"
CHANGE_ALL = """
SELECT count(*) FROM (SELECT id FROM judgments_judgmentlist WHERE query_set_id = %(query_set)s ORDER BY id) list
CROSS JOIN LATERAL pg_advisory_xact_lock(hashtextextended('touchstone list change', list.id))
"""
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

BRIEFLY: Final = "5s"

# Limits all later waits of the transaction, for the list and for pairs that an import has written.
WAIT_AT_MOST = "set_config('lock_timeout', coalesce(%(at_most)s, current_setting('lock_timeout')), true)"
LOCK_SHARED_AT_MOST = f"""
SELECT CASE WHEN {WAIT_AT_MOST} <> '' THEN pg_advisory_xact_lock_shared({KEY}) END
"""

_at_most: ContextVar[str | None] = ContextVar("at_most", default=None)


def waiting_at_most(milliseconds: int) -> AbstractContextManager[None]:
    """Within the block, raters' transactions that wait longer raise OperationalError (55P03)."""
    return holding(_at_most, str(milliseconds))


def at_most() -> str | None:
    """Milliseconds for WAIT_AT_MOST; None for the database's own limit."""
    return _at_most.get()


def lock_list(list_id: int, *, shared: bool = False) -> None:
    """Waits for the list and for imports into it. Advisory locks: they write no rows, and claims and readers don't wait."""
    copy.run(CHANGE_SHARED if shared else CHANGE, list=list_id)
    copy.run(LOCK_SHARED if shared else LOCK, list=list_id)


def announce_change(list_id: int) -> None:
    """Waits for other changes of many pairs of the list and blocks further ones. Raters go on until `lock_list`."""
    copy.run(CHANGE, list=list_id)


def announce_changes(query_set_id: int) -> None:
    """As `announce_change`, for every list of the query set."""
    copy.run(CHANGE_ALL, query_set=query_set_id)


def wait_briefly() -> None:
    """Limits all later waits of the transaction to BRIEFLY. They raise OperationalError (55P03), which people see as busy."""
    copy.run("SELECT set_config('lock_timeout', %(at_most)s, true)", at_most=BRIEFLY)


def lock_content(query_set_id: int) -> None:
    """Waits until no other import brings queries, documents or raters into the query set."""
    copy.run(LOCK_CONTENT, query_set=query_set_id)


def hold_back_users(query_set_id: int) -> None:
    """Waits briefly until nobody adds pairs to the query set or imports into it, and blocks those who want to.

    They may be about to use what is being deleted, and would fail at the end.
    """
    wait_briefly()
    announce_changes(query_set_id)
    lock_content(query_set_id)


def lock_upload(key: UUID) -> None:
    """Waits until nobody else imports this file. Doesn't lock its row, so that people can cancel the import."""
    copy.run(LOCK_UPLOAD, upload=key.hex)


def lock_agreement(list_id: int) -> None:
    """Waits until nobody else computes the agreement of the list. Judging goes on."""
    copy.run(LOCK_AGREEMENT, list=list_id)


def lock_example() -> None:
    """Waits until no other process loads the example data."""
    copy.run(LOCK_EXAMPLE)


@contextmanager
def migrating() -> Iterator[None]:
    """One process at a time, across the transactions of `migrate`; the lock ends with the connection at the latest.

    It polls, because CREATE INDEX CONCURRENTLY would wait for a transaction that waits for this lock.
    """
    while True:
        if copy.value(TRY_TO_MIGRATE):
            break
        time.sleep(AGAIN_SECONDS)
    try:
        yield
    finally:
        if connection.connection is not None and not connection.connection.closed:
            copy.run(END_MIGRATING)


# The lock applies to waiting jobs. A job that is retried waits again, which a newer waiting job would prevent.
LET_OTHERS_WAIT = "UPDATE procrastinate_jobs SET queueing_lock = NULL WHERE id = %(job)s AND status = 'doing'"


def let_others_wait(job_id: int | None) -> None:
    """Releases the queueing lock of a running job, so that it can be retried beside newer jobs."""
    copy.run(LET_OTHERS_WAIT, job=job_id)


LONGEST_WAIT: Final = "5min"


def end_if_stalled() -> None:
    """Ends the transaction and its connection if the next statement takes longer than LONGEST_WAIT to come.

    An open transaction keeps vacuum from removing dead rows in all tables.
    """
    copy.run("SELECT set_config('idle_in_transaction_session_timeout', %(wait)s, true)", wait=LONGEST_WAIT)
