import csv
import io
import json
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.touchstone_core.formats.texts import read_judgments, text_of
from touchstone_core.formats.delimiters import BLANKS, detect_delimiter
from touchstone_core.formats.problems import FormatError, Report
from touchstone_core.formats.tables import Column, open_table

SCHEMA = (
    Column("id", ("id", "doc_id"), required=True),
    Column("title", ("title", "name")),
    Column("body", ("body",)),
)


def read(content: str, report: Report | None = None, schema=SCHEMA, **options):
    table = open_table(text_of(content), schema, report if report is not None else Report(), **options)
    return replace(table, rows=list(table.rows))


@pytest.mark.parametrize("delimiter", [",", "\t", ";"])
def test_the_delimiter_is_found_in_the_header_line(delimiter: str):
    content = f'id{delimiter}"title, or; so"{delimiter}body\n1{delimiter}a{delimiter}b\n'

    table = read(content, columns={"title": "title, or; so"})

    assert [row.cells for row in table.rows] == [{"id": "1", "title": "a", "body": "b"}]
    assert table.format == ("tsv" if delimiter == "\t" else "csv")


@pytest.mark.parametrize("blank", ["\n", "   \n", ";;\n", ' ; ;""\n'])
def test_rows_of_blanks_are_skipped_as_spreadsheets_write_them(blank: str):
    report = Report()

    table = read(f"id;title;body\n1;a;b\n{blank}2;c;d\n{blank}{blank}", report)

    assert ([row.line for row in table.rows], report.ok) == ([2, 4], True)


def test_delimiters_inside_quotes_do_not_count():
    assert detect_delimiter('"a,b,c";d\n') == ";"


def test_line_numbers_are_those_of_the_first_line_of_a_record():
    table = read('\nid,title\n1,"two\nlines"\n\n2,"three\n\nlines"\n3,one\n')

    assert [(row.line, row.cells["title"]) for row in table.rows] == [
        (3, "two\nlines"),
        (6, "three\n\nlines"),
        (9, "one"),
    ]


def test_headers_match_whatever_their_case_blanks_and_underscores():
    table = read(" Doc-ID ,NAME\n1,a\n")

    assert table.columns == {"id": "Doc-ID", "title": "NAME"}
    assert table.rows[0].cells == {"id": "1", "title": "a"}


def test_a_byte_order_mark_does_not_hide_the_first_header():
    assert read("\ufeffid,title\n1,a\n").columns["id"] == "id"


def test_comment_lines_before_the_header_are_passed_over_and_counted():
    table = read("# a list\n# of things\nid\n1\n")

    assert (table.headers, table.rows[0].line) == (["id"], 4)


def test_a_stated_mapping_comes_before_the_aliases_and_can_leave_a_column_out():
    table = read("id,name,other\n1,a,b\n", columns={"id": "OTHER", "title": ""})

    assert table.rows[0].cells == {"id": "b"}
    assert table.rows[0].extra == {"id": "1", "name": "a"}


def test_a_stated_column_that_is_not_there_is_refused_with_the_headers_found():
    with pytest.raises(FormatError, match=r"no column “key”.*the file has: id, title"):
        read("id,title\n1,a\n", columns={"id": "key"})


def test_a_missing_required_column_is_refused_with_the_headers_found():
    with pytest.raises(FormatError, match="needs a column for id; its first line has: title, body"):
        read("title,body\n1,a\n")


def test_a_header_that_stands_twice_is_refused():
    with pytest.raises(FormatError, match="first line has the column “ID” twice"):
        read("id,ID\n1,2\n")


def test_columns_without_a_name_are_ignored():
    assert read("id,,\n1,a,b\n").rows[0].extra == {}


def test_rows_with_another_number_of_columns_are_reported_and_left_out():
    report = Report()

    table = read("id,title\n1\n2,b\n3,c,d\n", report)

    assert [row.cells["id"] for row in table.rows] == ["2"]
    assert list(report.errors.sentences()) == [
        "Line 2: 1 column. There should be 2 columns.",
        "Line 4: 3 columns. There should be 2 columns.",
    ]


