"""Judgment files with a header: `query, document, grade[, rater][, reason][, comment][, judged_at][, seconds][, selection]`.

A row with nothing but a query and a document is a pair to be judged. So is every row of a file with only these columns.
"""

import datetime as dt
import re
from collections.abc import Mapping
from typing import Any, Final, NamedTuple

from touchstone_core.formats import cells
from touchstone_core.formats.checks import Checks
from touchstone_core.formats.delimiters import first_line
from touchstone_core.formats.problems import FormatError, MissingColumnError, Report, shorten
from touchstone_core.formats.tables import (
    DOCUMENT_HEADERS,
    Column,
    RecordStream,
    Row,
    Table,
    header_key,
    match_columns,
    open_table,
)
from touchstone_core.formats.text import Text

COLUMNS = (
    Column("query", ("query_id", "qid", "query", "query_text", "topic_id", "topic"), required=True),
    Column("document", (*DOCUMENT_HEADERS, "corpus_id"), required=True),
    Column(
        "grade",
        ("grade", "rating", "relevance", "rel", "label", "esci_label", "judgment", "score"),
        number=True,
    ),
    Column("rater", ("rater", "rater_id", "judge", "assessor", "annotator", "worker", "user", "username")),
    Column("reason", ("reason", "cannot_judge")),
    Column("comment", ("comment", "comments", "explanation", "note")),
    Column("judged_at", ("judged_at", "created_at", "timestamp", "time", "date")),
    Column("seconds", ("seconds", "duration"), number=True),
    Column("query_text", ("query_text", "query", "search_text")),
    Column("unrateable", ("unrateable",)),
    Column("judge_later", ("judge_later",)),
    Column("selection", ("selection",)),
)
TARGETED, RANDOM = "for what they decide", "at random"
SELECTIONS: Final = (TARGETED, RANDOM)
"""How pairs were selected to decide between two runs. Other pairs say nothing of it."""
_OF_A_PAIR: Final = {"query", "document", "query_text", "selection"}
"""What a row says of a pair that is to be judged."""
OPENSEARCH = ("query", "docid", "rating")
NO_ID = re.compile(r"[\s#]")  # in qrels and LETOR
TEXTS = frozenset({"querytext", "searchtext"})
CANNOT_TELL = "other"
TRUE = frozenset({"true", "1", "yes", "t"})
EARLIEST = dt.datetime(1970, 1, 1, tzinfo=dt.UTC)
LATEST = dt.datetime(2200, 1, 1, tzinfo=dt.UTC)


class JudgmentRecord(NamedTuple):
    """`query` and `document` are as in the file. The caller resolves IDs, texts and grades.

    `grade_text` is the cell ("3", "2.50", "E"), and `grade` its number: None for a label and for "cannot judge", which is
    an empty grade with a reason. A record without grade and reason is a pair to be judged. Without a document, it's a
    query without pairs, as Quepid writes it. With a `cause` it's what an admin decided about the pair, and `comment` is the
    note. `query_text` is set if the file has both an ID and a text. `by_text`: `query`
    is the text, and the file has no ID for it. `selection` is one of SELECTIONS, or empty. Problems with the grade name
    `grade_column`: our name, or the rater's column of a file that has one for each.
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
    query_text: str = ""
    information_need: str = ""
    query_fields: Mapping[str, Any] | None = None
    pair_fields: Mapping[str, Any] | None = None
    document_fields: Mapping[str, Any] | str | None = None
    by_text: bool = False
    cause: str = ""
    selection: str = ""
    grade_column: str = "grade"

    @property
    def unjudged(self) -> bool:
        """Whether it's a pair to be judged, not a judgment."""
        return not (self.grade_text or self.reason or self.grade is not None)

    @property
    def query_alone(self) -> bool:
        return not self.document


def open_judgments(
    text: Text, *, columns: Mapping[str, str] | None = None, format: str | None = None
) -> RecordStream[JudgmentRecord]:
    """One row per judgment or pair. The caller looks for duplicates, because it knows which names mean the same.

    OpenSearch's CSV needs no header. Raises FormatError for a file with other columns but none for the grade, unless
    `columns` leaves the grade out ("").
    """
    report = Report()
    headers = OPENSEARCH if format == "csv" and not columns and _is_bare(text) else None
    table = open_table(text, COLUMNS, report, columns=columns, format=format, headers=headers)
    if "grade" not in (columns or {}):
        _expect_grades(table)
    checks = Checks(report)
    names = _other_names(table, columns or {}) if table.format == "jsonl" else {}
    records = (
        record
        for row in table.rows
        if _has_no_other_name(row, names, checks) and (record := _record(row, checks))
    )
    return RecordStream(records, report, table.format, table.headers, table.columns)


def _is_bare(text: Text) -> bool:
    """Whether the first line is a row: three columns, and the last is a number."""
    parts = [part.strip(' "\n') for part in first_line(text).split(",")]
    if len(parts) != len(OPENSEARCH) or not cells.resembles_number(parts[2]):
        return False
    try:
        match_columns(parts, COLUMNS)
    except FormatError:
        return True
    return False


def _other_names(table: Table, choices: Mapping[str, str]) -> dict[str, str]:
    """Headers that also mean a document or a grade, by target. A `score` beside grades may be that of the search system."""
    aliases = {
        header_key(alias): column.target
        for column in COLUMNS
        if column.target in {"document", "grade"} & table.columns.keys() - choices.keys()
        for alias in column.aliases
        if alias != "score"
    }
    others = (header for header in table.headers if header not in table.columns.values())
    return {header: aliases[header_key(header)] for header in others if header_key(header) in aliases}


