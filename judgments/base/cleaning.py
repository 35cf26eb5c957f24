"""Makes HTML of documents and guidelines harmless."""

import re
from functools import lru_cache
from html import escape, unescape
from typing import Any
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
ALLOWED = dict.fromkeys(TAGS, frozenset[str]()) | {
    name: frozenset(names) for name, names in ATTRIBUTES.items()
}
LONGEST = 100_000
"""Characters that are cleaned at most. Pages show longer texts in parts, or say that they are cut."""
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
"""Characters of a body in a card; raters load the rest in parts."""


def clean(html: str) -> str:
    """HTML without scripts, styles, forms, images, classes and events; links open in a new tab without a referrer."""
    text = _HEADING.sub(r"<\1h3", html[:LONGEST])  # the page has its own first two levels
    result = nh3.clean(
        well_formed(text, ALLOWED),
        tags=TAGS,
        attributes=ATTRIBUTES,
        url_schemes=SCHEMES,
        link_rel="noopener noreferrer",
        set_tag_attribute_values={"a": {"target": "_blank"}},
    )
    return _BREAK.sub("<br><br>", result).strip()


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
    """The words on one line, without markup: for titles, short fields and excerpts."""
    text = text[:LONGEST]
    bare = well_formed(text, {}) if _HAS_TAG.search(text) else text
    return " ".join(unescape(bare).split())


def written_value(value: Any, most: int) -> str:
    """A further field as a text, cut after `most` characters, or at the length of a card's body.

    Values from files are texts; other ways may store lists.
    """
    text = ", ".join(map(str, value)) if isinstance(value, list) else str(value)
    most = max(0, min(most, CARD_BODY))
    return text if len(text) <= most else text[:most] + " …"


@lru_cache(maxsize=64)
def guidelines_html(markdown: str) -> SafeString:
    """Guidelines in Markdown as HTML. Cached, because every card shows the guidelines of its list."""
    cut = len(markdown) > LONGEST_GUIDELINES
    html = clean(str(_MARKDOWN.render(markdown[:LONGEST_GUIDELINES])))
    notice = f"<p>The guidelines are cut here, after {LONGEST_GUIDELINES:,} characters.</p>" if cut else ""
    return vouched(html + notice)


def vouched(html: str) -> SafeString:
    """Marks HTML from `clean`, `prose` or a Highlighter as safe for templates."""
    return mark_safe(html)  # noqa: S308 - the one place


def web_address(url: str) -> str:
    """`url` if a browser may follow it, else nothing."""
    try:
        parts = urlsplit(url.strip())
    except ValueError:
        return ""
    return url.strip() if parts.scheme in ("http", "https") and parts.hostname else ""
