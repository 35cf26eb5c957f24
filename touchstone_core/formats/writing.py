"""Shared by writers: descriptions of exports, numbers, names, JSON, and IDs that rows between blanks can’t hold."""

import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import groupby
from typing import Any, Final

from touchstone_core.formats.judgments.judgments import JudgmentRecord
from touchstone_core.formats.problems import FormatError, shorten

BLANK: Final = re.compile(r"[ \t\n\r\v\f]")
Records = Iterable[JudgmentRecord]


@dataclass(frozen=True, slots=True)
class Description:
    """What an export says about itself, in its first line or in a file beside it. `levels` are grades with labels."""

    list: str
    query_set: str = ""
    version: str = "live"
    rule: str = ""
    tie: str = ""
    scale: str = ""
    levels: Sequence[tuple[float, str]] = ()
    exported_at: str = ""
    whole_numbers: bool = False
    """Round grades where a format holds whole numbers only."""
    head: Mapping[str, Any] = field(default_factory=dict)
    """What the file that the list was imported from says about itself, in the same format."""

    def as_json(self) -> dict[str, Any]:
        return {
            "list": self.list,
            "query_set": self.query_set,
            "version": self.version,
            "consensus_rule": self.rule,
            "tie_rule": self.tie,
            "scale": {"name": self.scale, "grades": {number(value): label for value, label in self.levels}},
            "exported_at": self.exported_at,
        }

    def comment(self) -> str:
        return f"# touchstone: {json.dumps(self.as_json(), ensure_ascii=False)}\n"


def number(value: float) -> str:
    """All digits, and no fraction for whole numbers."""
    return repr(float(value)).removesuffix(".0")


def document(head: Mapping[str, Any], key: str, parts: Iterable[Any]) -> Iterator[str]:
    """A JSON object whose last member is a list with one element per line."""
    opening = f"{as_json(head)[:-1]}, " if head else "{"
    yield f"{opening}{as_json(key)}: ["
    for place, part in enumerate(parts):
        yield (",\n" if place else "\n") + as_json(part)
    yield "\n]}\n"


def by_query(
    records: Records, name: Callable[[JudgmentRecord], str]
) -> Iterator[tuple[str, list[JudgmentRecord]]]:
    return ((query, list(group)) for query, group in groupby(records, name))


def rated(judgments: Iterable[JudgmentRecord]) -> list[JudgmentRecord]:
    """Those of documents. A query without ratings has none."""
    return [one for one in judgments if not one.query_alone]


def as_json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, allow_nan=False)


def name_of(one: JudgmentRecord) -> str:
    return one.query_text or one.query


def id_of(one: JudgmentRecord) -> str:
    return one.query


def plain(value: float) -> float | int:
    return int(value) if float(value).is_integer() else value


def refuse_blanks(ids: Sequence[str], format: str) -> None:
    """Raises FormatError if one of these IDs would be cut."""
    if BLANK.search("|".join(ids)):  # at once, because runs have millions
        id = next(id for id in ids if BLANK.search(id))
        raise FormatError(
            f"The ID “{shorten(id)}” holds a blank, which separates columns in {format}. Choose another format."
        )


def refuse_comment(query: str, format: str) -> None:
    """Raises FormatError if the row of a query with this ID would be left out."""
    if query.startswith("#"):
        raise FormatError(
            f"The query ID “{shorten(query)}” would start a comment in {format}. Choose another format."
        )
