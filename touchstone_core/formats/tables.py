"""Rows with named cells from CSV, TSV and JSON lines, and how file headers find the columns that are wanted."""

import json
import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Generic, NamedTuple, TypeVar

from touchstone_core.formats import cells, spreadsheet
from touchstone_core.formats.delimiters import DELIMITERS, MOST_COLUMNS, records
from touchstone_core.formats.problems import FormatError, Report, shorten
from touchstone_core.formats.text import Text

Record = TypeVar("Record")

FORMATS = ("csv", "tsv", "jsonl")
CUT_BY = " Its columns seem to be cut by |; commas, semicolons and tabs are read."
MOST_KEYS = 10_000  # of all JSON lines together, which need not have the same
BLANKS = " \t\n\r\v\f"


@dataclass(frozen=True, slots=True)
class Column:
    """A wanted column: our name for it, and the headers it is known by, the most telling first.

    In JSON a cell is text or a number; with `lists` it may be a list too. A `number` may have a decimal comma.
    """

    target: str
    aliases: tuple[str, ...]
    required: bool = False
    lists: bool = False
    number: bool = False


class Row(NamedTuple):
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
class OpenTable:
    """A table whose rows are read as they are asked for, once; what is wrong with them is reported meanwhile."""

    format: str
    headers: list[str]
    used: dict[str, str]
    rows: Iterator[Row]


@dataclass(frozen=True, slots=True)
class Opened(Generic[Record]):
    """As `Parsed`, but its records are read as they are asked for, once; the report is complete when they are.

    So is `head`: what a file says of itself as a whole, as JSON, to be written back in the same format.
    """

    records: Iterator[Record]
    report: Report
    format: str
    headers: list[str]
    used: dict[str, str]
    head: dict[str, Any] = field(default_factory=dict)

    def read(self) -> "Parsed[Record]":
        return Parsed(list(self.records), self.report, self.format, self.headers, self.used)


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
    """All rows of `open_table`."""
    opened = open_table(text, wanted, report, columns=columns, format=format)
    return Table(opened.format, opened.headers, opened.used, list(opened.rows))


def open_table(
    text: Text,
    wanted: Sequence[Column],
    report: Report,
    *,
    columns: Mapping[str, str] | None = None,
    format: str | None = None,
    headers: Sequence[str] | None = None,
) -> OpenTable:
    """Rows of a CSV, TSV or JSON lines file. `columns` maps targets to headers ("" = leave out) before aliases do.

    `headers` are for a table of commas or tabs whose first line is a row already.

    Raises FormatError for an empty file or a missing required column; a bad row goes into the report.
    """
    if text.is_blank:
        raise FormatError(f"{text.name} is empty.")
    chosen = format or ("jsonl" if text.start.lstrip().startswith("{") else None)
    if chosen not in (None, *FORMATS):
        raise FormatError(f"{chosen} is not a format to choose from: {', '.join(FORMATS)}.")
    if chosen == "jsonl":
        return _open_json_lines(text, wanted, report, columns or {})
    delimiter = "\t" if chosen == "tsv" else None
    return _open_delimited(text, wanted, report, columns or {}, delimiter=delimiter, given=headers)


def match_columns(
    headers: Sequence[str], wanted: Sequence[Column], columns: Mapping[str, str]
) -> dict[str, str]:
    """Target → header. Case, blanks, hyphens and underscores do not matter; no header serves two targets."""
    known = {header_key(header): header for header in headers}
    used: dict[str, str] = {}
    for target, header in columns.items():
        if header and header_key(header) not in known:
            raise FormatError(
                f"There is no column “{header}” (for {target}); the file has: {_list(headers)}."
            )
        if header:
            used[target] = known[header_key(header)]
    for column in wanted:
        if column.target not in columns:
            free = (known[key] for alias in column.aliases if (key := header_key(alias)) in known)
            found = next((header for header in free if header not in used.values()), None)
            used |= {column.target: found} if found is not None else {}
    missing = [column for column in wanted if column.required and column.target not in used]
    if missing:
        names = " and ".join(column.target for column in missing)
        hint = CUT_BY if len(headers) == 1 and "|" in headers[0] else ""
        raise FormatError(f"The file needs a column for {names}; its first line has: {_list(headers)}.{hint}")
    return used


