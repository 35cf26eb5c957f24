"""Judgment files with a header: `query, document, grade[, rater][, reason][, comment][, judged_at][, seconds]`.

A row that names a query and a document and nothing else is a pair to be judged; so is every row of a file that has
these two columns only.
"""

import datetime as dt
from collections.abc import Mapping
from dataclasses import dataclass

from judgments.formats import cells
from judgments.formats.checks import Checks
from judgments.formats.problems import FormatError, Report, shorten
from judgments.formats.tables import Column, Parsed, Row, Table, read_table
from judgments.formats.text import Text

COLUMNS = (
    Column("query", ("query_id", "qid", "query", "query_text", "topic_id", "topic"), required=True),
    Column(
        "document",
        ("document_id", "document", "doc_id", "doc", "docno", "product_id", "asin", "sku", "item_id"),
        required=True,
    ),
    Column(
        "grade",
        ("grade", "rating", "relevance", "rel", "label", "esci_label", "judgment", "score"),
    ),
    Column("rater", ("rater", "rater_id", "judge", "assessor", "annotator", "worker", "user", "username")),
    Column("reason", ("reason", "cannot_judge")),
    Column("comment", ("comment", "comments", "explanation", "note")),
    Column("judged_at", ("judged_at", "created_at", "timestamp", "time", "date")),
    Column("seconds", ("seconds", "duration")),
)


@dataclass(frozen=True, slots=True)
class JudgmentRecord:
    """`query` and `document` as the file has them; the caller resolves ids, texts and the grade against the scale.

    `grade_text` is the cell as it stands ("3", "2.50", "E"); `grade` its number, None for a label and for "cannot
    judge", which is an empty grade with a reason. Neither grade nor reason: a pair to be judged.
    """

    line: int
    query: str
    document: str
    grade_text: str
    grade: float | None
    rater: str = ""
    reason: str = ""
    comment: str = ""
    judged_at: dt.datetime | None = None
    seconds: float | None = None

    @property
    def unanswered(self) -> bool:
        """A pair to be judged, not a judgment."""
        return not (self.grade_text or self.reason)


def read_judgments(
    text: Text, *, columns: Mapping[str, str] | None = None, format: str | None = None
) -> Parsed[JudgmentRecord]:
    """One row per judgment or pair; the same rater, query and document twice is an error that names both lines.

    A file with further columns but none for the grade raises FormatError, unless `columns` leaves the grade out ("").
    """
    report = Report()
    table = read_table(text, COLUMNS, report, columns=columns, format=format)
    if "grade" not in (columns or {}):
        _expect_grades(table)
    checks = Checks(report, table.used)
    records = [record for row in table.rows if (record := _record(row, checks))]
    return Parsed(records, report, table.format, table.headers, table.used)


def _record(row: Row, checks: Checks) -> JudgmentRecord | None:
    good = [
        checks.identifier(row, "query"),
        checks.identifier(row, "document"),
        checks.once(row, "query", "document", "rater"),
        checks.texts(row, "grade", "rater", "reason", "comment"),
        checks.amount(row, "seconds"),
        _graded(row, checks),
        _timed(row, checks),
    ]
    if not all(good):
        return None
    return JudgmentRecord(
        row.line,
        row.cells["query"],
        row.cells["document"],
        row.cells.get("grade", ""),
        cells.number(row.cells.get("grade", "")),
        row.cells.get("rater", ""),
        row.cells.get("reason", ""),
        row.cells.get("comment", ""),
        _time(row.cells.get("judged_at", "")),
        checks.value(row, "seconds", 0.0) if row.cells.get("seconds") else None,
    )


def _expect_grades(table: Table) -> None:
    """Grades under a header that nobody knows must not turn into pairs to be judged in silence."""
    others = set(table.headers) - {table.used["query"], table.used["document"], ""}
    if "grade" not in table.used and others:
        found = ", ".join(shorten(header) for header in table.headers[:30])
        raise FormatError(
            f"The file needs a column for grade; its first line has: {found}. "
            "A file of pairs to be judged has two columns, query and document."
        )


def _graded(row: Row, checks: Checks) -> bool:
    """A grade or a reason; or nothing at all beside query and document, since an answer may have got lost otherwise."""
    given = {target for target, cell in row.cells.items() if cell}
    good = bool(given & {"grade", "reason"}) or given <= {"query", "document"}
    if not good:
        checks.refuse(row, "grade", "a grade, or a reason why it cannot be judged", kind="no grade")
    return good


def _timed(row: Row, checks: Checks) -> bool:
    value = row.cells.get("judged_at", "")
    good = not value or _time(value) is not None
    if not good:
        checks.refuse(row, "judged_at", "a time such as 2026-01-31T14:05:00+00:00", kind="not a time")
    return good


def _time(value: str) -> dt.datetime | None:
    """An ISO 8601 time; one without an offset is read as UTC. None for an empty cell and for anything else."""
    try:
        parsed = dt.datetime.fromisoformat(value)
    except ValueError:
        return None
    return parsed if parsed.tzinfo else parsed.replace(tzinfo=dt.UTC)
