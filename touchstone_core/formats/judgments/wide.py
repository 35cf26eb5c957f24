"""Judgments with a column for each rater: `query, document, ann, bob`, as Quepid writes them from a book."""

import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import islice
from typing import Final

from touchstone_core.formats import cells
from touchstone_core.formats.checks import Checks
from touchstone_core.formats.judgments.judgments import COLUMNS, JudgmentRecord, names_by_text
from touchstone_core.formats.problems import FormatError, Report
from touchstone_core.formats.tables import RecordStream, Row, open_table
from touchstone_core.formats.text import Text

RATERS: Final = "raters"
PEEKED_ROWS: Final = 1000
KEYS: Final = tuple(column for column in COLUMNS if column.target in ("query", "document"))
NO_RATERS: Final = re.compile(
    r"(doc[\s_-]*)?(rank|position|pos|score|similarity|sim|id|price|count|weight)", re.I
)


def looks_wide(text: Text) -> bool:
    """Whether it's a table without a column for grades or reasons, but with two or more columns of numbers."""
    try:
        table = open_table(text, COLUMNS, Report())
        answers = {"grade", "reason", "unrateable"} & set(table.columns)
        return not answers and len(numeric_columns(text)) > 1
    except FormatError:
        return False


def open_wide(text: Text, columns: Mapping[str, str] | None) -> RecordStream[JudgmentRecord]:
    """One record for each grade in a rater's column. A row without grades is a pair to be judged.

    `columns["raters"]` names the raters' columns, between commas or semicolons. Without it they are the columns of
    numbers. Raises FormatError if there are none.
    """
    report = Report()
    choices = dict(columns or {})
    names = [name.strip() for name in re.split("[,;]", choices.pop(RATERS, "")) if name.strip()]
    keys = {target: header for target, header in choices.items() if target in ("query", "document")}
    table = open_table(text, KEYS, report, columns=keys)
    raters = names or [header for header in numeric_columns(text) if header not in table.columns.values()]
    missing = [name for name in raters if name not in table.headers]
    if missing:
        raise FormatError(
            f"There is no column “{missing[0]}”; the file has: {', '.join(table.headers[:30])}."
        )
    if not raters:
        raise FormatError(
            "No column has only numbers, so none looks like a rater’s. Name the raters’ columns."
        )
    checks = Checks(report)
    records = (record for row in table.rows for record in _records(row, raters, checks))
    return RecordStream(records, report, "", table.headers, table.columns | {RATERS: ", ".join(raters)})


def numeric_columns(text: Text) -> list[str]:
    """Headers of columns with nothing but numbers and empty cells in the first rows, and at least one number."""
    table = open_table(text, KEYS, Report())
    rows = list(islice(table.rows, PEEKED_ROWS))
    others = [header for header in table.headers if header and header not in table.columns.values()]
    candidates = (header for header in others if not NO_RATERS.fullmatch(header))
    return [header for header in candidates if _numeric([row.extra.get(header, "") for row in rows])]


def _numeric(values: Sequence[str]) -> bool:
    texts = [value for value in values if value]
    return bool(texts) and all(_number(value) is not None for value in texts)


def _number(value: str) -> float | None:
    return cells.number(cells.with_point(value, sure=False))


def _records(row: Row, raters: Sequence[str], checks: Checks) -> Iterator[JudgmentRecord]:
    if not all([checks.identifier(row, "query"), checks.identifier(row, "document")]):
        return
    query, document = row.cells["query"], row.cells["document"]
    grades = [(rater, grade) for rater in raters if (grade := row.extra.get(rater, ""))]
    by_text = names_by_text(row, checks.report.headers)
    for rater, grade in grades:
        yield JudgmentRecord(
            row.line, query, document, grade, _number(grade), rater=rater, by_text=by_text, grade_column=rater
        )
    if not grades:
        yield JudgmentRecord(row.line, query, document, "", None, by_text=by_text)
