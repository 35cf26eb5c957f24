"""Notices in a web process that PostgreSQL hangs: it accepts connections and statements and answers nothing.

A server that is down or starting refuses at once. A server that hangs (a stopped process, a disk that doesn't answer, a
network that drops everything) would hold every thread until it comes back.
"""

import threading
import time
from collections.abc import Generator, Mapping
from functools import partial
from typing import Any, Final

import psycopg
from django.db import DEFAULT_DB_ALIAS, connections
from django.db.backends.base.base import BaseDatabaseWrapper
from django.db.backends.signals import connection_created

from judgments.base.pooler import direct_alias
from judgments.base.pooler.base import DatabaseWrapper as PooledConnection

HANGS_AFTER: Final = 5.0
"""Even on a busy machine, PostgreSQL answers the simplest statement within this many seconds."""
PAUSE: Final = 1.0
STATEMENT_TIMEOUT: Final = "5min"
"""A single statement of a request may take this long. Long imports consist of many statements."""


class Watch(threading.Thread):
    """Asks PostgreSQL for a sign of life every second, on a connection of its own."""

    def __init__(self, parameters: dict[str, Any]) -> None:
        super().__init__(name="database-watch", daemon=True)
        self._parameters = parameters
        self._unanswered_since: float | None = None

    def hung(self) -> bool:
        since = self._unanswered_since
        return since is not None and time.monotonic() - since > HANGS_AFTER

    def run(self) -> None:
        own: psycopg.Connection[Any] | None = None
        while True:
            own = self.ask(own)
            time.sleep(PAUSE)

    def ask(self, own: "psycopg.Connection[Any] | None") -> "psycopg.Connection[Any] | None":
        """Asks once, and returns the connection for the next time."""
        if self._unanswered_since is None:
            self._unanswered_since = time.monotonic()
        try:
            own = own or psycopg.connect(**self._parameters)
            own.execute("SELECT 1")
        except psycopg.errors.ConnectionTimeout:
            return None  # that's no answer either, so the time goes on
        except psycopg.Error:
            own = None  # an answer, if not a good one; requests get the same
        self._unanswered_since = None
        return own


class HangGuard:
    """Makes new connections of this process stop waiting once their server hangs. `watches` has one for each database."""

    def __init__(self, watches: Mapping[str, Watch]) -> None:
        self._watches = watches

    def attach(self, connection: Any, **_: Any) -> None:
        raw = connection.connection
        raw.wait = partial(self._wait, raw, self._watches[connection.alias])
        if isinstance(connection, PooledConnection):
            return  # a limit would stay with a connection that a worker gets next
        with connection.cursor() as cursor:
            cursor.execute("SELECT set_config('statement_timeout', %s, false)", [STATEMENT_TIMEOUT])

    def _wait(
        self, raw: "psycopg.Connection[Any]", watch: Watch, gen: Any, *args: Any, **options: Any
    ) -> Any:
        return psycopg.Connection.wait(raw, self._unless_hung(raw, watch, gen), *args, **options)

    def _unless_hung(
        self, raw: "psycopg.Connection[Any]", watch: Watch, gen: Any
    ) -> Generator[Any, Any, Any]:
        """Wraps `gen`, to which psycopg sends 0 every tenth of a second while nothing comes from the server."""
        try:
            wanted = next(gen)
            while True:
                ready = yield wanted
                if not ready and watch.hung():
                    raw.close()
                    raise psycopg.OperationalError("PostgreSQL does not answer.")
                wanted = gen.send(ready)
        except StopIteration as end:
            return end.value


def watch_databases() -> Watch:
    """Starts a watch for each database of this process, and returns that of the primary. Connections made from now on obey them.

    PostgreSQL behind a pooler is watched without it: who finds all its connections busy waits longer than for a sign of life.
    """
    primary = direct_alias()
    watches = {alias: _watch(connections[alias]) for alias in {*connections} - {DEFAULT_DB_ALIAS} | {primary}}
    watches[DEFAULT_DB_ALIAS] = watches[primary]
    connection_created.connect(HangGuard(watches).attach, weak=False)
    return watches[DEFAULT_DB_ALIAS]


def _watch(connection: BaseDatabaseWrapper) -> Watch:
    parameters = connection.get_connection_params()
    parameters.pop("cursor_factory", None)
    watch = Watch(parameters | {"autocommit": True, "application_name": "touchstone watch"})
    watch.start()
    return watch
