from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from judgments.formats.problems import FormatError
from judgments.formats.qrels import read_qrels, split_blanks
from judgments.formats.text import decode
from tests.judgments.formats.texts import text_of
from tests.shared_data import shared_data


def test_any_white_space_separates_and_comments_are_skipped():
    parsed = read_qrels(text_of("# by hand\nq1\t0  d1 3 \r\n\n q1 0 d2\t-1\n"))

    assert [(r.line, r.query, r.document, r.grade) for r in parsed.records] == [
        (2, "q1", "d1", 3),
        (4, "q1", "d2", -1),
    ]
    assert parsed.report.ok


def test_a_no_break_space_is_part_of_an_id():
    assert split_blanks("q\xa01 0\td\u30001 2") == ["q\xa01", "0", "d\u30001", "2"]


@given(st.floats(allow_nan=False, allow_infinity=False))
def test_grades_are_kept_exactly(grade: float):
    parsed = read_qrels(text_of(f"q 0 d {grade!r}\n"))

    assert parsed.records[0].grade == grade
    assert parsed.records[0].grade_text == repr(grade)
    assert bool(parsed.report.warnings.total) == (not grade.is_integer())


@pytest.mark.parametrize(
    ("line", "sentence"),
    [
        ("q d 1", "Line 2: found “3 columns”, expected query, 0, document and grade."),
        ("q 0 d e 1", "Line 2: found “5 columns”, expected query, 0, document and grade."),
        ("q 0 d good", "Line 2, column grade: found “good”, expected a number."),
        ("q 0 d nan", "Line 2, column grade: found “nan”, expected a number."),
        (
            "q 0 d\x01 1",
            "Line 2, column document: found “d\\x01”, expected an id without line breaks or control characters.",
        ),
        (
            "q1 0 d1 2",
            "Line 2, column document: found “d1”, expected each document once for a query (it is on line 1 already).",
        ),
    ],
)
def test_a_bad_line_is_reported(line: str, sentence: str):
    parsed = read_qrels(text_of(f"q1 0 d1 1\n{line}\n"))

    assert [record.line for record in parsed.records] == [1]
    assert list(parsed.report.errors.sentences()) == [sentence]


@pytest.mark.parametrize("content", ["", "\n\n", "# only\n# comments\n"])
def test_a_file_without_judgments_is_refused(content: str):
    with pytest.raises(FormatError, match="holds no judgments"):
        read_qrels(text_of(content))


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

    parsed = read_qrels(decode(file.read_bytes(), name=path, limit=10_000_000))

    assert parsed.report.ok
    assert Counter(record.grade for record in parsed.records) == expected


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

    parsed = read_qrels(decode(file.read_bytes(), name=path, limit=10_000_000))

    assert parsed.report.ok
    assert len(parsed.records) == count
