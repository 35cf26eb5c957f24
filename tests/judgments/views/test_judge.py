import re

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from judgments.models import Judgment, JudgmentHistory, Slot
from tests import factories as make
from tests.judgments.views.judge_pages import HTMX, address, answer, fields_of, found, make_pairs

pytestmark = pytest.mark.django_db


@pytest.fixture
def query_set():
    return make.make_query_set()


@pytest.fixture
def rater(query_set, client):
    user = make.make_member(query_set, "rater")
    client.force_login(user)
    return user


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


def test_a_refused_answer_keeps_the_comment_that_was_typed(client, query_set, rater):
    judgment_list = make_pairs(query_set)
    fields = fields_of(client.get(address(judgment_list)))

    response = answer(client, judgment_list, fields, data={"grade": "9", "comment": "has <no> lid"})

    assert response.status_code == 422
    assert "has &lt;no&gt; lid</textarea>" in response.content.decode()


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
