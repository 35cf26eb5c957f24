"""Turns what people type into a search box into a tsquery. No Django."""

import re
from dataclasses import dataclass
from typing import Final

LONGEST: Final = 400
"""Characters of a search that count. PostgreSQL refuses words of more than 2,046 bytes."""
_QUOTES: Final = '"“”„«»'
_TERM: Final = re.compile(
    rf"(?P<not>-?)(?:[{_QUOTES}](?P<phrase>[^{_QUOTES}]*)[{_QUOTES}]?|(?P<word>[^\s{_QUOTES}]+))"
)
_UNSEARCHABLE: Final = re.compile(r"[\x00-\x1f\x7f\ud800-\udfff]")


@dataclass(frozen=True, slots=True)
class Search:
    """A search: `words` as a tsquery (empty without words), and the whole `text`, with which an ID may begin.

    `phrases`: some words must be neighbors, which an index can't tell.
    """

    text: str
    words: str
    phrases: bool = False

    def __bool__(self) -> bool:
        return bool(self.text)


def parse(typed_text: str) -> Search:
    """Matches need every word, at least the beginning of the last one; “a phrase” as it is; and no -word or -"a phrase".

    Any input gives a tsquery that PostgreSQL can read: each term is quoted, and the operators are ours.
    """
    text = " ".join(without_unsearchable(typed_text)[:LONGEST].split())
    matches = list(_TERM.finditer(text))
    terms = [_term(match) for match in matches]
    if terms and terms[-1].startswith("'") and not text.endswith(tuple(_QUOTES)):
        terms[-1] += ":*"
    phrases = any(not part.strip().isalnum() for match in matches for part in match.group(2, 3) if part)
    return Search(text, " & ".join(term for term in terms if term), phrases)


def without_unsearchable(text: str) -> str:
    """The text with a space for each character that PostgreSQL refuses or that nobody can see."""
    return _UNSEARCHABLE.sub(" ", text)


def _term(match: re.Match[str]) -> str:
    term = (match["word"] if match["phrase"] is None else match["phrase"]).strip()
    if not any(map(str.isalnum, term)):
        return ""
    lexeme = "'" + term.replace("\\", "\\\\").replace("'", "''") + "'"
    return f"!{lexeme}" if match["not"] else lexeme
