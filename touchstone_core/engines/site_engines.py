"""The search engines that a site may ask: a file in TOML that its operator keeps."""

import tomllib
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any, Final

from touchstone_core.engines import AT_ONCE, MOST_AT_ONCE
from touchstone_core.engines.fetching import Engine
from touchstone_core.engines.request import Template, read_headers
from touchstone_core.offline.command_line import InputError

LONGEST_NAME: Final = 100


def _is_text(value: object) -> bool:
    return isinstance(value, str)


def _is_list(kind: type, value: object) -> bool:
    return isinstance(value, list) and all(type(one) is kind for one in value)


def _is_at_once(value: object) -> bool:
    return type(value) is int and 1 <= value <= MOST_AT_ONCE


_MUST_BE: Final[dict[str, tuple[Callable[[object], bool], str]]] = {
    "url": (_is_text, "a text"),
    "body": (lambda value: isinstance(value, dict), "a table"),
    "headers": (partial(_is_list, str), "a list of texts"),
    "hits": (_is_text, "a text"),
    "id": (_is_text, "a text"),
    "at_once": (_is_at_once, f"a whole number from 1 to {MOST_AT_ONCE}"),
    "query_sets": (partial(_is_list, int), "a list of IDs"),
}


@dataclass(frozen=True, slots=True)
class SiteEngine:
    """An engine, how many queries it is asked `at_once`, and the IDs of the query sets that may ask it; None: all of them."""

    engine: Engine
    at_once: int = AT_ONCE
    query_sets: frozenset[int] | None = None


def read_engines(text: str) -> dict[str, SiteEngine]:
    """The engines by name, in the order of the file: a table for each. Raises InputError, with the name of the engine."""
    try:
        tables = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise InputError(f"It is not TOML: {error}.") from None
    return {name: _engine(name, table) for name, table in tables.items()}


def _engine(name: str, table: Any) -> SiteEngine:
    try:
        if not isinstance(table, dict):
            raise InputError(f'It is no table. Write [{name}] on a line of its own, and below it url = "…".')
        if len(name) > LONGEST_NAME:
            raise InputError(f"Its name is longer than {LONGEST_NAME} characters.")
        for key, value in table.items():
            _check(key, value)
        if "url" not in table:
            raise InputError("It has no url.")
        template = Template(table["url"], table.get("body"), read_headers(table.get("headers", [])))
        template.request("query", 1)
        query_sets = frozenset(table["query_sets"]) if "query_sets" in table else None
        engine = Engine(template, table.get("hits", ""), table.get("id", ""))
        return SiteEngine(engine, table.get("at_once", AT_ONCE), query_sets)
    except InputError as error:
        raise InputError(f"Engine “{name}”: {error}") from None


def _check(key: str, value: object) -> None:
    if key not in _MUST_BE:
        raise InputError(f"It has “{key}”, which means nothing here. It may have {', '.join(_MUST_BE)}.")
    is_right, words = _MUST_BE[key]
    if not is_right(value):
        raise InputError(f"“{key}” must be {words}.")
