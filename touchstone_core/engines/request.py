"""What is sent to a search engine for a query: an address, and for most engines a body in JSON."""

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import partial
from typing import Any, Final
from urllib.parse import quote

import httpx

from touchstone_core.offline.command_line import InputError, is_address

QUERY, DEPTH = "{query}", "{depth}"
_PLACE: Final = re.compile(r"\{(query|depth)\}")
_HEADER: Final = re.compile(r"([\w!#$%&'*+.^`|~-]+)\s*:\s*([ -~\t]*)", re.ASCII)


@dataclass(frozen=True, slots=True)
class Template:
    """A request with `{query}` in its address or in texts of its body, and `{depth}` for the number of results.

    Without a body it is a GET, otherwise a POST. A text in the body that is `{depth}` and nothing else becomes a number.
    """

    url: str
    body: object = None
    headers: Mapping[str, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if not is_address(self.url):
            raise InputError("The URL isn’t an address. It begins with http:// or https://.")
        if not self._has(QUERY):
            raise InputError(f"Neither the URL nor the body says where the query goes. Write {QUERY} there.")

    @property
    def says_how_many(self) -> bool:
        return self._has(DEPTH)

    def request(self, query: str, depth: int) -> httpx.Request:
        """Raises InputError for an address or headers that can't be sent."""
        values = {"query": query, "depth": str(depth)}
        url = _PLACE.sub(lambda place: quote(values[place[1]], safe=""), self.url)
        content = None if self.body is None else _fill(self.body, values)
        headers = {"Accept": "application/json", **self.headers}
        try:
            return httpx.Request("GET" if content is None else "POST", url, json=content, headers=headers)
        except (httpx.InvalidURL, ValueError) as error:
            raise InputError(f"The URL or a header can’t be sent: {error}.") from None

    def _has(self, place: str) -> bool:
        return place in self.url or any(place in text for text in _texts(self.body))


def read_body(text: str, name: str) -> object:
    """Raises InputError unless it is a JSON object."""
    try:
        body = json.loads(text)
    except ValueError as error:
        raise InputError(f"{name} is not JSON: {error}.") from None
    if not isinstance(body, dict):
        raise InputError(
            f'{name} is not a JSON object, such as {{"query": {{"match": {{"title": "{QUERY}"}}}}}}.'
        )
    return body


def read_headers(lines: list[str]) -> dict[str, str]:
    """Headers from lines like `Authorization: ApiKey abc`. Raises InputError for other lines, without repeating their secrets."""
    headers = {}
    for line in lines:
        header = _HEADER.fullmatch(line.strip())
        if not line.isascii():
            raise InputError(
                "A header has a character that isn’t ASCII, such as “é” or “…”. Only ASCII can be sent."
            )
        if not header:
            raise InputError("A header isn’t written as in “Authorization: ApiKey abc”.")
        headers[header[1]] = header[2]
    return headers


def _fill(content: Any, values: Mapping[str, str]) -> Any:
    if isinstance(content, dict):
        return {key: _fill(value, values) for key, value in content.items()}
    if isinstance(content, list):
        return list(map(partial(_fill, values=values), content))
    if content == DEPTH:
        return int(values["depth"])
    return _PLACE.sub(lambda place: values[place[1]], content) if isinstance(content, str) else content


def _texts(content: Any) -> list[str]:
    if isinstance(content, dict | list):
        items = content.values() if isinstance(content, dict) else content
        return [text for item in items for text in _texts(item)]
    return [content] if isinstance(content, str) else []
