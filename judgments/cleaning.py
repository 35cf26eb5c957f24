"""Makes HTML of others harmless: of documents, whoever wrote them, and of guidelines."""

import re
from html import escape, unescape
from urllib.parse import urlsplit

import nh3
from django.utils.safestring import SafeString, mark_safe
from markdown_it import MarkdownIt

TAGS = {
    *(
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
SCHEMES = {"http", "https", "mailto"}
_HAS_TAG = re.compile(r"</?[a-zA-Z][^<>]*>")
_BLOCK = re.compile(r"<(?:p|br|ul|ol|li|div|table|h[1-6]|dl|pre)\b", re.IGNORECASE)
_HEADING = re.compile(r"<(/?)h[12]\b", re.IGNORECASE)
_BREAK = re.compile(r"(?:<br\s*/?>\s*){3,}")
_MARKDOWN = MarkdownIt("commonmark", {"html": False}).enable("table")


def clean(html: str) -> str:
    """HTML without scripts, styles, forms, images, classes and events; links open in a new tab without a referrer."""
    lowered = _HEADING.sub(r"<\1h3", html)  # the page has its own first two levels
    cleaned = nh3.clean(
        lowered,
        tags=TAGS,
        attributes=ATTRIBUTES,
        url_schemes=SCHEMES,
        link_rel="noopener noreferrer",
        set_tag_attribute_values={"a": {"target": "_blank"}},
    )
    return _BREAK.sub("<br><br>", cleaned).strip()


def prose(text: str) -> str:
    """A document's text as clean HTML, whether it was written as HTML or with plain line breaks."""
    if _HAS_TAG.search(text):
        return clean(text if _BLOCK.search(text) else text.replace("\n", "<br>"))
    paragraphs = re.split(r"\n\s*\n", unescape(text).replace("\r", "").strip())
    return "".join(
        f"<p>{'<br>'.join(map(escape, one.splitlines()))}</p>" for one in paragraphs if one.strip()
    )


def plain(text: str) -> str:
    """The words only, on one line: for titles and short fields."""
    bare = nh3.clean(text, tags=set()) if _HAS_TAG.search(text) else text
    return " ".join(unescape(bare).split())


def guidelines_html(markdown: str) -> SafeString:
    """Markdown without raw HTML."""
    return vouched(clean(str(_MARKDOWN.render(markdown))))


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
