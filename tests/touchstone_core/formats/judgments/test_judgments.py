import csv
import datetime as dt
from collections import Counter

import pytest

from tests.shared_data import shared_data
from tests.touchstone_core.formats.texts import read_judgments, text_of
from touchstone_core.formats.judgments.judgments import JudgmentRecord
from touchstone_core.formats.problems import FormatError
from touchstone_core.formats.text import decode

HEADER = "query,document,rater,grade,reason,comment,judged_at,seconds\n"


def test_a_full_row_is_read():
    judgments = read_judgments(text_of(HEADER + "q1,d1,ann,2.50,,fine,2026-01-31T14:05:00+01:00,3.5\n"))

    at = dt.datetime(2026, 1, 31, 13, 5, tzinfo=dt.UTC)
    assert judgments.records == [JudgmentRecord(2, "q1", "d1", "2.50", 2.5, "ann", "", "fine", at, 3.5)]


def test_a_time_without_an_offset_is_read_as_utc():
    judgments = read_judgments(text_of(HEADER + "q1,d1,ann,2,,,2026-01-31 14:05,\n"))

    assert judgments.records[0].judged_at == dt.datetime(2026, 1, 31, 14, 5, tzinfo=dt.UTC)
    assert judgments.records[0].seconds is None


@pytest.mark.parametrize(("text", "grade"), [("E", None), ("-2", -2.0), ("0.1", 0.1), ("nan", None)])
def test_a_grade_keeps_its_text_and_its_number_if_it_is_one(text: str, grade: float | None):
    judgments = read_judgments(text_of(f"qid,docid,label\nq1,d1,{text}\n"))

    assert (judgments.records[0].grade_text, judgments.records[0].grade) == (text, grade)


def test_cannot_judge_is_an_empty_grade_with_a_reason():
    judgments = read_judgments(text_of(HEADER + "q1,d1,ann,,language,,,\n"))

    assert (judgments.records[0].grade, judgments.records[0].reason) == (None, "language")


@pytest.mark.parametrize(
    ("row", "column"),
    [
        (",d1,a,1,,,,", "query"),
        ("q1,,a,1,,,,", "document"),
        ("q1,d1,a,,,,,", "grade"),
        ("q1,d1,a,1,,,yesterday,", "judged_at"),
        ("q1,d1,a,1,,,9999-12-31T23:59:59-14:00,", "judged_at"),
        ("q1,d1,a,1,,,0001-01-01T00:00:00+14:00,", "judged_at"),
        ("q1,d1,a,1,,,0001-01-01T00:00:00,", "judged_at"),
        ("q1,d1,a,1,,,2200-01-01T00:00:00,", "judged_at"),
        ("q1,d1,a,1,,,,-1", "seconds"),
    ],
)
def test_a_bad_cell_is_reported_by_line_and_column(row: str, column: str):
    judgments = read_judgments(text_of(HEADER + row + "\n"))

    assert judgments.records == []
    assert [(problem.line, problem.column) for problem in judgments.report.errors.first] == [(2, column)]


def test_a_query_and_a_document_alone_are_a_pair_to_be_judged():
    judgments = read_judgments(text_of("query,document,rater,grade\nq1,d1,ann,2\nq1,d2,,\n"))

    assert judgments.report.ok
    assert [record.unjudged for record in judgments.records] == [False, True]


def test_a_file_with_these_two_columns_holds_pairs():
    judgments = read_judgments(text_of("query,document\nq1,d1\nq1,d2\n"))

    assert [(record.query, record.document, record.unjudged) for record in judgments.records] == [
        ("q1", "d1", True),
        ("q1", "d2", True),
    ]
    assert judgments.report.ok


def test_pairs_may_come_as_json_lines():
    judgments = read_judgments(
        text_of('{"query": "q1", "document": "d1"}\n{"query": "q1", "document": "d2"}\n')
    )

    assert [record.unjudged for record in judgments.records] == [True, True]


@pytest.mark.parametrize("header", ["query,document,points", "query,document,rater,reason"])
def test_a_file_whose_grades_are_not_found_is_refused_and_not_taken_for_pairs(header: str):
    with pytest.raises(FormatError, match=f"needs a column for grade.+{header.split(',')[-1]}.+two columns"):
        read_judgments(text_of(f"{header}\nq1,d1,3{',' * (header.count(',') - 2)}\n"))


