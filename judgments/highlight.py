"""Marks the words of a query in a text. Knows nothing of Django; what it returns is safe HTML if its input was.

Words are compared without case and accents; a plural s or es on either side does not matter. Words of one letter
and the commonest little words are not marked: they would be everywhere. In scripts without spaces between words,
a word of the query is found inside longer ones. Characters that override the direction of writing could make a text
read as another one: they are shown by their number and do nothing.
"""

import re
import unicodedata
from html import escape, unescape

_LITTLE = frozenset(
    [
        "a",
        "an",
        "and",
        "are",
        "as",
        "at",
        "by",
        "de",
        "der",
        "die",
        "das",
        "for",
        "from",
        "in",
        "is",
        "la",
        "le",
        "of",
        "on",
        "or",
        "the",
        "to",
        "und",
        "with",
    ]
)
_WORD = re.compile(r"\w+")
TAG = re.compile(r"(<(?:[^<>\"]|\"[^\"]*\")*>)")
_UNSPACED = re.compile(r"[\u0e00-\u0eff\u3040-\u30ff\u3400-\u9fff]")
_OVERRIDES = str.maketrans(
    {
        char: f'<span class="control" title="Overrides the direction of writing">U+{ord(char):04X}</span>'
        for char in "\u202d\u202e"
    }
)


class Highlighter:
    """The marker for one query. Compiled once for all texts of a card."""

    def __init__(self, query: str) -> None:
        words = [_plain(word) for word in _WORD.findall(query)]
        wanted = [word for word in words if word not in _LITTLE and (len(word) > 1 or _UNSPACED.match(word))]
        inside = sorted({word for word in wanted if _UNSPACED.search(word)}, key=len, reverse=True)
        self._inside = re.compile(f"({'|'.join(map(re.escape, inside))})") if inside else None
        self._stems = {_stem(word) for word in wanted if not _UNSPACED.search(word)}

    def text(self, text: str) -> str:
        """Plain text as HTML, escaped, with <mark> around the words of the query."""
        parts: list[str] = []
        end = 0
        for match in _WORD.finditer(text):
            parts += [escaped(text[end : match.start()]), self._word(match.group())]
            end = match.end()
        return "".join([*parts, escaped(text[end:])])

    def html(self, html: str) -> str:
        """The same within clean HTML: only text between tags changes, never a tag or an attribute."""
        pieces = TAG.split(html)
        return "".join(piece if nth % 2 else self.text(unescape(piece)) for nth, piece in enumerate(pieces))

    def _word(self, word: str) -> str:
        if self._wanted(word):
            return f"<mark>{escape(word)}</mark>"
        if self._inside is None:
            return escape(word)
        pieces = self._inside.split(word)
        return "".join(
            f"<mark>{escape(piece)}</mark>" if nth % 2 or self._wanted(piece) else escape(piece)
            for nth, piece in enumerate(pieces)
        )

    def _wanted(self, word: str) -> bool:
        return bool(word) and _stem(_plain(word)) in self._stems


def escaped(text: str) -> str:
    """A text as HTML in which nothing overrides the direction of writing."""
    return escape(text).translate(_OVERRIDES)


def _plain(word: str) -> str:
    """Without case and accents: Möbel, mobel."""
    if word.isascii() or _UNSPACED.search(word):
        return word.casefold()
    decomposed = unicodedata.normalize("NFKD", word.casefold())
    return "".join(char for char in decomposed if not unicodedata.combining(char))


def _stem(word: str) -> str:
    """Without a plural ending: dresses and dress, boxes and box, belts and belt."""
    if len(word) > 4 and word.endswith(("sses", "xes", "ches", "shes")):
        return word[:-2]
    if len(word) > 3 and word.endswith("s") and not word.endswith(("ss", "us", "is")):
        return word[:-1]
    return word
