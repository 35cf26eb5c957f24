"""Lines above the names of columns, as spreadsheets and reports have them."""

import pytest

from tests.touchstone_core.formats.texts import read_run, text_of
from touchstone_core.formats.content.document_files import read_document_text
from touchstone_core.formats.content.query_files import read_query_text
from touchstone_core.formats.detection import kind_of
from touchstone_core.formats.file_format import detect_format
from touchstone_core.formats.judgments.judgment_files import READABLE, open_judgment_text
from touchstone_core.formats.preamble import named_in, without_preamble
from touchstone_core.formats.problems import FormatError, shorten
from touchstone_core.formats.text import Text
from touchstone_core.offline.file_scores import score_files

TOP = "Judgments of the third quarter\n\nExported on,2026-11-26\n"
PADDED = "Judgments of the third quarter,,,\n,,,\nExported on,2026-11-26,,\n"
QUOTED = '"Judgments, third quarter"\n"by ""Rita""",\n\n'
JUDGMENTS = "query,document,grade,rater\nq1,d1,2,rita\nq1,d2,x,rita\n"


def judgments(text):
    return open_judgment_text(text_of(text)).read()


ODD_BREAKS = "A title\u2028of\x0btwo\x85lines\n\nby Rita\n"


@pytest.mark.parametrize("top", [TOP, PADDED, QUOTED, ODD_BREAKS])
def test_lines_above_the_names_of_columns_are_left_out_and_said(top):
    """Lines keep their numbers: the head is the fourth."""
    found = judgments(top + JUDGMENTS)

    assert found.records[0][:5] == (5, "q1", "d1", "2", 2)
    first = shorten(top.partition("\n")[0].strip(',"')[:24])
    assert list(found.report.warnings.sentences()) == [
        f"Line 1: 3 lines above the names of columns, from “{first}” on. There should be none (left out)."
    ]


def test_the_separator_may_differ_from_that_of_the_title():
    found = judgments("Report, third quarter\nquery;document;grade;rater\nq1;d1;2,5;rita\n")

    assert [(one.query, one.grade, one.rater) for one in found.records] == [("q1", 2.5, "rita")]


def test_a_line_that_names_the_separator_and_comments_stay():
    found = judgments("sep=;\nTitle\n# a comment\nquery;document;grade\nq1;d1;2\n")

    assert [(one.line, one.grade) for one in found.records] == [(5, 2)]


@pytest.mark.parametrize(
    ("read", "kind", "table", "first"),
    [
        (read_query_text, "queries", "query_id,query,weight\nq1,red shoes,3\n", "red shoes"),
        (read_document_text, "documents", "document_id,title,body\nd1,Red shoes,For running\n", "Red shoes"),
    ],
)
def test_queries_and_documents_are_found_below_too(read, kind, table, first):
    text = text_of(TOP + table, "x")

    records = read(text)

    assert kind_of(text) == kind
    assert first in (getattr(records.records[0], "query", ""), getattr(records.records[0], "title", ""))
    assert records.report.warnings.counts == {"lines above the names of columns": 1}


def test_runs_are_found_below_too():
    text = text_of(TOP + "query,document,score\nq1,d1,2\nq1,d2,3\n")

    run = read_run(text)

    assert kind_of(text) == "run"
    assert [ranking.documents for ranking in run.rankings] == [["d2", "d1"]]
    assert run.report.warnings.counts == {"lines above the names of columns": 1}


def test_wide_tables_and_tabs_are_found_below_too():
    wide = judgments("Book of shoes\nquery,docid,rita,bob\nred shoes,d1,2,3\n")
    tabs = judgments("Book of shoes\nquery\tdocument\tgrade\nq1\td1\t2\n")

    assert [(one.rater, one.grade) for one in wide.records] == [("rita", 2), ("bob", 3)]
    assert [one.grade for one in tabs.records] == [2]


def test_chosen_columns_are_names_too():
    table = text_of("Title\nSuche,Treffer,Note\nq1,d1,2\n")

    found = open_judgment_text(
        table, columns={"query": "Suche", "document": "Treffer", "grade": "Note"}
    ).read()

    assert [(one.query, one.grade) for one in found.records] == [("q1", 2)]


@pytest.mark.parametrize(
    "text",
    [
        "q0,d0,1\n"
        + JUDGMENTS.replace(",rater", "").replace(",rita", ""),  # three cells above: perhaps a row
        "query,document,grade,rater,note\n" + JUDGMENTS,  # the first line is the head
        "Title\nquery,document\n" + JUDGMENTS,  # two heads
        '"a title\nof two lines"\n' + JUDGMENTS,
        '{"query": "q1", "document": "d1", "grade": 2}\n',
        "<topic>\n" + JUDGMENTS,
    ],
)
def test_nothing_is_left_out_where_nobody_can_tell(text):
    whole = text_of(text)

    assert without_preamble(whole) is whole


