import re

import pytest
from django.urls import reverse
from django.utils import timezone

from judgments.judging.actions import queue
from judgments.models import Document, Judgment, RaterQueue, Slot
from tests import factories as make
from tests.judgments.judging.views.judge_pages import address, answer, fields_of, found, html_of, make_pairs

pytestmark = pytest.mark.django_db


def test_the_card_shows_query_document_and_grades(client, query_set, rater):
    judgment_list = make_pairs(query_set, guidelines="Be **fair**.\n\n<script>x</script>")

    html = html_of(client.get(address(judgment_list)))

    assert "Query 1 of 2 · document 1 of 3" in html
    assert "<strong>fair</strong>" in html
    assert "<script>x" not in html
    for grade in judgment_list.scale.grades.all():
        assert f'data-key="{grade.key}"' in html
        assert grade.label in html


def test_each_kind_of_nothing_says_what_it_is(client, query_set, rater):
    def text(judgment_list):
        return client.get(address(judgment_list)).content.decode()

    assert "No pairs yet" in text(make.make_list(query_set))
    assert "is paused" in text(make_pairs(query_set, paused=True))

    held_list = make_pairs(query_set, 1, 1)
    other = make.make_member(query_set, "rater")
    queue.claim(user=other, judgment_list=held_list, at=timezone.now())
    assert "Other raters are judging the rest" in text(held_list)

    skipped_list = make_pairs(query_set, 1, 1)
    text(skipped_list)
    for _ in range(2):
        client.post(address(skipped_list, "judge-skip"), {"pair": skipped_list.pairs.get().pk})
    assert "Only documents that you put off" in text(skipped_list)
    assert "document 1 of 1" in client.get(address(skipped_list), {"skipped": 1}).content.decode()


def test_a_document_without_text_has_its_own_state(client, query_set, rater):
    judgment_list = make_pairs(query_set, 1, 1)
    Document.objects.update(title="")

    html = client.get(address(judgment_list)).content.decode()

    assert "No text for this document" in html
    assert Document.objects.get().external_id in html


def test_html_of_a_document_is_cleaned_and_its_words_are_marked(client, query_set, rater):
    judgment_list = make_pairs(query_set, 1, 1)
    body = (
        "<p onclick='x()'>A <b>text</b> &amp; more</p><script>alert(1)</script><a href='javascript:x'>y</a>"
    )
    story = "A long text. " * 20
    fields = {
        "story": story,
        "color": "red & blue",
        "bullets": "one text\ntwo <i>text</i>",
        "sizes": ["S", "M"],
    }
    Document.objects.update(
        title="The <b>text</b>", body=body, url="https://www.example.com/a?b", fields=fields
    )

    html = html_of(client.get(address(judgment_list)))

    assert "The <mark>text</mark>" in html
    assert "<p>A <b><mark>text</mark></b> &amp; more</p>" in html
    assert "alert(1)" not in html
    assert "javascript:" not in html
    assert 'href="https://www.example.com/a?b" target="_blank" rel="noopener noreferrer"' in html
    assert "red &amp; blue" in html
    assert "S, M" in html
    assert "<p>A long <mark>text</mark>." in html
    assert "two <i><mark>text</mark></i>" in html


def test_a_long_body_is_folded_behind_its_beginning(client, query_set, rater):
    judgment_list = make_pairs(query_set, 1, 1)
    Document.objects.update(body="word " * 1000)

    html = client.get(address(judgment_list)).content.decode()

    assert "data-excerpt" in html
    assert "data-full" in html


def test_the_beginning_is_the_passage_that_says_most_of_the_query(client, query_set, rater):
    judgment_list = make_pairs(query_set, 1, 1)
    Document.objects.update(body="Nothing here. " * 200 + "<p>The text of a query.</p>" + "The end. " * 200)

    html = client.get(address(judgment_list)).content.decode()

    excerpt = found(r"data-excerpt>(.*?)</p>", html)
    assert excerpt.startswith("… The <mark>text</mark> of a")
    assert excerpt.endswith(" …")


def test_images_are_loaded_only_where_the_query_set_says_so(client, query_set, rater):
    judgment_list = make_pairs(query_set, 1, 1)
    Document.objects.update(image="https://images.example/a.jpg")

    plain = client.get(address(judgment_list))
    query_set.show_images = True
    query_set.save()
    page = client.get(address(judgment_list))

    assert "images.example" not in plain.content.decode()
    assert "https:" not in plain["Content-Security-Policy"]
    assert 'src="https://images.example/a.jpg"' in page.content.decode()
    assert "https:" in page["Content-Security-Policy"]


def test_a_continuous_scale_has_a_box_without_a_value(client, query_set, rater):
    judgment_list = make_pairs(query_set, 1, 2, scale=make.preset("Slider 0–100"))
    page = client.get(address(judgment_list))
    box = found(r"(<input type=\"number\"[^>]*>)", page.content.decode())

    refusal = answer(client, judgment_list, fields_of(page), data={"grade": "101"})
    answer(client, judgment_list, fields_of(page), data={"grade": "37"})

    assert "value=" not in box
    assert refusal.status_code == 422
    assert Judgment.objects.get().value == 37
    assert "<b>37</b>" in client.get(address(judgment_list, "judge-done")).content.decode()


def test_guidelines_open_by_themselves_until_one_has_judged_with_them(client, query_set, rater):
    judgment_list = make_pairs(query_set, guidelines="Be fair.")
    pattern = re.compile(r'id="guidelines" data-version="1" open')
    page = client.get(address(judgment_list))
    answer(client, judgment_list, fields_of(page))

    assert pattern.search(html_of(page))
    assert not pattern.search(html_of(client.get(address(judgment_list))))
    assert RaterQueue.objects.get().guidelines_seen == 1


def test_keys_can_be_off(client, query_set, rater):
    judgment_list = make_pairs(query_set)
    rater.single_key_shortcuts = False
    rater.save()

    assert 'data-shortcuts="off"' in client.get(address(judgment_list)).content.decode()


def test_nothing_of_the_machinery_is_shown(client, query_set, rater):
    judgment_list = make_pairs(query_set, overlap=2)
    html = client.get(address(judgment_list)).content.decode().lower()

    assert Slot.objects.exists()
    for word in ("consensus", "ndcg", "retrieval score", "rank "):
        assert word not in html


def test_the_grades_of_a_query_on_a_page_of_their_own_look_as_on_the_rating_screen(client, query_set, rater):
    judgment_list = make_pairs(query_set, 1, 2)
    page = client.get(address(judgment_list))
    answer(client, judgment_list, fields_of(page))
    query = query_set.queries.get()

    html = html_of(client.get(reverse("judge-review", args=[judgment_list.pk, query.pk])))

    assert 'class="reviewed"' in html
    assert re.search(r"css/judging/judge-card[.\w]*css", html)
