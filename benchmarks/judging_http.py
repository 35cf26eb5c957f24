"""The least of an HTTP client that a load test needs: kept-alive connections, and a way to hang up too early."""

import asyncio
import json
import time
import uuid
from dataclasses import dataclass
from typing import Any

TIMEOUT = 20.0  # the screen's own


@dataclass(frozen=True, slots=True)
class Response:
    status: int
    headers: dict[str, str]
    body: bytes
    seconds: float

    @property
    def content(self) -> dict[str, Any]:
        found: dict[str, Any] = json.loads(self.body)
        return found


class Gone(Exception):
    """The server closed a connection that was kept alive: nothing of the request was answered."""


class Connection:
    """One connection to `port` on this machine; opened again, as browsers do, where the server has closed it."""

    def __init__(self, port: int) -> None:
        self.port = port
        self.reader: asyncio.StreamReader | None = None
        self.writer: asyncio.StreamWriter | None = None

    async def send(self, request: bytes) -> Response:
        start = time.perf_counter()
        async with asyncio.timeout(TIMEOUT):
            fresh = await self._open()
            try:
                status, headers, body = await self._exchange(request)
            except Gone:
                if fresh:
                    raise
                self.close()
                await self._open()
                status, headers, body = await self._exchange(request)
        if headers.get("connection") == "close":
            self.close()
        return Response(status, headers, body, time.perf_counter() - start)

    async def hang_up(self, request: bytes) -> None:
        """Sends the request whole and leaves without waiting for the answer."""
        self.close()
        await self._open()
        assert self.writer is not None
        self.writer.write(request)
        await self.writer.drain()
        self.close()

    def close(self) -> None:
        if self.writer is not None:
            self.writer.close()
        self.reader = self.writer = None

    async def _open(self) -> bool:
        """Whether the connection is new."""
        if self.reader is not None and not self.reader.at_eof():
            return False
        self.close()
        self.reader, self.writer = await asyncio.open_connection("127.0.0.1", self.port, limit=1 << 20)
        return True

    async def _exchange(self, request: bytes) -> tuple[int, dict[str, str], bytes]:
        assert self.reader is not None
        assert self.writer is not None
        try:
            self.writer.write(request)
            await self.writer.drain()
            head = (await self.reader.readuntil(b"\r\n\r\n")).decode("latin-1").split("\r\n")
        except (asyncio.IncompleteReadError, ConnectionError) as error:
            raise Gone from error
        headers = {
            name.lower(): value.strip()
            for name, _, value in (line.partition(":") for line in head[1:] if line)
        }
        body = await self._body(headers)
        return int(head[0].split()[1]), headers, body

    async def _body(self, headers: dict[str, str]) -> bytes:
        assert self.reader is not None
        if "content-length" in headers:
            return await self.reader.readexactly(int(headers["content-length"]))
        parts: list[bytes] = []
        while size := int(await self.reader.readuntil(b"\r\n"), 16):
            parts.append(await self.reader.readexactly(size))
            await self.reader.readexactly(2)
        await self.reader.readexactly(2)
        return b"".join(parts)


def request(method: str, path: str, cookies: dict[str, str], fields: dict[str, str] | None = None) -> bytes:
    """A page's request, or with `fields` that of the screen's script: a form in parts that asks for JSON."""
    lines = [f"{method} {path} HTTP/1.1", "Host: 127.0.0.1"]
    if cookies:
        lines.append(f"Cookie: {'; '.join(f'{name}={value}' for name, value in cookies.items())}")
    body = b""
    if fields is not None:
        border = uuid.uuid4().hex
        body = (
            "".join(
                f'--{border}\r\nContent-Disposition: form-data; name="{name}"\r\n\r\n{value}\r\n'
                for name, value in fields.items()
            ).encode()
            + f"--{border}--\r\n".encode()
        )
        lines += [
            "Accept: application/json",
            "HX-Request: true",
            f"X-CSRFToken: {cookies.get('csrftoken', '')}",
        ]
        lines += [f"Content-Type: multipart/form-data; boundary={border}", f"Content-Length: {len(body)}"]
    return "\r\n".join([*lines, "", ""]).encode() + body
