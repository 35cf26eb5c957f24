"""Numbers with their nouns, clean texts, and names that exist."""

import re
import unicodedata
from collections.abc import Iterable
from typing import Final

MOST_NAMED: Final = 10
JOINERS: Final = frozenset("\u200c\u200d")
"""Format characters that Persian and Indic words and emojis need between two signs. All others hide text or turn it."""
HIDDEN: Final = re.compile(
    "[\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180f\u3164\ufe00-\ufe0f\uffa0\ufff0-\ufffb\U000e0000-\U000e0fff]"
)
"""What Unicode lets nobody see though it calls it a letter or a mark, such as fillers and variants of emojis."""
_FILLERS: Final = frozenset("\u115f\u1160\u3164\uffa0")
_VISIBLE_FORMATS: Final = re.compile("[\u0600-\u0605\u06dd\u070f\u0890\u0891\u08e2\U000110bd\U000110cd]")
_INVISIBLE: Final = frozenset(("Cc", "Cf", "Cs", "Zs", "Zl", "Zp"))
"""Categories of Unicode. A sign that Unicode doesn't know yet is shown as something."""
_VIRAMA: Final = 9
_BRAILLE_BLANK: Final = "\u2800"


def counted(count: int, one: str, many: str = "") -> str:
    """Returns “1 query” or “1,204 queries”. By default, `many` is `one` with an s."""
    return f"{count:,} {one if count == 1 else many or one + 's'}"


def in_two_digits(count: int) -> int:
    """Returns an estimated number with its first two digits, rounded up: 1,298,742 becomes 1,300,000."""
    step = 1
    while count // step >= 100:
        step *= 10
    return -(-count // step) * step


def tidied(text: str) -> str:
    """Strips a text and makes line ends `\\n`, because browsers send `\\r\\n` and files end with a line end."""
    return text.replace("\r\n", "\n").replace("\r", "\n").strip()


def tidied_name(text: str) -> str:
    """Returns a name without characters that nobody sees, and with one blank in place of any white space."""
    if not text.isascii():
        text = "".join(sign for at, sign in enumerate(text) if not _is_needless(text, at))
    return " ".join(text.split())


def _is_needless(text: str, at: int) -> bool:
    """Whether a character is invisible, and no joiner between two signs of a script or an emoji that needs it."""
    sign = text[at]
    if sign in JOINERS:
        before, after = text[at - 1 : at], text[at + 1 : at + 2]
        needed = not before.isascii() and before not in JOINERS and not _is_format(before)
        return not needed or (unicodedata.combining(before) != _VIRAMA and after.isascii())
    return sign in _FILLERS or _is_format(sign)


def _is_format(sign: str) -> bool:
    return unicodedata.category(sign) == "Cf" and not _VISIBLE_FORMATS.match(sign)


def is_visible(text: str) -> bool:
    """Returns whether anything of a text can be seen."""
    if text.isascii():
        return bool(text.strip())
    signs = HIDDEN.sub("", text).replace(_BRAILLE_BLANK, "")
    return any(unicodedata.category(sign) not in _INVISIBLE or _VISIBLE_FORMATS.match(sign) for sign in signs)


def names_there_are(names: Iterable[object], *, start: str = "It has") -> str:
    """Returns “It has: First pass, Audit.” for an error about a name that doesn't exist."""
    texts = [str(name) for name in names]
    if not texts:
        return "It has none yet." if start == "It has" else "There is none yet."
    more = len(texts) - MOST_NAMED
    return f"{start}: {', '.join(texts[:MOST_NAMED])}{f' and {more:,} more' if more > 0 else ''}."
