"""From what people type into a search box to what PostgreSQL is asked for. No Django."""

import re
from dataclasses import dataclass
from typing import Final

LONGEST: Final = 400
"""So many characters of a search are read: PostgreSQL refuses words of more than 2,046 bytes."""
_QUOTES: Final = '"“”„«»'
_TERM: Final = re.compile(
    rf"(?P<not>-?)(?:[{_QUOTES}](?P<phrase>[^{_QUOTES}]*)[{_QUOTES}]?|(?P<word>[^\s{_QUOTES}]+))"
)
_UNSEARCHABLE: Final = re.compile(r"[\x00-\x1f\x7f\ud800-\udfff]")


@dataclass(frozen=True, slots=True)
class Search:
    """What is looked for. `words` is a tsquery (empty: no word to look for); `text` the whole, as an id may begin.

    `phrases`: words must stand side by side somewhere, which an index cannot tell.
    """

    text: str
    words: str
    phrases: bool = False

    def __bool__(self) -> bool:
        return bool(self.text)


def parsed(typed: str) -> Search:
    """Every word must be there, the last one at least begun; “a phrase” as it stands; -word and -"a phrase" must not.

    Whatever is typed gives a tsquery that PostgreSQL reads: each term is quoted, and the operators are ours.
    """
    text = " ".join(without_unsearchable(typed)[:LONGEST].split())
    terms = [_term(found) for found in _TERM.finditer(text)]
    if terms and terms[-1].startswith("'") and not text.endswith(tuple(_QUOTES)):
        terms[-1] += ":*"
    phrases = any(
        not found.strip().isalnum() for parts in _TERM.findall(text) for found in parts[1:] if found
    )
    return Search(text, " & ".join(term for term in terms if term), phrases)


def without_unsearchable(typed: str) -> str:
    """What was typed with a space for each character that no text in PostgreSQL has, or that nobody can see."""
    return _UNSEARCHABLE.sub(" ", typed)


def _term(found: re.Match[str]) -> str:
    term = (found["word"] if found["phrase"] is None else found["phrase"]).strip()
    if not any(map(str.isalnum, term)):
        return ""
    quoted = "'" + term.replace("\\", "\\\\").replace("'", "''") + "'"
    return f"!{quoted}" if found["not"] else quoted
