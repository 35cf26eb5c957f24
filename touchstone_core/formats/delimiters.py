"""Lines with cells between commas, tabs or semicolons."""

import csv
import re
import threading
from collections.abc import Iterable, Iterator
from itertools import chain
from typing import TYPE_CHECKING, Literal

from touchstone_core.formats import spreadsheet
from touchstone_core.formats.kinds import LONGEST_LINE
from touchstone_core.formats.problems import FormatError, Report
from touchstone_core.formats.text import Text

if TYPE_CHECKING:
    import _csv

DELIMITERS = {",": "csv", "\t": "tsv", ";": "csv"}
BLANKS = " \t\n\r\v\f"
BATCH = 1000
BATCH_CELLS = 100_000
MOST_COLUMNS = 1_000
MOST_DELIMITERS = 200_000  # on a line; some may be part of a text
SEPARATOR_LINE = re.compile(
    r"\s*(\"?)sep=([,;\t])\1\s*", re.IGNORECASE
)  # the first line that some spreadsheets write
START = 1_000_000  # characters that are searched for the first line
_csv_limit = threading.Lock()


def records(
    text: Text, report: Report, *, delimiter: str | None = None, quotes: bool = True
) -> tuple[str, Iterator[tuple[int, list[str]]]]:
    """The delimiter, and records of `plain_cells` with the number of their first line.

    Skips comments (`# `) before the header, and rows that hold nothing but blanks, such as spreadsheets write at the end.
    A quoted field may hold line breaks. Reading stops at a misplaced quote, which is reported. Without `quotes` a quote is
    a letter like any other.
    """
    lines = text.lines()
    before, first = _skip_to_header(lines)
    if separator_line := SEPARATOR_LINE.fullmatch(first):
        more_lines, first = _skip_to_header(lines)
        before += more_lines + 1
    separator = delimiter or (separator_line[2] if separator_line else detect_delimiter(first))
    rows = _refuse_crowded(chain([first], lines), separator, text.name, before)
    quoting: Literal[0, 3] = csv.QUOTE_MINIMAL if quotes else csv.QUOTE_NONE
    reader = csv.reader(rows, delimiter=separator, strict=True, quoting=quoting)
    return separator, ((line, plain_cells(row, separator)) for line, row in _records(reader, before, report))


def plain_cells(row: Iterable[str], delimiter: str) -> list[str]:
    """Without blanks around them, and in CSV without the apostrophe that keeps spreadsheets from running a text.

    Between tabs nobody writes one: MS MARCO and BEIR have texts as they are.
    """
    if delimiter == "\t":
        return [cell.strip(BLANKS) for cell in row]
    return [spreadsheet.restore(cell.strip(BLANKS)) if "'" in cell else cell.strip(BLANKS) for cell in row]


def _records(reader: "_csv.Reader", before: int, report: Report) -> Iterator[tuple[int, list[str]]]:
    """Reads in batches: the csv module has one limit for the whole process, which has to be restored between them."""
    line = before + 1
    more = True
    while more:
        batch: list[tuple[int, list[str]]] = []
        with _csv_limit:
            limit = csv.field_size_limit(LONGEST_LINE)
            try:
                room = BATCH_CELLS
                for row in reader:
                    batch.append((line, row))
                    room -= len(row)
                    line = before + reader.line_num + 1
                    if len(batch) == BATCH or room <= 0:
                        break
                else:
                    more = False
            except csv.Error:
                more = False
                expected = "a second one that closes the field before the next column"
                report.error(line, "", "a quote", expected, kind="quotes")
            finally:
                csv.field_size_limit(limit)
        yield from ((start, row) for start, row in batch if any(map(str.strip, row)))


def detect_delimiter(header: str) -> str:
    """Comma, tab or semicolon: whichever gives the header line the most columns outside quotes."""
    bare = re.sub(r'"[^"]*"', "", header)
    return max(DELIMITERS, key=bare.count)


def without_separator_line(content: str) -> str:
    """The start of a file without a first line such as `sep=;`."""
    first, _, rest = content.lstrip("\n").partition("\n")
    return rest if SEPARATOR_LINE.fullmatch(first) else content


def first_line(text: Text) -> str:
    """The first line that is neither blank nor a comment, looked for at the start of the file only."""
    content = without_separator_line(text.start[:START])
    lines = (line for line in content.split("\n", 1000) if line.strip() and not line.startswith("# "))
    return next(lines, "")


def is_cut_by_tabs(text: Text) -> bool:
    return detect_delimiter(first_line(text)) == "\t"


def _skip_to_header(lines: Iterator[str]) -> tuple[int, str]:
    for count, line in enumerate(lines):
        if line.strip() and not line.startswith("# "):
            return count, line
    return 0, ""


def _refuse_crowded(lines: Iterable[str], delimiter: str, name: str, before: int) -> Iterator[str]:
    """The lines. Refuses one that the csv module would cut into millions of cells."""
    for number, line in enumerate(lines, start=before + 1):
        if len(line) > MOST_DELIMITERS and line.count(delimiter) > MOST_DELIMITERS:
            count = f"more than {MOST_DELIMITERS:,} columns; at most {MOST_COLUMNS:,} are read"
            raise FormatError(f"Line {number} of {name} has {count}.", line=number)
        yield line
