"""CSV that spreadsheets can open without running formulas."""

import csv
import re
from collections.abc import Iterable, Iterator, Sequence
from typing import Final, TypeAlias

Cell: TypeAlias = str | int | float | None

# How formulas start in spreadsheets (OWASP, CSV injection).
_DANGEROUS: Final = ("=", "+", "-", "@", "\t", "\r", "\n")
_WITH_APOSTROPHE: Final = re.compile("'+[=+@\t\r\n-]")


def neutralize(text: str) -> str:
    """Puts an apostrophe before a text that a spreadsheet would run as a formula.

    Texts that look as if they had one already get one, too, so that `restore` returns every text exactly.
    """
    return f"'{text}" if text.startswith(_DANGEROUS) or _WITH_APOSTROPHE.match(text) else text


def restore(text: str) -> str:
    """The text that `neutralize` took."""
    return text[1:] if text.startswith("'") and _WITH_APOSTROPHE.match(text) else text


def csv_lines(rows: Iterable[Sequence[Cell]]) -> Iterator[str]:
    """The rows as lines of CSV (RFC 4180), one by one.

    Neutralizes texts. Numbers keep every digit and stay numbers, also negative ones. None is an empty cell.
    """
    writer = csv.writer(_Echo())
    for row in rows:
        yield writer.writerow([neutralize(cell) if isinstance(cell, str) else cell for cell in row])


class _Echo:
    """A file for csv.writer, which returns what write() returns."""

    def write(self, line: str) -> str:
        return line
