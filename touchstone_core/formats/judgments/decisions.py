"""Files of decisions, as *Disagreements* exports them: the grade that an admin decided for a pair, its cause, a note and when.

The other columns of the export say what raters answered and who decided. They aren't read: whoever imports decides.
"""

from typing import Final

from touchstone_core.formats import cells
from touchstone_core.formats.checks import Checks
from touchstone_core.formats.judgments.judgments import JudgmentRecord, refuse_time, time_of
from touchstone_core.formats.problems import FormatError, Report
from touchstone_core.formats.tables import DOCUMENT_HEADERS, Column, RecordStream, Row, open_table
from touchstone_core.formats.text import Text

LONGEST_NOTE: Final = 2_000
FILE_OF_DECISIONS: Final = "decisions"
"""Its name among the formats of judgments."""
HEADERS: Final = (
    *("query_id", "query", "document_id", "answers", "decided_grade", "label", "cause", "note"),
    *("decided_by", "decided_at", "withdrawn_by", "withdrawn_at"),
)
COLUMNS: Final = (
    Column("query", ("query_id", "qid", "query"), required=True),
    Column("document", DOCUMENT_HEADERS, required=True),
    Column("grade", ("decided_grade",), required=True),
    Column("cause", ("cause",), required=True),
    Column("note", ("note",)),
    Column("judged_at", ("decided_at",)),
    Column("withdrawn_at", ("withdrawn_at",)),
)


def looks_like_decisions(text: Text) -> bool:
    """Whether it's a table with columns for decided grades and their causes."""
    try:
        open_table(text, COLUMNS, Report())
    except FormatError:
        return False
    return True


def open_decisions(text: Text) -> RecordStream[JudgmentRecord]:
    """One record for each decision, with its cause. Those that were withdrawn are left out, and the report says so."""
    report = Report()
    table = open_table(text, COLUMNS, report)
    checks = Checks(report)
    records = (record for row in table.rows if (record := _record(row, checks)))
    return RecordStream(records, report, FILE_OF_DECISIONS, table.headers, table.columns)


def _record(row: Row, checks: Checks) -> JudgmentRecord | None:
    cell = row.cells.get
    if withdrawn := cell("withdrawn_at", ""):
        expected = "empty (withdrawn decisions are left out)"
        checks.report.warn(row.line, "withdrawn_at", withdrawn, expected, kind="withdrawn")
        return None
    judged_at = time_of(cell("judged_at", ""))
    good = [
        checks.identifier(row, "query"),
        checks.identifier(row, "document"),
        checks.texts(row, "grade", "cause", "note"),
        checks.short(row, "document", {"note": LONGEST_NOTE}),
        _is_given(row, checks, "grade", "the grade that was decided"),
        _is_given(row, checks, "cause", "why raters disagree, such as “A slip”"),
        judged_at is not None or not refuse_time(row, checks),
    ]
    if not all(good):
        return None
    grade = row.cells["grade"]
    return JudgmentRecord(
        row.line,
        row.cells["query"],
        row.cells["document"],
        grade,
        cells.number(grade),
        comment=cell("note", ""),
        judged_at=judged_at,
        cause=row.cells["cause"],
    )


def _is_given(row: Row, checks: Checks, target: str, expected: str) -> bool:
    if not row.cells[target]:
        checks.refuse(row, target, expected, kind="empty")
    return bool(row.cells[target])
