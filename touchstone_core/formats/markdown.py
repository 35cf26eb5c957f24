"""Texts and tables in Markdown, for pull requests."""

import re
from collections.abc import Iterator, Sequence
from typing import Final

_SPECIAL: Final = re.compile(r"([\\`*_\[\]<>|~])")


def plain(text: str) -> str:
    """On one line and as it is, whatever signs it has."""
    return _SPECIAL.sub(r"\\\1", " ".join(text.split()))


def table(heads: Sequence[str], rows: Sequence[Sequence[str]]) -> Iterator[str]:
    """The lines. The first column is to the left, the others to the right."""
    yield _line(heads)
    yield _line(["---", *["---:"] * (len(heads) - 1)])
    yield from map(_line, rows)


def _line(cells: Sequence[str]) -> str:
    return f"| {' | '.join(cells)} |"
