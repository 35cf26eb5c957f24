"""TREC qrels: `query 0 document grade`, any white space between."""

import io
from collections.abc import Callable, Iterator
from typing import NamedTuple

from judgments.formats import cells
from judgments.formats.judgments import JudgmentRecord
from judgments.formats.problems import FormatError, Report
from judgments.formats.tables import Parsed
from judgments.formats.text import Text

COLUMNS = 4
HEADERS = ["query", "iteration", "document", "grade"]


class QrelsRow(NamedTuple):
    """A good row: lighter than a record, of which most fields stay empty."""

    line: int
    query: str
    document: str
    text: str
    grade: float


def read_qrels(text: Text) -> Parsed[JudgmentRecord]:
    """Grades are kept exactly, fractions and negative ones included; lines that begin with # are comments.

    The same query and document twice is an error that names both lines. Raises FormatError for a file without rows.
    """
    report = Report()
    records = [JudgmentRecord(*row) for row in _read_once(text, report)]
    return Parsed(records, report, "qrels", HEADERS, {name: name for name in HEADERS if name != "iteration"})


def read_grades(text: Text) -> tuple[dict[str, dict[str, float]], Report]:
    """The grades alone, by query and document. Refuses and raises as `read_qrels` does."""
    report = Report()
    grades: dict[str, dict[str, float]] = {}
    for row in _read_once(text, report):
        grades.setdefault(row.query, {})[row.document] = row.grade
    return grades, report


def read_rows(content: str, start: int, report: Report) -> Iterator[QrelsRow]:
    """The good rows of whole lines, of which the first has the number `start`; the others go into the report."""
    split: Callable[[str], list[str]] = str.split if content.isascii() else split_blanks
    for line, row in enumerate(io.StringIO(content, newline="\n"), start=start):
        parts = split(row)
        if parts and row[0] != "#" and (found := _row(line, parts, report)):
            yield found


def _read_once(text: Text, report: Report) -> Iterator[QrelsRow]:
    lines: dict[tuple[str, str], int] = {}
    for row in read_rows(text.content, 1, report):
        if _once(row, lines, report):
            yield row
    if not lines and report.ok:
        raise FormatError(f"{text.name} holds no judgments.")


def split_blanks(line: str) -> list[str]:
    """Cuts at ASCII white space only, as TREC's own tools do: a no-break space may be part of an id."""
    if line.isascii():
        return line.split()
    return [part.decode(errors="surrogatepass") for part in line.encode(errors="surrogatepass").split()]


def _row(line: int, parts: list[str], report: Report) -> QrelsRow | None:
    if len(parts) != COLUMNS:
        report.error(
            line, "", f"{len(parts)} columns", "query, 0, document and grade", kind="wrong number of columns"
        )
        return None
    query, _, document, text = parts
    faults = [_refuse_id(line, "query", query, report), _refuse_id(line, "document", document, report)]
    grade = cells.number(text)
    if grade is None:
        report.error(line, "grade", text, "a number", kind="not a number")
        return None
    if True in faults:
        return None
    if grade % 1:
        report.warn(
            line, "grade", text, "a whole number (kept exactly; trec_eval cuts it)", kind="fractional grade"
        )
    return QrelsRow(line, query, document, text, grade)


def _refuse_id(line: int, column: str, value: str, report: Report) -> bool:
    fault = cells.id_fault(value)
    if fault is None:
        return False
    report.error(line, column, value, fault, kind="not an id")
    return True


def _once(record: QrelsRow, lines: dict[tuple[str, str], int], report: Report) -> bool:
    first = lines.setdefault((record.query, record.document), record.line)
    if first == record.line:
        return True
    expected = f"each document once for a query (it is on line {first} already)"
    report.error(record.line, "document", record.document, expected, kind="twice in the file")
    return False
