"""A site of Touchstone, from Python."""

import os
import re
from collections.abc import Callable, Iterable
from typing import Any, Self, TypeVar
from urllib.parse import quote

import httpx

from touchstone_core import TOKEN
from touchstone_core.client.calls import Key, key_of
from touchstone_core.client.comparison_calls import ComparisonCalls
from touchstone_core.client.connection import API, PATIENCE, Clock, Connection
from touchstone_core.client.content_calls import ContentCalls
from touchstone_core.client.errors import NotFoundError, SiteError, TokenError
from touchstone_core.client.list_calls import ListCalls
from touchstone_core.client.records import JudgmentList, QuerySet, Run
from touchstone_core.client.run_calls import RunCalls
from touchstone_core.words import counted, names_there_are

Named = TypeVar("Named", QuerySet, JudgmentList, Run)


class Site(ComparisonCalls, ContentCalls, ListCalls, RunCalls):
    """Calls a site with a token. Each method is called as the operation of the API that it sends.

    Rows are named by their record or their ID. Lists are fetched page by page, while you go through them. Whatever is refused
    raises a SiteError with the site's sentence. A broken connection, and a site that asks to wait, are tried again for
    `patience` seconds, and no change is done twice.
    """

    def __init__(
        self,
        url: str,
        token: str = "",
        *,
        patience: float = PATIENCE,
        waiting: Callable[[str], None] | None = None,
        transport: httpx.BaseTransport | None = None,
        clock: Clock | None = None,
    ) -> None:
        """Without a token that of the environment's TOUCHSTONE_TOKEN. `waiting=print` says why a call is tried again."""
        token = token or os.environ.get(TOKEN, "").strip()
        if not token:
            raise TokenError(
                f"There is no token. Create one on your account page, and put it into the environment variable {TOKEN}."
            )
        self._description: dict[str, Any] | None = None
        super().__init__(
            Connection(url, token, patience=patience, waiting=waiting, transport=transport, clock=clock)
        )

    @property
    def url(self) -> str:
        return self.connection.url

    def close(self) -> None:
        self.connection.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: Any) -> None:
        self.close()

    def call(self, operation: str, *keys: Key | str, body: Any = None, **query: Any) -> Any:
        """The answer of any operation by its name, as JSON has it. It goes by the site's own description of its API.

        `keys` are records or IDs, in the order of the address, and `query` what stands behind its `?`. Use it for operations that
        have no method here, or that a newer site has.
        """
        method, path, names = self._described(operation)
        if unknown := sorted(query.keys() - names):
            raise SiteError(
                f"{operation} has no parameter “{unknown[0]}”. It has: {', '.join(sorted(names))}."
            )
        places = path.count("{")
        if len(keys) != places:
            raise SiteError(f"{operation} takes {counted(places, 'ID')}, and there are {len(keys)}.")
        texts = iter([quote(str(one if isinstance(one, str) else key_of(one)), safe="") for one in keys])
        address = re.sub(r"\{\w+\}", lambda _: next(texts), path).removeprefix(API)
        if method == "GET":
            return self.connection.read(address, query).json()
        response = self.connection.change(method, address, query=query, json=body)
        return response.json() if response.content else None

    def _described(self, operation: str) -> tuple[str, str, set[str]]:
        """Method, address and parameters of an operation."""
        if self._description is None:
            self._description = self.connection.read("openapi.json").json()
        for path, methods in self._description["paths"].items():
            for method, one in methods.items():
                if one["operationId"] == operation:
                    taken = {each["name"] for each in one.get("parameters", []) if each["in"] == "query"}
                    return method.upper(), path, taken
        raise SiteError(f"This site has no operation named “{operation}”. {self.url}{API}docs/ lists them.")

    def query_set_named(self, name: str) -> QuerySet:
        """The query set of this name, in capital or small letters. Raises NotFoundError, which names those that there are."""
        return _named(name, self.query_sets(), "You have", "query set", start="You have")

    def list_named(self, query_set: QuerySet, name: str) -> JudgmentList:
        """The judgment list of this name. Raises NotFoundError."""
        return _named(name, self.lists(query_set), f"“{query_set.name}” has", "judgment list")

    def run_named(self, query_set: QuerySet, name: str) -> Run:
        """The run of this name. Raises NotFoundError."""
        return _named(name, self.runs(query_set), f"“{query_set.name}” has", "run")


def _named(name: str, rows: Iterable[Named], owner: str, kind: str, *, start: str = "It has") -> Named:
    names = []
    for row in rows:
        if row.name.casefold() == name.strip().casefold():
            return row
        names.append(row.name)
    raise NotFoundError(f"{owner} no {kind} named “{name}”. {names_there_are(names, start=start)}")
