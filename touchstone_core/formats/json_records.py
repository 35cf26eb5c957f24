"""Judgment records from JSON values, with the checks that all JSON formats share."""

import json
import re
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final

from touchstone_core.formats import cells
from touchstone_core.formats.delimiters import BLANKS
from touchstone_core.formats.judgments.judgments import JudgmentRecord
from touchstone_core.formats.problems import Report


@dataclass(frozen=True, slots=True)
class Builder:
    """Makes the records of one file, and reports bad values."""

    report: Report
    by_text: bool = False
    """The format knows queries by their texts."""

    def record(
        self, line: int, query: object, document: object, rating: object, **more: Any
    ) -> JudgmentRecord | None:
        """`rating` may be a number, a text, or None for a pair to be judged.

        `more` may be rater, reason, comment, query_text and information_need.
        """
        return self._record(line, {"query": query, "document": document}, {"grade": rating, **more})

    def query(self, line: int, query: object, **more: Any) -> JudgmentRecord | None:
        """A query without documents; `more` may be query_text and information_need."""
        return self._record(line, {"query": query}, more)

    def unrated(
        self, line: int, query: object, fields: Mapping[str, Any] | None, **more: Any
    ) -> Iterator[JudgmentRecord]:
        """A query without ratings, with fields that exports write back; also without any, an export has it again."""
        if record := self.query(line, query, **more):
            yield record._replace(query_fields=fields or {})

    def _record(
        self, line: int, ids: Mapping[str, object], values: Mapping[str, object]
    ) -> JudgmentRecord | None:
        texts = {name: as_text(value) for name, value in {**ids, **values}.items()}
        faults = [
            (name, "" if value is None else value, fault, "not an ID")
            for name, value in ids.items()
            if (fault := _id_fault(texts[name]))
        ]
        faults += [
            (name, value, fault, "not a text")
            for name, value in values.items()
            if (fault := _text_fault(texts[name]))
        ]
        if self.report.refuse(line, faults):
            return None
        more: dict[str, Any] = {name: text for name, text in texts.items() if text}
        query, document, grade = (more.pop(name, "") for name in ("query", "document", "grade"))
        number = cells.number(grade)
        return JudgmentRecord(line, query, document, grade, number, **more, by_text=self.by_text)

    def fields_to_store(self, line: int, column: str, fields: Mapping[str, Any]) -> Mapping[str, Any] | None:
        """Fields that exports write back unchanged. None, with an error, if the database can't store them."""
        fault = json_fault(fields)
        if fault:
            self.report.error(line, column, ", ".join(fields), fault, kind="not a text")
        return fields if fields and not fault else None

    def refuse(self, line: int, column: str, value: object, expected: str) -> None:
        self.report.error(line, column, value, expected, kind="not as expected")

    def as_list(self, line: int, column: str, value: object) -> list[Any]:
        """The value if it's a list. Otherwise reports an error and returns an empty one."""
        if isinstance(value, list):
            return value
        self.refuse(line, column, value, "a list")
        return []

    def as_object(self, line: int, column: str, value: object) -> dict[str, Any]:
        """The value if it's an object. Otherwise reports an error and returns an empty one."""
        if isinstance(value, dict):
            return value
        self.refuse(line, column, value, "an object")
        return {}


def _id_fault(text: str | None) -> str | None:
    return "an ID" if text is None else cells.id_fault(text)


def _text_fault(text: str | None) -> str | None:
    return "a text or a number" if text is None else cells.text_fault(text)


def others(members: Mapping[str, Any], own: Collection[str]) -> dict[str, Any]:
    """The members of an object except `own`."""
    return {name: value for name, value in members.items() if name not in own}


_NUL: Final = re.compile(r"(?<!\\)(?:\\\\)*\\u0000")
"""As JSON writes it. After a backslash that is one itself, the rest are just characters."""


def json_fault(value: object) -> str | None:
    """What the reader expected instead of this JSON value, or None if PostgreSQL can store it."""
    try:
        text = json.dumps(value, ensure_ascii=False, allow_nan=False)
    except (ValueError, RecursionError):
        return "JSON of a depth and with numbers that can be stored"
    return "text without NUL or broken characters" if _NUL.search(text) or cells.text_fault(text) else None


def as_text(value: object) -> str | None:
    """A text without the blanks around it, a number as JSON writes it, nothing for null. None for any other value."""
    if isinstance(value, str):
        return value.strip(BLANKS)
    if value is None:
        return ""
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    return repr(value)
