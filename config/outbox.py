"""An answer on its way from the thread that makes it to the client that reads it."""

import asyncio
import threading
from collections.abc import Iterable
from tempfile import SpooledTemporaryFile
from typing import Final

BLOCK: Final = 1 << 16
IN_MEMORY: Final = 1 << 20
"""This many bytes of an answer wait in memory. The rest waits in a temporary file."""
AHEAD: Final = 1 << 28
"""A thread may be this many bytes ahead of its client. Beyond that it waits for the client."""

Start = tuple[int, list[tuple[bytes, bytes]]]


class ClientGoneError(OSError):
    """The client left, so nobody reads the answer."""


class NoThreadError(Exception):
    """No thread was free in time, so nothing was done."""


class Outbox:
    """The thread writes as fast as it can, the event loop reads as fast as the client takes it."""

    def __init__(self, loop: asyncio.AbstractEventLoop) -> None:
        self.start: Start = (500, [])
        self._loop = loop
        self._news = asyncio.Event()
        self._lock = threading.Condition()
        self._file = SpooledTemporaryFile(max_size=IN_MEMORY)  # noqa: SIM115 - closed by close()
        self._read = self._written = 0
        self._ended = self._closed = False
        self._error: BaseException | None = None

    # The thread's side

    def start_response(self, status: str, headers: list[tuple[str, str]], exc_info: object = None) -> None:
        encoded = [(name.lower().encode("latin-1"), value.encode("latin-1")) for name, value in headers]
        self.start = int(status.split(" ", 1)[0]), encoded

    def write(self, blocks: Iterable[bytes]) -> None:
        """Raises ClientGoneError when the client left meanwhile."""
        for block in blocks:
            with self._lock:
                self._lock.wait_for(lambda: self._closed or self._written - self._read < AHEAD)
                if self._closed:
                    raise ClientGoneError
                self._file.seek(self._written)
                self._file.write(block)
                self._written += len(block)
            self._tell()

    def end(self, error: BaseException | None = None) -> None:
        """Ends the answer. After an error it breaks off, so that the client can't take a part for the whole."""
        with self._lock:
            self._ended, self._error = True, error
        self._tell()

    def _tell(self) -> None:
        # The loop may have ended before the thread.
        if not self._loop.is_closed():
            self._loop.call_soon_threadsafe(self._news.set)

    # The loop's side

    async def next(self) -> tuple[bytes, bool]:
        """The next bytes, and whether they are the last. Raises what the thread ended with."""
        while True:
            self._news.clear()
            with self._lock:
                self._file.seek(self._read)
                block = self._file.read(BLOCK)
                self._read += len(block)
                caught_up = self._read == self._written
                if caught_up and self._written > BLOCK:
                    self._file.seek(0)
                    self._file.truncate()
                    self._read = self._written = 0
                self._lock.notify()
                last = caught_up and self._ended
                if last and self._error:
                    raise self._error
            if block or last:
                return block, last
            await self._news.wait()

    def close(self) -> None:
        with self._lock:
            self._closed = True
            self._lock.notify()
            self._file.close()