def test_a_stray_line_end_ends_the_search():
    """The start of a large file is looked at before its line ends are unified."""
    raw = Text("x", "a\rb\n" + JUDGMENTS, "utf-8")

    assert without_preamble(raw) is raw


@pytest.mark.parametrize("name", READABLE)
def test_no_example_of_a_format_has_anything_above(name):
    text = text_of(READABLE[name].example)

    assert without_preamble(text) is text
    assert detect_format(text, READABLE).name == name


def test_an_error_says_where_the_names_of_columns_may_be():
    with pytest.raises(
        FormatError, match="Line 2 looks like the names of columns: remove the lines above it"
    ):
        judgments("a,b,c,d\n" + JUDGMENTS)


def test_the_command_reads_such_tables_too(tmp_path):
    (tmp_path / "judgments.csv").write_text(TOP + JUDGMENTS.replace(",x,", ",0,"))
    (tmp_path / "run.csv").write_text(PADDED + "query,document,score\nq1,d2,2\nq1,d1,1\n")

    found = score_files(tmp_path / "judgments.csv", [tmp_path / "run.csv"], measures="RR")

    assert found.scores[0].means() == {"RR": 0.5}
    assert [warning.partition(": ")[2][:35] for warning in found.warnings] == [
        "Line 1: 3 lines above the names of "
    ] * 2


@pytest.mark.parametrize("top", [TOP, ODD_BREAKS])
def test_the_text_below_has_blank_lines_above(top):
    text = without_preamble(text_of(top + JUDGMENTS))

    assert text.content == text.start == "\n\n\n" + JUDGMENTS


def test_an_error_of_another_table_is_as_it_was():
    with pytest.raises(FormatError, match=r"its first line has: a, b\.$"):
        judgments("a,b\nc,d\n")


TWO_HEADS = (
    "Exported on,26 November\nquery,document,grade\nq0,d0,1\nquery,document,grade,rater\nq1,d1,2,rita\n"
)


def test_somebody_can_say_which_line_names_the_columns():
    found = open_judgment_text(named_in(text_of(TWO_HEADS), 4)).read()

    assert found.headers == ["query", "document", "grade", "rater"]
    assert [record[:5] for record in found.records] == [(5, "q1", "d1", "2", 2)]
    assert list(found.report.warnings.sentences()) == [
        "Line 1: 3 lines above the names of columns, from “Exported on,26 November” on. There should be none (left out)."
    ]


def test_the_first_line_can_be_the_one_although_a_later_one_looks_like_it():
    top = "Number\n"

    assert kind_of(text_of(top + JUDGMENTS)) == "judgments"
    assert kind_of(named_in(text_of(top + JUDGMENTS), 1)) == ""
    assert named_in(text_of(JUDGMENTS), 1).content == JUDGMENTS


def test_without_such_a_line_the_text_is_as_it_was():
    text = text_of(JUDGMENTS)

    assert named_in(text, 0) is text


@pytest.mark.parametrize(
    ("text", "line", "sentence"),
    [
        (JUDGMENTS, 4, "Line 4 of file can’t name the columns: the file has 3 lines."),
        (TOP + JUDGMENTS, 2, "Line 2 of file can’t name the columns: it’s empty."),
        ("# a note\n" + JUDGMENTS, 1, "Line 1 of file can’t name the columns: it’s a comment."),
        ('{"query": "q1"}\n', 1, "file is JSON, in which no line names columns. Leave that empty."),
    ],
)
def test_a_line_that_can_not_name_columns_is_refused(text, line, sentence):
    with pytest.raises(FormatError) as caught:
        named_in(text_of(text), line)

    assert caught.value.message == sentence


def test_runs_can_be_read_from_a_line_on():
    text = "query,document,score\nold,d1,1\nquery,document,score\nq1,d2,2\n"

    assert read_run(text_of(text), header_line=3).rankings[0].query == "q1"


def test_who_said_where_the_names_are_gets_no_hint_where_they_may_be():
    table = "a,b,c,d\n" + JUDGMENTS

    with pytest.raises(FormatError) as found_out:
        judgments(table)
    with pytest.raises(FormatError) as told:
        open_judgment_text(named_in(text_of(table), 1)).read()

    assert "Line 2 looks like the names of columns" in found_out.value.message
    assert (
        told.value.message
        == "The file needs a column for query and document; its first line has: a, b, c, d."
    )
