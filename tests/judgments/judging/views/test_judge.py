import re

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from judgments.models import Judgment, JudgmentHistory, Slot
from tests import factories as make
from tests.judgments.judging.views.judge_pages import (
    SCRIPT,
    address,
    answer,
    fields_of,
    found,
    html_of,
    make_pairs,
)

pytestmark = pytest.mark.django_db


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

    client.force_login(
        make.make_member(query_set, "rater")
    )  # who judged nothing, so there is nothing to thank for
    page = client.get(address(judgment_list)).content.decode()
    assert "Nothing left to judge" in page
    assert "All done" not in page


def test_the_script_gets_what_was_saved_and_the_cards_that_it_lacks(client, query_set, rater):
    judgment_list = make_pairs(query_set)
    first = fields_of(client.get(address(judgment_list)))
    ahead = client.post(address(judgment_list, "judge-cards"), {"have": first["pair"]}, **SCRIPT).json()
    have = ",".join([first["pair"], *(str(card["pair"]) for card in ahead["cards"])])

    response = answer(client, judgment_list, first, data={"have": have}, **SCRIPT)

    content = response.json()
    assert response["Cache-Control"] == "no-store"
    assert content["saved"]["text"] == "Related saved"
    assert re.fullmatch(r"\d\d:\d\d:\d\d", content["saved"]["at"])
    assert content["account"] == rater.pk
    assert int(first["pair"]) not in [pair for pair, _, _ in content["held"]]
    assert {card["pair"] for card in content["cards"]}.isdisjoint(int(pair) for pair in have.split(","))
    assert 'data-card data-pair="' in ahead["cards"][0]["html"]
    assert content["held"][0][1:] == [2, 3]


def test_a_form_sent_twice_counts_once(client, query_set, rater):
    judgment_list = make_pairs(query_set)
    fields = fields_of(client.get(address(judgment_list)))

    for _ in range(2):
        answer(client, judgment_list, fields)

    assert Judgment.objects.count() == 1
    assert not JudgmentHistory.objects.exists()


@pytest.mark.parametrize("grade", ["7", "", "x", "nan"])
def test_a_grade_that_is_none_is_refused_and_the_card_stays(client, query_set, rater, grade):
    judgment_list = make_pairs(query_set)
    fields = fields_of(client.get(address(judgment_list)))

    response = answer(client, judgment_list, fields, data={"grade": grade})
    reply = answer(client, judgment_list, fields, data={"grade": grade}, **SCRIPT)

    assert response.status_code == reply.status_code == 422
    assert "Not saved" in response.content.decode()
    assert fields_of(response)["pair"] == fields["pair"]
    assert reply.json()["kind"] == "refused"
    assert reply.json()["problem"]
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
    payload = {"grade": "", "reason": "language", "comment": "Finnish", "active_ms": "1200", "method": "key"}

    answer(client, judgment_list, fields, data=payload)

    judgment = Judgment.objects.get()
    assert (judgment.reason, judgment.comment) == ("language", "Finnish")
    assert (judgment.active_ms, judgment.method) == (1200, "key")


def test_undo_shows_the_withdrawn_answer_as_chosen(client, query_set, rater):
    judgment_list = make_pairs(query_set)
    fields = fields_of(client.get(address(judgment_list)))
    answer(client, judgment_list, fields)

    response = client.post(address(judgment_list, "judge-undo"))

    page = client.get(response.url)
    html = html_of(page)
    assert fields_of(page)["pair"] == fields["pair"]
    assert "You took back your answer" in html
    assert re.search(r'value="1.0" data-key="1" data-name="Related" aria-pressed="true"', html)
    assert not Judgment.objects.exists()


def test_undo_is_hidden_until_there_is_something_to_undo(client, query_set, rater):
    judgment_list = make_pairs(query_set)
    hidden_undo = re.compile(r"data-undo-form\s+hidden>")

    page = client.get(address(judgment_list))
    assert hidden_undo.search(page.content.decode())
    client.post(address(judgment_list, "judge-skip"), fields_of(page))
    page = client.get(address(judgment_list))
    assert not hidden_undo.search(page.content.decode())
    client.post(address(judgment_list, "judge-undo"))
    page = client.get(address(judgment_list))
    assert hidden_undo.search(page.content.decode())
    answer(client, judgment_list, fields_of(page))
    assert not hidden_undo.search(client.get(address(judgment_list)).content.decode())


