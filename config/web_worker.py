"""gunicorn's asynchronous worker, with the limits that it has no settings for."""

import asyncio
from typing import Any, Final

from gunicorn.asgi.protocol import ASGIProtocol  # type: ignore[import-untyped]
from gunicorn.workers.gasgi import ASGIWorker  # type: ignore[import-untyped]

from config.database_watch import watch_database
from config.front import Front

HEAD_SECONDS: Final = 20.0
"""In which a new connection sends the whole head of its first request. The next ones have the keep-alive time."""
FLUSH_SECONDS: Final = 30.0
"""In which the client of a connection that is closed takes the rest of what was sent to it."""


class Connection(ASGIProtocol):  # type: ignore[misc]
    def connection_made(self, transport: asyncio.Transport) -> None:
        super().connection_made(transport)
        if self.worker.nr_conns > self.cfg.worker_connections:
            transport.abort()
            return
        self.worker.connections.add(self)
        # gunicorn arms this timer between two requests only, and cancels it when a head is whole.
        self._keepalive_handle = self.worker.loop.call_later(HEAD_SECONDS, self._keepalive_timeout)

    def connection_lost(self, exc: Exception | None) -> None:
        super().connection_lost(exc)
        self.worker.connections.discard(self)

    def _close_transport(self) -> None:
        super()._close_transport()
        self.worker.loop.call_later(FLUSH_SECONDS, self.transport.abort)

    def end_if_idle(self) -> None:
        if self._awaiting_request:
            self._keepalive_timeout()


class Loop(asyncio.SelectorEventLoop):
    """Takes one connection at a time, so that one process does not grab a burst of them all."""

    worker: "WebWorker"

    async def create_server(self, factory: Any, **options: Any) -> Any:  # type: ignore[override]
        return await super().create_server(lambda: Connection(self.worker), **options)


class WebWorker(ASGIWorker):  # type: ignore[misc]
    def _setup_event_loop(self) -> None:
        self.connections: set[Connection] = set()
        self.loop = Loop()
        self.loop.worker = self
        asyncio.set_event_loop(self.loop)

    def load_wsgi(self) -> None:
        """In the web process: neither threads nor connections are there when it is forked."""
        self.asgi = Front(self.app.wsgi(), watch_database().hung)

    async def _shutdown(self) -> None:
        for connection in list(self.connections):
            connection.end_if_idle()
        await super()._shutdown()
