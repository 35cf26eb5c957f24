"""Statements about accounts."""

from datetime import datetime

from django.db import connection

COUNT_CALL = """
INSERT INTO judgments_apiuse AS used (user_id, since, count) VALUES (%(user)s, %(at)s, 1)
ON CONFLICT (user_id) DO UPDATE SET
    since = CASE WHEN used.since <= %(at)s - interval '1 minute' THEN excluded.since ELSE used.since END,
    count = CASE WHEN used.since <= %(at)s - interval '1 minute' THEN 1 ELSE used.count + 1 END
RETURNING since, count
"""
"""Counts a call of an account, whose minute begins with the first call after the minute before."""

TRY_LOCK_CALL = "SELECT pg_try_advisory_xact_lock(hashtextextended('touchstone call ' || %(key)s, %(user)s))"


def count_call(user_id: int, at: datetime) -> tuple[datetime, int]:
    """When the account's current minute began, and how many calls it has seen."""
    with connection.cursor() as cursor:
        cursor.execute(COUNT_CALL, {"user": user_id, "at": at})
        since, count = cursor.fetchone()
    return since, count


def try_lock_call(user_id: int, key: str) -> bool:
    """Whether nobody else answers a call under this key, of which this transaction keeps others until it ends."""
    with connection.cursor() as cursor:
        cursor.execute(TRY_LOCK_CALL, {"user": user_id, "key": key})
        return bool(cursor.fetchone()[0])
