"""Jobs of the background as rows."""

from django.db import connection

# The lock holds among waiting jobs only, but one that is tried again waits again, and cannot beside a newer one.
LET_OTHERS_WAIT = "UPDATE procrastinate_jobs SET queueing_lock = NULL WHERE id = %(job)s AND status = 'doing'"


def let_others_wait(job_id: int | None) -> None:
    """From now on this running job may be put back among the waiting ones whatever has been asked for meanwhile."""
    with connection.cursor() as cursor:
        cursor.execute(LET_OTHERS_WAIT, {"job": job_id})
