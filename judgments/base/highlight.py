"""Marks the words of a query in a text, and finds its best passage. Knows nothing of Django; safe HTML stays safe.

Words are compared without case, accents, vowel points and joiners. Words of one letter and the commonest little words
are not marked: they would be everywhere. What else may differ depends on the script:

- with spaces between words: a plural s or es; a Greek σ at the end
- Arabic: articles, prepositions and endings that are written together with a word (the light stemmer of Larkey,
  Ballesteros and Connell, 2007, as Lucene has it)
- Hebrew: one or two letters before the word (and, the, in, to, from, like, that)
- Korean: particles behind the word; words of two syllables and more are also found inside compounds
- Chinese, Japanese: written without spaces, so every two neighboring characters of the query are looked for (as Lucene's
  CJK analyzer does), in Japanese by kind of writing; particles and endings in hiragana are not looked for
- Thai, Lao, Khmer, Burmese: written without spaces, so a word of the query is looked for anywhere

A mark never begins or ends inside of what a reader sees as one character (a grapheme cluster). Characters that override
the direction of writing could make a text read as another one: they are shown by their number and do nothing.
"""

import unicodedata
from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from html import escape, unescape
from itertools import accumulate, groupby, takewhile
from typing import Final

import regex

_LITTLE: Final = frozenset(
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
_KANJI, _KATAKANA, _HIRAGANA = r"\p{Han}", r"\p{Katakana}ー\uff70\uff9e\uff9f", r"\p{Hiragana}"
_UNSPACED: Final = rf"[{_KANJI}{_KATAKANA}{_HIRAGANA}\p{{Thai}}\p{{Lao}}\p{{Khmer}}\p{{Myanmar}}]"
_JOINED: Final = r"[\p{M}\u00ad\u200c\u200d]"
_WORD: Final = regex.compile(
    rf"(?P<run>(?:{_UNSPACED}{_JOINED}*)+)|(?P<korean>(?:\p{{Hangul}}{_JOINED}*)+)"
    rf"|(?:(?!{_UNSPACED}|\p{{Hangul}})[\w\u00ad])+"
)
_KINDS: Final = regex.compile(
    rf"(?P<kanji>{_KANJI}+)|(?P<katakana>[{_KATAKANA}]+)|(?P<hiragana>{_HIRAGANA}+)"
    rf"|(?:(?![{_KANJI}{_KATAKANA}{_HIRAGANA}]).)+"
)
_CHARACTER: Final = regex.compile(r"\X")
TAG: Final = regex.compile(r"(<(?:[^<>\"]|\"[^\"]*\")*>)")
_OVERRIDES: Final = str.maketrans(
    {
        char: f'<span class="control" title="Overrides the direction of writing">U+{ord(char):04X}</span>'
        for char in "\u202d\u202e"
    }
)

LEAD: Final = 120
"""So many characters before a hit, a passage may begin with the hit's sentence; else it begins with the word before."""
_SENTENCE: Final = regex.compile(r"(?:^|[.!?…]\s+|[。！？।॥။។؟]\s*)(?=\S)")
LONGEST_PIECE: Final = 30
"""Of longer words without spaces only so many characters are looked for."""

# Arabic and Persian letters that stand for one another in what people type; the tatweel only makes a word longer.
_ARABIC: Final = str.maketrans("ىةٱکی", "يهاكي", "\u0640\u00ad\u200c\u200d")
_ARABIC_BEFORE: Final = regex.compile(r"^(?:(?:ال|وال|بال|كال|فال|لل)(?=..)|و(?=...))")
_ARABIC_BEHIND: Final = tuple(
    regex.compile(rf"(?<=..){ending}$") for ending in ("ها", "ان", "ات", "ون", "ين", "يه", "ه", "ي")
)
_HEBREW_BEFORE: Final = regex.compile(r"^(?:[והבלכמש]|ו[הבלכמש]|ש[הבלמ]|כש|מה)(?=...)")
_KOREAN_BEHIND: Final = regex.compile(
    r"(?<=.)(?:에서|에게|으로|까지|부터|처럼|보다|[을를이가은는의에로와과도만])$"
)


@dataclass(frozen=True, slots=True)
class Hit:
    """A place in a text, from `start` up to before `end`, and which term of the query stands there."""

    start: int
    end: int
    term: str


class Highlighter:
    """The marker for one query. Compiled once for all texts of a card."""

    def __init__(self, query: str) -> None:
        self._words: dict[str, str] = {}
        pieces: set[str] = set()
        for match in _WORD.finditer(query):
            word = folded(match.group())
            if match["run"]:
                pieces.update(_pieces(word))
            elif match["korean"] and len(bare := _without_particle(word)) > 1:
                pieces.add(bare)
            elif match["korean"] or (len(word) > 1 and word not in _LITTLE):
                self._words |= {form: _stem(word) for form in _asked_forms(word)}
        self._inside = frozenset(piece[:LONGEST_PIECE] for piece in pieces)
        self._lengths = sorted({len(piece) for piece in self._inside})
        self._seen: dict[str, str] = {}

    def hits(self, text: str) -> list[Hit]:
        """Where the words of the query are in a plain text, in order; hits don't overlap."""
        return list(self._hits(text))

    def text(self, text: str) -> str:
        """Plain text as HTML, escaped, with <mark> around the words of the query."""
        parts: list[str] = []
        end = 0
        for hit in self._hits(text):
            parts += [escaped(text[end : hit.start]), f"<mark>{escaped(text[hit.start : hit.end])}</mark>"]
            end = hit.end
        return "".join([*parts, escaped(text[end:])])

    def html(self, html: str) -> str:
        """The same within clean HTML: only text between tags changes, never a tag or an attribute."""
        pieces = TAG.split(html)
        return "".join(piece if nth % 2 else self.text(unescape(piece)) for nth, piece in enumerate(pieces))

    def _hits(self, text: str) -> Iterator[Hit]:
        if not (self._words or self._inside):
            return
        for match in _WORD.finditer(text):
            if not match["run"] and (term := self._term(match.group())):
                yield Hit(match.start(), match.end(), term)
            elif match["run"] or match["korean"]:
                yield from self._hits_inside(match.group(), match.start())

    def _term(self, word: str) -> str:
        """The term of the query that a whole word is, or ""."""
        known = self._seen.get(word)
        if known is None:
            forms = _forms(folded(word))
            known = self._seen[word] = next((self._words[form] for form in forms if form in self._words), "")
        return known

    def _hits_inside(self, run: str, at: int) -> Iterator[Hit]:
        """The terms inside of a run without spaces; neighboring ones are one hit."""
        if not (hits := self._found(folded(run))):
            return
        characters = _CHARACTER.findall(run)
        plain = {one: folded(one) for one in set(characters)}
        starts = list(accumulate((len(plain[one]) for one in characters), initial=0))
        nth_at = {start: nth for nth, start in enumerate(starts)}
        terms = [""] * len(characters)
        for start, end, term in hits:
            first, behind = nth_at.get(start), nth_at.get(end)
            if first is not None and behind is not None:
                terms[first:behind] = [terms[first] or term] * (behind - first)
        places = list(accumulate(map(len, characters), initial=at))
        for marked, group in groupby(range(len(terms)), key=lambda nth: bool(terms[nth])):
            numbers = list(group)
            if marked:
                yield Hit(places[numbers[0]], places[numbers[-1] + 1], terms[numbers[0]])

    def _found(self, plain: str) -> list[tuple[int, int, str]]:
        """Start, end and term of each piece of the query in a folded run; they may overlap."""
        return [
            (start, start + length, plain[start : start + length])
            for length in self._lengths
            for start in range(len(plain) - length + 1)
            if plain[start : start + length] in self._inside
        ]


def best_passage(text: str, hits: Sequence[Hit], length: int) -> tuple[int, int]:
    """Start and end of the passage of at most `length` characters with most different terms of the query.

    Of those with equally many the one with most hits, then the first. It begins with a sentence where one begins shortly
    before a hit, and ends with a word; never within what is seen as one character. Without hits it is the beginning.
    """
    starts = [hit.start for hit in hits]
    sentences = [match.end() for match in _SENTENCE.finditer(text)]
    best, most = 0, (0, 0)
    for begin in sorted({0, *(_beginning(text, start, sentences) for start in starts)}):
        inside = hits[bisect_left(starts, begin) : bisect_right(starts, begin + length)]
        whole = [hit.term for hit in inside if hit.end <= begin + length]
        if (score := (len(set(whole)), len(whole))) > most:
            best, most = begin, score
    return best, _ending(text, best, length)


def _beginning(text: str, hit: int, sentences: Sequence[int]) -> int:
    nth = bisect_right(sentences, hit) - 1
    if nth >= 0 and hit - sentences[nth] <= LEAD:
        return sentences[nth]
    return text.find(" ", max(0, hit - LEAD // 2), hit) + 1 or hit


def _ending(text: str, begin: int, length: int) -> int:
    """Behind the last whole word, or where words have no spaces behind the last whole character."""
    if len(text) - begin <= length:
        return len(text)
    space = text.rfind(" ", begin + length // 2, begin + length + 1)
    if space > begin:
        return space
    characters = _CHARACTER.finditer(text, begin, begin + 2 * length)
    ends = takewhile(lambda end: end <= begin + length, (character.end() for character in characters))
    return max(ends, default=begin + length)


def escaped(text: str) -> str:
    """A text as HTML in which nothing overrides the direction of writing."""
    return escape(text).translate(_OVERRIDES)


def folded(word: str) -> str:
    """A word as it is compared: without case, accents, vowel points, nuktas and joiners. Möbel, mobel; ΦΏΣ, φωσ.

    Vowel signs of Indian and Southeast Asian scripts and the voicing marks of kana stay: without them it is another word.
    """
    if word.isascii():
        return word.lower()
    decomposed = unicodedata.normalize("NFKD", word).casefold()
    kept = "".join(char for char in decomposed if not _is_accent(char))
    return unicodedata.normalize("NFC", kept.translate(_ARABIC))


def _is_accent(char: str) -> bool:
    """By canonical combining class: 7 nuktas, 10-35 points of Hebrew and Arabic, from 200 on accents above and below."""
    place = unicodedata.combining(char)
    return place == 7 or 10 <= place <= 35 or place >= 200


def _pieces(run: str) -> Iterator[str]:
    """What to look for of a word of the query that is written without spaces."""
    parts = [(match.lastgroup, match.group()) for match in _KINDS.finditer(run)]
    for nth, (kind, part) in enumerate(parts):
        behind = parts[nth + 1][1] if nth + 1 < len(parts) and parts[nth + 1][0] == "hiragana" else ""
        if kind == "kanji" and len(part) > 1:
            yield from (part[at : at + 2] for at in range(len(part) - 1))
        elif kind == "kanji":
            yield part + behind[:1]
        elif kind != "hiragana" or len(parts) == 1:
            yield part


def _asked_forms(word: str) -> list[str]:
    """The forms of a word of the query that a word of a text may have."""
    if word.startswith("ה") and len(word) > 3:
        return [word, word[1:]]
    return [_stem(word)]


def _forms(word: str) -> list[str]:
    """The forms of a word of a text that a word of the query may have."""
    bare = _HEBREW_BEFORE.sub("", _without_particle(word) if len(word) == 2 else word)
    return [word, bare] if bare != word else [_stem(word)]


def _without_particle(word: str) -> str:
    """A Korean word without the particle behind it."""
    return str(_KOREAN_BEHIND.sub("", word))


def _stem(word: str) -> str:
    """Without a plural ending: dresses and dress, boxes and box, belts and belt. Without what Arabic joins to a word."""
    if "\u0600" <= word[:1] <= "\u06ff":
        return _arabic_stem(word)
    if len(word) > 4 and word.endswith(("sses", "xes", "ches", "shes")):
        return word[:-2]
    if len(word) > 3 and word.endswith("σ"):
        return word[:-1]
    if len(word) > 3 and word.endswith("s") and not word.endswith(("ss", "us", "is")):
        return word[:-1]
    return word


def _arabic_stem(word: str) -> str:
    stem = str(_ARABIC_BEFORE.sub("", word))
    for ending in _ARABIC_BEHIND:
        stem = str(ending.sub("", stem))
    return stem
