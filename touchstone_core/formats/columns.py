"""Tables whose columns are declared once: name, meaning, value, and how a person sees the value.

CSV, JSON, pages and commands all follow from the same list of columns, so a new column is one more `Column`.
"""

import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import chain, groupby, repeat
from operator import attrgetter
from types import MappingProxyType
from typing import Any, Final, Generic, NamedTuple, TypeAlias, TypeVar, cast

from touchstone_core.formats.spreadsheet import Cell
from touchstone_core.glossary import explanation
from touchstone_core.glossary.term import Term

Row = TypeVar("Row")
Part = TypeVar("Part")
Cells: TypeAlias = Mapping[str, Cell]
_NOTHING: Final[Cells] = MappingProxyType({})


@dataclass(frozen=True, slots=True)
class Column(Generic[Row]):
    """`name` heads it in CSV files, where a column without one isn't. Pages explain it by the glossary's word for `term`, else
    for the name or label; `meaning` says what it is more precisely.

    `value` is a path of attributes as Django writes it, `query__text`, or a function of the row. A page has the columns with
    `show`, which makes a cell of the value, with `show_row`, which makes it of the whole row, or with a `template` for the
    cell. `label` is the heading there, else the name; `group` heads adjacent columns; `link` gives the address that a cell leads
    to, empty or None for none. `key` sorts by `field`, else by the path; without a key nothing sorts. `json` is the path in a JSON record,
    else the name with underscores; None: not in it.
    """

    name: str = ""
    meaning: str = ""
    value: str | Callable[[Row], Any] = ""
    show: Callable[[Any], Any] | None = None
    label: str = ""
    group: str = ""
    key: str = ""
    field: str = ""
    json: tuple[str, ...] | None = ()
    numeric: bool = True
    template: str = ""
    show_row: Callable[[Row], Any] | None = None
    term: str = ""
    link: Callable[[Row], str | None] | None = None

    @property
    def about(self) -> Term | None:
        """The word of the glossary, with this column's own meaning where it has one. None: a test finds such a column."""
        term = explanation(self.term, self.name, self.label)
        return replace(term, means=self.meaning) if term and self.meaning else term

    @property
    def heading(self) -> str:
        return self.label or self.name

    @property
    def read(self) -> Callable[[Row], Any]:
        """The function from a row to the value."""
        return attrgetter(self.value.replace("__", ".")) if isinstance(self.value, str) else self.value

    @property
    def on_page(self) -> bool:
        return bool(self.show or self.show_row or self.template)

    def shown(self, row: Row) -> Any:
        """The cell of a page; None where the template needs the row alone."""
        if self.show_row:
            return self.show_row(row)
        return self.show(self.read(row)) if self.show else None


def of(part: Callable[[Row], Part | None], columns: Iterable[Column[Part]]) -> list[Column[Row]]:
    """The columns of a part of the row; no value where a row has no such part."""

    def through(read: Callable[[Part], Any]) -> Callable[[Row], Any]:
        return lambda row: None if (inner := part(row)) is None else read(inner)

    return [
        replace(
            cast("Column[Row]", column),
            value=through(column.read),
            field=column.field or (column.value if isinstance(column.value, str) else ""),
            show_row=column.show_row and through(column.show_row),
            link=column.link and through(column.link),
        )
        for column in columns
    ]


def csv_rows(
    columns: Iterable[Column[Row]], rows: Iterable[Row], *, before: Cells = _NOTHING, after: Cells = _NOTHING
) -> Iterator[list[Cell]]:
    """The names, then a line for each row. What is the same in every row stands `before` and `after`, by its name.

    Of columns with the same name only the first is there.
    """
    readers: dict[str, Callable[[Row], Any]] = {}
    for column in columns:
        if column.name:
            readers.setdefault(column.name, column.read)
    yield [*before, *readers, *after]
    for row in rows:
        yield [*before.values(), *(_cell(read(row)) for read in readers.values()), *after.values()]


def json_records(columns: Iterable[Column[Row]], rows: Iterable[Row]) -> Iterator[dict[str, Any]]:
    """Each row by the JSON paths of the columns; of columns with the same path only the first is there."""
    readers: dict[tuple[str, ...], Callable[[Row], Any]] = {}
    for column in columns:
        if column.json is not None and (column.json or column.name):
            readers.setdefault(column.json or (snake(column.name),), column.read)
    for row in rows:
        record: dict[str, Any] = {}
        for (*path, last), read in readers.items():
            place = record
            for step in path:
                place = place.setdefault(step, {})
            place[last] = read(row)
        yield record


