"""Locks that belong to a transaction and end with it."""

from django.db import connection


def lock_list(list_id: int, *, shared: bool = False) -> None:
    """Waits for the list. An advisory lock: claims and readers pass, and no row is written for it."""
    function = "pg_advisory_xact_lock_shared" if shared else "pg_advisory_xact_lock"
    with connection.cursor() as cursor:
        cursor.execute(
            f"SELECT {function}(hashtextextended('touchstone judgment list', %s))",
            [list_id],
        )
