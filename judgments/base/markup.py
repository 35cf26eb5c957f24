"""HTML cut down to plain, well-formed markup in one pass, so that no parser behind has anything to repair.

A browser's parser, and the cleaner's, repairs broken markup by copying open elements: a few kilobytes can become
gigabytes. Here nothing is copied. Only known tags stay, with the attributes that are named; each is closed; and there
are at most so many of them, at most so deep. Where the tag of a block is left out, a line end keeps its words from
those beside it. Nothing here is about safety: that is the cleaner's work.
"""

import re
from collections.abc import Collection, Mapping
from typing import Final

DEEPEST: Final = 40
MOST_TAGS: Final = 10_000

# A `<` inside of quotes belongs to the attribute. No character is looked at more than three times: of all attempts that
# begin before it, at most one reads it within single and one within double quotes.
_TOKEN: Final = re.compile(
    r"""<(/?)([a-z][a-z0-9:-]*)(?=[\s/>])((?:[^<>"']|"[^"]*"|'[^']*')*+)>|<[!?][^<>]*>|<""", re.IGNORECASE
)
_ATTRIBUTE: Final = re.compile(r"""\s([a-z]+)\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s"'>]+))""", re.IGNORECASE)
_UNSEEN: Final = re.compile(r"<(?:(!--)|(script|style|svg|math|template)(?=[\s/>]))", re.IGNORECASE)
_UNSEEN_END: Final = {
    name: re.compile(rf"</{name}[^<>]*>", re.IGNORECASE)
    for name in ("script", "style", "svg", "math", "template")
} | {"!--": re.compile("-->")}
_TO_THE_END: Final = (
    "!--",
    "script",
    "style",
)  # where these are not closed, a browser shows nothing that follows

_VOID: Final = ("br", "hr")
_SECTIONS: Final = frozenset(
    [
        "address",
        "article",
        "aside",
        "center",
        "details",
        "div",
        "figcaption",
        "figure",
        "footer",
        "header",
        "main",
        "nav",
        "section",
        "summary",
    ]
)
"""Blocks without a meaning of their own here: each becomes a div."""
_ENDS_PARAGRAPH: Final = frozenset(
    ["div", "p", "ul", "ol", "dl", "blockquote", "pre", "table", "hr", "h1", "h2", "h3", "h4", "h5", "h6"]
)
_BLOCKS: Final = _ENDS_PARAGRAPH | frozenset(
    [
        "br",
        "li",
        "dt",
        "dd",
        "caption",
        "thead",
        "tbody",
        "tfoot",
        "tr",
        "th",
        "td",
        "img",
        "video",
        "iframe",
        "form",
        "fieldset",
        "legend",
        "option",
        "title",
        "body",
    ]
)
_ENDS: Final[Mapping[str, tuple[Collection[str], Collection[str]]]] = {
    "li": (("li",), ("ul", "ol")),
    "dt": (("dt", "dd"), ("dl",)),
    "dd": (("dt", "dd"), ("dl",)),
    "thead": (("thead", "tbody"), ("table",)),
    "tbody": (("thead", "tbody"), ("table",)),
    "tr": (("tr",), ("table",)),
    "th": (("th", "td"), ("table",)),
    "td": (("th", "td"), ("table",)),
    "a": (("a",), ()),
}
"""What a tag closes where it is open, unless one of the second stands between."""


def well_formed(html: str, attributes: Mapping[str, Collection[str]]) -> str:
    """The markup with the tags that `attributes` names, each with its attributes there; of all others only the text,
    with a line end for each block.

    Takes time in proportion to the length, whatever is in it, and returns a small multiple of it at most.
    """
    writer = _Writer(attributes)
    written = _TOKEN.sub(writer.token, _without_unseen(html))
    return written + writer.close_to(0)


class _Writer:
    """Knows which elements are open."""

    def __init__(self, attributes: Mapping[str, Collection[str]]) -> None:
        self._attributes = attributes
        self._open: list[str] = []
        self._left = MOST_TAGS

    def token(self, match: re.Match[str]) -> str:
        if match[2] is None:
            return "" if len(match[0]) > 1 else "&lt;"
        name = match[2].lower()
        name = "div" if name in _SECTIONS else name
        if name not in self._attributes:
            return _left_out(name)
        return self._end(name) if match[1] else self._start(name, match[3])

    def close_to(self, depth: int) -> str:
        closed = "".join(f"</{name}>" for name in reversed(self._open[depth:]))
        del self._open[depth:]
        return closed

    def _start(self, name: str, attributes: str) -> str:
        if not self._left:
            return _left_out(name)
        self._left -= 1
        before = self._implied_ends(name)
        if name in _VOID:
            return f"{before}<{name}>"
        if len(self._open) >= DEEPEST:
            return before + _left_out(name)
        self._open.append(name)
        return f"{before}<{name}{self._kept(name, attributes)}>"

    def _end(self, name: str) -> str:
        return self.close_to(_last(self._open, name)) if name in self._open else ""

    def _implied_ends(self, name: str) -> str:
        """What a browser closes before this tag."""
        before = ""
        if name in _ENDS_PARAGRAPH and "p" in self._open:
            before = self.close_to(_last(self._open, "p"))
        closes, barriers = _ENDS.get(name, ((), ()))
        for depth in range(len(self._open) - 1, -1, -1):
            if self._open[depth] in barriers:
                break
            if self._open[depth] in closes:
                return before + self.close_to(depth)
        return before

    def _kept(self, name: str, attributes: str) -> str:
        wanted = self._attributes[name]
        if not wanted or "=" not in attributes:
            return ""
        found = {key.lower(): "".join(values) for key, *values in _ATTRIBUTE.findall(attributes)}
        return "".join(
            f' {key}="{found[key].replace(chr(34), "&quot;")}"' for key in sorted(wanted) if key in found
        )


def _left_out(name: str) -> str:
    return "\n" if name in _BLOCKS else ""


def _last(names: list[str], name: str) -> int:
    return len(names) - 1 - names[::-1].index(name)


def _without_unseen(html: str) -> str:
    """Without comments, and without elements whose content is no text. Every end is looked for once past each place."""
    kept: list[str] = []
    at = looked = 0
    never_ends: set[str] = set()
    while found := _UNSEEN.search(html, looked):
        name = (found[1] or found[2]).lower()
        end = None if name in never_ends else _UNSEEN_END[name].search(html, found.end())
        looked = found.end()
        if end or name in _TO_THE_END:
            kept.append(html[at : found.start()])
            at = looked = end.end() if end else len(html)
        else:
            never_ends.add(name)
    return "".join([*kept, html[at:]])
