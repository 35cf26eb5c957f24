"""The paths of names at the start of a JSON document. They tell one tool's format from another's."""

import json
import re
from typing import Final

from touchstone_core.formats.text import Text

_TOKEN: Final = re.compile(r'"(?:[^"\\]|\\.)*"|[{}\[\],:]', re.DOTALL)
LOOKED_AT: Final = 50_000
DEEPEST: Final = 5  # a hit of a search
HIT: Final = "hits{.hits[._source{"
"""Where a search response of OpenSearch has the stored documents."""


def keys(content: str) -> set[str]:
    """The paths of the names in the first characters of a document, at most five levels deep.

    A list gives its elements no name: `{"queries": [{"id": 1}]}` has `queries[` and `queries[.id`, `[{"id": 1}]` has
    `[.id`. A name whose value is an object ends with a brace, one with a list with a bracket: `{"q": {"d": 1}}` has
    `q{` and `q{.d`. Names inside texts don't count.
    """
    paths: set[str] = set()
    path: list[str] = []
    name = ""
    marks = [mark[0] for mark in _TOKEN.finditer(content, 0, LOOKED_AT)]
    for mark, after in zip(marks, [*marks[1:], ""], strict=True):
        if mark in "{[":
            path.append(name + mark)
            if name and len(path) <= DEEPEST + 1:
                paths.add(_join(path))
            name = ""
        elif mark in "}]":
            path = path[:-1]
            name = ""
        elif mark == ",":
            name = ""
        elif after == ":" and mark != ":":
            name = mark[1:-1]
            if len(path) <= DEEPEST:
                paths.add(_join([*path, name]))
    return paths


def _join(path: list[str]) -> str:
    """Leaves out the braces of the document and of list elements, which every document has."""
    return ".".join(part for part in path if part != "{")


def begins_as_json(text: Text) -> bool:
    return text.start.lstrip()[:1] in ("{", "[")


def is_json_lines(text: Text) -> bool:
    """Whether the first line is an object that another one follows, or a flat object on the only line."""
    lines = [line.strip() for line in text.start.lstrip().split("\n", 20)[:20] if line.strip()]
    if not (lines and lines[0].startswith("{") and lines[0].endswith("}")):
        return False
    return lines[1].startswith("{") if len(lines) > 1 else _is_flat(lines[0])


def _is_flat(line: str) -> bool:
    try:
        document = json.loads(line)
    except (ValueError, RecursionError):
        return False
    return isinstance(document, dict) and not any(
        isinstance(value, dict | list) for value in document.values()
    )
