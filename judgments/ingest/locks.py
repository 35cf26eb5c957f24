"""Locks that belong to a transaction and end with it."""

from django.db import connection

LOCK = "SELECT pg_advisory_xact_lock(hashtextextended('touchstone judgment list', %(list)s))"
LOCK_SHARED = "SELECT pg_advisory_xact_lock_shared(hashtextextended('touchstone judgment list', %(list)s))"


def lock_list(list_id: int, *, shared: bool = False) -> None:
    """Waits for the list. An advisory lock: claims and readers pass, and no row is written for it."""
    with connection.cursor() as cursor:
        cursor.execute(LOCK_SHARED if shared else LOCK, {"list": list_id})
