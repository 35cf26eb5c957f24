"""An answer on its way from the thread that makes it to the client that takes it."""

import asyncio
import threading
from collections.abc import Iterable
from tempfile import SpooledTemporaryFile
from typing import Final

BLOCK: Final = 1 << 16
IN_MEMORY: Final = 1 << 20
"""Bytes of one answer that wait in memory; what is more waits in a file."""
AHEAD: Final = 1 << 28
"""Bytes that a thread may be ahead of its client. A slow reader of a longer file holds its thread, nobody else's."""

Start = tuple[int, list[tuple[bytes, bytes]]]


class ClientGoneError(OSError):
    """Nobody takes the answer any more."""


class NoThreadError(Exception):
    """No thread was free in time; nothing was done."""


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
        """After an error the answer breaks off, so that nobody takes a part for the whole."""
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
