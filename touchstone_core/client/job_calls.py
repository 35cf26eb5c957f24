"""Work that a site leaves to its workers."""

from collections.abc import Callable
from typing import Final

from touchstone_core.client.calls import Calls, Key, key_of
from touchstone_core.client.errors import JobFailedError
from touchstone_core.client.records import Job, Work, read_record

ASKED_EVERY: Final = 1.0
"""Seconds between two questions about a job."""


class JobCalls(Calls):
    def jobs(self, query_set: Key) -> list[Work]:
        """What isn't done yet: your own, and for admins all of the query set."""
        answer = self.connection.read(f"query-sets/{key_of(query_set)}/jobs").json()
        return [read_record(Work, one) for one in answer["jobs"]]

    def job(self, job: Job | str) -> Job:
        return self._read(Job, f"jobs/{_id_of(job)}")

    def cancel_job(self, job: Job | str) -> Job:
        """Nothing of its file is stored, unless that was done already."""
        return read_record(Job, self.connection.change("POST", f"jobs/{_id_of(job)}/cancel").json())

    def retry_job(self, job: Job | str) -> Job:
        """Starts a deletion again that failed. Send a failed import or upload again instead. For admins."""
        return read_record(Job, self.connection.change("POST", f"jobs/{_id_of(job)}/retry").json())

    def wait(
        self, job: Job | str, *, timeout: float | None = None, progress: Callable[[Job], None] | None = None
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

    def _delete(self, path: str) -> Job | None:
        """The job of a worker that deletes what nobody can reach any more; None where everything is gone."""
        response = self.connection.change("DELETE", path)
        return read_record(Job, response.json()) if response.content else None


def _id_of(job: Job | str) -> str:
    return job if isinstance(job, str) else job.id
