"""Locks that belong to a transaction and end with it."""

from django.db import connection

LOCK = "SELECT pg_advisory_xact_lock(hashtextextended('touchstone judgment list', %(list)s))"
LOCK_SHARED = "SELECT pg_advisory_xact_lock_shared(hashtextextended('touchstone judgment list', %(list)s))"

LOCK_CONTENT = "SELECT pg_advisory_xact_lock(hashtextextended('touchstone content', %(query_set)s))"


def lock_list(list_id: int, *, shared: bool = False) -> None:
    """Waits for the list. An advisory lock: claims and readers pass, and no row is written for it."""
    with connection.cursor() as cursor:
        cursor.execute(LOCK_SHARED if shared else LOCK, {"list": list_id})


def lock_content(query_set_id: int) -> None:
    """Waits for whoever else brings queries, documents or raters into the query set by the thousand."""
    with connection.cursor() as cursor:
        cursor.execute(LOCK_CONTENT, {"query_set": query_set_id})