def test_a_judgment_from_a_file_can_be_undone(client, query_set, rater):
    judgment_list = make_pairs(query_set)
    make.make_judgment(judgment_list.pairs.first(), make.make_rater(query_set, user=rater), 2.0)

    page = client.get(address(judgment_list)).content.decode()

    assert not re.search(r"data-undo-form\s+hidden>", page)


def test_undo_with_nothing_to_undo_says_so(client, query_set, rater):
    judgment_list = make_pairs(query_set)

    response = client.post(address(judgment_list, "judge-undo"), follow=True)

    assert "nothing to undo" in response.content.decode()


def test_the_script_is_told_which_answer_was_taken_back(client, query_set, rater):
    judgment_list = make_pairs(query_set)
    fields = fields_of(client.get(address(judgment_list)))
    answer(client, judgment_list, fields)

    reply = client.post(address(judgment_list, "judge-undo"), **SCRIPT).json()
    nothing = client.post(address(judgment_list, "judge-undo"), **SCRIPT).json()
    assert (
        nothing["saved"]["text"] == "There is nothing to undo in this list"
    )  # the script adds the full stop
    card = client.get(address(judgment_list), {"pair": fields["pair"]}, **SCRIPT).json()

    assert reply["saved"]["pair"] == int(fields["pair"])
    assert nothing["saved"]["pair"] is None
    assert "You took back your answer" in card["html"]


def test_later_puts_the_document_at_the_end(client, query_set, rater):
    judgment_list = make_pairs(query_set, queries=1, documents=2)
    fields = fields_of(client.get(address(judgment_list)))

    response = client.post(address(judgment_list, "judge-skip"), {"pair": fields["pair"]}, follow=True)
    after = answer(client, judgment_list, fields_of(response), follow=True)

    assert fields_of(response)["pair"] != fields["pair"]
    assert fields_of(after)["pair"] == fields["pair"]


def test_the_script_can_put_a_document_off(client, query_set, rater):
    judgment_list = make_pairs(query_set, queries=1, documents=2)
    fields = fields_of(client.get(address(judgment_list)))

    reply = client.post(address(judgment_list, "judge-skip"), {"pair": fields["pair"]}, **SCRIPT).json()
    failure = client.post(address(judgment_list, "judge-skip"), {"pair": "x"}, **SCRIPT)

    assert reply["held"][0][0] != int(fields["pair"])
    assert failure.status_code == 422


def test_an_answer_from_a_stale_tab_asks_before_it_replaces_the_other(client, query_set, rater):
    judgment_list = make_pairs(query_set)
    one, two = (fields_of(client.get(address(judgment_list))) for _ in range(2))
    answer(client, judgment_list, one)

    reply = answer(client, judgment_list, two, data={"grade": "3.0"}, **SCRIPT)
    page = answer(client, judgment_list, two, data={"grade": "3.0", "comment": "typed"})

    assert reply.status_code == page.status_code == 409
    assert reply.json()["kind"] == "conflict"
    assert re.fullmatch(r"You judged this Related on \w{3} \d+, \d{4}, \d\d:\d\d\.", reply.json()["problem"])
    assert "You judged this Related on" in page.content.decode()
    assert "typed</textarea>" in page.content.decode()
    assert Judgment.objects.get().value == 1.0
    answer(client, judgment_list, fields_of(page), data={"grade": "3.0"})
    assert Judgment.objects.get().value == 3.0


def test_the_same_answer_in_two_tabs_is_no_conflict(client, query_set, rater):
    judgment_list = make_pairs(query_set)
    one, two = (fields_of(client.get(address(judgment_list))) for _ in range(2))
    answer(client, judgment_list, one)

    assert answer(client, judgment_list, two, **SCRIPT).status_code == 200


@pytest.mark.parametrize("name", ["judge-answer", "judge-undo", "judge-skip"])
def test_what_another_account_left_in_the_browser_is_not_saved(client, query_set, rater, name):
    judgment_list = make_pairs(query_set)
    fields = fields_of(client.get(address(judgment_list)))
    payload = fields | {"grade": "1.0", "account": str(rater.pk + 1)}

    reply = client.post(address(judgment_list, name), payload, **SCRIPT)

    assert reply.status_code == 409
    assert reply.json()["kind"] == "account"
    assert not Judgment.objects.exists()


