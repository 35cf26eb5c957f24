"""The ASGI application around Django's WSGI one: the event loop waits for clients, threads only work.

The loop reads a small request whole before it asks for a thread, and sends the answer at the client's pace after the
thread is done. Each kind of request has threads of its own, so that none can starve another. See ADR 24.
"""

import asyncio
import io
import sys
import time
from collections.abc import Awaitable, Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from functools import partial
from typing import Any, Final, NamedTuple, Protocol, TypeVar
from urllib.parse import unquote_to_bytes
from wsgiref.util import FileWrapper

from django.conf import settings
from django.urls import Resolver404, resolve, reverse

from config.monitored_paths import METRICS, MONITORED, READY
from config.outbox import BLOCK, ClientGoneError, NoThreadError, Outbox
from judgments.files.limited_process import READERS

SMALL_BODY: Final = 1 << 20
"""The loop reads a form of up to this many bytes by itself. Anything larger is an upload."""
BODY_SECONDS: Final = 20.0
"""How long the site waits for the body of a request."""
BODY_RATE: Final = 1000
"""Each byte that comes in earns its part of a second, up to BODY_SECONDS. So a slow line is enough, a trickle isn't."""
READ_SECONDS: Final = 60.0
"""A client has this long to take the next BLOCK of its answer."""
LINGER_SECONDS: Final = 5.0
"""The site throws away an unread body for this long, so that a client that still sends it can read the answer."""
REFUSED: Final = "touchstone.refused"
"""The key in a request's environ that says why it isn't worked on. RefusalMiddleware turns it into a page."""

UNKNOWN: Final = -1
"""The length of a body that comes in chunks. Django doesn't read those."""
PASSWORD_FORMS: Final = frozenset(
    {
        "sign-in",
        "join",
        "password-change",
        "second-factor-set-up",
        "admin:login",
        "admin:auth_user_password_change",
        "admin:judgments_user_add",
    }
)
"""Addresses that may hash a password, which takes a third of a second of processor time on purpose."""
ASK_PROVIDER: Final = frozenset({"openid_connect_login", "openid_connect_callback"})
"""Addresses that wait for the provider of single sign-on, which may be slow: pages must not wait for their threads."""

T = TypeVar("T")
Message = dict[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]
Environ = dict[str, Any]


class Application(Protocol):
    def __call__(self, environ: Environ, start_response: Callable[..., Any]) -> Iterable[bytes]: ...


class Lane(NamedTuple):
    """Threads for one kind of request, and how many seconds a request may wait for one of them."""

    threads: ThreadPoolExecutor
    seconds: float


SIZES: Final = {
    "pages": (4, 15.0),
    "files": (2, 15.0),  # they also make the 503 pages
    "uploads": (2, 15.0),
    "exports": (2, 15.0),
    "passwords": (1, 8.0),
    "provider": (2, 8.0),
}
"""For each kind of request: threads, and the seconds to wait for one."""
CONNECTIONS: Final = sum(size for size, _ in SIZES.values()) + 1 + READERS
"""How many connections to the database a web process may have: each thread keeps one, as do the watch and processes that read files."""


def make_lanes() -> dict[str, Lane]:
    return {name: Lane(ThreadPoolExecutor(size, name), seconds) for name, (size, seconds) in SIZES.items()}


class TooSlowError(OSError):
    """The body of a request comes in too slowly."""


class BodyClock:
    """How long the site still waits for a body. Time in which nobody waited for it doesn't count."""

    def __init__(self) -> None:
        self.left = BODY_SECONDS
        self._since = 0.0

    def start(self) -> float:
        """The seconds to wait for the next part of the body."""
        self._since = time.monotonic()
        return self.left

    def stop(self, received: int) -> None:
        """Raises TooSlowError when the body has used up its time."""
        self.left += received / BODY_RATE - (time.monotonic() - self._since)
        self.left = min(self.left, BODY_SECONDS)
        if self.left <= 0:
            raise TooSlowError("The body of the request came in too slowly.")