def snake(name: str) -> str:
    """A name as JSON keys are written: `NDCG-max at least` is `ndcg_max_at_least`."""
    return name.replace(" ", "_").replace("-", "_").lower()


def _cell(value: Any) -> Cell:
    if isinstance(value, dict):
        return json.dumps(value, ensure_ascii=False) if value else ""
    return tags_cell(value) if isinstance(value, list) else value


def tags_cell(tags: Sequence[str]) -> str:
    """As the import of queries reads them."""
    return json.dumps(tags) if any(set(";,[") & set(tag) for tag in tags) else "; ".join(tags)


def text_rows(columns: Iterable[Column[Row]], rows: Iterable[Row]) -> list[list[str]]:
    """Headings and values as a command shows them; `aligned` makes a table of them."""
    shown = [column for column in columns if column.on_page]
    return [[one.heading for one in shown], *([one.shown(row).text for one in shown] for row in rows)]


def aligned(rows: Sequence[Sequence[str]]) -> str:
    """Columns of one width: the first to the left, the others to the right."""
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    return "\n".join(_line(row, widths) for row in rows)


def _line(row: Iterable[str], widths: Sequence[int]) -> str:
    first, *others = (
        cell.rjust(width) if place else cell.ljust(width)
        for place, (cell, width) in enumerate(zip(row, widths, strict=True))
    )
    return "  ".join([first, *others]).rstrip()


@dataclass(frozen=True, slots=True)
class Order:
    """Which column sorts the table; nothing sorts it where that has no key."""

    column: Column[Any]
    descending: bool

    def of(self, column: Column[Any]) -> tuple[str, str]:
        """What a click on the heading asks for, the best first and at a second click the other way around; and aria-sort."""
        if not self.column.key or not column.key:
            return "", ""
        if column.key != self.column.key:
            return f"-{column.key}" if column.numeric else column.key, ""
        return (column.key, "descending") if self.descending else (f"-{column.key}", "ascending")


UNSORTED: Final = Order(Column(), False)


def read_order(text: str, columns: Sequence[Column[Any]], default: str) -> Order:
    """The order that `-key` or `key` stands for; `default` where no column has that key."""
    by_key = {column.key: column for column in columns if column.key}
    chosen = text if text.removeprefix("-") in by_key else default
    return Order(by_key[chosen.removeprefix("-")], chosen.startswith("-"))


class Heading(NamedTuple):
    """A column with its link; no link where `sort` is empty. `start`: the first one of a group."""

    column: Column[Any]
    start: bool
    sort: str = ""
    direction: str = ""


class PageCell(NamedTuple):
    column: Column[Any]
    start: bool
    value: Any

    @property
    def of_words(self) -> bool:
        return not self.column.numeric


class PageRow(NamedTuple):
    """`row` is for the templates of cells that are more than a value. `heading` heads it and those that follow; mostly empty."""

    row: Any
    cells: list[PageCell]
    heading: str = ""


class PageTable(NamedTuple):
    """For the template `parts/table.html`. A group is a heading over adjacent columns, maybe empty, with their number and
    whether it isn't the first."""

    groups: list[tuple[str, int, bool]]
    headings: list[Heading]
    rows: list[PageRow]


def page_table(
    columns: Iterable[Column[Row]],
    rows: Iterable[Row],
    order: Order = UNSORTED,
    group_headings: Iterable[str] = (),
) -> PageTable:
    """The columns that are on pages; with an order their headings sort. `group_headings` has one for each row, or none at all."""
    shown = [column for column in columns if column.on_page]
    starts = [bool(at) and column.group != shown[at - 1].group for at, column in enumerate(shown)]
    marked = list(zip(shown, starts, strict=True))
    groups = [(text, list(run)) for text, run in groupby(marked, key=lambda each: each[0].group)]
    return PageTable(
        groups=[(text, len(run), run[0][1]) for text, run in groups] if any(dict(groups)) else [],
        headings=[Heading(one, start, *order.of(one)) for one, start in marked],
        rows=[
            PageRow(row, [PageCell(one, start, one.shown(row)) for one, start in marked], heading)
            for row, heading in zip(rows, chain(group_headings, repeat("")), strict=False)
        ],
    )