def _has_no_other_name(row: Row, names: Mapping[str, str], checks: Checks) -> bool:
    """Refuses an object that calls its document or grade otherwise than other lines: it would be lost."""
    lost = {
        header: target for header, target in names.items() if row.extra.get(header) and not row.cells[target]
    }
    for header, target in lost.items():
        expected = f"“{checks.report.headers[target]}”, as on other lines"
        checks.report.error(row.line, "", header, expected, kind="another name")
    return not lost


def _record(row: Row, checks: Checks) -> JudgmentRecord | None:
    if _query_alone(row):
        is_good = checks.identifier(row, "query")
        by_text = names_by_text(row, checks.report.headers)
        return (
            JudgmentRecord(row.line, row.cells["query"], "", "", None, by_text=by_text) if is_good else None
        )
    mark, judged_at = _marks(row), time_of(row.cells.get("judged_at", ""))
    good = [
        checks.identifier(row, "query"),
        checks.identifier(row, "document"),
        checks.texts(row, "grade", "rater", "reason", "comment", "query_text"),
        checks.amount(row, "seconds"),
        mark is not None or _has_answer(row, checks),
        judged_at is not None or not refuse_time(row, checks),
    ]
    if not all(good):
        return None
    has_answer = mark != ""
    cell = row.cells.get
    return JudgmentRecord(
        row.line,
        row.cells["query"],
        row.cells["document"],
        cell("grade", ""),
        cells.number(cell("grade", "")),
        cell("rater", "") if has_answer else "",
        cell("reason", "") or mark or "",
        cell("comment", ""),
        judged_at,
        checks.value(row, "seconds", 0.0) if cell("seconds") else None,
        cell("query_text", ""),
        by_text=names_by_text(row, checks.report.headers),
        selection=_selection(row, checks),
    )


def _selection(row: Row, checks: Checks) -> str:
    """Empty, with a warning, for words of other tools."""
    value = row.cells.get("selection", "")
    if not value or value.casefold() in SELECTIONS:
        return value.casefold()
    expected = f"“{TARGETED}” or “{RANDOM}” (left out)"
    checks.report.warn(row.line, "selection", value, expected, kind="unknown selection")
    return ""


def names_by_text(row: Row, headers: Mapping[str, str]) -> bool:
    """Whether a row names its query by text. The header says so, or the value can't be an ID in qrels and LETOR."""
    if "query_text" in headers:
        return False
    return header_key(headers["query"]) in TEXTS or bool(NO_ID.search(row.cells["query"]))


def _query_alone(row: Row) -> bool:
    """Whether the row is a query without ratings, as Quepid writes it."""
    if row.cells["document"]:
        return False
    targets = {target for target, cell in row.cells.items() if cell}
    return bool(targets) and targets <= {"query", "query_text"} and "grade" in row.cells


def _marks(row: Row) -> str | None:
    """Quepid's marks of rows without a rating: a reason, "" for “judge later”, None for no mark."""
    if row.cells.get("grade") or row.cells.get("reason"):
        return None
    if row.cells.get("unrateable", "").casefold() in TRUE:
        return CANNOT_TELL
    return "" if row.cells.get("judge_later", "").casefold() in TRUE else None


def _expect_grades(table: Table) -> None:
    """Refuses a table whose grades may be under an unknown header: they would silently become pairs to be judged. And one of a run:
    its scores would become grades.
    """
    if header_key(table.columns.get("grade", "")) == "score" and "rank" in map(header_key, table.headers):
        raise MissingColumnError(
            "The file needs a column for grade. A score beside a rank is the search system’s.", target="grade"
        )
    keys = {table.columns.get(target, "") for target in _OF_A_PAIR}
    others = set(table.headers) - keys - {""}
    refused_all = (
        table.format == "jsonl" and "reason" in table.columns
    )  # where nothing has a grade, no key is there
    if "grade" not in table.columns and not refused_all and others:
        names = ", ".join(shorten(header) for header in table.headers[:30])
        raise MissingColumnError(
            f"The file needs a column for grade; its first line has: {names}. "
            "A file of pairs to be judged has two columns, query and document.",
            target="grade",
        )


def _has_answer(row: Row, checks: Checks) -> bool:
    """Refuses a row with neither grade nor reason but something else: its answer may have been lost."""
    if row.cells.get("grade") or row.cells.get("reason"):
        return True
    targets = {target for target, cell in row.cells.items() if cell}
    good = targets <= _OF_A_PAIR
    if not good:
        checks.refuse(row, "grade", "a grade, or a reason why it cannot be judged", kind="no grade")
    return good


def refuse_time(row: Row, checks: Checks) -> bool:
    """Refuses a time that can't be read; False where there is none."""
    if not row.cells.get("judged_at"):
        return False
    expected = "a time from 1970 to 2199 such as 2026-01-31T14:05:00+00:00"
    checks.refuse(row, "judged_at", expected, kind="not a time")
    return True


def time_of(value: str) -> dt.datetime | None:
    """An ISO 8601 time, in UTC unless it has an offset. None for anything else.

    Also None for times at the ends of the calendar: with an offset they could be stored, but not read again.
    """
    if not value:
        return None
    try:
        time = dt.datetime.fromisoformat(value)
    except ValueError:
        return None
    moment = time if time.tzinfo else time.replace(tzinfo=dt.UTC)
    return moment if EARLIEST <= moment < LATEST else None
