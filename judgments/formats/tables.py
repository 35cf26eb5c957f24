"""Rows with named cells from CSV, TSV and JSON lines, and how file headers find the columns that are wanted."""

import csv
import io
import json
import re
import threading
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Generic, TypeVar

from judgments.formats.problems import FormatError, Report, shorten
from judgments.formats.text import LONGEST_LINE, Text

Record = TypeVar("Record")

DELIMITERS = {",": "csv", "\t": "tsv", ";": "csv"}
FORMATS = ("csv", "tsv", "jsonl")
CUT_BY = " Its columns seem to be cut by |; commas, semicolons and tabs are read."
_csv_limit = threading.Lock()


@dataclass(frozen=True, slots=True)
class Column:
    """A wanted column: our name for it, and the headers it is known by, the most telling first.

    In JSON a cell is text or a number; with `lists` it may be a list too.
    """

    target: str
    aliases: tuple[str, ...]
    required: bool = False
    lists: bool = False


@dataclass(frozen=True, slots=True)
class Row:
    """`cells` by target, `extra` by header for the columns that nothing asked for; `line` is the record's first."""

    line: int
    cells: dict[str, str]
    extra: dict[str, str]


@dataclass(frozen=True, slots=True)
class Table:
    """`used` maps targets to the headers they were found under."""

    format: str
    headers: list[str]
    used: dict[str, str]
    rows: list[Row]


@dataclass(frozen=True, slots=True)
class Parsed(Generic[Record]):
    """What a reader makes of a file: good records, everything that is wrong, and how the columns were understood."""

    records: list[Record]
    report: Report
    format: str
    headers: list[str]
    used: dict[str, str]


def read_table(
    text: Text,
    wanted: Sequence[Column],
    report: Report,
    *,
    columns: Mapping[str, str] | None = None,
    format: str | None = None,
) -> Table:
    """Rows of a CSV, TSV or JSON lines file. `columns` maps targets to headers ("" = leave out) before aliases do.

    Raises FormatError for an empty file or a missing required column; a bad row goes into the report.
    """
    if not text.content.strip():
        raise FormatError(f"{text.name} is empty.")
    chosen = format or ("jsonl" if text.content.lstrip().startswith("{") else None)
    if chosen not in (None, *FORMATS):
        raise FormatError(f"{chosen} is not a format to choose from: {', '.join(FORMATS)}.")
    if chosen == "jsonl":
        return _read_json_lines(text, wanted, report, columns or {})
    return _read_delimited(text, wanted, report, columns or {}, delimiter="\t" if chosen == "tsv" else None)


def match_columns(
    headers: Sequence[str], wanted: Sequence[Column], columns: Mapping[str, str]
) -> dict[str, str]:
    """Target → header. Case, blanks, hyphens and underscores do not matter; no header serves two targets."""
    known = {_key(header): header for header in headers}
    used: dict[str, str] = {}
    for target, header in columns.items():
        if header and _key(header) not in known:
            raise FormatError(
                f"There is no column “{header}” (for {target}); the file has: {_list(headers)}."
            )
        if header:
            used[target] = known[_key(header)]
    for column in wanted:
        if column.target not in columns:
            free = (known[key] for alias in column.aliases if (key := _key(alias)) in known)
            found = next((header for header in free if header not in used.values()), None)
            used |= {column.target: found} if found is not None else {}
    missing = [column for column in wanted if column.required and column.target not in used]
    if missing:
        names = " and ".join(column.target for column in missing)
        hint = CUT_BY if len(headers) == 1 and "|" in headers[0] else ""
        raise FormatError(f"The file needs a column for {names}; its first line has: {_list(headers)}.{hint}")
    return used


def records(
    text: Text, *, delimiter: str | None = None
) -> tuple[str, list[tuple[int, list[str]]], int | None]:
    """The delimiter, the records with the line that each begins on, and the line of a quoting error if there was one.

    Blank lines and comment lines (`# `) before the header are passed over; a quoted field may hold line breaks.
    """
    lines = io.StringIO(text.content, newline="\n")
    before, first = _skip_to_header(lines)
    chosen = delimiter or detect_delimiter(first)
    reader = csv.reader(_chain(first, lines), delimiter=chosen, strict=True)
    found: list[tuple[int, list[str]]] = []
    line = before + 1
    with _csv_limit:
        limit = csv.field_size_limit(LONGEST_LINE)
        try:
            for cells in reader:
                if cells:
                    found.append((line, cells))
                line = before + reader.line_num + 1
        except csv.Error:
            return chosen, found, line
        finally:
            csv.field_size_limit(limit)
    return chosen, found, None


