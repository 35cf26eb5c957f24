"""Markup that costs a browser's parser far more than its size: each family with so many characters as are asked for."""

from collections.abc import Callable


def _again(unit: str) -> Callable[[int], str]:
    return lambda size: (unit * (size // len(unit) + 1))[:size]


def _numbered(unit: str) -> Callable[[int], str]:
    """Formatting elements that differ in an attribute: no parser may leave any of them out."""
    return lambda size: "".join(unit.replace("{}", str(number)) for number in range(size // len(unit)))[:size]


FAMILIES: dict[str, Callable[[int], str]] = {
    "unclosed b in paragraphs": _numbered("<p><b a={}>"),
    "unclosed a in paragraphs": _numbered("<p><a href=/{}>x"),
    "unclosed font": _numbered("<p><font size={}><i class={}>"),
    "formatting": _again("<b><i><a href=x><font color=1>"),
    "formatting closed in the wrong order": _again("<b><i></b></i><p>"),
    "adopted from cells": _again("<b><table><td></b></table>"),
    "blockquote": _again("<blockquote>"),
    "div": _again("<div>"),
    "table": _again("<table><td>"),
    "list": _again("<ul><li>"),
    "definitions": _again("<dl><dd>"),
    "unknown elements": _again("<x-y>"),
    "attributes of one tag": lambda size: "<p " + " ".join(f"a{n}=1" for n in range(size // 8)) + ">x",
    "a huge attribute": lambda size: f'<a href="{"x" * size}">x</a>',
    "many tiny tags": _again("<b>"),
    "tags without an end": _again("<a"),
    "tags without an end, with blanks": _again("<a "),
    "open quotes": _again('<a "'),
    "open quotes of two kinds": _again("<a \"'"),
    "open quotes in turns": _again('<a \'""\'" '),
    "comments that never end": _again("<!--"),
    "comments": lambda size: "<p>" + _again("<!-- x -->")(size),
    "comments in comments": lambda size: "<p>" + _again("<!-->")(size),
    "svg": _again("<svg>"),
    "svg and formatting": _numbered("<svg><b a={}></svg><p>"),
    "math": _again("<math><mi><b>"),
    "template": _again("<template><b>"),
    "select": _again("<select><option><b>"),
    "script": _again("<script>"),
    "raw text": _again("<xmp><textarea><title><plaintext>"),
    "entities": lambda size: "<p>" + _again("&lt;b&gt;&amp;amp;")(size),
    "open entities": lambda size: "<p>" + _again("&")(size),
    "NUL": _again("<b\0>\0"),
    "brackets": lambda size: "<p>" + _again("<")(size),
    "line breaks": _again("<br> "),
    "empty lines": _again("\n \t"),
    "closing tags": _again("</p></b>"),
}
GUIDELINES: dict[str, Callable[[int], str]] = {
    "quotes": _again("> "),
    "lists": _again("- "),
    "emphasis": _again("*a _"),
    "brackets": _again("["),
    "links": _again("[a]("),
    "images": _again("!["),
    "ticks": lambda size: "".join("`" * n + " " for n in range(size // 100)),
    "tables": lambda size: "|a|b|\n|-|-|\n" + _again("|x\n")(size),
    "wide tables": lambda size: _again("|a")(size // 2) + "\n" + _again("|-")(size // 2) + "\n",
    "references": _again("[a]: x\n"),
}