def test_a_quote_that_is_never_closed_is_reported_at_the_line_where_its_record_begins():
    report = Report()

    table = read('id,title\n1,a\n2,"b\n3,c\n4,d\n', report)

    assert [row.line for row in table.rows] == [2]
    assert [problem.line for problem in report.errors.first] == [3]


def test_fields_beyond_the_csv_modules_own_limit_are_read_and_the_limit_is_put_back():
    before = csv.field_size_limit()

    table = read("id,title\n1," + "x" * 200_000 + "\n")

    assert len(table.rows[0].cells["title"]) == 200_000
    assert csv.field_size_limit() == before


@pytest.mark.parametrize("content", ["", " \n\n"])
def test_an_empty_file_is_refused(content: str):
    with pytest.raises(FormatError, match="is empty"):
        read(content)


def test_a_file_of_comments_only_is_refused():
    with pytest.raises(FormatError, match="no line that names the columns"):
        read("# nothing\n# here\n")


def test_an_unknown_format_is_refused():
    with pytest.raises(FormatError, match="Unknown format xml"):
        read("id\n1\n", format="xml")


def test_a_stated_tsv_is_cut_at_tabs_only():
    assert read("id,x\tid\n1,2\t3\n", format="tsv").rows[0].cells == {"id": "3"}


def test_json_lines_are_rows_with_their_line_numbers():
    table = read('{"id": 1, "title": null}\n\n{"ID2": [1, "é"], "id": "b", "x": {"y": 1.5}, "z": true}\n')

    assert table.format == "jsonl"
    assert [(row.line, row.cells) for row in table.rows] == [
        (1, {"id": "1", "title": ""}),
        (3, {"id": "b", "title": ""}),
    ]
    assert table.rows[1].extra == {"ID2": '[1, "é"]', "x": '{"y": 1.5}', "z": "true"}


@pytest.mark.parametrize("bad", ["[1]", "{", '{"id": 1, "id": 2}', '{"id": ' + "[" * 100_000])
def test_lines_that_are_not_one_json_object_are_reported(bad: str):
    report = Report()

    table = read('{"id": 1}\n' + bad + "\n", report)

    assert len(table.rows) == 1
    assert [(problem.line, problem.kind) for problem in report.errors.first] == [(2, "not a JSON object")]


def test_a_first_line_cut_by_bars_says_what_is_read():
    with pytest.raises(FormatError, match=r"seem to be separated by \|. Use commas"):
        read("query_id|query\n1|zoo\n")


def test_json_lines_without_any_object_are_refused():
    with pytest.raises(FormatError, match="no JSON object that has a key"):
        read("[1]\n", format="jsonl")


CELLS = st.text(st.characters(exclude_categories=("Cs", "Cc")) | st.just("\n"), max_size=20).filter(
    lambda text: not text.strip(BLANKS).startswith("'")
)


ROWS = st.tuples(CELLS, CELLS).filter(lambda cells: "".join(cells).strip())  # rows of blanks are skipped


@given(st.lists(ROWS, min_size=1, max_size=8), st.sampled_from([",", "\t", ";"]))
def test_what_the_csv_module_writes_is_read_back(rows: list[tuple[str, str]], delimiter: str):
    buffer = io.StringIO()
    writer = csv.writer(buffer, delimiter=delimiter, lineterminator="\n", quoting=csv.QUOTE_ALL)
    writer.writerows([("id", "title"), *rows])

    table = read(buffer.getvalue())

    assert [(row.cells["id"], row.cells["title"]) for row in table.rows] == [
        (one.strip(BLANKS), other.strip(BLANKS)) for one, other in rows
    ]
    lines = buffer.getvalue().split("\n")
    assert all(lines[row.line - 1].startswith('"') for row in table.rows)


@given(st.lists(st.dictionaries(st.sampled_from(["id", "title", "body"]), CELLS), min_size=1, max_size=5))
def test_what_the_json_module_writes_is_read_back(objects: list[dict[str, str]]):
    objects[0]["id"] = "1"

    table = read("\n".join(map(json.dumps, objects)))

    assert [row.cells["id"] for row in table.rows] == [one.get("id", "").strip(BLANKS) for one in objects]


