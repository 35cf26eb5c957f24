"""Numbers with their nouns, clean texts, and names that exist."""

from collections.abc import Iterable
from typing import Final

MOST_NAMED: Final = 10


def counted(count: int, one: str, many: str = "") -> str:
    """Returns “1 query” or “1,204 queries”. By default, `many` is `one` with an s."""
    return f"{count:,} {one if count == 1 else many or one + 's'}"


def tidied(text: str) -> str:
    """Strips a text and makes line ends `\\n`, because browsers send `\\r\\n` and files end with a line end."""
    return text.replace("\r\n", "\n").replace("\r", "\n").strip()


def names_there_are(names: Iterable[object], *, start: str = "It has") -> str:
    """Returns “It has: First pass, Audit.” for an error about a name that doesn't exist."""
    texts = [str(name) for name in names]
    if not texts:
        return "It has none yet." if start == "It has" else "There is none yet."
    more = len(texts) - MOST_NAMED
    return f"{start}: {', '.join(texts[:MOST_NAMED])}{f' and {more:,} more' if more > 0 else ''}."
