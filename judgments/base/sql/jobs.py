"""Rows of background jobs."""

from judgments.base.sql import copy

# The lock applies to waiting jobs. A job that is retried waits again, which a newer waiting job would prevent.
LET_OTHERS_WAIT = "UPDATE procrastinate_jobs SET queueing_lock = NULL WHERE id = %(job)s AND status = 'doing'"


def let_others_wait(job_id: int | None) -> None:
    """Releases the queueing lock of a running job, so that it can be retried beside newer jobs."""
    copy.run(LET_OTHERS_WAIT, job=job_id)
