"""Rows with named cells from CSV, TSV and JSON lines. A schema says which headers a column may have."""

import json
import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Generic, NamedTuple, TypeVar

from touchstone_core.formats import cells
from touchstone_core.formats.delimiters import BLANKS, DELIMITERS, MOST_COLUMNS, records
from touchstone_core.formats.json_items import json_lines, unique_members
from touchstone_core.formats.problems import (
    Findings,
    FormatError,
    MissingColumnError,
    Report,
    count_columns,
    shorten,
)
from touchstone_core.formats.text import Text

Record = TypeVar("Record")

FORMATS = ("csv", "tsv", "jsonl")
CUT_BY = " Its columns seem to be separated by |. Use commas, semicolons or tabs."
MOST_KEYS = 10_000  # in all JSON lines together
DOCUMENT_HEADERS = (
    *("document_id", "document", "doc_id", "doc", "docno", "pid"),
    *("product_id", "asin", "sku", "item_id"),
)
"""What a column of documents' IDs is called, whatever the file is about."""


@dataclass(frozen=True, slots=True)
class Column:
    """A column that we read: our name (`target`), and the headers it may have, the most specific first.

    In JSON a cell is text or a number, or a list with `lists`. A `number` may have a decimal comma.
    """

    target: str
    aliases: tuple[str, ...]
    required: bool = False
    lists: bool = False
    number: bool = False


class Row(NamedTuple):
    """`cells` by target, and all other cells by header in `extra`. `line` is the first line of the row."""

    line: int
    cells: dict[str, str]
    extra: dict[str, str]


@dataclass(frozen=True, slots=True)
class Table:
    """`columns` maps targets to headers of the file. Rows can be read once. Reading them completes the report."""

    format: str
    headers: list[str]
    columns: dict[str, str]
    rows: Iterable[Row]


@dataclass(frozen=True, slots=True)
class RecordStream(Generic[Record]):
    """Like `RecordList`, but records can be read once. Reading them completes `report` and `head`.

    `head` is what a JSON file says about itself as a whole. Exports in the same format write it back.
    """

    records: Iterable[Record]
    report: Report = field(default_factory=Report)
    format: str = ""
    headers: list[str] = field(default_factory=list)
    columns: dict[str, str] = field(default_factory=dict)
    head: dict[str, Any] = field(default_factory=dict)

    def read(self) -> "RecordList[Record]":
        return RecordList(list(self.records), self.report, self.format, self.headers, self.columns)


@dataclass(frozen=True, slots=True)
class RecordList(Generic[Record]):
    """The good records of a file, a report of the others, and how the columns were understood."""

    records: list[Record]
    report: Report
    format: str
    headers: list[str]
    columns: dict[str, str]


def open_table(
    text: Text,
    schema: Sequence[Column],
    report: Report,
    *,
    columns: Mapping[str, str] | None = None,
    format: str | None = None,
    headers: Sequence[str] | None = None,
) -> Table:
    """Rows of a CSV, TSV or JSON lines file. `columns` maps targets to headers ("" leaves one out). Aliases find the others.

    `headers` are for a table without a header line. Raises FormatError for an empty file or a missing required column. A
    bad row goes into the report.
    """
    if text.is_blank:
        raise FormatError(f"{text.name} is empty.")
    table_format = format or ("jsonl" if text.start.lstrip().startswith("{") else None)
    if table_format not in (None, *FORMATS):
        raise FormatError(f"Unknown format {table_format}. Choose one of: {', '.join(FORMATS)}.")
    if table_format == "jsonl":
        return _open_json_lines(text, schema, report, columns)
    return _open_delimited(text, schema, report, columns, "\t" if table_format == "tsv" else None, headers)


def match_columns(
    headers: Sequence[str], schema: Sequence[Column], columns: Mapping[str, str] | None = None
) -> dict[str, str]:
    """Headers by target. Case, blanks, hyphens and underscores don't matter. No header serves two targets."""
    choices = columns or {}
    by_key = {header_key(header): header for header in headers}
    matches: dict[str, str] = {}
    for target, header in choices.items():
        if header and header_key(header) not in by_key:
            raise FormatError(
                f"There is no column “{header}” (for {target}); the file has: {_list(headers)}."
            )
        if header:
            matches[target] = by_key[header_key(header)]
    matches |= _by_alias(headers, schema, choices, matches.values())
    missing = [column for column in schema if column.required and column.target not in matches]
    if missing:
        names = " and ".join(column.target for column in missing)
        hint = CUT_BY if len(headers) == 1 and "|" in headers[0] else ""
        raise MissingColumnError(
            f"The file needs a column for {names}; its first line has: {_list(headers)}.{hint}",
            target=missing[0].target,
        )
    return matches


