"""Reads from a replica of the database, if settings name one: streamed files, and views that are marked (ADR 67)."""

import time
from collections.abc import Callable, Generator, Iterator
from contextlib import contextmanager
from functools import wraps
from typing import Concatenate, Final, ParamSpec, TypeVar

from django.db import DEFAULT_DB_ALIAS, Error, InternalError, OperationalError, connections
from django.http import HttpRequest
from django.http.response import HttpResponseBase
from psycopg.errors import ReadOnlySqlTransaction

from judgments.base.sql import replica as sql

REPLICA: Final = "replica"
WAIT: Final = 0.5
"""Seconds for the replica to replay what the primary has. One that is further behind isn't worth waiting for."""
REST: Final = 10.0
"""Seconds that a replica is left alone after it failed."""

P = ParamSpec("P")
R = TypeVar("R", bound=HttpRequest)
Piece = TypeVar("Piece", str, bytes)
Response = TypeVar("Response", bound=HttpResponseBase)


class _Rest:
    until = 0.0


def reads_replica(view: Callable[Concatenate[R, P], Response]) -> Callable[Concatenate[R, P], Response]:
    """The view reads the replica. It's called again on the primary if it turns out that it has to write, or if the replica fails."""

    @wraps(view)
    def on_either(request: R, /, *args: P.args, **kwargs: P.kwargs) -> Response:
        if request.method in ("GET", "HEAD") and is_usable():
            try:
                with _instead_of_the_primary():
                    return view(request, *args, **kwargs)
            except OperationalError:
                pass  # the replica ended the statement, or ended itself
            except InternalError as error:
                if not isinstance(error.__cause__, ReadOnlySqlTransaction):
                    raise
        return view(request, *args, **kwargs)

    return on_either


def from_replica(content: Generator[Piece, None, None]) -> Generator[Piece, None, None]:
    """Makes a streamed file on the replica. Between the blocks, the thread may do something else on the primary."""
    if not is_usable():
        yield from content
        return
    try:
        while True:
            with _instead_of_the_primary():
                block = next(content, None)
            if block is None:
                return
            yield block
    finally:
        with _instead_of_the_primary():
            content.close()


def is_usable() -> bool:
    """Whether there is a replica that has all that the primary has at this moment. A transaction stays where it began."""
    if REPLICA not in connections.settings or time.monotonic() < _Rest.until:
        return False
    current = connections[DEFAULT_DB_ALIAS]
    if current.alias == REPLICA or current.in_atomic_block:
        return False
    position = sql.position()
    try:
        with _instead_of_the_primary():
            usable = _waited_for(position)
    except Error:
        connections[REPLICA].close()
        usable = False
    if not usable:
        _Rest.until = time.monotonic() + REST
    return usable


def _waited_for(position: str) -> bool:
    until = time.monotonic() + WAIT
    while not (replayed := sql.has_replayed(position)):
        if replayed is None or time.monotonic() > until:
            return False
        time.sleep(0.01)
    return True


@contextmanager
def _instead_of_the_primary() -> Iterator[None]:
    """What names the default database in this thread uses the replica's connection: models, transactions and our own SQL."""
    primary = connections[DEFAULT_DB_ALIAS]
    connections[DEFAULT_DB_ALIAS] = connections[REPLICA]
    try:
        yield
    finally:
        connections[DEFAULT_DB_ALIAS] = primary
