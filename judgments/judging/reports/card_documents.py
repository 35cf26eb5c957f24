"""What a card shows of its document: clean, cut to what a screen holds, with the words of the query marked."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlsplit

from django.db.models import TextField
from django.db.models.functions import Substr
from django.utils.safestring import SafeString

from judgments.base.cleaning import (
    ADDRESS,
    CARD_BODY,
    LONGEST,
    plain,
    prose,
    vouched,
    web_address,
    written_value,
)
from judgments.base.highlight import Highlighter, best_passage, escaped
from judgments.judging.sql.cards import Content
from judgments.models import Pair

LONG_BODY = 1200
EXCERPT = 600
SHORT_FIELD = 120
CARD_FIELDS = 60


@dataclass(frozen=True, slots=True)
class CardDocument:
    """A document on a card. Everything called html is clean, with the words of the query marked.

    `body_bytes` is the size of the whole body if the card holds only its beginning, else 0.
    """

    external_id: str
    missing: bool
    title_html: SafeString
    url: str
    host_html: SafeString
    image: str
    body_html: SafeString
    excerpt_html: SafeString
    body_bytes: int
    facts: list[tuple[SafeString, SafeString]]
    texts: list[tuple[SafeString, SafeString]]


def card_document(row: Content, query: str, *, images: bool) -> CardDocument:
    """Cleans a card's contents and marks the words of the query in them."""
    marker = Highlighter(query)
    url = web_address(row.url)
    words = plain(row.body)
    more = row.body_bytes > len(row.body.encode())
    facts, texts = _fields(row.fields, marker)
    return CardDocument(
        external_id=row.external_id,
        missing=not (row.title or row.body or row.url or row.fields),
        title_html=vouched(marker.text(plain(row.title) or row.external_id)),
        url=url,
        host_html=vouched(escaped(urlsplit(url).netloc.removeprefix("www."))),
        image=web_address(row.image) if images else "",
        body_html=vouched(marker.html(prose(row.body))),
        excerpt_html=vouched(_excerpt(words, marker) if len(words) > LONG_BODY or more else ""),
        body_bytes=row.body_bytes if more else 0,
        facts=facts,
        texts=texts,
    )


def part_of_body(*, pair: Pair, query: str, number: int) -> dict[str, Any]:
    """Part `number`, from 1, of a body that is too long for a card. The database reads only that part."""
    start = (number - 1) * LONGEST + 1
    text = Substr("document__body", start, LONGEST + 1, output_field=TextField())
    body: str = Pair.objects.filter(pk=pair.pk).values_list(text, flat=True).get()
    html = vouched(Highlighter(query).html(prose(body[:LONGEST])))
    return {"html": html, "number": number, "more": len(body) > LONGEST}


def _fields(
    fields: Mapping[str, Any], marker: Highlighter
) -> tuple[list[tuple[SafeString, SafeString]], list[tuple[SafeString, SafeString]]]:
    """Further fields: short ones as facts, long ones and those with several lines as texts under a heading."""
    facts, texts = [], []
    budget = CARD_BODY  # for all further fields together, as much as for the body
    for name, value in list(fields.items())[:CARD_FIELDS]:
        text = written_value(value, budget)
        budget -= len(text)
        label = vouched(escaped(plain(name[:ADDRESS].replace("_", " "))[:SHORT_FIELD].capitalize()))
        if "\n" in text.strip() or len(text) > SHORT_FIELD:
            texts.append((label, vouched(marker.html(_lines(text)))))
        elif words := plain(text):
            facts.append((label, vouched(marker.text(words))))
    return facts, texts


def _lines(text: str) -> str:
    """The text as HTML. Several plain lines are usually a list of points."""
    lines = [line.strip(" •*-\t") for line in text.splitlines() if line.strip()]
    if "<" in text or len(lines) < 2:
        return prose(text)
    return f"<ul>{''.join(f'<li>{prose(line)[3:-4]}</li>' for line in lines)}</ul>"


def _excerpt(words: str, marker: Highlighter) -> str:
    """The passage with most words of the query, as HTML, with an ellipsis where it is cut."""
    start, end = best_passage(words, marker.hits(words), EXCERPT)
    return f"{'… ' if start else ''}{marker.text(words[start:end])}{' …' if end < len(words) else ''}"
