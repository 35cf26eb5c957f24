"""Marks in a text the passages that raters gave as evidence. Knows nothing of Django; safe HTML stays safe."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from html import escape, unescape
from itertools import pairwise

from judgments.base.highlight import TAG, escaped


@dataclass(frozen=True, slots=True)
class Passage:
    """Words that somebody marked: `by` in short, `start` where in the text they began then, if known."""

    quote: str
    by: str
    start: int | None = None


def mark_passages(html: str, passages: Iterable[Passage]) -> str:
    """The HTML with every passage that is found in its text wrapped, and whose it is behind it.

    A quote is found whatever its white space, which is also where one block of the text ends and the next begins; of several places the one nearest to where it was marked. Passages may
    overlap. Those that are not there (any more) are left out.
    """
    pieces = TAG.split(html)
    texts = [unescape(piece) if nth % 2 == 0 else "" for nth, piece in enumerate(pieces)]
    spans = sorted({span for one in passages if (span := _find("".join(texts), one))})
    if not spans:
        return html
    marked, at = [], 0
    for nth, (piece, text) in enumerate(zip(pieces, texts, strict=True)):
        marked.append(piece if nth % 2 else _marked(text, at, spans))
        at += len(text)
    return "".join(marked)


def _find(text: str, passage: Passage) -> tuple[int, int, str] | None:
    pattern = r"\s*".join(map(re.escape, passage.quote.split()))
    spans = [match.span() for match in re.finditer(pattern, text)] if pattern else []
    if not spans:
        return None
    start, end = min(spans, key=lambda span: abs(span[0] - (passage.start or 0)))
    return start, end, passage.by


def _marked(text: str, at: int, spans: Sequence[tuple[int, int, str]]) -> str:
    """A text that begins at `at`, cut where a passage begins or ends."""
    last = at + len(text)
    inside = [span for span in spans if span[0] < last and span[1] > at]
    cuts = sorted({at, last, *(cut for span in inside for cut in span[:2] if at < cut < last)})
    parts = []
    for start, end in pairwise(cuts):
        part = escaped(text[start - at : end - at])
        names = [by for first, behind, by in inside if first <= start and end <= behind]
        done = [by for _, behind, by in inside if behind == end]
        parts.append(f'<span class="passage">{part}</span>' if names else part)
        parts += [f'<sup class="passage-by">{escape(by)}</sup>' for by in dict.fromkeys(done)]
    return "".join(parts)
