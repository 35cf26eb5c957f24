import re
from html import escape, unescape

import pytest
from hypothesis import given
from hypothesis import strategies as st

from judgments.highlight import Highlighter


@pytest.mark.parametrize(
    ("query", "text", "expected"),
    [
        ("zoo lander", "A Zoo!", "A <mark>Zoo</mark>!"),
        ("belts", "One belt, two BELTS", "One <mark>belt</mark>, two <mark>BELTS</mark>"),
        ("dress box", "dresses boxes", "<mark>dresses</mark> <mark>boxes</mark>"),
        ("bus glass", "bu gla", "bu gla"),
        ("mobel", "Möbel", "<mark>Möbel</mark>"),
        ("tv for the kitchen", "for the TV", "for the <mark>TV</mark>"),
        ("a+b <c>", "1 < 2 & <c> x", "1 &lt; 2 &amp; &lt;c&gt; x"),
        ("usb", "usb-c", "<mark>usb</mark>-c"),
        ("動物", "小動物園", "小<mark>動物</mark>園"),
        ("", "nothing", "nothing"),
    ],
)
def test_words_of_the_query_are_marked(query, text, expected):
    assert Highlighter(query).text(text) == expected


def test_tags_and_attributes_stay_as_they_are():
    html = '<p class="b"><a href="/b?a>c" rel="b">b b&amp;b</a></p>'

    marked = Highlighter("bb b1 class href").html(html.replace(">b b", ">bb class"))

    assert marked == '<p class="b"><a href="/b?a>c" rel="b"><mark>bb</mark> <mark>class</mark>&amp;b</a></p>'


@given(st.text(), st.text())
def test_marking_loses_nothing_and_lets_no_markup_in(query, text):
    marked = Highlighter(query).text(text)

    assert unescape(re.sub(r"</?mark>", "", marked)) == unescape(escape(text))
    assert "<" not in marked.replace("<mark>", "").replace("</mark>", "")
