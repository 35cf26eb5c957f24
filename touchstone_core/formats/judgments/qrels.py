"""TREC qrels: `query 0 document grade`, any white space between."""

import io
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from touchstone_core.formats import cells
from touchstone_core.formats.delimiters import detect_delimiter, first_line
from touchstone_core.formats.judgments.judgments import JudgmentRecord
from touchstone_core.formats.problems import FormatError, Report, count_columns
from touchstone_core.formats.tables import RecordStream
from touchstone_core.formats.text import Text

COLUMNS = 4
ITERATION = "0"
Q0 = ("Q0", "q0", ITERATION)
"""What the second column usually holds, in runs too."""
HEADERS = ["query", "iteration", "document", "grade"]
NAMES_OF_GRADES = frozenset(
    ("grade", "rating", "relevance", "relevancy", "rel", "label", "score", "judgment", "judgement")
)


class QrelsRow(NamedTuple):
    """A good row. It's lighter than a record, most of whose fields would be empty."""

    line: int
    query: str
    document: str
    text: str
    grade: float
    iteration: str


def open_qrels(text: Text) -> RecordStream[JudgmentRecord]:
    """Grades are exact, including fractions and negative ones. Lines that begin with # are comments.

    Records keep an iteration other than 0, such as a round of judging. The caller looks for duplicates. Reading raises
    FormatError if there are no rows.
    """
    report = Report()
    columns = {name: name for name in HEADERS if name != "iteration"}
    return RecordStream(_records(text, report), report, "", HEADERS, columns)


def _records(text: Text, report: Report) -> Iterator[JudgmentRecord]:
    empty = True
    for row in _read_lines(text.lines(), 1, report, warn=False):
        empty = False
        usual = row.iteration == ITERATION or cells.text_fault(row.iteration)
        yield JudgmentRecord(*row[:5], pair_fields=None if usual else {"iteration": row.iteration})
    _expect_rows(text, report, empty)


def read_grades(text: Text) -> tuple[dict[str, dict[str, float]], Report]:
    """The grades by query and document.

    A repeated document is a warning if both lines have the same grade, and an error otherwise.
    """
    report = Report()
    grades = grades_of(_read_lines(text.lines(), 1, report), report)
    _expect_rows(text, report, not grades)
    return grades, report


def grades_of(rows: Iterable[QrelsRow], report: Report) -> dict[str, dict[str, float]]:
    """The grades by query and document. Reports repeated documents as `read_grades` does."""
    grades: dict[str, dict[str, float]] = {}
    lines: dict[tuple[str, str], int] = {}
    for row in rows:
        grades_of_query = grades.setdefault(row.query, {})
        if row.document in grades_of_query:
            _report_double(row, lines[row.query, row.document], grades_of_query[row.document], report)
        else:
            grades_of_query[row.document] = row.grade
            lines[row.query, row.document] = row.line
    return grades


def read_rows(content: str, start: int, report: Report) -> Iterator[QrelsRow]:
    """The good rows of whole lines. `start` is the number of the first line. Reports the others.

    Also warns of fractions, because trec_eval would cut them.
    """
    return _read_lines(io.StringIO(content, newline="\n"), start, report)


def _read_lines(lines: Iterable[str], start: int, report: Report, *, warn: bool = True) -> Iterator[QrelsRow]:
    first = start == 1
    for line, row in enumerate(lines, start=start):
        parts = split_blanks(row)
        if not parts:
            continue
        if row[0] == "#":
            if len(parts) == COLUMNS and parts[1] in Q0 and cells.number(parts[3]) is not None:
                warn_of_comment(line, parts[0], report)
            continue
        is_named, first = first and names_columns(parts), False
        if is_named:
            report.warn(line, "", "names of columns", "a row (left out)", kind="header")
        elif good_row := _row(line, parts, report):
            if warn:
                warn_of_fraction(good_row, report)
            yield good_row


