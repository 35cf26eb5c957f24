"""Cuts HTML down to well-formed markup in one pass, so that later parsers have nothing to repair.

Browsers and the cleaner repair broken markup by copying open elements: a few kilobytes can become gigabytes. Here nothing
is copied. Only known tags and attributes stay, each tag is closed, and their number and depth are limited. A line end
replaces a tag that stands between words, so that they don't run together. Safety isn't the job of this module, but the cleaner's.
"""

import re
from collections.abc import Collection, Mapping
from typing import Final

DEEPEST: Final = 40
MOST_TAGS: Final = 10_000

# A `<` inside quotes belongs to the attribute. The pattern reads no character more than three times: of all earlier attempts
# at most one reads it within single quotes and one within double quotes.
_TOKEN: Final = re.compile(
    r"""<(/?)([a-z][a-z0-9:-]*)(?=[\s/>])((?:[^<>"']|"[^"]*"|'[^']*')*+)>|<[!?][^<>]*>|<""", re.IGNORECASE
)
_ATTRIBUTE: Final = re.compile(r"""\s([a-z]+)\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s"'>]+))""", re.IGNORECASE)
_UNSEEN: Final = re.compile(r"<(?:(!--)|(script|style|svg|math|template)(?=[\s/>]))", re.IGNORECASE)
_UNSEEN_END: Final = {
    name: re.compile(rf"</{name}[^<>]*>", re.IGNORECASE)
    for name in ("script", "style", "svg", "math", "template")
} | {"!--": re.compile("-->")}
_TO_THE_END: Final = ("!--", "script", "style")
"""If these aren't closed, browsers show nothing that follows."""

_IMAGES: Final = ("svg", "math")

_VOID: Final = ("br", "hr")
_SECTIONS: Final = frozenset(
    [
        "address",
        "article",
        "aside",
        "center",
        "details",
        "dialog",
        "dir",
        "div",
        "figcaption",
        "figure",
        "footer",
        "header",
        "hgroup",
        "main",
        "menu",
        "nav",
        "search",
        "section",
        "summary",
    ]
)
"""Blocks without a meaning of their own here: each becomes a div."""
_ENDS_PARAGRAPH: Final = frozenset(
    ["div", "p", "ul", "ol", "dl", "blockquote", "pre", "table", "hr", "h1", "h2", "h3", "h4", "h5", "h6"]
)
_IN_TABLE: Final = frozenset(["thead", "tbody", "tr", "th", "td"])
_WITHIN_WORDS: Final = frozenset(
    [
        *("a", "abbr", "acronym", "b", "bdi", "bdo", "big", "blink", "cite", "code", "data", "del"),
        *("dfn", "em", "font", "i", "ins", "kbd", "mark", "nobr", "q", "rb", "rp", "ruby"),
        *("s", "samp", "small", "span", "strike", "strong", "sub", "sup", "time", "tt", "u", "var", "wbr"),
    ]
)
"""All other tags, known or not, part the words before and behind them: what isn't HTML is mostly fields of XML."""
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
"""For each tag: the open tags that it closes, and the tags that keep it from doing so."""


def well_formed(html: str, attributes: Mapping[str, Collection[str]]) -> str:
    """The markup with the tags that `attributes` names, each with its attributes there; of all others only the text,
    with a line end for each that may not stand within a word.

    Takes time in proportion to the length, whatever is in it, and returns a small multiple of it at most.
    """
    writer = _Writer(attributes)
    markup = _TOKEN.sub(writer.token, _without_unseen(html))
    return markup + writer.close_to(0)


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
        end_tags = "".join(f"</{name}>" for name in reversed(self._open[depth:]))
        del self._open[depth:]
        return end_tags

    def _start(self, name: str, attributes: str) -> str:
        if not self._left or (name in _IN_TABLE and "table" not in self._open):
            return _left_out(name)
        self._left -= 1
        before = self._implied_ends(name)
        if name in _VOID:
            return f"{before}<{name}>"
        if len(self._open) >= DEEPEST:
            return before + _left_out(name)
        self._open.append(name)
        return f"{before}<{name}{self._allowed(name, attributes)}>"

    def _end(self, name: str) -> str:
        if name in self._open:
            return self.close_to(_last(self._open, name))
        return _left_out(name) if name in _IN_TABLE and "table" not in self._open else ""

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

    def _allowed(self, name: str, attributes: str) -> str:
        names = self._attributes[name]
        if not names or "=" not in attributes:
            return ""
        values_of = {key.lower(): "".join(values) for key, *values in _ATTRIBUTE.findall(attributes)}
        return "".join(
            f' {key}="{values_of[key].replace(chr(34), "&quot;")}"'
            for key in sorted(names)
            if key in values_of
        )


def _left_out(name: str) -> str:
    return "" if name in _WITHIN_WORDS else "\n"


def _last(names: list[str], name: str) -> int:
    return len(names) - 1 - names[::-1].index(name)


def _without_unseen(html: str) -> str:
    """The HTML without comments and without elements whose content is no text. Takes time in proportion to the length."""
    pieces: list[str] = []
    start = position = 0
    never_ends: set[str] = set()
    while match := _UNSEEN.search(html, position):
        name = (match[1] or match[2]).lower()
        end = None if name in never_ends else _UNSEEN_END[name].search(html, match.end())
        position = match.end()
        if end or name in _TO_THE_END:
            pieces.append(html[start : match.start()] + ("\n" if name in _IMAGES else ""))
            start = position = end.end() if end else len(html)
        else:
            never_ends.add(name)
    return "".join([*pieces, html[start:]])