class Upload(io.RawIOBase):
    """A large body, which its thread reads while it comes in."""

    def __init__(self, receive: Receive, loop: asyncio.AbstractEventLoop) -> None:
        self._receive, self._loop = receive, loop
        self._clock = BodyClock()
        self._rest = b""
        self._ended = False

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        while not self._rest and not self._ended:
            self._rest = self._next()
        taken = self._rest[: len(buffer)]
        buffer[: len(taken)] = taken
        self._rest = self._rest[len(taken) :]
        return len(taken)

    def _next(self) -> bytes:
        coming = asyncio.run_coroutine_threadsafe(_received(self._receive), self._loop)
        try:
            block, self._ended = coming.result(self._clock.start())
        except TimeoutError:
            coming.cancel()
            raise TooSlowError("The body of the request came in too slowly.") from None
        self._clock.stop(len(block))
        return block


async def _received(receive: Receive) -> tuple[bytes, bool]:
    """The next bytes of the body, and whether they are its last."""
    message = await receive()
    if message["type"] != "http.request":
        raise ClientGoneError
    return message.get("body", b""), not message.get("more_body")


async def _whole(receive: Receive) -> bytes:
    clock, last = BodyClock(), False
    blocks: list[bytes] = []
    while not last:
        async with asyncio.timeout(clock.start()):
            block, last = await _received(receive)
        clock.stop(len(block))
        blocks.append(block)
    return b"".join(blocks)


async def _throw_away(receive: Receive) -> None:
    with suppress(ClientGoneError, TimeoutError):
        async with asyncio.timeout(LINGER_SECONDS):
            last = False
            while not last:
                _, last = await _received(receive)