def warn_of_comment(line: int, query: str, report: Report) -> None:
    """Warns that a row whose query begins with # is left out."""
    expected = "a query that doesn’t begin with # (such lines are comments; left out)"
    report.warn(line, "query", query, expected, kind="rows that begin with #")


def warn_of_fraction(row: QrelsRow, report: Report) -> None:
    """Warns that trec_eval would read another grade."""
    if row.grade % 1:
        expected = "a whole number (kept exactly; trec_eval cuts it)"
        report.warn(row.line, "grade", row.text, expected, kind="fractional grade")


def twice(line: int, *, same: bool) -> tuple[str, str]:
    """What the reader expected instead of a repeated judgment, and the kind of the problem."""
    if same:
        return f"listed once for a query (line {line} says the same; counted once)", "the same twice"
    return f"listed once for a query (line {line} gives it another grade)", "twice in the file"


def _report_double(row: QrelsRow, line: int, grade: float, report: Report) -> None:
    expected, kind = twice(line, same=grade == row.grade)
    tell = report.warn if grade == row.grade else report.error
    tell(row.line, "document", row.document, expected, kind=kind)


def _expect_rows(text: Text, report: Report, empty: bool) -> None:
    if empty and report.ok:
        raise FormatError(f"{text.name} holds no judgments.")


def split_blanks(line: str) -> list[str]:
    """Splits at ASCII white space only, as TREC's own tools do. A no-break space may be part of an ID."""
    if line.isascii():
        return line.split()
    return [part.decode(errors="surrogatepass") for part in line.encode(errors="surrogatepass").split()]


def looks_like_qrels(text: Text) -> bool:
    """Whether the first line has three to five words, and the fourth or last is a number.

    Qrels have four. People who upload three or five meant qrels, and the reader tells them what's missing.
    """
    for line in text.start[:10_000].split("\n"):
        parts = split_blanks(line)
        if parts and not line.startswith("#"):
            if names_columns(parts) and "\t" not in line:  # else TSV, whose columns have any order
                return True
            if parts[1:2] in (["0"], ["Q0"]) and len(parts) == COLUMNS:
                return cells.resembles_number(parts[3])
            columns = COLUMNS - 1 <= len(parts) <= COLUMNS + 1
            return (
                columns
                and not _cut(line)
                and cells.resembles_number(parts[3] if len(parts) > 3 else parts[-1])
            )
    return False


def names_columns(parts: list[str]) -> bool:
    """Whether the words of a row name the columns of qrels."""
    return len(parts) == COLUMNS and parts[3].strip("#_").casefold() in NAMES_OF_GRADES


def is_odd_qrels(text: Text) -> bool:
    """Whether these are qrels whose first query ID begins like JSON."""
    parts = split_blanks(first_line(text))
    return len(parts) == COLUMNS and parts[1] in ("0", "Q0") and cells.resembles_number(parts[3])


def _cut(line: str) -> bool:
    """Whether commas or semicolons outside quotes split the line into three or more cells."""
    delimiter = detect_delimiter(line)
    return delimiter != "\t" and line.count(delimiter) >= 2


def _row(line: int, parts: list[str], report: Report) -> QrelsRow | None:
    if len(parts) != COLUMNS:
        expected = "query, 0, document and grade"
        report.error(line, "", count_columns(len(parts)), expected, kind="wrong number of columns")
        return None
    return checked_row(line, *parts, report=report)


def checked_row(
    line: int, query: str, iteration: str, document: str, text: str, *, report: Report
) -> QrelsRow | None:
    """The row; None, with errors, if a cell isn't what it has to be."""
    text = cells.with_point(text, sure=False)
    grade = cells.number(text)
    number = cells.A_NUMBER if "," in text else "a number"
    faults = [
        ("query", query, cells.id_fault(query), "not an ID"),
        ("document", document, cells.id_fault(document), "not an ID"),
        ("grade", text, number if grade is None else None, "not a number"),
    ]
    if report.refuse(line, faults) or grade is None:
        return None
    return QrelsRow(line, query, document, text, grade, iteration)
