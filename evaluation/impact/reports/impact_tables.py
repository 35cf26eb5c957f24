"""The tables of what changed before anybody judges: their columns on the page and in files."""

from collections.abc import Iterable, Iterator
from dataclasses import replace
from operator import attrgetter
from typing import Final

from evaluation.base.reports.query_columns import query_columns
from evaluation.comparisons.reports.intents import IntentQueries, intended_column
from evaluation.comparisons.reports.query_rows import change_value
from evaluation.impact.reports.impact import ImpactRow, PartRow, QueryImpact
from touchstone_core.comparison.comparison_cells import PAGE_CHANGES
from touchstone_core.comparison.values import Value, count, value, words
from touchstone_core.formats.columns import Column, PageTable, of, page_table
from touchstone_core.impact.pages import CHANGES, Change

QUERY_CELL: Final = "evaluation/impact/cells/impact_query.html"
FIRST: Final = "another document at rank 1"
CEILING: Final = "the most that NDCG-max of the query could move, whatever grades"


def run_columns(queries: int) -> list[Column[ImpactRow]]:
    """Of the table of runs; `queries` are compared."""
    return [
        Column("Run", numeric=False, template="evaluation/impact/cells/impact_run.html"),
        Column("queries", show_row=lambda row: count(queries)),
        *of(attrgetter("figures"), PAGE_CHANGES),
    ]


def part_tables(parts: Iterable[tuple[str, list[PartRow]]]) -> list[tuple[str, PageTable]]:
    """By kind, tag or traffic."""
    changes = [replace(column, group="") for column in PAGE_CHANGES]
    columns: list[Column[PartRow]] = [
        Column("Run", "", "run__name", words, numeric=False),
        Column("queries", "", "queries", count),
        *of(attrgetter("figures"), changes),
    ]

    def name(kind: str) -> Column[PartRow]:
        return Column(kind.capitalize(), numeric=False, template="evaluation/impact/cells/part.html")

    return [(kind, page_table([name(kind), *columns], rows)) for kind, rows in parts]


def impact_columns(intent_queries: IntentQueries | None = None) -> Iterator[Column[QueryImpact]]:
    """Of the table of queries, in the order on the page and in files."""
    yield from query_columns(QUERY_CELL)
    yield Column("weight", "", "query__weight")
    yield Column("change", "", "change", change_value, numeric=False)
    yield Column("changed at rank 1", FIRST, "first", _first, "at rank 1", numeric=False)
    yield Column("overlap", "", "overlap", value, term="overlap of pages")
    yield Column("RBO", "", "rbo", value)
    yield Column("NDCG-max ceiling", CEILING, "ceiling", value)
    yield Column("intent", "", lambda row: intent_queries.intent.name if intent_queries else None, json=None)
    yield intended_column(intent_queries)


def _first(first: bool) -> Value:
    return change_value("changed" if first else CHANGES[Change.NONE])
