"""Calls of a site's HTTP API: the token, further tries, pages of rows, and files as streams."""

import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO, Final
from urllib.parse import urlsplit
from uuid import uuid4

import httpx

from touchstone_core import __version__
from touchstone_core.client.errors import NO_RECORD, SiteError, UnavailableError, error_of, no_site
from touchstone_core.offline.command_line import is_address

API: Final = "/api/v1/"
PATIENCE: Final = 60.0
"""For so many seconds a call is tried again. A site that restarts, or calls that are limited by the minute, is back by then."""
FIRST_WAIT, LONGEST_WAIT = 0.5, 8.0
PASSING: Final = frozenset({429, 502, 503, 504})
CONFLICT: Final = 409
ROWS: Final = 1000
# A run is stored in the call itself, which may take minutes.
TIMEOUT: Final = httpx.Timeout(60, connect=10, read=600)
UNSENDABLE: Final = "This call can’t be sent: it is too long, or it has characters that no text can have. Shorten what you ask for."

UNUSABLE: Final = "The environment’s variables for proxies or certificates (such as HTTPS_PROXY, SSL_CERT_FILE) can’t be used:"


@dataclass(frozen=True, slots=True)
class SentFile:
    """A file for the body of a call: bytes, or a path that is read while it is sent."""

    name: str
    content: bytes | Path

    def open(self) -> AbstractContextManager[bytes | BinaryIO]:
        return nullcontext(self.content) if isinstance(self.content, bytes) else self.content.open("rb")


@dataclass(frozen=True, slots=True)
class Clock:
    """The time, and a way to wait."""

    now: Callable[[], float] = time.monotonic
    sleep: Callable[[float], None] = time.sleep


class Connection:
    """Sends calls with a token.

    A call is sent again if its connection breaks, or if the site asks for it (429, 503), for as long as there is patience. Each
    change has an idempotency key, so that it is done once, however often it is sent.
    """

    def __init__(
        self,
        url: str,
        token: str,
        *,
        patience: float = PATIENCE,
        waiting: Callable[[str], None] | None = None,
        transport: httpx.BaseTransport | None = None,
        clock: Clock | None = None,
    ) -> None:
        """`waiting` is told once for each call why it is tried again."""
        if not is_address(url):
            raise SiteError(f"“{url}” isn’t the address of a site. It begins with http:// or https://.")
        if not token or not token.isascii() or not token.isprintable():
            raise SiteError("There is no usable token. Create one on your account page, and pass it on.")
        self.url = url.rstrip("/").removesuffix(API.rstrip("/")).rstrip("/")
        self.patience, self.clock, self._waiting = patience, clock or Clock(), waiting
        headers = {"Authorization": f"Bearer {token}", "User-Agent": f"touchstone/{__version__}"}
        try:
            self._http = httpx.Client(headers=headers, timeout=TIMEOUT, transport=transport)
        except (ImportError, OSError, ValueError) as error:
            raise SiteError(f"{UNUSABLE} {error}") from error

    def close(self) -> None:
        self._http.close()

    def read(self, path: str, query: Mapping[str, Any] | None = None) -> httpx.Response:
        return self._answer("GET", path, query=query)

    def change(
        self,
        method: str,
        path: str,
        *,
        query: Mapping[str, Any] | None = None,
        json: Any = None,
        file: SentFile | None = None,
    ) -> httpx.Response:
        """Sends a change once, however often it takes."""
        return self._answer(method, path, query=query, json=json, file=file)

    def rows(self, path: str, query: Mapping[str, Any] | None = None) -> Iterator[dict[str, Any]]:
        """All rows of a list. The next page is fetched when it is needed."""
        for page in self.pages(path, query):
            if "items" not in page:
                raise SiteError(NO_RECORD)
            yield from page["items"]

    def pages(
        self, path: str, query: Mapping[str, Any] | None = None, *, timeout: float | None = None
    ) -> Iterator[dict[str, Any]]:
        """For each page, waits like `when_ready`."""
        following: str | None = path
        sent: Mapping[str, Any] | None = {"limit": ROWS, **(query or {})}
        while following:
            page = self.when_ready(following, sent, timeout=timeout)
            yield page
            following, sent = page["next"], None  # the address has everything

    def when_ready(
        self,
        path: str,
        query: Mapping[str, Any] | None,
        *,
        timeout: float | None = None,
        progress: Callable[[dict[str, Any]], None] | None = None,
    ) -> dict[str, Any]:
        """Asks again while a worker is at it (202). Raises UnavailableError if that takes longer than `timeout` seconds."""
        started = self.clock.now()
        while True:
            response = self.read(path, query)
            answer = _object_of(response)
            if response.status_code != httpx.codes.ACCEPTED:
                return answer
            if progress:
                progress(answer)
            self.pause(_seconds(response) or 1.0, started, timeout, answer["detail"])

    def pause(self, seconds: float, started: float, timeout: float | None, what: str) -> None:
        """Waits, unless that would take longer than there is time."""
        if timeout is not None and self.clock.now() + seconds - started > timeout:
            raise UnavailableError(f"{what} It wasn’t done within {timeout:g} seconds.", status=202)
        self.clock.sleep(seconds)

    @contextmanager
    def download(self, path: str, query: Mapping[str, Any] | None = None) -> Iterator[httpx.Response]:
        """An answer whose body is read piece by piece. It isn't tried again once it has begun."""
        response = self._answer("GET", path, query=query, stream=True)
        try:
            yield response
        except httpx.TransportError as error:
            raise _broken(self.url, error) from error
        finally:
            response.close()

    def _answer(
        self,
        method: str,
        path: str,
        *,
        query: Mapping[str, Any] | None = None,
        json: Any = None,
        file: SentFile | None = None,
        stream: bool = False,
    ) -> httpx.Response:
        headers = {} if method == "GET" else {"Idempotency-Key": str(uuid4())}
        if file:
            headers["Content-Type"] = "application/octet-stream"
        deadline, wait = self.clock.now() + self.patience, FIRST_WAIT
        while True:
            try:
                with file.open() if file else nullcontext() as content:
                    request = self._http.build_request(
                        method,
                        self._address(path),
                        params=_given(query),
                        json=json,
                        content=content,
                        headers=headers,
                    )
                    response = self._http.send(request, stream=True)
                    if not stream or response.is_error:
                        response.read()
            except (httpx.InvalidURL, UnicodeEncodeError) as error:
                raise SiteError(UNSENDABLE) from error
            except httpx.TransportError as error:
                problem: SiteError = _broken(self.url, error)
                asked = None
            else:
                if response.is_success:
                    return _as_of_a_site(response, is_file=stream)
                problem, asked = error_of(response), _seconds(response)
                response.close()
                if not _passes(response):
                    raise problem
            seconds = wait if asked is None else asked
            if self.clock.now() + seconds > deadline:
                raise problem
            self._wait(seconds, problem, is_first=wait == FIRST_WAIT)
            wait = min(2 * wait, LONGEST_WAIT)

    def _wait(self, seconds: float, problem: SiteError, *, is_first: bool) -> None:
        if is_first and self._waiting:
            self._waiting(f"{problem} Trying again for up to {self.patience:g} seconds.")
        self.clock.sleep(seconds)

    def _address(self, path: str) -> str:
        """Of an operation, or of the next page as the site names it: without its host, so that a token is never sent elsewhere."""
        if not path.startswith("/"):
            return f"{self.url}{API}{path}"
        parts = urlsplit(self.url)
        return f"{parts.scheme}://{parts.netloc}{path}"


