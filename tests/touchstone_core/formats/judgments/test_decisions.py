"""Files of decisions: what is read of them, and what is refused."""

from datetime import UTC, datetime

import pytest

from touchstone_core.formats.detection import kind_of
from touchstone_core.formats.judgments.judgment_files import open_judgment_text
from touchstone_core.formats.text import decode

FULL = (
    "query_id,query,document_id,answers,decided_grade,label,cause,note,decided_by,decided_at,withdrawn_by,withdrawn_at\n"
    'q1,red shoes,d1,A: 0; B: 3,2,Good,A slip,"\'=seen, both",Ada,2026-11-20T12:00:00+00:00,,\n'
    "q1,red shoes,d2,A: 0; B: 3,1,Fair,A slip,,Ada,2026-11-20T12:00:00+00:00,Ada,2026-11-20T12:01:00+00:00\n"
    "q2,,d1,,0.5,,difference,,,,,\n"
)


def read(text):
    found = open_judgment_text(decode(text.encode(), name="decisions.csv", limit=10**6)).read()
    return found, list(found.report.errors.sentences()), list(found.report.warnings.sentences())


def test_the_export_is_found_by_its_columns_and_read_without_what_was_withdrawn():
    found, errors, warnings = read(FULL)

    assert kind_of(decode(FULL.encode(), name="x.csv", limit=10**6)) == "judgments"
    assert (found.format, errors) == ("decisions", [])
    assert [
        (one.line, one.query, one.document, one.grade, one.cause, one.comment) for one in found.records
    ] == [
        (2, "q1", "d1", 2.0, "A slip", "=seen, both"),
        (4, "q2", "d1", 0.5, "difference", ""),
    ]
    assert [one.judged_at for one in found.records] == [datetime(2026, 11, 20, 12, tzinfo=UTC), None]
    assert len(warnings) == 1
    assert "withdrawn decisions are left out" in warnings[0]


@pytest.mark.parametrize(
    ("row", "expected"),
    [
        ("q1,,2,A slip,,", "Line 2, column document_id: empty, but should be an ID."),
        ("q1,d1,,A slip,,", "Line 2, column decided_grade: empty, but should be the grade that was decided."),
        ("q1,d1,2,,,", "Line 2, column cause: empty, but should be why raters disagree, such as “A slip”."),
        ("q1,d1,2,A slip,,yesterday", "a time from 1970 to 2199"),
        (f"q1,d1,2,A slip,{'x' * 2001},", "Line 2, column note: "),
    ],
)
def test_a_bad_line_is_refused_with_its_cell(row, expected):
    found, errors, _ = read(f"query_id,document_id,decided_grade,cause,note,decided_at\n{row}\n")

    assert not found.records
    assert len(errors) == 1
    assert expected in errors[0]


def test_other_tables_of_grades_are_no_decisions():
    assert read("query,document,grade,cause\nq1,d1,2,x\n")[0].format == "csv"
