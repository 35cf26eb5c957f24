"""gunicorn's asynchronous worker, with limits for which gunicorn has no settings."""

import asyncio
from typing import Any, Final

from gunicorn.asgi.protocol import ASGIProtocol  # type: ignore[import-untyped]
from gunicorn.workers.gasgi import ASGIWorker  # type: ignore[import-untyped]

from config.database_watch import watch_databases
from config.front import Front

HEAD_SECONDS: Final = 20.0
"""A new connection has this long to send the head of its first request. Later heads have the keep-alive time."""
FLUSH_SECONDS: Final = 30.0
"""After a close, the client has this long to take what was already sent."""


class Connection(ASGIProtocol):  # type: ignore[misc]
    def connection_made(self, transport: asyncio.Transport) -> None:
        super().connection_made(transport)
        if self.worker.nr_conns > self.cfg.worker_connections:
            transport.abort()
            return
        self.worker.connections.add(self)
        # gunicorn starts this timer only between two requests, and cancels it when a head is complete.
        self._keepalive_handle = self.worker.loop.call_later(HEAD_SECONDS, self._keepalive_timeout)

    def _feed_callback_parser(self, data: bytes) -> bool:
        try:
            return bool(super()._feed_callback_parser(data))
        except ValueError:  # int() takes no more than 4,300 digits, and gunicorn doesn't expect that
            self._send_error_response(400, "Invalid Content-Length value")
            self._close_transport()
            return False

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
    """Makes our connections where the worker would make gunicorn's."""

    worker: "WebWorker"

    async def create_server(self, factory: Any, **options: Any) -> Any:  # type: ignore[override]
        # Without its own backlog asyncio shortens gunicorn's queue of new connections to 100.
        backlog = self.worker.cfg.backlog
        return await super().create_server(lambda: Connection(self.worker), backlog=backlog, **options)


class WebWorker(ASGIWorker):  # type: ignore[misc]
    def _setup_event_loop(self) -> None:
        self.connections: set[Connection] = set()
        self.loop = Loop()
        self.loop.worker = self
        asyncio.set_event_loop(self.loop)

    def load_wsgi(self) -> None:
        """Runs in the web process: the master must have no threads and no connections when it forks."""
        from judgments.files.limited_process import bound_readers

        bound_readers()
        self.asgi = Front(self.app.wsgi(), watch_databases().hung)

    async def _shutdown(self) -> None:
        for connection in list(self.connections):
            connection.end_if_idle()
        await super()._shutdown()
