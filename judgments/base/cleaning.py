"""Makes HTML of others harmless: of documents, whoever wrote them, and of guidelines."""

import re
from functools import lru_cache
from html import escape, unescape
from urllib.parse import urlsplit

import nh3
from django.utils.safestring import SafeString, mark_safe
from markdown_it import MarkdownIt

from judgments.base.markup import well_formed

TAGS = {
    *(
        "div",
        "p",
        "br",
        "ul",
        "ol",
        "li",
        "dl",
        "dt",
        "dd",
        "b",
        "strong",
        "i",
        "em",
        "u",
        "s",
        "sub",
        "sup",
        "small",
    ),
    *("h3", "h4", "h5", "h6", "blockquote", "pre", "code", "hr", "table", "thead", "tbody", "tr", "th", "td"),
    *("a", "abbr", "q"),
}
ATTRIBUTES = {"a": {"href"}, "th": {"colspan", "rowspan"}, "td": {"colspan", "rowspan"}}
KEPT = dict.fromkeys(TAGS, frozenset[str]()) | {name: frozenset(kept) for name, kept in ATTRIBUTES.items()}
LONGEST = 100_000
"""So many characters are cleaned at most. What may be longer is shown part by part, or says that it is cut."""
LONGEST_GUIDELINES = 20_000
SCHEMES = {"http", "https", "mailto"}
_HAS_TAG = re.compile(r"</?[a-zA-Z][^<>]*>")
_BLOCK = re.compile(r"<(?:p|br|ul|ol|li|div|section|article|table|h[1-6]|dl|pre)\b", re.IGNORECASE)
_HEADING = re.compile(r"<(/?)h[12]\b", re.IGNORECASE)
_BREAK = re.compile(r"(?:<br\s*/?>\s*){3,}")
_MARKDOWN = MarkdownIt("commonmark", {"html": False}).enable("table")

TITLE = 1_000
ADDRESS = 4_000
CARD_BODY = 20_000
"""So many characters of a body travel with a card; the rest is read part by part."""


def clean(html: str) -> str:
    """HTML without scripts, styles, forms, images, classes and events; links open in a new tab without a referrer."""
    lowered = _HEADING.sub(r"<\1h3", html[:LONGEST])  # the page has its own first two levels
    cleaned = nh3.clean(
        well_formed(lowered, KEPT),
        tags=TAGS,
        attributes=ATTRIBUTES,
        url_schemes=SCHEMES,
        link_rel="noopener noreferrer",
        set_tag_attribute_values={"a": {"target": "_blank"}},
    )
    return _BREAK.sub("<br><br>", cleaned).strip()


def prose(text: str) -> str:
    """A document's text as clean HTML, whether it was written as HTML or with plain line breaks."""
    text = text[:LONGEST]
    if _HAS_TAG.search(text):
        return clean(text if _BLOCK.search(text) else text.replace("\n", "<br>"))
    paragraphs = re.split(r"\n\s*\n", unescape(text).replace("\r", "").strip())
    return "".join(
        f"<p>{'<br>'.join(map(escape, one.splitlines()))}</p>" for one in paragraphs if one.strip()
    )


def plain(text: str) -> str:
    """The words only, on one line, those of different blocks apart: for titles, short fields and excerpts."""
    text = text[:LONGEST]
    bare = well_formed(text, {}) if _HAS_TAG.search(text) else text
    return " ".join(unescape(bare).split())


@lru_cache(maxsize=64)
def guidelines_html(markdown: str) -> SafeString:
    """Markdown without raw HTML. Made once for each text: every card shows the guidelines of its list."""
    cut = len(markdown) > LONGEST_GUIDELINES
    html = clean(str(_MARKDOWN.render(markdown[:LONGEST_GUIDELINES])))
    notice = f"<p>The guidelines are cut here, after {LONGEST_GUIDELINES:,} characters.</p>" if cut else ""
    return vouched(html + notice)


def vouched(html: str) -> SafeString:
    """For what `clean`, `prose` or a Highlighter made, so that a template does not escape it again."""
    return mark_safe(html)  # noqa: S308 - the one place


def web_address(url: str) -> str:
    """`url` if a browser may follow it, else nothing."""
    try:
        parts = urlsplit(url.strip())
    except ValueError:
        return ""
    return url.strip() if parts.scheme in ("http", "https") and parts.hostname else ""
