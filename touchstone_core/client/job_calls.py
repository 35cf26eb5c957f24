"""Work that a worker of the site does: asking how far it is, waiting for it, cancelling it."""

from collections.abc import Callable

from touchstone_core.client.calls import Calls
from touchstone_core.client.errors import JobFailedError
from touchstone_core.client.records import Job, read_record

ASKED_EVERY = 1.0
"""Seconds between two questions about a job."""


class JobCalls(Calls):
    def job(self, job: Job | str) -> Job:
        return self._read(Job, f"jobs/{_id_of(job)}")

    def cancel_job(self, job: Job | str) -> Job:
        """Nothing of the file is imported, unless that was done already."""
        return read_record(Job, self.connection.change("POST", f"jobs/{_id_of(job)}/cancel").json())

    def wait(
        self,
        job: Job | str,
        *,
        timeout: float | None = None,
        progress: Callable[[Job], None] | None = None,
    ) -> Job:
        """The job when it is done. Raises JobFailedError, and UnavailableError after `timeout` seconds.

        `progress` is called with the job each time that it was asked for.
        """
        started = self.connection.clock.now()
        while True:
            found = self.job(job)
            if progress:
                progress(found)
            if found.state == "done":
                return found
            if found.state == "failed":
                raise JobFailedError(found.failure or f"The {found.what} was canceled.")
            self.connection.pause(ASKED_EVERY, started, timeout, f"The {found.what} is {found.state}.")


def _id_of(job: Job | str) -> str:
    return job if isinstance(job, str) else job.id
