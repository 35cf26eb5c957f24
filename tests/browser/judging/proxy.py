"""A line between browser and server that can be cut: after the server has answered, before the browser hears of it."""

import selectors
import socket
import socketserver
import struct
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any
from urllib.parse import urlsplit

RESET = struct.pack("ii", 1, 0)  # closing such a socket sends RST


class Line(socketserver.ThreadingTCPServer):
    """Cuts the line of the next `cuts` answers to what contains `mark`; `seen` counts requests with it."""

    daemon_threads = True

    def __init__(self, upstream: str, mark: bytes) -> None:
        super().__init__(("127.0.0.1", 0), Connection)
        parts = urlsplit(upstream)
        self.upstream = (str(parts.hostname), int(parts.port or 80))
        self.address = f"http://{parts.hostname}:{self.server_address[1]}"
        self.mark, self.cuts, self.seen = mark, 0, 0


class Connection(socketserver.BaseRequestHandler):
    server: Line

    def handle(self) -> None:
        with socket.create_connection(self.server.upstream) as behind, selectors.DefaultSelector() as ready:
            ready.register(self.request, selectors.EVENT_READ, behind)
            ready.register(behind, selectors.EVENT_READ, self.request)
            cut = False
            while True:
                for key, _ in ready.select():
                    source: Any = key.fileobj
                    data = source.recv(1 << 16)
                    if not data:
                        return
                    if source is self.request and self.server.mark in data:
                        self.server.seen += 1
                        cut = self.server.cuts > 0
                    if source is behind and cut:
                        self.server.cuts -= 1
                        self.request.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, RESET)
                        self.request.close()
                        return
                    key.data.sendall(data)

    def finish(self) -> None:
        self.request.close()


@contextmanager
def line_to(upstream: str, mark: bytes) -> Iterator[Line]:
    with Line(upstream, mark) as line:
        threading.Thread(target=line.serve_forever, daemon=True).start()
        yield line
        line.shutdown()
