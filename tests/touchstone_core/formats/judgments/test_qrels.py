from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.shared_data import shared_data
from tests.touchstone_core.formats.texts import read_qrels, text_of
from touchstone_core.formats.judgments.judgment_files import open_judgment_text
from touchstone_core.formats.judgments.qrels import looks_like_qrels, read_grades, read_rows, split_blanks
from touchstone_core.formats.problems import FormatError, Report
from touchstone_core.formats.text import decode


def test_any_white_space_separates_and_comments_are_skipped():
    qrels = read_qrels(text_of("# by hand\nq1\t0  d1 3 \r\n\n q1 0 d2\t-1\n"))

    assert [(r.line, r.query, r.document, r.grade) for r in qrels.records] == [
        (2, "q1", "d1", 3),
        (4, "q1", "d2", -1),
    ]
    assert qrels.report.ok


@pytest.mark.parametrize(
    "names", ["qid iter docid rel", "TOPIC ITERATION DOCUMENT# RELEVANCY", "query Q0 pid rating"]
)
def test_a_first_row_that_names_the_columns_is_left_out(names: str):
    content = text_of(f"# pooled\n{names}\nq1 0 d1 3\nq1 0 {names.split()[3]} 0\n")

    qrels = open_judgment_text(content).read()
    grades, report = read_grades(content)

    assert [(r.line, r.query, r.grade) for r in qrels.records] == [(3, "q1", 3), (4, "q1", 0)]
    assert len(grades["q1"]) == 2
    for one in (qrels.report, report):
        assert one.ok
        assert list(one.warnings.sentences()) == [
            "Line 2: names of columns. There should be a row (left out)."
        ]


def test_a_judgment_whose_query_begins_with_a_hash_is_left_out_with_a_warning():
    qrels = read_qrels(text_of("# 0 is bad\n#red 0 d1 1\nq1 0 d1 1\n#q2 0 d1 good\n"))

    assert [one.query for one in qrels.records] == ["q1"]
    assert list(qrels.report.warnings.sentences()) == [
        "Line 2, column query: “#red” should be a query that doesn’t begin with # (such lines are comments; left out)."
    ]


def test_tables_whose_columns_have_names_and_tabs_stay_tables():
    judgments = open_judgment_text(text_of("document\tquery\tcomment\tgrade\nd1\tq1\tno\t3\n")).read()

    assert [(r.query, r.document, r.comment, r.grade) for r in judgments.records] == [("q1", "d1", "no", 3)]


def test_a_no_break_space_is_part_of_an_id():
    assert split_blanks("q\xa01 0\td\u30001 2") == ["q\xa01", "0", "d\u30001", "2"]


@given(st.floats(allow_nan=False, allow_infinity=False))
def test_grades_are_kept_exactly(grade: float):
    qrels = read_qrels(text_of(f"q 0 d {grade!r}\n"))

    assert qrels.records[0].grade == grade
    assert qrels.records[0].grade_text == repr(grade)


@pytest.mark.parametrize(
    ("line", "sentence"),
    [
        ("q d 1", "Line 2: 3 columns. There should be query, 0, document and grade."),
        ("q 0 d e 1", "Line 2: 5 columns. There should be query, 0, document and grade."),
        ("q 0 d good", "Line 2, column grade: “good” should be a number."),
        ("q 0 d nan", "Line 2, column grade: “nan” should be a number."),
        (
            "q 0 d\x01 1",
            "Line 2, column document: “d\\x01” should be an ID without line breaks or control characters.",
        ),
    ],
)
def test_a_bad_line_is_reported(line: str, sentence: str):
    qrels = read_qrels(text_of(f"q1 0 d1 1\n{line}\n"))

    assert [record.line for record in qrels.records] == [1]
    assert list(qrels.report.errors.sentences()) == [sentence]


def test_grades_for_scoring_count_a_judgment_once_that_is_said_twice():
    grades, report = read_grades(text_of("q 0 d 1\nq 0 e 2\nq 7 d 1.0\n"))

    assert grades == {"q": {"d": 1, "e": 2}}
    assert list(report.warnings.sentences()) == [
        "Line 3, column document: “d” should be listed once for a query (line 1 says the same; counted once)."
    ]


def test_grades_for_scoring_refuse_a_judgment_that_is_said_otherwise():
    _, report = read_grades(text_of("q 0 d 1\nq 0 e 2\nq 0 d 1.5\n"))

    assert list(report.errors.sentences()) == [
        "Line 3, column document: “d” should be listed once for a query (line 1 gives it another grade)."
    ]


@pytest.mark.parametrize("grade", ["-1", "-0.5", "1.5", "1e-3", "+2", ".5", "-0"])
def test_grades_for_scoring_may_be_negative_and_fractions_with_a_warning_for_these(grade: str):
    grades, report = read_grades(text_of(f"q 0 d {grade}\n"))

    assert grades == {"q": {"d": float(grade)}}
    assert bool(report.warnings.total) == (not float(grade).is_integer())


def test_the_second_column_may_hold_anything():
    qrels = read_qrels(text_of("q 0 a 1\nq Q0 b 1\nq 2 c 1\nq x-y d 1\n"))

    assert [record.document for record in qrels.records] == ["a", "b", "c", "d"]


@pytest.mark.parametrize("content", ["", "\n\n", "# only\n# comments\n"])
def test_a_file_without_judgments_is_refused(content: str):
    for read in (read_qrels, read_grades):
        with pytest.raises(FormatError, match="holds no judgments"):
            read(text_of(content))


# Counts of qrels.test and qrels.rel_level as published beside the files.
@pytest.mark.parametrize(
    ("path", "expected"),
    [
        ("trec_eval/qrels.test", {0: 3120, 1: 561}),
        ("trec_eval/qrels.rel_level", {-1: 304, 0: 2818, 1: 462, 2: 14, 3: 77, 4: 6}),
    ],
)
def test_the_published_counts_of_trec_evals_own_files_come_out(path: str, expected: dict[int, int]):
    file = shared_data(path.split("/")[0]).parent / path

    qrels = read_qrels(decode(file.read_bytes(), name=path, limit=10_000_000))

    assert qrels.report.ok
    assert Counter(record.grade for record in qrels.records) == expected


@pytest.mark.parametrize(
    ("path", "count"),
    [
        ("esci_small/qrels.txt", 1269),
        ("esci_opensearch/qrels.esci_us_150.txt", 6678),
        ("ranx/qrels.trec", 5),
        ("ranx/nb_qrels.trec", 5541),
    ],
)
def test_other_real_qrels_are_read_whole(path: str, count: int):
    file = shared_data(path.split("/")[0]).parent / path

    qrels = read_qrels(decode(file.read_bytes(), name=path, limit=10_000_000))

    assert qrels.report.ok
    assert len(qrels.records) == count


def test_rows_from_the_middle_of_a_file_have_its_lines():
    report = Report()

    rows = list(read_rows("q1 0 d1 1\nq1 0 d2\nq1 0 d3 2\n", 101, report))

    assert [(one.line, one.document, one.grade) for one in rows] == [(101, "d1", 1), (103, "d3", 2)]
    assert [one.line for one in report.errors.first] == [102]


@pytest.mark.parametrize(
    ("content", "expected"), [("", False), ("# nothing but\n# comments\n", False), ("q 0 d 1\n", True)]
)
def test_a_file_without_rows_is_not_taken_for_qrels(content, expected):
    assert looks_like_qrels(text_of(content)) is expected