def _open_delimited(
    text: Text,
    wanted: Sequence[Column],
    report: Report,
    columns: Mapping[str, str],
    *,
    delimiter: str | None,
    given: Sequence[str] | None,
) -> OpenTable:
    # Tables of tabs without a header (MS MARCO's) know no quotes.
    quoted = not (given and delimiter == "\t")
    chosen, found = records(text, report, delimiter=delimiter, quoted=quoted)
    _, first = (0, list(given)) if given else next(found, (0, []))
    if not first:
        raise FormatError(f"{text.name} has no line that names the columns.")
    if len(first) > MOST_COLUMNS:
        raise _too_wide(text.name, len(first), "columns", MOST_COLUMNS)
    headers = [cell.strip() for cell in first]
    _refuse_doubles(headers)
    used = match_columns(headers, wanted, columns)
    numbers = [column.target for column in wanted if column.number and column.target in used]
    rows = _with_points(_rows(found, headers, used, report), numbers, sure=chosen == ";")
    return OpenTable(DELIMITERS[chosen], headers, used, rows)


def _with_points(rows: Iterator[Row], numbers: Sequence[str], *, sure: bool) -> Iterator[Row]:
    """Decimal commas as points. Semicolons cut the columns where commas are in the numbers."""
    for row in rows:
        for target in numbers:
            if "," in row.cells[target]:
                row.cells[target] = cells.with_point(row.cells[target], sure=sure)
        yield row


def _rows(
    found: Iterator[tuple[int, list[str]]], headers: list[str], used: Mapping[str, str], report: Report
) -> Iterator[Row]:
    places = {target: headers.index(header) for target, header in used.items()}
    others = [(header, at) for at, header in enumerate(headers) if header and at not in places.values()]
    for line, row in found:
        if len(row) != len(headers):
            report.error(line, "", _count(len(row)), _count(len(headers)), kind="wrong number of columns")
            continue
        plain = [_plain(cell) if "'" in cell else cell.strip(BLANKS) for cell in row]
        named = {target: plain[at] for target, at in places.items()}
        yield Row(line, named, {header: plain[at] for header, at in others} if others else {})


def _open_json_lines(
    text: Text, wanted: Sequence[Column], report: Report, columns: Mapping[str, str]
) -> OpenTable:
    """One object per line; keys count as headers. Numbers become text, and null is empty.

    A list, an object or a truth value is a problem in a wanted column, and JSON text in any other. The lines are read
    twice, first for their keys, so that no more than one of them is in memory.
    """
    headers = _keys(text)
    if not headers:
        raise FormatError(f"{text.name} holds no line that is a JSON object.")
    used = match_columns(headers, wanted, columns)
    lists = {column.target for column in wanted if column.lists}
    return OpenTable("jsonl", headers, used, _json_rows(text, used, lists, report))


def _keys(text: Text) -> list[str]:
    """The names in all objects, in the order in which they first come."""
    keys: dict[str, None] = {}
    for _, found in _json_objects(text, Report()):
        keys.update(dict.fromkeys(found))
        if len(keys) > MOST_KEYS:
            raise _too_wide(text.name, len(keys), "different names in its objects", MOST_KEYS)
    return list(keys)


def _too_wide(name: str, count: int, what: str, most: int) -> FormatError:
    return FormatError(
        f"{name} has {count:,} {what}; at most {most:,} are read. Leave out those that are not needed."
    )


def _json_rows(text: Text, used: Mapping[str, str], lists: Collection[str], report: Report) -> Iterator[Row]:
    taken = set(used.values())
    for line, found in _json_objects(text, report):
        if _only_texts(line, found, used, lists, report):
            named = {target: _cell(found.get(header)) for target, header in used.items()}
            extra = {key: _cell(value) for key, value in found.items() if key and key not in taken}
            yield Row(line, named, extra)


def _plain(cell: str) -> str:
    """Without blanks around it, and without the apostrophe that keeps a spreadsheet from running it as a formula."""
    return spreadsheet.restored(cell.strip(BLANKS))


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
    for line, content in enumerate(text.lines(), start=1):
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
        return value.strip(BLANKS)
    return "" if value is None else json.dumps(value, ensure_ascii=False)


def _refuse_doubles(headers: Sequence[str]) -> None:
    seen: set[str] = set()
    for header in headers:
        if header and header_key(header) in seen:
            raise FormatError(f"The column “{header}” stands twice in the first line.")
        seen.add(header_key(header))


def header_key(header: str) -> str:
    return re.sub(r"[\s_-]", "", header.casefold())


def _list(headers: Sequence[str]) -> str:
    return ", ".join(shorten(header) for header in headers[:30])


def _count(columns: int) -> str:
    return "1 column" if columns == 1 else f"{columns} columns"
