"""Columns that are declared once: every form of a table follows from them."""

from types import SimpleNamespace
from typing import Any

import pytest

from touchstone_core.formats.columns import (
    Column,
    aligned,
    csv_rows,
    json_records,
    of,
    page_table,
    read_order,
    text_rows,
)


def cell(number):
    return SimpleNamespace(text=f"{number:.1f}")


RUN: Column[Any] = Column(
    "run", "Name of the run", "run__name", label="Run", key="run", numeric=False, template="run.html"
)
GLOBAL: Column[Any] = Column(
    "nDCG@5", "", "ndcg", cell, "global", "NDCG@5", "global", json=("values", "nDCG@5")
)
AGAIN: Column[Any] = Column("nDCG@5", "", lambda row: -1, json=("values", "nDCG@5"))
LADDER: Column[Any] = Column(
    label="shares", show_row=lambda row: row.ndcg, group="Loss", template="ladder.html"
)
TAGS: Column[Any] = Column("its tags", "", "tags")
ONLY_CSV: Column[Any] = Column("left out", "", lambda row: "yes", json=None)
COLUMNS = [RUN, GLOBAL, AGAIN, LADDER, TAGS, ONLY_CSV]
ROW = SimpleNamespace(run=SimpleNamespace(name="bm25"), ndcg=0.25, tags=["a", "b"])


def test_csv_has_the_named_columns_once_between_what_all_rows_share():
    rows = list(csv_rows(COLUMNS, [ROW], before={"list": "First"}, after={"state": 7}))

    assert rows == [
        ["list", "run", "nDCG@5", "its tags", "left out", "state"],
        ["First", "bm25", 0.25, "a; b", "yes", 7],
    ]


def test_a_table_without_rows_still_has_its_names():
    assert list(csv_rows(COLUMNS, [])) == [["run", "nDCG@5", "its tags", "left out"]]


def test_tags_with_separators_are_one_cell_that_the_import_reads():
    row = SimpleNamespace(tags=["a;b", "c"])

    assert list(csv_rows([TAGS], [row]))[1] == ['["a;b", "c"]']


def test_facts_are_one_cell_of_json_and_none_are_an_empty_cell():
    rows = [SimpleNamespace(facts={"overlap": 2, "name": "Müller"}), SimpleNamespace(facts={})]

    assert list(csv_rows([Column("facts", value="facts")], rows))[1:] == [
        ['{"overlap": 2, "name": "Müller"}'],
        [""],
    ]


def test_json_nests_by_path_and_names_by_the_name():
    assert list(json_records(COLUMNS, [ROW])) == [
        {"run": "bm25", "values": {"nDCG@5": 0.25}, "its_tags": ["a", "b"]}
    ]


def test_a_page_has_what_is_shown_and_groups_adjacent_columns():
    table = page_table(COLUMNS, [ROW])

    assert table.groups == [("", 1, False), ("NDCG@5", 1, True), ("Loss", 1, True)]
    assert [heading.column.heading for heading in table.headings] == ["Run", "global", "shares"]
    assert [cell.start for cell in table.rows[0].cells] == [False, True, True]
    assert table.rows[0].cells[1].value.text == "0.2"
    assert table.rows[0].cells[2].value == 0.25
    assert {heading.sort for heading in table.headings} == {""}


def test_a_page_without_groups_has_no_row_for_them():
    assert page_table([RUN, TAGS], [ROW]).groups == []


def test_a_command_shows_the_same_texts():
    rows = text_rows([GLOBAL], [ROW])

    assert rows == [["global"], ["0.2"]]
    assert aligned([["run", "mean"], ["bm25", "0.25"]]) == "run   mean\nbm25  0.25"


@pytest.mark.parametrize("text", ["", "-", "nothing", "--global", "-run__name"])
def test_an_order_that_is_none_is_the_usual_one(text):
    order = read_order(text, COLUMNS, "-global")

    assert (order.column.key, order.descending) == ("global", True)


def test_a_heading_sorts_best_first_and_turns_around_at_the_second_click():
    run, best, ladder = page_table(COLUMNS, [], read_order("-global", COLUMNS, "run")).headings

    assert (run.sort, run.direction) == ("run", "")
    assert (best.sort, best.direction) == ("global", "descending")
    assert (ladder.sort, ladder.direction) == ("", "")
    turned = page_table(COLUMNS, [], read_order("global", COLUMNS, "run"))
    assert (turned.headings[1].sort, turned.headings[1].direction) == ("-global", "ascending")


def test_a_cell_of_a_part_of_the_row_leads_where_the_part_says():
    run: Column[Any] = Column("run", value="name", link=lambda run: f"/runs/{run.name}/")
    (column,) = of(lambda row: row.run, [run])

    assert column.link(SimpleNamespace(run=SimpleNamespace(name="bm25"))) == "/runs/bm25/"
    assert not column.link(SimpleNamespace(run=None))


def test_a_cell_of_a_page_is_of_words_unless_its_column_is_numeric():
    [row] = page_table(COLUMNS, [ROW]).rows

    assert [cell.of_words for cell in row.cells if cell.column in (RUN, GLOBAL)] == [True, False]
