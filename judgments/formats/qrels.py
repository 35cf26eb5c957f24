"""TREC qrels: `query 0 document grade`, any white space between."""

import io
from collections.abc import Iterator

from judgments.formats import cells
from judgments.formats.judgments import JudgmentRecord
from judgments.formats.problems import FormatError, Report
from judgments.formats.tables import Parsed
from judgments.formats.text import Text

COLUMNS = 4
HEADERS = ["query", "iteration", "document", "grade"]


def read_qrels(text: Text) -> Parsed[JudgmentRecord]:
    """Grades are kept exactly, fractions and negative ones included; lines that begin with # are comments.

    The same query and document twice is an error that names both lines. Raises FormatError for a file without rows.
    """
    report = Report()
    lines: dict[tuple[str, str], int] = {}
    records = [record for record in read_rows(text.content, 1, report) if _once(record, lines, report)]
    if not records and report.ok:
        raise FormatError(f"{text.name} holds no judgments.")
    return Parsed(records, report, "qrels", HEADERS, {name: name for name in HEADERS if name != "iteration"})


def read_rows(content: str, start: int, report: Report) -> Iterator[JudgmentRecord]:
    """The good rows of whole lines, of which the first has the number `start`; the others go into the report."""
    for line, row in enumerate(io.StringIO(content, newline="\n"), start=start):
        parts = split_blanks(row)
        if parts and not row.startswith("#") and (record := _record(line, parts, report)):
            yield record


def split_blanks(line: str) -> list[str]:
    """Cuts at ASCII white space only, as TREC's own tools do: a no-break space may be part of an id."""
    if line.isascii():
        return line.split()
    return [part.decode(errors="surrogatepass") for part in line.encode(errors="surrogatepass").split()]


def _record(line: int, parts: list[str], report: Report) -> JudgmentRecord | None:
    if len(parts) != COLUMNS:
        report.error(
            line, "", f"{len(parts)} columns", "query, 0, document and grade", kind="wrong number of columns"
        )
        return None
    query, _, document, text = parts
    grade = cells.number(text)
    faults = [
        (name, value, cells.id_fault(value)) for name, value in (("query", query), ("document", document))
    ]
    for name, value, fault in faults:
        if fault:
            report.error(line, name, value, fault, kind="not an id")
    if grade is None:
        report.error(line, "grade", text, "a number", kind="not a number")
    if grade is None or any(fault for _, _, fault in faults):
        return None
    if grade % 1:
        report.warn(
            line, "grade", text, "a whole number (kept exactly; trec_eval cuts it)", kind="fractional grade"
        )
    return JudgmentRecord(line, query, document, text, grade)


def _once(record: JudgmentRecord, lines: dict[tuple[str, str], int], report: Report) -> bool:
    first = lines.setdefault((record.query, record.document), record.line)
    if first == record.line:
        return True
    expected = f"each document once for a query (it is on line {first} already)"
    report.error(record.line, "document", record.document, expected, kind="twice in the file")
    return False