def test_an_own_judgment_can_be_changed_from_the_history(client, query_set, rater):
    judgment_list = make_pairs(query_set)
    answer(client, judgment_list, fields_of(client.get(address(judgment_list))))
    html = client.get(address(judgment_list, "judge-done")).content.decode()
    link = found(r'href="([^"]*\?pair=\d+)"', html)

    card = client.get(link)
    response = answer(client, judgment_list, fields_of(card), data={"grade": "2.0"}, follow=True)

    assert "to change your answer" in card.content.decode()
    assert "Already judged" not in response.content.decode()
    assert JudgmentHistory.objects.get().action == "changed"


def test_a_rater_who_came_too_late_is_told_that_the_judgment_is_saved(client, query_set, rater):
    judgment_list = make_pairs(query_set, 1, 2)
    fields = fields_of(client.get(address(judgment_list)))
    Slot.objects.update(state="done", rater=None)

    response = answer(client, judgment_list, fields, follow=True)
    other = judgment_list.pairs.exclude(pk=fields["pair"]).get()
    request_id = "00000000-0000-4000-8000-000000000000"
    reply = answer(client, judgment_list, {"pair": other.pk, "request_id": request_id}, **SCRIPT)

    assert "needs no further judgment by now. Yours is saved, too." in response.content.decode()
    assert "needs no further judgment by now. Yours is saved, too." in reply.json()["notes"][0]
    assert all(judgment.extra for judgment in Judgment.objects.all())


def test_a_reason_that_was_given_is_named_when_it_would_be_replaced(client, query_set, rater):
    judgment_list = make_pairs(query_set)
    one, two = (fields_of(client.get(address(judgment_list))) for _ in range(2))
    answer(client, judgment_list, one, data={"grade": "", "reason": "offensive"})

    response = answer(client, judgment_list, two)

    assert "You judged this Cannot judge (Offensive) on" in response.content.decode()


def test_the_script_hears_why_nothing_is_left(client, query_set, rater):
    judgment_list = make_pairs(query_set, 1, 1)
    fields = fields_of(client.get(address(judgment_list)))

    reply = answer(client, judgment_list, fields, **SCRIPT).json()

    assert (reply["held"], reply["cards"], reply["reason"]) == ([], [], "done")
    assert "All done" in reply["nothing"]


def test_the_script_gets_new_guidelines_once(client, query_set, rater):
    judgment_list = make_pairs(query_set, guidelines="Be **fair**.", guidelines_version=2)

    def ask(version):
        payload = {"guidelines": version}
        return client.post(address(judgment_list, "judge-cards"), payload, **SCRIPT).json()

    assert ask("1")["guidelines"] == {"version": 2, "html": "<p>Be <strong>fair</strong>.</p>"}
    assert "guidelines" not in ask("2")


def test_a_pair_of_another_list_has_no_card(client, query_set, rater):
    one, other = make_pairs(query_set), make_pairs(query_set)
    pair = other.pairs.first().pk

    assert client.get(address(one), {"pair": pair}, **SCRIPT).status_code == 404
    assert client.get(address(one, "judge-text"), {"pair": pair}).status_code == 404


def test_arrows_lead_through_own_judgments_in_the_order_of_judging(client, query_set, rater):
    judgment_list = make_pairs(query_set, 1, 3)
    pairs = []
    for _ in range(2):
        fields = fields_of(client.get(address(judgment_list)))
        pairs.append(fields["pair"])
        answer(client, judgment_list, fields)

    def near(pair):
        html = client.get(address(judgment_list), {"pair": pair}).content.decode()
        return found(r'data-earlier="(\d+)"', html), found(r'data-later="(\d+)"', html)

    last = fields_of(client.get(address(judgment_list)))["pair"]
    assert near(last) == (pairs[1], "")
    assert near(pairs[1]) == (pairs[0], "")
    assert near(pairs[0]) == ("", pairs[1])


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
    post = count(answer, client, judgment_list, fields, **SCRIPT)
    answer(client, judgment_list, fields_of(client.get(page)))
    return card, post, count(client.get, address(judgment_list, "judge-done"))


def test_the_cost_of_a_page_does_not_grow(client, query_set, rater):
    small = costs(client, make_pairs(query_set, 2, 8, guidelines="x", overlap=2))
    large = costs(client, make_pairs(query_set, 5, 30, guidelines="x", overlap=2))

    card, post, done = large
    assert all(more <= less for less, more in zip(small, large, strict=True))
    assert card <= 15
    assert post <= 40
    assert done <= 15