def test_further_columns_are_no_hindrance_once_the_grade_is_left_out():
    judgments = read_judgments(text_of("query,document,rank\nq1,d1,3\n"), columns={"grade": ""})

    assert [record.unjudged for record in judgments.records] == [True]


@pytest.mark.parametrize(
    "row", ["q1,d1,ann,,,,,", "q1,d1,,,,well,,", "q1,d1,,,,,2026-01-31,", "q1,d1,,,,,,3"]
)
def test_a_row_that_lost_its_grade_is_an_error_and_not_a_pair(row: str):
    judgments = read_judgments(text_of(HEADER + row + "\n"))

    assert judgments.records == []
    assert judgments.report.errors.counts == {"no grade": 1}


def test_real_grades_are_read_by_number_and_by_label():
    path = shared_data("esci_small") / "judgments.csv"
    text = decode(path.read_bytes(), name=path.name, limit=10_000_000)

    by_number = read_judgments(text)
    by_label = read_judgments(text, columns={"grade": "esci_label"})

    assert by_number.report.ok
    assert len(by_number.records) == 1269
    assert Counter(record.grade for record in by_number.records).keys() == {0.0, 1.0, 2.0, 3.0}
    labels = {"E": 3.0, "S": 2.0, "C": 1.0, "I": 0.0}
    assert [labels[record.grade_text] for record in by_label.records] == [r.grade for r in by_number.records]


def test_real_judgments_of_several_raters_keep_their_raters_and_their_cannot_tell():
    path = shared_data("quepid_haystack") / "haystack_judgements_long.csv"

    judgments = read_judgments(decode(path.read_bytes(), name=path.name, limit=10_000_000))

    assert judgments.records[0].query == "projector screen"
    assert judgments.records[0].rater == "rater06"
    with path.open(newline="", encoding="utf-8") as stream:
        grades = [row["rating"] for row in csv.DictReader(stream)]
    assert [record.grade_text for record in judgments.records] == grades
    assert Counter(record.reason for record in judgments.records) == {"": 1920, "other": 22}
    assert judgments.report.ok


def test_a_json_line_that_names_its_document_or_grade_otherwise_is_refused():
    """It was a query without documents, or a pair to be judged, and nobody was told."""
    lines = [
        '{"query": "a", "document": "d1", "grade": 2, "score": 0.5}',
        '{"query": "a", "docid": "d2", "rating": 1}',
        '{"query": "a", "document": "d3", "rating": 1}',
        '{"query": "a", "document": "d4", "score": 0.4}',
    ]

    judgments = read_judgments(text_of("\n".join(lines)))

    assert [problem.sentence for problem in judgments.report.errors.by_line] == [
        "Line 2: “docid” should be “document”, as on other lines.",
        "Line 2: “rating” should be “grade”, as on other lines.",
        "Line 3: “rating” should be “grade”, as on other lines.",
    ]
    assert [(record.document, record.grade) for record in judgments.records] == [("d1", 2.0), ("d4", None)]


def test_how_a_pair_was_selected_is_read_and_other_words_are_left_out_with_a_warning():
    rows = "q1,d1,2,for what they decide\nq1,d2,0,At random\nq1,d3,,for what they decide\nq1,d4,1,\nq1,d5,1,by BM25\n"
    judgments = read_judgments(text_of(f"query,document,grade,selection\n{rows}"))

    selections = ["for what they decide", "at random", "for what they decide", "", ""]
    assert [one.selection for one in judgments.records] == selections
    assert [one.unjudged for one in judgments.records] == [False, False, True, False, False]
    (warning,) = judgments.report.warnings.first
    assert (warning.line, warning.column, warning.value) == (6, "selection", "by BM25")
    assert "“for what they decide” or “at random”" in warning.expected


def test_pairs_to_be_judged_may_say_how_they_were_selected():
    rows = read_judgments(text_of("query,document,selection\nq1,d1,at random\n")).records

    assert [(one.unjudged, one.selection) for one in rows] == [(True, "at random")]