def _by_alias(
    headers: Sequence[str], schema: Sequence[Column], chosen: Collection[str], taken: Collection[str]
) -> dict[str, str]:
    """Headers by target, for targets other than `chosen` and from headers other than `taken`. Each header serves one."""
    by_key = {header_key(header): header for header in headers}
    free = {key: header for key, header in by_key.items() if header not in taken}
    matches: dict[str, str] = {}
    for column in schema:
        keys = map(header_key, column.aliases) if column.target not in chosen else ()
        if key := next((key for key in keys if key in free), None):
            matches[column.target] = free.pop(key)
    return matches


def _open_delimited(
    text: Text,
    schema: Sequence[Column],
    report: Report,
    choices: Mapping[str, str] | None,
    delimiter: str | None,
    known_headers: Sequence[str] | None,
) -> Table:
    # Tables of MS MARCO, with tabs and without a header, don't quote cells.
    quotes = not (known_headers and delimiter == "\t")
    delimiter, lines = records(text, report, delimiter=delimiter, quotes=quotes)
    first = known_headers or next(lines, (0, []))[1]
    if not first:
        raise FormatError(f"{text.name} has no line that names the columns.")
    if len(first) > MOST_COLUMNS:
        raise _too_wide(text.name, len(first), "columns", MOST_COLUMNS)
    headers = [cell.strip() for cell in first]
    _refuse_doubles(headers)
    columns = report.headers = match_columns(headers, schema, choices)
    numbers = [column.target for column in schema if column.number and column.target in columns]
    points = [_Points(target, columns[target], sure=delimiter == ";") for target in numbers]
    rows = _with_points(_rows(lines, headers, columns, report), points, report)
    return Table(DELIMITERS[delimiter], headers, columns, rows)


@dataclass(slots=True)
class _Points:
    """What a column of numbers says about its points. A file with semicolons between its cells is `sure` to have decimal commas.

    In such a file, or beside a decimal comma, “1.200” may mean 1200, unless another number of the column has a point that can
    only be a decimal one.
    """

    target: str
    header: str
    sure: bool
    has_comma: bool = False
    has_point: bool = False
    doubtful: Findings = field(default_factory=Findings)

    def read(self, line: int, cell: str) -> str:
        if "," in cell:
            with_point = cells.with_point(cell, sure=self.sure)
            self.has_comma |= with_point != cell
            return with_point
        if not self.has_point and "." in cell:
            if cells.POINT_OR_THOUSANDS.fullmatch(cell):
                self.doubtful.add(line, self.header, cell, _NO_THOUSANDS, "point or thousands")
            else:
                self.has_point = cells.resembles_number(cell)
        return cell

    def warn(self, report: Report) -> None:
        if (self.sure or self.has_comma) and not self.has_point:
            report.warnings.add_all(self.doubtful)


_NO_THOUSANDS = "written without the point if it means thousands (the point was read as a decimal one)"


def _with_points(rows: Iterator[Row], points: Sequence[_Points], report: Report) -> Iterator[Row]:
    """Turns decimal commas into points, and warns of points that may separate thousands."""
    for row in rows:
        for one in points:
            cell = row.cells[one.target]
            if "," in cell or "." in cell:
                row.cells[one.target] = one.read(row.line, cell)
        yield row
    for one in points:
        one.warn(report)


def _rows(
    lines: Iterator[tuple[int, list[str]]], headers: list[str], columns: Mapping[str, str], report: Report
) -> Iterator[Row]:
    places = {target: headers.index(header) for target, header in columns.items()}
    others = [(header, at) for at, header in enumerate(headers) if header and at not in places.values()]
    for line, row in lines:
        if len(row) != len(headers):
            report.error(
                line, "", count_columns(len(row)), count_columns(len(headers)), kind="wrong number of columns"
            )
            continue
        cells_by_target = {target: row[at] for target, at in places.items()}
        yield Row(line, cells_by_target, {header: row[at] for header, at in others} if others else {})


