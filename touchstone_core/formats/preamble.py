"""Lines above the names of a table's columns, such as the title and the date that spreadsheets write: found and left out.

Readers get a text in which these lines are blank, so that all of them skip these, and lines keep their numbers.
"""

import csv
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from io import StringIO
from itertools import islice
from typing import Final

from touchstone_core.formats.content import documents, queries
from touchstone_core.formats.delimiters import (
    DELIMITERS,
    MOST_COLUMNS,
    SEPARATOR_LINE,
    detect_delimiter,
    plain_cells,
)
from touchstone_core.formats.json_keys import begins_as_json
from touchstone_core.formats.judgments import judgments
from touchstone_core.formats.problems import FormatError, Report
from touchstone_core.formats.runs import table_runs
from touchstone_core.formats.runs.options import Options
from touchstone_core.formats.tables import header_key, match_columns
from touchstone_core.formats.text import Text
from touchstone_core.words import counted

Columns = Mapping[str, str] | None
LOWEST_LINE: Final = 1_000
"""So many lines down somebody may say that the columns are named."""
HEADER_LINE: Final = "The line that names the columns of a table. If 0, it is found out."
MOST_LINES: Final = 30
LONGEST_START: Final = 100_000  # characters
KIND: Final = "lines above the names of columns"
SCHEMAS: Final = (judgments.COLUMNS, table_runs.run_columns(Options()), queries.COLUMNS, documents.COLUMNS)


class BelowPreamble(Text):
    """A text whose first lines are blank, up to the line `head`. `first` was the first of them that held anything, if one did."""

    def __init__(self, text: Text, head: int, first: str) -> None:
        super().__init__(text.name, "", text.encoding, text.packing, is_guess=text.is_guess)
        self._text, self.head, self.first = text, head, first
        self.start = "".join(_blanked(StringIO(text.start, newline="\n"), head))

    @property
    def content(self) -> str:
        return "".join(self.lines())

    def lines(self) -> Iterator[str]:
        return _blanked(self._text.lines(), self.head)


def named_in(text: Text, line: int) -> Text:
    """The text from the line on of which a person says that it names the columns; 0: the text itself.

    Raises FormatError if that line can't be the one.
    """
    if not line:
        return text
    if begins_as_json(text):
        raise FormatError(f"{text.name} is JSON, in which no line names columns. Leave that empty.")
    lines = list(islice(text.lines(), line))
    fault = _fault_of_head(lines, line)
    if fault:
        raise FormatError(f"Line {line} of {text.name} can’t name the columns: {fault}.")
    first = next((one.strip() for one in lines[:-1] if one.strip()), "")
    return BelowPreamble(text, line, first)


def _fault_of_head(lines: Sequence[str], line: int) -> str:
    if len(lines) < line:
        return f"the file has {counted(len(lines), 'line')}"
    if not lines[-1].strip():
        return "it’s empty"
    return "it’s a comment" if lines[-1].startswith("# ") else ""


def without_preamble(text: Text, columns: Columns = None) -> Text:
    """The text, if need be without what is above the names of columns. The text itself where nobody can tell.

    `columns` are those that a person chose, by our names for them.
    """
    if isinstance(text, BelowPreamble):  # somebody has said where they are
        return text
    heads, lines = _heads(text, columns)
    if len(heads) != 1:
        return text
    (head,) = heads
    above = [cells for number, cells in lines if number < head]
    width = len(next(cells for number, cells in lines if number == head))
    if not above or any(len(cells) >= width for cells in above):  # these may be rows
        return text
    return BelowPreamble(text, head, above[0][0])


@contextmanager
def preamble_left_out(text: Text, columns: Columns) -> Iterator[Text]:
    """`without_preamble`. A FormatError also says where the names of columns may be."""
    try:
        yield without_preamble(text, columns)
    except FormatError as error:
        if isinstance(text, BelowPreamble):
            raise
        heads, lines = _heads(text, columns)
        if not heads or heads[0] == lines[0][0]:
            raise
        hint = f"Line {heads[0]} looks like the names of columns: remove the lines above it."
        error.add_hint(hint)
        raise


def tell_preamble(text: Text, report: Report) -> None:
    """Warns of the lines that are left out."""
    if isinstance(text, BelowPreamble) and text.first:
        above = counted(text.head - 1, "line")
        found = f"{above} above the names of columns, from “{text.first[:24]}” on"
        report.warn(1, "", found, "none (left out)", kind=KIND)


def _heads(text: Text, columns: Columns) -> tuple[list[int], list[tuple[int, list[str]]]]:
    """Numbers of lines that may name columns, and the first lines as cells with something in them."""
    start = text.start[:LONGEST_START]
    if begins_as_json(text) or start.lstrip()[:1] == "<" or not any(map(start.count, DELIMITERS)):
        return [], []
    lines = list(islice(_lines(start), MOST_LINES))
    chosen = {header_key(header) for header in (columns or {}).values() if header}
    return [number for number, cells in lines if _names_columns(cells, chosen)], lines


def _lines(start: str) -> Iterator[tuple[int, list[str]]]:
    """Up to a line that isn't a row of its own, because a quoted cell holds a line end."""
    for number, line in enumerate(start.split("\n"), 1):
        if line.count('"') % 2 or "\r" in line[:-1]:  # as in a text whose line ends nobody has unified yet
            return
        if line.strip() and not line.startswith("# ") and not SEPARATOR_LINE.fullmatch(line):
            delimiter = detect_delimiter(line)
            row = plain_cells(next(csv.reader([line], delimiter=delimiter), []), delimiter)
            if cells := [cell.strip() for cell in row if cell.strip()]:
                yield number, cells


def _names_columns(cells: Sequence[str], chosen: set[str]) -> bool:
    """Whether these are the names that somebody chose, or those of a kind of table: all that it needs, and two or more."""
    if not 2 <= len(cells) <= MOST_COLUMNS:
        return False
    if len(chosen) > 1:
        return chosen <= set(map(header_key, cells))
    for schema in SCHEMAS:
        with suppress(FormatError):
            if len(match_columns(cells, schema)) > 1:
                return True
    return False


def _blanked(lines: Iterable[str], head: int) -> Iterator[str]:
    """Comments stay: they are no part of a table anyway. So does a line that names the separator."""
    for number, line in enumerate(lines, 1):
        kept = number >= head or line.startswith("# ") or SEPARATOR_LINE.fullmatch(line.rstrip("\n"))
        yield line if kept else "\n"
