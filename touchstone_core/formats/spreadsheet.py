"""CSV that a spreadsheet opens without running anything."""

import csv
import re
from collections.abc import Iterable, Iterator, Sequence
from typing import Final, TypeAlias

Cell: TypeAlias = str | int | float | None

# What spreadsheets take for the start of a formula (OWASP, CSV injection).
_DANGEROUS: Final = ("=", "+", "-", "@", "\t", "\r")
_WITH_APOSTROPHE: Final = re.compile("'+[=+@\t\r-]")


def neutralize(text: str) -> str:
    """The text with a leading apostrophe where a spreadsheet would run it as a formula.

    And where it looks as if it had been given one, so that `restored` gives back every text.
    """
    return f"'{text}" if text.startswith(_DANGEROUS) or _WITH_APOSTROPHE.match(text) else text


def restore(text: str) -> str:
    """The text that was neutralized."""
    return text[1:] if text.startswith("'") and _WITH_APOSTROPHE.match(text) else text


def csv_lines(rows: Iterable[Sequence[Cell]]) -> Iterator[str]:
    """The rows as lines of CSV (RFC 4180), made one by one.

    Texts are neutralized; numbers keep every digit and stay numbers, negative ones too; None is an empty cell.
    """
    writer = csv.writer(_Echo())
    for row in rows:
        yield writer.writerow([neutralize(cell) if isinstance(cell, str) else cell for cell in row])


class _Echo:
    """A file for csv.writer, which returns what write() returns."""

    def write(self, line: str) -> str:
        return line
