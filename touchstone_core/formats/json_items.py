"""A JSON document item by item, each with its line. Only one is decoded at a time."""

import json
import re
from collections.abc import Callable, Collection, Iterable, Iterator
from typing import Any, Final, NamedTuple, NoReturn, TypeVar

from touchstone_core.formats.problems import CutOffError, FormatError, Report
from touchstone_core.formats.text import Text

Object = TypeVar("Object")
NO_BLANK: Final = re.compile(r"[^ \t\n\r]")


class Item(NamedTuple):
    """An element of the list under `key`, or a whole member (then `place` is None).

    `key` is empty if the document itself is the list.
    """

    line: int
    key: str
    place: int | None
    value: Any


def items(text: Text, lists: Collection[str]) -> Iterator[Item]:
    """The members of a JSON object in order. Members named in `lists` come element by element if they are lists.

    Raises FormatError with the line for invalid JSON, a repeated key, or anything but an object or a list.
    """
    yield from _Reader(text).items(lists)


def elements(parts: Iterator[Item]) -> Iterator[Item]:
    """The items that are elements of a list."""
    return (item for item in parts if item.place is not None)


class _Reader:
    def __init__(self, text: Text) -> None:
        self.name = text.name
        self.content = text.content
        self.decoder = json.JSONDecoder(object_pairs_hook=unique_members, parse_constant=_refuse)
        self.at = 0
        self.line = 1
        self.counted = 0

    def items(self, lists: Collection[str]) -> Iterator[Item]:
        start = self.peek()
        if start == "{":
            yield from self.members(lists)
        elif start == "[":
            yield from self.elements("")
        else:
            raise FormatError(f"{self.name} is neither a JSON object nor a list.", line=self.line_here())
        if self.peek():
            self.fail("nothing behind the end of the document")

    def members(self, lists: Collection[str]) -> Iterator[Item]:
        keys: set[str] = set()
        for _ in self.parts("}"):
            key = self.value() if self.peek() == '"' else self.fail("a name in quotes")
            if key in keys:
                self.fail(f"the name “{key}” once")
            keys.add(key)
            self.expect(":")
            if key in lists and self.peek() == "[":
                yield from self.elements(key)
            else:
                self.peek()
                line = self.line_here()
                yield Item(line, key, None, self.value())

    def elements(self, key: str) -> Iterator[Item]:
        for place in self.parts("]"):
            line = self.line_here()
            yield Item(line, key, place, self.value())

    def parts(self, end: str) -> Iterator[int]:
        """Moves to each part between the opening bracket and `end`, then past `end`."""
        self.at += 1
        place = 0
        if self.peek() == end:
            self.at += 1
            return
        while True:
            self.peek()
            yield place
            place += 1
            if self.peek() == end:
                self.at += 1
                return
            self.expect(",")

    def peek(self) -> str:
        """The next character that isn't white space, or nothing at the end."""
        match = NO_BLANK.search(self.content, self.at)
        self.at = match.start() if match else len(self.content)
        return match[0] if match else ""

    def expect(self, letter: str) -> None:
        if self.peek() != letter:
            self.fail(f"“{letter}”")
        self.at += 1

    def value(self) -> Any:
        self.peek()
        try:
            result, self.at = self.decoder.raw_decode(self.content, self.at)
        except json.JSONDecodeError as error:
            if error.msg.startswith("Unterminated string"):
                self.at = len(self.content)
            else:
                self.at = error.pos
            self.fail("a JSON value")
        except (ValueError, RecursionError) as error:
            self.fail(
                str(error)
                if isinstance(error, _NotJson)
                else "JSON of a depth and with numbers that can be read"
            )
        return result

    def line_here(self) -> int:
        self.line += self.content.count("\n", self.counted, self.at)
        self.counted = max(self.counted, self.at)
        return self.line

    def fail(self, expected: str) -> NoReturn:
        if not self.peek():
            raise CutOffError(self.name, self.content.rstrip().count("\n") + 1)
        line = self.line_here()
        raise FormatError(f"{self.name} is not valid JSON: line {line}, expected {expected}.", line=line)


class _NotJson(ValueError):
    """The message says what was expected."""


def unique_members(pairs: list[tuple[str, object]]) -> dict[str, object]:
    """An object as a dict. Refuses a repeated key, of which Python's reader would silently keep the last."""
    members = dict(pairs)
    if len(members) != len(pairs):
        raise _NotJson("each name of an object once")
    return members


def _refuse(constant: str) -> NoReturn:
    raise _NotJson(f"a number, not {constant}")


def json_lines(
    lines: Iterable[str],
    report: Report,
    kind: type[Object],
    make: Callable[[list[tuple[str, object]]], Object],
    expected: str,
) -> Iterator[tuple[int, Object]]:
    """The objects of JSON lines with their line numbers. Reports lines that hold anything else."""
    for line, content in enumerate(lines, start=1):
        if not content.strip():
            continue
        try:
            value = json.loads(content, object_pairs_hook=make)
        except (ValueError, RecursionError):
            value = None
        if isinstance(value, kind):
            yield line, value
        else:
            report.error(line, "", content.strip(), expected, kind="not a JSON object")