def test_more_columns_than_are_read_are_refused():
    header = ["a", *(f"c{number}" for number in range(1_000))]
    with pytest.raises(FormatError, match="file has 1,001 columns; at most 1,000 are read"):
        read(",".join(header) + "\n", schema=[Column("a", ("a",))])


def test_more_names_in_json_lines_than_are_read_are_refused():
    lines = "\n".join(json.dumps({f"k{line} {n}": 1 for n in range(1_000)}) for line in range(11))
    with pytest.raises(FormatError, match="file has 11,000 different names in its objects; at most 10,000"):
        read(lines, schema=[Column("a", ("a",))])


def test_a_line_of_millions_of_cells_is_refused_before_it_is_cut():
    with pytest.raises(
        FormatError, match="Line 3 of file has more than 200,000 columns; at most 1,000 are read"
    ):
        read(f"a,b\n1,2\n{',' * 200_001}\n", schema=[Column("a", ("a",))])


def test_lines_of_very_many_cells_are_read_one_by_one():
    wide = "," * 200_000
    table = read(f"a,b\n{wide}\n1,2\n{wide}\n3,4\n", schema=[Column("a", ("a",))])

    assert [row.cells["a"] for row in table.rows] == ["1", "3"]


@pytest.mark.parametrize(
    ("cut", "cell", "expected"),
    [
        (";", "2,5", "2.5"),
        (";", "-0,812", "-0.812"),
        (";", "1,234", "1.234"),  # semicolons cut the columns because commas are in the numbers
        ("\t", "0,812", "0.812"),
        ("\t", "12,5e-3", "12.5e-3"),
        ("\t", "1,234", "1,234"),  # may be 1234
        (";", "1,2,3", "1,2,3"),
        (";", "1.234,5", "1.234,5"),
    ],
)
def test_decimal_commas_are_read_where_they_can_be_nothing_else(cut, cell, expected):
    schema = [Column("name", ("name",)), Column("weight", ("weight",), number=True)]

    table = read(f"name{cut}weight\n{cell}{cut}{cell}\n", schema=schema)

    assert table.rows[0].cells == {"name": cell, "weight": expected}


@pytest.mark.parametrize("cut", [",", ";", "\t"])
@pytest.mark.parametrize("before", ["sep={}\n", "SEP={} \n\n# a comment\n", '"sep={}"\n'])
def test_the_line_in_which_a_spreadsheet_says_what_cuts_columns_is_passed_over(cut, before):
    content = before.format(cut) + f"name{cut}weight;,\t\na{cut}1\n".replace("weight;,\t", "weight")
    schema = [Column("name", ("name",)), Column("weight", ("weight",))]

    table = read(content, schema=schema)

    assert [row.cells for row in table.rows] == [{"name": "a", "weight": "1"}]
    assert table.rows[0].line == content.count("\n")


@pytest.mark.parametrize(
    ("rows", "doubtful"),
    [
        ("q1;d1;1.200|q1;d2;2.000", [2, 3]),  # a spreadsheet of a country with decimal commas
        ("q1;d1;1.200|q1;d2;0,5", [2]),
        ('q1,d1,1.200|q1,d2,"0,5"', [2]),  # another number has a decimal comma
        ("q1;d1;1.234.567|q1;d2;1", [2]),
        ("q1;d1;1.200|q1;d2;0.5", []),  # a point that can only be a decimal one
        ("q1;d1;0.200|q1;d2;1.200", []),
        ("q1,d1,1.200|q1,d2,2.000", []),  # OpenSearch writes grades so
        ("q1;d1;n.a.|q1;d2;1.200", [3]),
    ],
)
def test_points_that_may_separate_thousands_are_warned_of(rows, doubtful):
    separator = ";" if ";" in rows else ","
    header = separator.join(("query", "document", "grade"))

    judgments = read_judgments(text_of(header + "\n" + rows.replace("|", "\n") + "\n"))

    warned = [one for one in judgments.report.warnings.first if one.kind == "point or thousands"]
    assert [one.line for one in warned] == doubtful
    if doubtful == [2, 3]:
        assert warned[0].sentence == (
            "Line 2, column grade: “1.200” should be written without the point if it means thousands (the point was read as a "
            "decimal one)."
        )
        assert [one.grade for one in judgments.records] == [1.2, 2]
