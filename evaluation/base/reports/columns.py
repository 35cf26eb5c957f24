"""Columns of tables with values: their names, their canonical texts, and the order that a URL asks for."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from django.db.models import F, OrderBy


@dataclass(frozen=True, slots=True)
class Column:
    """`key` names it in URLs, `field` in the database; `title` is the canonical text or says what it is."""

    key: str
    label: str
    title: str
    field: str
    numeric: bool = True
    group_start: bool = False


@dataclass(frozen=True, slots=True)
class Heading:
    """A column with its link: a click sorts by it, best first, and a second click turns the order around."""

    column: Column
    sort: str
    direction: str


@dataclass(frozen=True, slots=True)
class Order:
    """Which column sorts the table."""

    column: Column
    descending: bool

    @property
    def by(self) -> OrderBy:
        field = F(self.column.field)
        return field.desc(nulls_last=True) if self.descending else field.asc(nulls_last=True)

    def headings(self, columns: Sequence[Column]) -> list[Heading]:
        return [Heading(column, self._sort(column), self._direction(column)) for column in columns]

    def _sort(self, column: Column) -> str:
        if column != self.column:
            return f"-{column.key}" if column.numeric else column.key
        return column.key if self.descending else f"-{column.key}"

    def _direction(self, column: Column) -> str:
        """For aria-sort; empty where the column does not sort the table."""
        if column != self.column:
            return ""
        return "descending" if self.descending else "ascending"


def read_order(text: str, columns: Sequence[Column], default: str) -> Order:
    """The order that `-key` or `key` stands for; `default` where no column has that key."""
    by_key: Mapping[str, Column] = {column.key: column for column in columns}
    chosen = text if text.removeprefix("-") in by_key else default
    return Order(by_key[chosen.removeprefix("-")], chosen.startswith("-"))
