"""The passage of a text that says most of a query. Knows nothing of Django."""

from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from typing import Final

import regex

from judgments.content.highlight import Hit

LEAD: Final = 120
"""So many characters before a hit, a passage may begin with the hit's sentence; else it begins with the word before."""
_SENTENCE: Final = regex.compile(r"(?:^|[.!?…]\s+|[。！？।॥။។؟]\s*)(?=\S)")
_CHARACTER: Final = regex.compile(r"\X")


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
        if (found := (len(set(whole)), len(whole))) > most:
            best, most = begin, found
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
    last = begin
    for match in _CHARACTER.finditer(text, begin, min(len(text), begin + 2 * length)):
        if match.end() > begin + length:
            break
        last = match.end()
    return last if last > begin else begin + length