def _open_json_lines(
    text: Text, schema: Sequence[Column], report: Report, choices: Mapping[str, str] | None
) -> Table:
    """One object per line, with keys as headers. Numbers become text, and null is empty.

    Columns of the schema can't hold lists, objects or truth values. Other columns keep them as JSON. The lines are read
    twice, first for their keys, so that only one of them is in memory.
    """
    keys: dict[str, None] = {}
    outer_keys: dict[str, None] = {}
    for _, members, outer in _json_objects(text, Report()):
        keys.update(dict.fromkeys(members))
        outer_keys.update(dict.fromkeys(outer))
        if len(keys) > MOST_KEYS:
            raise _too_wide(text.name, len(keys), "different names in its objects", MOST_KEYS)
    if not keys:
        raise FormatError(f"{text.name} holds no JSON object that has a key.")
    headers = list(keys)
    if keys.keys() - outer_keys.keys():  # nothing in BEIR's metadata is taken for its ID or text
        chosen = dict(choices or {})
        choices = _by_alias(list(outer_keys), schema, chosen, chosen.values()) | chosen
    columns = report.headers = match_columns(headers, schema, choices)
    lists = {column.target for column in schema if column.lists}
    return Table("jsonl", headers, columns, _json_rows(text, columns, lists, report))


def _too_wide(name: str, count: int, what: str, most: int) -> FormatError:
    return FormatError(
        f"{name} has {count:,} {what}; at most {most:,} are read. Leave out those that aren’t needed."
    )


def _json_rows(
    text: Text, columns: Mapping[str, str], lists: Collection[str], report: Report
) -> Iterator[Row]:
    headers = set(columns.values())
    for line, members, _ in _json_objects(text, report):
        if _only_texts(line, members, columns, lists, report):
            cells_by_target = {target: _cell(members.get(header)) for target, header in columns.items()}
            extra = {key: _cell(value) for key, value in members.items() if key and key not in headers}
            yield Row(line, cells_by_target, extra)


def _only_texts(
    line: int,
    members: Mapping[str, object],
    columns: Mapping[str, str],
    lists: Collection[str],
    report: Report,
) -> bool:
    bad = {
        target: value
        for target, header in columns.items()
        if isinstance(value := members.get(header), (bool, dict, list))
        and not (isinstance(value, list) and target in lists)
    }
    for target, value in bad.items():
        report.error(line, target, _cell(value), "a text or a number", kind="not a text")
    return not bad


def _json_objects(
    text: Text, report: Report
) -> Iterator[tuple[int, Mapping[str, object], Mapping[str, object]]]:
    """Line, members, and these as they were before BEIR's `metadata` were unfolded."""
    expected = "one JSON object on the line, each key once"
    for line, members in json_lines(text.lines(), report, dict, unique_members, expected):
        yield line, _unfolded(members), members


def _unfolded(members: Mapping[str, object]) -> Mapping[str, object]:
    """With what BEIR's `metadata` hold beside the other members, except names that these have already."""
    inner = members.get("metadata")
    if "_id" not in members or not isinstance(inner, dict):
        return members
    taken = {header_key(name) for name in members}
    twice = {name: value for name, value in inner.items() if header_key(name) in taken}
    others = {name: value for name, value in members.items() if name != "metadata"}
    more = {name: value for name, value in inner.items() if name not in twice}
    return {**others, **more, **({"metadata": twice} if twice else {})}


def _cell(value: object) -> str:
    if isinstance(value, str):
        return value.strip(BLANKS)
    return "" if value is None else json.dumps(value, ensure_ascii=False)


def _refuse_doubles(headers: Sequence[str]) -> None:
    keys: set[str] = set()
    for header in headers:
        if header and header_key(header) in keys:
            raise FormatError(f"The first line has the column “{header}” twice. Rename or remove one.")
        keys.add(header_key(header))


def header_key(header: str) -> str:
    return re.sub(r"[\s_-]", "", header.casefold())


def _list(headers: Sequence[str]) -> str:
    return ", ".join(shorten(header) for header in headers[:30])