def _as_of_a_site(response: httpx.Response, *, is_file: bool) -> httpx.Response:
    """The same answer. Raises SiteError if it is of a kind that the API hasn't: of a file it is no page, else it is JSON."""
    kind = response.headers.get("Content-Type", "").partition(";")[0].strip()
    is_answer = kind == "application/json" or response.status_code == httpx.codes.NO_CONTENT
    if kind == "text/html" if is_file else not is_answer:
        response.close()
        raise no_site(response)
    return response


def _object_of(response: httpx.Response) -> dict[str, Any]:
    answer = response.json()
    if not isinstance(answer, dict):
        raise SiteError(NO_RECORD)
    return answer


def _given(query: Mapping[str, Any] | None) -> dict[str, str | list[str]] | None:
    """Parameters that were given, as addresses have them. None if the address has its own."""
    if not query:
        return None
    return {name: _parameter(name, value) for name, value in query.items() if value is not None}


def _parameter(name: str, value: Any) -> str | list[str]:
    if not isinstance(value, list | tuple):
        return _written(value)
    texts = [_written(one) for one in value]
    return " ".join(texts) if name == "measures" else texts  # the last of several would count


def _written(value: object) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


def _passes(response: httpx.Response) -> bool:
    """Whether the same call may be answered in a moment. 409 is one if the site says when: the first call is still being answered."""
    status = response.status_code
    return status in PASSING or (status == CONFLICT and "Retry-After" in response.headers)


def _seconds(response: httpx.Response) -> float | None:
    text = response.headers.get("Retry-After", "")
    return float(text) if text.isdecimal() else None


def _broken(url: str, error: httpx.TransportError) -> UnavailableError:
    reason = str(error) or type(error).__name__
    return UnavailableError(f"{url} can’t be reached: {reason.rstrip('.')}.")
