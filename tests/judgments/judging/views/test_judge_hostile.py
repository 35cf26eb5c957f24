"""Documents that mean harm, or are merely huge: shown safely, and the page stays small."""

import pytest

from judgments.models import Document
from tests import factories as make
from tests.judgments.judging.views.judge_pages import SCRIPT, address, make_pairs

pytestmark = pytest.mark.django_db

HOSTILE = """<script>steal()</script><img src=x onerror=steal()><iframe src="https://evil.example"></iframe>
<style>body{display:none}</style><p style="position:fixed" onclick="steal()" class="judge-foot" id="judge">Text</p>
<a href="data:text/html,x">data</a><a href="java&#9;script:steal()">js</a><form action="/lists/1/judge/undo/"><button>Go</button></form>
<template><script>steal()</script></template><svg onload=steal()></svg><base href="https://evil.example/"><object data=x></object>
<p>unclosed <b>tag <!-- comment"""


@pytest.fixture
def judgment_list(client):
    query_set = make.make_query_set()
    client.force_login(make.make_member(query_set, "rater"))
    return make_pairs(query_set, 1, 1)


def card_of(html):
    start = html.index("<article")
    return html[start : html.index("</article>", start)]


def test_nothing_of_a_hostile_document_can_run_load_or_send(client, judgment_list):
    Document.objects.update(
        title=HOSTILE,
        body=HOSTILE,
        url="javascript:steal()",
        image='https://e.org/"onerror="steal()',
        fields={
            "<b onclick=x>name</b>": HOSTILE,
            "short": "<script>steal()</script>",
            "list": ["<i>", 1, None],
        },
    )

    html = card_of(client.get(address(judgment_list)).content.decode()).lower()

    for part in (
        "steal()",
        "<script",
        "<iframe",
        "<style",
        "<img",
        "<svg",
        "<form",
        "<base",
        "<object",
        "evil.example",
    ):
        assert part not in html
    for part in (" onclick", " onerror", ' style="', "javascript:", "data:text", 'id="judge"'):
        assert part not in html


def test_a_body_of_five_megabytes_travels_in_parts(client, judgment_list):
    Document.objects.update(body="<p>word text 語 &amp; <b>more</b></p>\n" * 150_000, title="t" * 100_000)
    pair = judgment_list.pairs.get().pk

    page = client.get(address(judgment_list)).content.decode()
    cards = client.post(address(judgment_list, "judge-cards"), **SCRIPT).content
    first = client.get(address(judgment_list, "judge-text"), {"pair": pair}).content.decode()
    part = client.get(
        address(judgment_list, "judge-text"), {"pair": pair, "part": 60}, HTTP_HX_REQUEST="true"
    )
    beyond = client.get(address(judgment_list, "judge-text"), {"pair": pair, "part": "9999"}).content.decode()

    assert len(page) < 120_000
    assert len(cards) < 120_000
    assert f"?pair={pair}" in page
    assert "MB" in page
    assert "part=2" in first
    assert "<html" in first
    assert "<html" not in part.content.decode()
    assert "part=61" not in part.content.decode()
    assert "part=9998" in beyond


def test_huge_fields_are_cut(client, judgment_list):
    Document.objects.update(fields={"story": "word " * 1_000_000} | {f"field {n}": "x" for n in range(5_000)})

    assert len(client.get(address(judgment_list)).content) < 200_000


def test_overrides_of_the_direction_of_writing_are_shown_and_do_nothing(client, judgment_list):
    Document.objects.update(title="good\u202edoog", body="a\u202db", fields={"x\u202e": "y\u202e"})
    judgment_list.pairs.get().query.__class__.objects.update(text="q\u202ex", information_need="n\u202e")

    page = client.get(address(judgment_list))
    html = page.content.decode()
    card_html = html[html.index('class="query-bar"') : html.index("</article>")]

    assert "\u202e" not in card_html
    assert "\u202d" not in card_html
    assert card_html.count(">U+202E<") == 5
    assert card_html.count(">U+202D<") == 1


def test_right_to_left_text_gets_its_direction(client, judgment_list):
    Document.objects.update(title="שלום", body="مرحبا", fields={"צבע": "אדום"})

    html = client.get(address(judgment_list)).content.decode()

    for text in ("שלום", "<p>مرحبا</p>", "אדום"):
        before = html[: html.index(text)]
        assert (
            'dir="auto"' in before[before.rindex("<", 0, before.rindex(">")) :]
            or 'dir="auto"' in before[-160:]
        )


def test_a_text_in_which_the_query_stands_a_thousand_times_is_marked(client, judgment_list):
    judgment_list.pairs.get().query.__class__.objects.update(text="動物")
    Document.objects.update(body="動物園" * 5_000)

    assert client.get(address(judgment_list)).content.decode().count("<mark>動物</mark>") >= 5_000


@pytest.mark.parametrize("missing", ["title", "body", "url", "fields"])
def test_a_document_may_lack_any_field(client, judgment_list, missing):
    Document.objects.update(title="T", body="B", url="https://e.org/", fields={"a": "b"})
    Document.objects.update(**{missing: {} if missing == "fields" else ""})

    assert client.get(address(judgment_list)).status_code == 200