class Front:
    """The ASGI application."""

    def __init__(self, application: Application, hung: Callable[[], bool]) -> None:
        """`hung` says whether the database has stopped answering. If it has, no request waits for it."""
        self._application = application
        self._hung = hung
        self._lanes = make_lanes()
        self._worker = reverse("judge-worker")

    async def __call__(self, scope: dict[str, Any], receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            return  # a web socket: returning closes it
        length = _length(scope)
        large = length > SMALL_BODY
        try:
            small = await _whole(receive) if 0 < length <= SMALL_BODY else b""
        except ClientGoneError:
            return
        except (TooSlowError, TimeoutError):
            await _say(send, 408, b"The request came in too slowly. Send it again.")
            return
        upload = Upload(receive, asyncio.get_running_loop())
        environ = make_environ(scope, io.BufferedReader(upload, BLOCK) if large else io.BytesIO(small))
        await self._answer(self._lane(scope, large), environ, send)
        if large or length == UNKNOWN:
            await _throw_away(receive)

    def _lane(self, scope: dict[str, Any], large: bool) -> Lane:
        path = scope["path"]
        if path.startswith(settings.STATIC_URL) or path == self._worker or path in MONITORED:
            return self._lanes["files"]
        if large:
            return self._lanes["uploads"]
        name = _name_of(path)
        if scope["method"] == "POST" and name in PASSWORD_FORMS:
            return self._lanes["passwords"]
        if name in ASK_PROVIDER:
            return self._lanes["provider"]
        return self._lanes["pages"]

    async def _answer(self, lane: Lane, environ: Environ, send: Send) -> None:
        """Sends the answer, or a 503 page when the database hangs or no thread of the lane is free in time."""
        files = self._lanes["files"]
        if self._would_hang(lane, environ):
            lane, environ = files, environ | {REFUSED: "away"}
        with suppress(NoThreadError):
            return await self._answer_by(lane, environ, send)
        with suppress(NoThreadError):
            return await self._answer_by(files, environ | {REFUSED: "crowded"}, send)
        await _say(send, 503, b"Too much is going on just now. Try again in a few seconds.")

    def _would_hang(self, lane: Lane, environ: Environ) -> bool:
        """Whether the request asks a database that has stopped answering. Of the small things, two ask it."""
        return (lane is not self._lanes["files"] or environ["PATH_INFO"] in (READY, METRICS)) and self._hung()

    async def _answer_by(self, lane: Lane, environ: Environ, send: Send) -> None:
        outbox = Outbox(asyncio.get_running_loop())
        try:
            stream = await _within(lane, partial(self._work, lane, environ, outbox))
            if stream is None:
                await _hand_out(outbox, send)
            else:
                await self._stream(stream, outbox, send)
        finally:
            outbox.close()

    async def _stream(self, stream: Any, outbox: Outbox, send: Send) -> None:
        sending = asyncio.create_task(_within(self._lanes["exports"], partial(_fill, outbox, stream)))
        sending.add_done_callback(lambda done: outbox.end(done.exception() if not done.cancelled() else None))
        try:
            await _hand_out(outbox, send)
        finally:
            sending.cancel()

    def _work(self, lane: Lane, environ: Environ, outbox: Outbox) -> Any:
        """Runs in a thread: does everything for a request, or returns the stream that its answer consists of.

        A stream hasn't read anything from the database yet. So another thread can make it, on its own connection.
        """
        if self._would_hang(lane, environ):  # since the request began to wait for this thread
            environ[REFUSED] = "away"
        answer = self._application(environ, outbox.start_response)
        if getattr(answer, "streaming", False):
            return answer
        _fill(outbox, answer)
        outbox.end()
        return None


def _fill(outbox: Outbox, blocks: Any) -> None:
    try:
        outbox.write(blocks)
    finally:
        if hasattr(blocks, "close"):
            blocks.close()


async def _within(lane: Lane, work: Callable[[], T]) -> T:
    """Returns the result of the work, done in a thread of the lane. Raises NoThreadError when none is free in time."""
    future = lane.threads.submit(work)
    wrapped = asyncio.wrap_future(future)
    wrapped.add_done_callback(
        lambda done: done.cancelled() or done.exception()
    )  # or asyncio logs an error that nobody asked for
    patience = asyncio.get_running_loop().call_later(lane.seconds, future.cancel)
    try:
        await asyncio.wait([wrapped])
    finally:
        patience.cancel()
        future.cancel()
    if wrapped.cancelled():
        raise NoThreadError
    return wrapped.result()


async def _hand_out(outbox: Outbox, send: Send) -> None:
    block, last = await outbox.next()
    status, headers = outbox.start
    await send({"type": "http.response.start", "status": status, "headers": headers})
    try:
        while True:
            async with asyncio.timeout(READ_SECONDS):
                await send({"type": "http.response.body", "body": block, "more_body": not last})
            if last:
                return
            block, last = await outbox.next()
    except TimeoutError:
        return  # without an end, so gunicorn closes the connection


async def _say(send: Send, status: int, text: bytes) -> None:
    """Sends an answer without asking Django."""
    headers = [
        (b"content-type", b"text/plain; charset=utf-8"),
        (b"content-length", b"%d" % len(text)),
        (b"cache-control", b"no-store"),
        (b"connection", b"close"),
    ]
    await send({"type": "http.response.start", "status": status, "headers": headers})
    await send({"type": "http.response.body", "body": text})


def _length(scope: dict[str, Any]) -> int:
    for name, value in scope["headers"]:
        if name == b"transfer-encoding":
            return UNKNOWN
        if name == b"content-length":
            return int(value)
    return 0


def _name_of(path: str) -> str:
    """The name of the address; nothing where there is none."""
    try:
        return resolve(path).view_name
    except Resolver404:
        return ""


def make_environ(scope: dict[str, Any], body: Any) -> Environ:
    """Returns the request as WSGI (PEP 3333) describes it."""
    server, client = scope["server"] or ("localhost", 80), scope["client"] or ("", 0)
    environ: Environ = {
        "REQUEST_METHOD": scope["method"],
        "SCRIPT_NAME": "",
        "PATH_INFO": unquote_to_bytes(scope["raw_path"]).decode("latin-1"),
        "QUERY_STRING": scope["query_string"].decode("latin-1"),
        "SERVER_PROTOCOL": f"HTTP/{scope['http_version']}",
        "SERVER_NAME": server[0],
        "SERVER_PORT": str(server[1]),
        "REMOTE_ADDR": client[0],
        "wsgi.version": (1, 0),
        "wsgi.url_scheme": scope["scheme"],
        "wsgi.input": body,
        "wsgi.errors": sys.stderr,
        "wsgi.multithread": True,
        "wsgi.multiprocess": True,
        "wsgi.run_once": False,
        "wsgi.file_wrapper": lambda file, size: FileWrapper(file, BLOCK),
    }
    for name, value in scope["headers"]:
        key = name.decode("latin-1").upper().replace("-", "_")
        key = key if key in ("CONTENT_TYPE", "CONTENT_LENGTH") else f"HTTP_{key}"
        text = value.decode("latin-1")
        environ[key] = f"{environ[key]},{text}" if key in environ else text
    return environ
