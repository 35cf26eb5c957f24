import re
from html import unescape

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.urls import reverse
from django.utils import timezone

from judgments.actions import queue
from judgments.actions.pairs import add_pairs
from judgments.models import Document, Judgment, JudgmentHistory, RaterQueue, Slot
from tests import factories as make

pytestmark = pytest.mark.django_db
HTMX = {"HTTP_HX_REQUEST": "true", "HTTP_HX_TARGET": "judge"}


@pytest.fixture
def query_set():
    return make.make_query_set()


@pytest.fixture
def rater(query_set, client):
    user = make.make_member(query_set, "rater")
    client.force_login(user)
    return user


def make_pairs(query_set, queries=2, documents=3, **fields):
    judgment_list = make.make_list(query_set, **fields)
    shown = [make.make_document(query_set).pk for _ in range(documents)]
    asked = [make.make_query(query_set).pk for _ in range(queries)]
    add_pairs(judgment_list=judgment_list, pairs=[(query, one) for query in asked for one in shown])
    return judgment_list


def address(judgment_list, name="judge"):
    return reverse(name, args=[judgment_list.pk])


def found(pattern, html):
    """What the first group of `pattern` matches first, or nothing."""
    match = re.search(pattern, html)
    return unescape(match.group(1)) if match else ""


def hidden(html, name):
    return found(f'<input type="hidden" name="{name}" value="([^"]*)"', html)


def fields_of(response):
    html = response.content.decode()
    return {name: hidden(html, name) for name in ("pair", "request_id", "known") if hidden(html, name)}


def answer(client, judgment_list, fields, **more):
    return client.post(
        address(judgment_list, "judge-answer"), fields | {"grade": "1.0"} | more.pop("data", {}), **more
    )


def test_the_card_shows_query_document_and_grades(client, query_set, rater):
    judgment_list = make_pairs(query_set, guidelines="Be **fair**.\n\n<script>x</script>")

    html = client.get(address(judgment_list)).content.decode()

    assert "Query 1 of 2 · document 1 of 3" in html
    assert "<strong>fair</strong>" in html
    assert "<script>x" not in html
    for grade in judgment_list.scale.grades.all():
        assert f'data-key="{grade.key}"' in html
        assert grade.label in html


def test_without_javascript_every_answer_redirects_to_the_next_card(client, query_set, rater):
    judgment_list = make_pairs(query_set, queries=1, documents=2)
    first = fields_of(client.get(address(judgment_list)))

    response = answer(client, judgment_list, first)

    assert response.status_code == 302
    page = client.get(response.url)
    assert "Related saved" in page.content.decode()
    assert fields_of(page)["pair"] != first["pair"]
    answer(client, judgment_list, fields_of(page))
    assert "All done" in client.get(response.url).content.decode()


def test_with_htmx_the_answer_is_the_next_card_and_nothing_else(client, query_set, rater):
    judgment_list = make_pairs(query_set)
    first = fields_of(client.get(address(judgment_list)))

    response = answer(client, judgment_list, first, **HTMX)

    html = response.content.decode()
    assert response.status_code == 200
    assert "<html" not in html
    assert 'id="judge"' in html
    assert "document 2 of 3" in html
    assert re.search(r"Related saved \d\d:\d\d:\d\d", html)
    assert response["HX-Replace-Url"] == address(judgment_list)


def test_a_form_sent_twice_counts_once(client, query_set, rater):
    judgment_list = make_pairs(query_set)
    fields = fields_of(client.get(address(judgment_list)))

    for _ in range(2):
        answer(client, judgment_list, fields)

    assert Judgment.objects.count() == 1
    assert not JudgmentHistory.objects.exists()


@pytest.mark.parametrize("headers", [{}, HTMX])
@pytest.mark.parametrize("grade", ["7", "", "x", "nan"])
def test_a_grade_that_is_none_is_refused_and_the_card_stays(client, query_set, rater, grade, headers):
    judgment_list = make_pairs(query_set)
    fields = fields_of(client.get(address(judgment_list)))

    response = answer(client, judgment_list, fields, data={"grade": grade}, **headers)

    assert response.status_code == 422
    assert "Not saved" in response.content.decode()
    assert fields_of(response)["pair"] == fields["pair"]
    assert not Judgment.objects.exists()


def test_an_answer_that_names_no_pair_is_refused(client, query_set, rater):
    judgment_list = make_pairs(query_set)

    assert answer(client, judgment_list, {}).status_code == 422
    fields = {"pair": "99999999", "request_id": "00000000-0000-4000-8000-000000000000"}
    assert answer(client, judgment_list, fields).status_code == 422
    assert client.post(address(judgment_list, "judge-skip"), {}).status_code == 422
    assert client.post(address(judgment_list, "judge-skip"), {"pair": "99999999"}).status_code == 422