def detect_delimiter(header: str) -> str:
    """Comma, tab or semicolon: the one that cuts the header line into most columns outside of quotes."""
    bare = re.sub(r'"[^"]*"', "", header)
    return max(DELIMITERS, key=bare.count)


def _skip_to_header(lines: Iterator[str]) -> tuple[int, str]:
    for passed, line in enumerate(lines):
        if line.strip() and not line.startswith("# "):
            return passed, line
    return 0, ""


def _chain(first: str, rest: Iterable[str]) -> Iterator[str]:
    yield first
    yield from rest


def _read_delimited(
    text: Text, wanted: Sequence[Column], report: Report, columns: Mapping[str, str], *, delimiter: str | None
) -> Table:
    chosen, found, broken = records(text, delimiter=delimiter)
    if broken is not None:
        report.error(
            broken, "", "a quote", "every quoted field to be closed before the next column", kind="quotes"
        )
    if not found:
        raise FormatError(f"{text.name} has no line that names the columns.")
    headers = [cell.strip() for cell in found[0][1]]
    _refuse_doubles(headers)
    used = match_columns(headers, wanted, columns)
    places = {target: headers.index(header) for target, header in used.items()}
    others = [(header, at) for at, header in enumerate(headers) if header and at not in places.values()]
    rows: list[Row] = []
    for line, cells in found[1:]:
        if len(cells) != len(headers):
            report.error(line, "", _count(len(cells)), _count(len(headers)), kind="wrong number of columns")
            continue
        named = {target: cells[at].strip() for target, at in places.items()}
        rows.append(Row(line, named, {header: cells[at].strip() for header, at in others}))
    return Table(DELIMITERS[chosen], headers, used, rows)


def _read_json_lines(
    text: Text, wanted: Sequence[Column], report: Report, columns: Mapping[str, str]
) -> Table:
    """One object per line; keys count as headers. Numbers become text, and null is empty.

    A list, an object or a truth value is a problem in a wanted column, and JSON text in any other.
    """
    objects = list(_json_objects(text, report))
    headers = list(dict.fromkeys(key for _, found in objects for key in found))
    if not objects:
        raise FormatError(f"{text.name} holds no line that is a JSON object.")
    used = match_columns(headers, wanted, columns)
    taken = set(used.values())
    lists = {column.target for column in wanted if column.lists}
    rows = [
        Row(
            line,
            {target: _cell(found.get(header)) for target, header in used.items()},
            {key: _cell(value) for key, value in found.items() if key and key not in taken},
        )
        for line, found in objects
        if _only_texts(line, found, used, lists, report)
    ]
    return Table("jsonl", headers, used, rows)


def _only_texts(
    line: int, found: Mapping[str, object], used: Mapping[str, str], lists: Collection[str], report: Report
) -> bool:
    bad = {
        header: value
        for target, header in used.items()
        if isinstance(value := found.get(header), (bool, dict, list))
        and not (isinstance(value, list) and target in lists)
    }
    for header, value in bad.items():
        report.error(line, header, _cell(value), "a text or a number", kind="not a text")
    return not bad


def _json_objects(text: Text, report: Report) -> Iterator[tuple[int, dict[str, object]]]:
    for line, content in enumerate(io.StringIO(text.content, newline="\n"), start=1):
        if not content.strip():
            continue
        try:
            found = json.loads(content, object_pairs_hook=_unique)
        except (ValueError, RecursionError):
            found = None
        if isinstance(found, dict):
            yield line, found
        else:
            report.error(
                line,
                "",
                content.strip(),
                "one JSON object on the line, each key once",
                kind="not a JSON object",
            )


def _unique(pairs: list[tuple[str, object]]) -> dict[str, object]:
    """JSON readers keep the last of two equal keys without a word; here that is an error."""
    found = dict(pairs)
    if len(found) != len(pairs):
        raise ValueError("a key stands twice")
    return found


def _cell(value: object) -> str:
    if isinstance(value, str):
        return value.strip()
    return "" if value is None else json.dumps(value, ensure_ascii=False)


def _refuse_doubles(headers: Sequence[str]) -> None:
    seen: set[str] = set()
    for header in headers:
        if header and _key(header) in seen:
            raise FormatError(f"The column “{header}” stands twice in the first line.")
        seen.add(_key(header))


def _key(header: str) -> str:
    return re.sub(r"[\s_-]", "", header.casefold())


def _list(headers: Sequence[str]) -> str:
    return ", ".join(shorten(header) for header in headers[:30])


def _count(columns: int) -> str:
    return "1 column" if columns == 1 else f"{columns} columns"
