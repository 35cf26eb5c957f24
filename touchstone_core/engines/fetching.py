"""Asks an engine all queries, some at a time, and tries again what may pass."""

import json
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from threading import Event
from typing import Final

import httpx

from touchstone_core import __version__
from touchstone_core.engines.answers import AnswerError, document_ids
from touchstone_core.engines.request import Template
from touchstone_core.offline.command_line import InputError

PASSING: Final = frozenset({429, 502, 503, 504})
WAITS: Final = (0.5, 1.0, 2.0, 4.0, 8.0)
"""Seconds before each further try."""
TIMEOUT: Final = 60.0
SHOWN: Final = 200
"""So many characters of an answer are shown that is an error."""


@dataclass(frozen=True, slots=True)
class Engine:
    """An engine: what it is asked, and where its answers have the results (see `answers.document_ids`)."""

    template: Template
    hits_at: str = ""
    id_at: str = ""


@dataclass(frozen=True, slots=True)
class FetchResult:
    """The documents of each query, in the order of the queries, best first, each once. `doubles` came again and were left out."""

    rankings: dict[str, list[str]]
    doubles: int

    @property
    def lines(self) -> str:
        """A run as JSON lines, which keep the engine's order, queries without results, and IDs with blanks."""
        rows = ({"query": query, "results": documents} for query, documents in self.rankings.items())
        return "".join(f"{json.dumps(row, ensure_ascii=False)}\n" for row in rows)

    @property
    def results(self) -> int:
        return sum(map(len, self.rankings.values()))

    @property
    def empty(self) -> int:
        return sum(not documents for documents in self.rankings.values())


def fetch(
    engine: Engine,
    queries: Mapping[str, str],
    *,
    depth: int,
    at_once: int,
    on_answer: Callable[[int], object] = lambda _: None,
    transport: httpx.BaseTransport | None = None,
    sleep: Callable[[float], object] | None = None,
) -> FetchResult:
    """The first `depth` results of each query, given as ID and text. So many queries are asked `at_once`.

    `on_answer` is called with the number of queries that are answered, and ends it all by an exception.
    All or nothing: raises InputError, with the query, for the first that gets no usable answer.
    """
    headers = {"User-Agent": f"touchstone/{__version__}"}
    given_up = Event()
    with httpx.Client(headers=headers, timeout=TIMEOUT, transport=transport) as client:

        def ask(query_id: str) -> list[str]:
            if given_up.is_set():
                return []
            try:
                return _ask(client, engine, queries[query_id], depth, sleep or given_up.wait)
            except AnswerError as error:
                given_up.set()
                raise InputError(f"Query {query_id} (“{queries[query_id]}”): {error}") from None

        pool = ThreadPoolExecutor(at_once)
        try:
            found: dict[str, list[str]] = {}
            for query_id, documents in zip(queries, pool.map(ask, queries), strict=True):
                found[query_id] = documents
                on_answer(len(found))
        finally:
            given_up.set()
            pool.shutdown(cancel_futures=True)
    rankings = {query_id: list(dict.fromkeys(documents)) for query_id, documents in found.items()}
    return FetchResult(rankings, sum(map(len, found.values())) - sum(map(len, rankings.values())))


def _ask(
    client: httpx.Client, engine: Engine, query: str, depth: int, sleep: Callable[[float], object]
) -> list[str]:
    request = engine.template.request(query, depth)
    for wait in (*WAITS, None):
        try:
            response = client.send(request)
        except httpx.TransportError as error:
            problem = f"No answer came: {str(error) or type(error).__name__}."
        else:
            if response.status_code not in PASSING:
                return document_ids(_content(response), engine.hits_at, engine.id_at)[:depth]
            problem = _status(response)
        if wait is not None:
            sleep(wait)
    raise AnswerError(f"{problem} It was tried {len(WAITS) + 1} times.")


def _content(response: httpx.Response) -> object:
    if not response.is_success:
        raise AnswerError(_status(response))
    try:
        return response.json()
    except ValueError:
        raise AnswerError(f"The answer isn’t JSON: {_beginning(response)}") from None


def _status(response: httpx.Response) -> str:
    reason = f" {response.reason_phrase}" if response.reason_phrase else ""
    return f"The engine answered {response.status_code}{reason}: {_beginning(response)}"


def _beginning(response: httpx.Response) -> str:
    text = " ".join(response.text.split())
    return f"{text[:SHOWN]}{'…' if len(text) > SHOWN else ''}" if text else "nothing."