def test_cannot_judge_is_saved_with_its_reason_and_comment(client, query_set, rater):
    judgment_list = make_pairs(query_set)
    fields = fields_of(client.get(address(judgment_list)))
    sent = {"grade": "", "reason": "language", "comment": "Finnish", "active_ms": "1200", "method": "key"}

    answer(client, judgment_list, fields, data=sent)

    judgment = Judgment.objects.get()
    assert (judgment.reason, judgment.comment) == ("language", "Finnish")
    assert (judgment.active_ms, judgment.method) == (1200, "key")


@pytest.mark.parametrize("headers", [{}, HTMX])
def test_undo_shows_the_withdrawn_answer_as_chosen(client, query_set, rater, headers):
    judgment_list = make_pairs(query_set)
    fields = fields_of(client.get(address(judgment_list)))
    answer(client, judgment_list, fields)

    response = client.post(address(judgment_list, "judge-undo"), **headers)

    page = response if headers else client.get(response.url)
    html = page.content.decode()
    assert fields_of(page)["pair"] == fields["pair"]
    assert "You took your answer back" in html
    assert re.search(r'value="1.0" data-key="1" aria-pressed="true"', html)
    assert not Judgment.objects.exists()


def test_undo_with_nothing_to_undo_says_so(client, query_set, rater):
    judgment_list = make_pairs(query_set)

    response = client.post(address(judgment_list, "judge-undo"), follow=True)

    assert "nothing to undo" in response.content.decode()


def test_later_puts_the_document_at_the_end(client, query_set, rater):
    judgment_list = make_pairs(query_set, queries=1, documents=2)
    fields = fields_of(client.get(address(judgment_list)))

    response = client.post(address(judgment_list, "judge-skip"), {"pair": fields["pair"]}, **HTMX)
    after = answer(client, judgment_list, fields_of(response), **HTMX)

    assert fields_of(response)["pair"] != fields["pair"]
    assert fields_of(after)["pair"] == fields["pair"]


def test_an_answer_from_a_stale_tab_replaces_the_other_and_tells_so(client, query_set, rater):
    judgment_list = make_pairs(query_set)
    one, two = (fields_of(client.get(address(judgment_list))) for _ in range(2))
    answer(client, judgment_list, one)

    response = answer(client, judgment_list, two, data={"grade": "3.0"}, follow=True)

    assert "in another tab" in response.content.decode()
    assert Judgment.objects.get().value == 3.0


def test_an_own_judgment_can_be_changed_from_the_history(client, query_set, rater):
    judgment_list = make_pairs(query_set)
    answer(client, judgment_list, fields_of(client.get(address(judgment_list))))
    html = client.get(address(judgment_list, "judge-done")).content.decode()
    link = found(r'href="([^"]*\?pair=\d+)"', html)

    card = client.get(link)
    response = answer(client, judgment_list, fields_of(card), data={"grade": "2.0"}, follow=True)

    assert "changes your answer" in card.content.decode()
    assert "another tab" not in response.content.decode()
    assert JudgmentHistory.objects.get().action == "changed"


def test_a_rater_who_came_too_late_is_told_that_the_judgment_counts(client, query_set, rater):
    judgment_list = make_pairs(query_set, 1, 1)
    fields = fields_of(client.get(address(judgment_list)))
    Slot.objects.update(state="done", rater=None)

    response = answer(client, judgment_list, fields, follow=True)

    assert "kept and counts as well" in response.content.decode()
    assert Judgment.objects.get().extra


def test_a_reason_that_was_given_is_named_when_it_is_replaced(client, query_set, rater):
    judgment_list = make_pairs(query_set)
    one, two = (fields_of(client.get(address(judgment_list))) for _ in range(2))
    answer(client, judgment_list, one, data={"grade": "", "reason": "offensive"})

    response = answer(client, judgment_list, two, **HTMX)

    assert "in another tab (Offensive, " in response.content.decode()


def test_own_judgments_are_paged_by_key(client, query_set, rater):
    judgment_list = make_pairs(query_set, queries=1, documents=52)
    for _ in range(52):
        answer(client, judgment_list, fields_of(client.get(address(judgment_list))))

    first = client.get(address(judgment_list, "judge-done")).content.decode()
    before = found(r"\?before=(\d+)", first)
    second = client.get(address(judgment_list, "judge-done"), {"before": before}).content.decode()

    assert (first.count("?pair="), second.count("?pair=")) == (50, 2)
    assert "?before=" not in second


def test_a_rater_sees_only_own_judgments(client, query_set, rater):
    judgment_list = make_pairs(query_set, overlap=2)
    pair = judgment_list.pairs.first()
    make.make_judgment(pair, make.make_rater(query_set), 3)

    assert "No judgments here" in client.get(address(judgment_list, "judge-done")).content.decode()


@pytest.mark.parametrize("name", ["judge", "judge-done", "judge-answer", "judge-undo", "judge-skip"])
def test_strangers_get_404(client, query_set, name):
    judgment_list = make_pairs(query_set)
    client.force_login(make.make_member(make.make_query_set(), "admin"))
    send = client.get if name in ("judge", "judge-done") else client.post

    assert send(address(judgment_list, name)).status_code == 404


