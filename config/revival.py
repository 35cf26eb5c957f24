"""The embedded PostgreSQL comes back by itself, however long what ended it lasts: a full disk, for instance."""

import logging
import shutil
import time

from config import postgres
from config.postgres_data import PostgresError

FIRST_PAUSE, LONGEST_PAUSE = 1.0, 15.0
STEADY_SECONDS = (
    60.0  # a server that ran for so long ended for a reason of its own, and is started again at once
)
SAY_AGAIN_SECONDS = 600.0
LEAST_ROOM = 16 * 1024 * 1024  # one file of PostgreSQL's log of changes, without which it doesn't start


class Revival:
    """Starts a server again that ended; after each attempt that fails, or doesn't last, it waits longer for the next.

    It says each thing once in ten minutes: a line that comes again every second hides all others.
    """

    def __init__(self, server: postgres.Server, log: logging.Logger) -> None:
        self._server, self._log = server, log
        self._down = False
        self._pause = 0.0
        self._started = self._next = time.monotonic()
        self._said: dict[str, float] = {}

    def keep(self) -> None:
        """To be called about once a second. Requests fail until the server is back; they then open new connections."""
        if self._server.alive():
            return
        now = time.monotonic()
        if not self._down:
            self._down = True
            self._pause = 0.0 if now - self._started > STEADY_SECONDS else self._pause
            self._next = now + self._pause
            self._say(
                f"PostgreSQL ended unexpectedly{self._why()} and is started again (see {self._server.log})."
            )
        if now < self._next:
            return
        self._pause = min(max(2 * self._pause, FIRST_PAUSE), LONGEST_PAUSE)
        try:
            self._server.restart()
        except (OSError, PostgresError) as error:
            self._next = time.monotonic() + self._pause
            full = self._why()
            self._say(f"PostgreSQL can't be started{full}; Touchstone keeps trying." if full else f"{error}")
        else:
            self._down = False
            self._started = time.monotonic()
            self._say("PostgreSQL runs again.")

    def _why(self) -> str:
        """PostgreSQL's own words about a full disk would stand in a file on that disk."""
        free = shutil.disk_usage(self._server.var_dir).free
        return " (the disk is full)" if free < LEAST_ROOM else ""

    def _say(self, sentence: str) -> None:
        now = time.monotonic()
        if now - self._said.get(sentence, -SAY_AGAIN_SECONDS) >= SAY_AGAIN_SECONDS:
            self._said[sentence] = now
            self._log.error("%s", sentence)
