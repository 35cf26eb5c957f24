import re
import time
from html import escape, unescape

import pytest
from hypothesis import given
from hypothesis import strategies as st

from judgments.base.highlight import Highlighter, Hit


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


@pytest.mark.parametrize(
    ("query", "text", "expected"),
    [
        # Latin: composed, decomposed, with a soft hyphen
        ("café", "cafe Cafe\u0301 café", "<cafe> <Cafe\u0301> <café>"),
        ("coffee", "cof\u00adfee", "<cof\u00adfee>"),
        # German
        ("straße möbel", "STRASSE, Mo\u0308bel", "<STRASSE>, <Mo\u0308bel>"),
        # Cyrillic
        ("кофе ёлка", "КОФЕ: елка", "<КОФЕ>: <елка>"),
        # Greek: final sigma, accents, the ending of the nominative
        ("φως καφές", "ΦΩΣ καφέ", "<ΦΩΣ> <καφέ>"),
        # Arabic: vowel points, article, conjunction, feminine ending; another word stays
        ("قهوة", "القَهْوَة والقهوة بقهوه كتاب", "<القَهْوَة> <والقهوة> بقهوه كتاب"),
        ("کتاب", "كتاب", "<كتاب>"),
        ("می\u200cروم", "میروم", "<میروم>"),
        # Hebrew: points, article, preposition
        ("קפה", "הַקָּפֶה בקפה קפהx", "<הַקָּפֶה> <בקפה> קפהx"),
        # Hindi: whole words with their vowel signs, with and without nukta
        ("कॉफ़ी मशीन", "कॉफी मशीन हिन्दी", "<कॉफी> <मशीन> हिन्दी"),
        # Thai: within a longer run, never a part of a character
        ("กาแฟ", "เครื่องชงกาแฟสด", "เครื่องชง<กาแฟ>สด"),
        ("น", "น้ำ", "น้ำ"),
        # Chinese: any two neighboring characters of the query, no single one
        ("咖啡机", "意式咖啡機 新咖啡机 机 咖 啡", "意式<咖啡>機 新<咖啡机> 机 咖 啡"),
        ("iPhone手机", "手机 IPHONE", "<手机> <IPHONE>"),
        # Japanese: half width, okurigana, no particles
        ("コーヒーを入れる", "ｺｰﾋｰの入れ方をする", "<ｺｰﾋｰ>の<入れ>方をする"),
        ("ガラス", "カ\u3099ラス カラス", "<カ\u3099ラス> カラス"),
        # Korean: particles, compounds; a single syllable as a whole word only
        ("커피를", "커피가 원두커피", "<커피>가 원두<커피>"),
        ("물", "물을 물건", "<물을> 물건"),
    ],
)
def test_words_are_found_in_every_script(query, text, expected):
    assert Highlighter(query).text(text).replace("</mark>", ">").replace("<mark>", "<") == expected


@pytest.mark.parametrize("query", ["咖啡" * 2000, "กา" * 2000, "x" * 4000, "ка" + "\u0301" * 4000, "커피"])
def test_marking_takes_time_in_proportion(query):
    text = (query * 10_000)[:20_000]
    began = time.process_time()

    Highlighter(query).text(text)

    assert time.process_time() - began < 2


def test_hits_name_the_term_of_the_query():
    assert Highlighter("belts 咖啡").hits("a Belt, 咖啡") == [Hit(2, 6, "belt"), Hit(8, 10, "咖啡")]


def test_tags_and_attributes_stay_as_they_are():
    html = '<p class="b"><a href="/b?a>c" rel="b">b b&amp;b</a></p>'

    marked = Highlighter("bb b1 class href").html(html.replace(">b b", ">bb class"))

    assert marked == '<p class="b"><a href="/b?a>c" rel="b"><mark>bb</mark> <mark>class</mark>&amp;b</a></p>'


@given(st.text(), st.text())
def test_marking_loses_nothing_and_lets_no_markup_in(query, text):
    marked = Highlighter(query).text(text)

    assert unescape(re.sub(r"</?mark>", "", marked)) == unescape(escape(text))
    assert "<" not in marked.replace("<mark>", "").replace("</mark>", "")


def test_the_article_of_a_hebrew_word_in_the_query_may_be_missing():
    assert Highlighter("הספר").text("ספר") == "<mark>ספר</mark>"