@pytest.mark.parametrize("name", ["judge-answer", "judge-undo", "judge-skip"])
def test_writes_need_post(client, query_set, rater, name):
    assert client.get(address(make_pairs(query_set), name)).status_code == 405


def test_each_kind_of_nothing_says_what_it_is(client, query_set, rater):
    def text(judgment_list):
        return client.get(address(judgment_list)).content.decode()

    assert "No pairs yet" in text(make.make_list(query_set))
    assert "is paused" in text(make_pairs(query_set, paused=True))

    held = make_pairs(query_set, 1, 1)
    other = make.make_member(query_set, "rater")
    queue.claim(user=other, judgment_list=held, at=timezone.now())
    assert "being judged by others" in text(held)

    skipped = make_pairs(query_set, 1, 1)
    for _ in range(2):
        client.post(address(skipped, "judge-skip"), {"pair": skipped.pairs.get().pk})
    assert "Only what you put off" in text(skipped)
    assert "document 1 of 1" in client.get(address(skipped), {"skipped": 1}).content.decode()


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

    html = client.get(address(judgment_list)).content.decode()

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


def test_images_are_loaded_only_where_the_query_set_says_so(client, query_set, rater):
    judgment_list = make_pairs(query_set, 1, 1)
    Document.objects.update(image="https://images.example/a.jpg")

    plain = client.get(address(judgment_list))
    query_set.show_images = True
    query_set.save()
    shown = client.get(address(judgment_list))

    assert "images.example" not in plain.content.decode()
    assert "https:" not in plain["Content-Security-Policy"]
    assert 'src="https://images.example/a.jpg"' in shown.content.decode()
    assert "https:" in shown["Content-Security-Policy"]


def test_a_continuous_scale_has_a_box_without_a_value(client, query_set, rater):
    judgment_list = make_pairs(query_set, 1, 2, scale=make.preset("Slider 0–100"))
    page = client.get(address(judgment_list))
    box = found(r"(<input type=\"number\"[^>]*>)", page.content.decode())

    refused = answer(client, judgment_list, fields_of(page), data={"grade": "101"})
    answer(client, judgment_list, fields_of(page), data={"grade": "37"})

    assert "value=" not in box
    assert refused.status_code == 422
    assert Judgment.objects.get().value == 37
    assert "<b>37</b>" in client.get(address(judgment_list, "judge-done")).content.decode()


def test_guidelines_open_by_themselves_until_one_has_judged_with_them(client, query_set, rater):
    judgment_list = make_pairs(query_set, guidelines="Be fair.")
    opened = re.compile(r'id="guidelines" open')
    page = client.get(address(judgment_list))
    answer(client, judgment_list, fields_of(page))

    assert opened.search(page.content.decode())
    assert not opened.search(client.get(address(judgment_list)).content.decode())
    assert RaterQueue.objects.get().guidelines_seen == 1


def test_keys_can_be_off(client, query_set, rater):
    judgment_list = make_pairs(query_set)
    rater.single_key_shortcuts = False
    rater.save()

    assert 'data-shortcuts="off"' in client.get(address(judgment_list)).content.decode()


def test_numbers_that_are_none_in_the_address_do_no_harm(client, query_set, rater):
    judgment_list = make_pairs(query_set)

    for number in ("x", "-1", "²", "99999", "9" * 19, "9" * 40):
        assert client.get(address(judgment_list), {"pair": number}).status_code == 200
        assert client.get(address(judgment_list, "judge-done"), {"before": number}).status_code == 200


def count(act, *arguments, **more):
    with CaptureQueriesContext(connection) as queries:
        act(*arguments, **more)
    return len(queries)


def costs(client, judgment_list):
    """The queries of the card, of an answer by htmx and of the history."""
    page = address(judgment_list)
    fields = fields_of(client.get(page))
    card = count(client.get, page)
    post = count(answer, client, judgment_list, fields, **HTMX)
    answer(client, judgment_list, fields_of(client.get(page)))
    return card, post, count(client.get, address(judgment_list, "judge-done"))


def test_the_cost_of_a_page_does_not_grow(client, query_set, rater):
    small = costs(client, make_pairs(query_set, 1, 3, guidelines="x", overlap=2))
    large = costs(client, make_pairs(query_set, 5, 30, guidelines="x", overlap=2))

    card, post, done = large
    assert all(more <= less for less, more in zip(small, large, strict=True))
    assert card <= 15
    assert post <= 25
    assert done <= 15


def test_nothing_of_the_machinery_is_shown(client, query_set, rater):
    judgment_list = make_pairs(query_set, overlap=2)
    html = client.get(address(judgment_list)).content.decode().lower()

    assert Slot.objects.exists()
    for word in ("consensus", "ndcg", "retrieval score", "rank "):
        assert word not in html
