"""What an answer carries beside the grade, and the rater's own keys."""

import json
from html import unescape
from uuid import UUID

import pytest
from django.urls import reverse

from judgments.models import Document, Judgment, JudgmentList, Pair, Skip
from tests import factories as make
from tests.judgments.judging.views.judge_pages import (
    SCRIPT,
    address,
    answer,
    fields_of,
    hidden,
    html_of,
    make_pairs,
)

pytestmark = pytest.mark.django_db


def give(client, judgment_list, **data):
    return answer(client, judgment_list, fields_of(client.get(address(judgment_list))), data=data)


def test_evidence_confidence_and_place_are_kept_and_shown_again(client, query_set, rater):
    judgment_list = make_pairs(query_set, evidence="optional", confidence=True)
    evidence = [{"field": "title", "quote": " Title", "start": 0, "end": 5}]

    give(client, judgment_list, evidence=json.dumps(evidence), confidence="2", view="document", place="1")

    judgment = Judgment.objects.get()
    assert judgment.evidence == [{"field": "title", "quote": "Title", "start": 0, "end": 5}]
    assert (judgment.confidence, judgment.view, judgment.place) == (2, "document", 1)
    html = client.get(address(judgment_list), {"pair": judgment.pair_id}).content.decode()
    assert 'value="2" checked' in html
    assert ">Title</textarea>" in html


def test_without_a_script_each_line_is_a_passage(client, query_set, rater):
    judgment_list = make_pairs(query_set, evidence="required", evidence_grades=[1.0])

    refusal = give(client, judgment_list, quotes=" \n ")
    give(client, judgment_list, quotes="one\r\n\r\n two ")

    assert refusal.status_code == 422
    assert "needs evidence" in refusal.content.decode()
    assert [passage["quote"] for passage in Judgment.objects.get().evidence] == ["one", "two"]


@pytest.mark.parametrize("evidence", ["{", "{}", "[1]", '"x"'])
def test_evidence_that_cannot_be_read_is_refused(client, query_set, rater, evidence):
    judgment_list = make_pairs(query_set, evidence="optional")

    assert give(client, judgment_list, evidence=evidence).status_code == 422


PASSAGE = {"field": "title", "quote": "Title", "start": 0, "end": 5}


@pytest.mark.parametrize(
    ("data", "sentence"),
    [
        ({"grade": "9"}, "9 isn’t a grade of the scale"),
        ({"grade": ""}, "Choose one grade, or say why the document can’t be judged."),
        (
            {"grade": "", "reason": "bored"},
            "“bored” isn’t one of the reasons why a document can’t be judged.",
        ),
        ({"confidence": "4"}, "Say how sure you are in three steps, from 1 to 3."),
        ({"comment": "x" * 2001}, "Shorten the comment: it has 2,001 characters, and 2,000 is the most."),
        ({"evidence": json.dumps([PASSAGE] * 21)}, "You can mark at most 20 passages."),
        ({"evidence": json.dumps([PASSAGE | {"quote": " "}])}, "A marked passage has no text."),
        ({"evidence": json.dumps([PASSAGE | {"field": None}])}, "A marked passage has no text."),
        ({"evidence": json.dumps([PASSAGE | {"end": 0}])}, "A marked passage ends before it begins."),
        ({"evidence": "{}"}, "The evidence can’t be read: they aren’t a JSON list of objects."),
    ],
)
def test_what_is_no_answer_is_refused_with_the_sentence_of_the_action(
    client, query_set, rater, data, sentence
):
    judgment_list = make_pairs(query_set, evidence="optional", confidence=True)

    refusal = give(client, judgment_list, **data)

    assert refusal.status_code == 422
    assert sentence in unescape(refusal.content.decode())
    assert not Judgment.objects.exists()


def test_what_is_measured_beside_an_answer_never_stands_in_its_way(client, query_set, rater):
    judgment_list = make_pairs(query_set)
    odd = {"active_ms": "-5", "wall_ms": "9" * 30, "method": "thought", "device": "x" * 99, "view": "no"}

    give(client, judgment_list, **odd, place="-1")

    answers = Judgment.objects.get()
    assert (answers.active_ms, answers.wall_ms, answers.method, answers.view) == (0, 2**31 - 1, "click", "")
    assert (answers.device, answers.place) == ("x" * 10, None)


@pytest.mark.parametrize("grade", ["0.1234567890123", "1e-09", "0.30000000000000004"])
def test_a_long_number_is_kept_and_shown_with_every_digit(client, query_set, rater, grade):
    judgment_list = make_pairs(query_set, 1, 1, scale=make.preset("Continuous 0–1"))

    response = give(client, judgment_list, grade=grade)

    assert Judgment.objects.get().value == float(grade)
    assert f"{grade} saved" in client.get(response.url).content.decode()
    assert f"<b>{grade}</b>" in client.get(address(judgment_list, "judge-done")).content.decode()
    pair = Judgment.objects.get().pair_id
    html = html_of(client.get(address(judgment_list), {"pair": pair}))
    assert f'data-number value="{grade}"' in html


def test_keys_of_ones_own_are_saved_and_reset(client, query_set, rater):
    judgment_list = make_pairs(query_set)
    page = address(judgment_list)

    response = client.post(reverse("judge-keys"), {"skip": "Z", "next": page})

    assert response.url == page
    rater.refresh_from_db()
    assert rater.keys == {"skip": "z"}
    assert 'aria-keyshortcuts="z"> Later <kbd>Z</kbd>' in html_of(client.get(page))
    assert client.post(reverse("judge-keys"), {"reset": "1", "next": "//evil.example"}).url == reverse(
        "account"
    )
    rater.refresh_from_db()
    assert rater.keys == {}


@pytest.mark.parametrize("keys", [{"skip": "u"}, {"skip": "5"}, {"skip": "?"}])
def test_keys_that_cannot_be_are_refused(client, query_set, rater, keys):
    html = client.post(reverse("judge-keys"), keys, follow=True).content.decode()

    assert "Your keys were not saved" in html
    rater.refresh_from_db()
    assert rater.keys == {}


def test_who_is_not_assigned_or_has_done_enough_is_told_so(client, query_set, rater):
    judgment_list = make_pairs(query_set, assignment="named")
    assert "Nothing is assigned to you" in client.get(address(judgment_list)).content.decode()
    judgment_list.assignments.create(user=rater, quota=1)

    give(client, judgment_list)

    assert "Your share is done" in client.get(address(judgment_list)).content.decode()
    assert "You gave all 1 judgment that were" in client.get(address(judgment_list)).content.decode()


def test_a_pause_tells_who_when_and_why(client, query_set, rater):
    admin = make.make_member(query_set, "admin", first_name="Ada", last_name="Admin")
    judgment_list = make_pairs(query_set)
    JudgmentList.objects.update(paused=True, paused_by=admin, paused_at=make.NOW, pause_note="Back at <two>.")

    html = client.get(address(judgment_list)).content.decode()

    assert "Ada Admin paused it on" in html
    assert "Nov 21, 2026, 12:00" in html
    assert "Back at &lt;two&gt;." in html


def test_practice_is_marked_and_tells_the_right_answer(client, query_set, rater):
    judgment_list = make_pairs(query_set, onboarding=1)
    gold = judgment_list.pairs.first()
    judgment_list.gold_pairs.create(
        pair=gold, query_set=query_set, value=3, also=[2.0], explanation="It says so.", made_at=make.NOW
    )
    page = client.get(address(judgment_list))
    fields = fields_of(page)

    reply = answer(client, judgment_list, fields, follow=True).content.decode()

    assert "<b>Practice</b>" in page.content.decode()
    assert fields["pair"] == str(gold.pk)
    assert "Practice: the right answer is Perfectly relevant." in reply
    assert "Highly relevant would count as right, too. It says so." in reply
    assert "<b>Practice</b>" not in client.get(address(judgment_list)).content.decode()


@pytest.mark.parametrize(("onboarding", "rounds"), [(3, 3), (9, 4)])
def test_the_last_answer_in_practice_tells_how_it_went(client, query_set, rater, onboarding, rounds):
    judgment_list = make_pairs(query_set, onboarding=onboarding)
    for pair in judgment_list.pairs.order_by("pk")[:4]:
        judgment_list.gold_pairs.create(pair=pair, query_set=query_set, value=3, also=[2], made_at=make.NOW)

    reply = []
    for grade in ("3.0", "1.0", "2.0", "0.0")[:rounds]:
        fields = fields_of(client.get(address(judgment_list))) | {"grade": grade}
        response = client.post(address(judgment_list, "judge-answer"), fields, **SCRIPT)
        reply.append(response.json()["practice"]["text"])

    assert all("Practice is over" not in text for text in reply[:-1])
    right, wrong = {3: ("2 of 3", 1), 4: ("2 of 4", 2)}[rounds]
    assert f"Practice is over. You got {right} right. “" in reply[-1]
    assert reply[-1].count("” is Perfectly relevant, but you chose ") == wrong
    assert reply[-1].count("but you chose Related.") == 1


def test_a_practice_card_that_is_opened_again_is_still_practice(client, query_set, rater):
    judgment_list = make_pairs(query_set, onboarding=1)
    gold = judgment_list.pairs.first()
    judgment_list.gold_pairs.create(pair=gold, query_set=query_set, value=3, made_at=make.NOW)
    fields = fields_of(client.get(address(judgment_list)))

    before = client.get(address(judgment_list), {"pair": gold.pk}).content.decode()
    answer(client, judgment_list, fields)
    after = client.get(address(judgment_list), {"pair": gold.pk}).content.decode()
    to_script = client.get(address(judgment_list), {"pair": gold.pk}, **SCRIPT).json()["html"]

    assert "The right answer is shown after yours." in before
    for html in (after, to_script):
        assert "The right answer was shown after yours." in html
        assert "You can’t change an answer given in practice." in html
        assert "changes your answer" not in html
        assert "data-practice" in html


def test_another_reason_is_offered_with_a_key_and_kept_with_its_comment(client, query_set, rater):
    judgment_list = make_pairs(query_set)
    page = html_of(client.get(address(judgment_list)))

    give(client, judgment_list, grade="", reason="other", comment="Two products at once.")

    assert 'value="other" formnovalidate data-reason-key="6"' in page
    judgment = Judgment.objects.get()
    assert (judgment.value, judgment.reason, judgment.comment) == (None, "other", "Two products at once.")
    page_html = html_of(client.get(address(judgment_list), {"pair": judgment.pair_id}))
    assert 'data-reason-key="6" data-name="Cannot judge" aria-pressed="true"' in page_html


def test_an_answer_repeated_after_it_was_taken_back_stays_taken_back(client, query_set, rater):
    judgment_list = make_pairs(query_set)
    fields = fields_of(client.get(address(judgment_list)))
    answer(client, judgment_list, fields)
    client.post(address(judgment_list, "judge-undo"))

    reply = answer(client, judgment_list, fields, **SCRIPT).json()

    assert "You took this answer back in another tab or on another device." in reply["notes"][0]
    assert not Judgment.objects.exists()


def test_the_same_undo_twice_takes_back_one_answer(client, query_set, rater):
    judgment_list = make_pairs(query_set)
    for _ in range(2):
        give(client, judgment_list)
    undo = {"undo_id": "00000000-0000-4000-8000-000000000001"}

    for _ in range(2):
        assert client.post(address(judgment_list, "judge-undo"), undo, **SCRIPT).status_code == 200

    assert Judgment.objects.count() == 1
    assert client.post(address(judgment_list, "judge-undo"), {"undo_id": "x"}, **SCRIPT).status_code == 422


def put_off(client, judgment_list, **more):
    """Puts the card on the page off by its form, as it stands there."""
    html = client.get(address(judgment_list)).content.decode()
    fields = {"pair": hidden(html, "pair"), "put_off": hidden(html, "put_off")}
    return fields, client.post(address(judgment_list, "judge-skip"), fields, **SCRIPT)


def test_the_same_request_to_put_off_twice_puts_off_once(client, query_set, rater):
    judgment_list = make_pairs(query_set, 2, 2)
    fields, _ = put_off(client, judgment_list)
    first = Skip.objects.get().at

    again = client.post(address(judgment_list, "judge-skip"), fields, **SCRIPT)

    assert again.status_code == 200
    assert Skip.objects.get().at == first
    assert fields["pair"] in {str(pair) for pair, *_ in again.json()["held"]}


def test_what_was_seen_put_off_and_is_put_off_again_lets_the_query_wait(client, query_set, rater):
    judgment_list = make_pairs(query_set, 2, 1)
    first, _ = put_off(client, judgment_list)

    fields = {"pair": first["pair"], "put_off": Skip.objects.get(pair=first["pair"]).at.isoformat()}
    answer = client.post(address(judgment_list, "judge-skip"), fields, **SCRIPT)

    assert answer.status_code == 200
    assert Skip.objects.get(pair=first["pair"]).at.isoformat() > fields["put_off"]


def test_a_moment_that_is_none_is_refused(client, query_set, rater):
    judgment_list = make_pairs(query_set)
    fields = fields_of(client.get(address(judgment_list))) | {"put_off": "yesterday"}

    assert client.post(address(judgment_list, "judge-skip"), fields, **SCRIPT).status_code == 422
    assert not Skip.objects.exists()


def test_a_number_that_is_no_grade_is_told_with_every_digit(client, query_set, rater):
    judgment_list = make_pairs(query_set)

    reply = give(client, judgment_list, grade="1.0000000001").content.decode()

    assert "1.0000000001 isn’t a grade of the scale" in reply


def several(client, judgment_list, answers, **more):
    data = {"answers": json.dumps(answers), **more}
    return client.post(address(judgment_list, "judge-answer"), data, **SCRIPT)


def test_answers_that_waited_come_together_and_one_bad_one_holds_up_no_other(client, query_set, rater):
    judgment_list = make_pairs(query_set, queries=2, documents=4)
    client.get(address(judgment_list))
    pairs = client.post(address(judgment_list, "judge-cards"), {"ahead": "5"}, **SCRIPT).json()["held"]
    first, second, third, fourth = [
        {
            "pair": pair,
            "request_id": str(UUID(int=pair)),
            "grade": "1.0",
            "comment": "half \ud800 a character",
        }
        for pair, *_ in pairs[:4]
    ]
    unknown = {"pair": 8_999_999, "request_id": str(UUID(int=1)), "grade": "1.0"}
    conflict = first | {"request_id": str(UUID(int=2)), "grade": "0.0"}
    answers = [first, second | {"grade": "7"}, unknown, conflict, {}, first, third, fourth | {"grade": [1]}]

    reply = several(client, judgment_list, answers, have=str(first["pair"]), ahead="30")

    assert [one["status"] for one in reply.json()["answers"]] == [200, 422, 422, 409, 422, 200, 200, 422]
    assert [one.get("saved", one)["pair"] for one in reply.json()["answers"][:3]] == [
        first["pair"],
        second["pair"],
        8_999_999,
    ]
    assert {*Judgment.objects.values_list("pair", "request_id", "value")} == {
        (one["pair"], UUID(one["request_id"]), 1.0) for one in (first, third)
    }
    assert not {pair for pair, *_ in reply.json()["held"]} & {first["pair"], third["pair"]}
    assert len(reply.json()["cards"]) == 6  # what is left of the list

    again = several(client, judgment_list, [first, third], enough="1")
    assert [one["status"] for one in again.json()["answers"]] == [200, 200]
    assert "held" not in again.json()
    assert Judgment.objects.count() == 2


@pytest.mark.parametrize("answers", ["{", "{}", "[1]", "", json.dumps([{}] * 51), "[" * 20_000])
def test_answers_that_cannot_be_read_are_refused(client, query_set, rater, answers):
    judgment_list = make_pairs(query_set)

    reply = client.post(address(judgment_list, "judge-answer"), {"answers": answers}, **SCRIPT)

    assert (reply.status_code, reply.json()["kind"]) == (422, "refused")


@pytest.mark.parametrize("view", ["document", "list"])
def test_a_picture_that_does_not_load_is_a_reason_where_there_is_a_picture(client, query_set, rater, view):
    """It comes last, so that no reason before it has another digit."""
    judgment_list = make_pairs(query_set, view=view)
    offered = 'name="reason" value="picture_missing"'
    without = html_of(client.get(address(judgment_list)))
    Document.objects.update(image="https://images.example/a.jpg")
    query_set.show_images = True
    query_set.save()

    page = html_of(client.get(address(judgment_list)))
    give(client, judgment_list, grade="", reason="picture_missing")

    assert (offered in without, offered in page) == (False, True)
    if view == "document":
        assert 'value="other" formnovalidate data-reason-key="6"' in page
        assert 'value="picture_missing" formnovalidate data-reason-key="7"' in page
    assert Judgment.objects.get().reason == "picture_missing"


def test_each_card_of_a_batch_offers_the_reason_where_its_own_document_has_a_picture(
    client, query_set, rater
):
    judgment_list = make_pairs(query_set, queries=1, documents=4)
    query_set.show_images = True
    query_set.save()
    with_picture = Document.objects.order_by("pk")[1:3].values("pk")
    Document.objects.filter(pk__in=with_picture).update(image="https://images.example/a.jpg")

    reply = client.post(address(judgment_list, "judge-cards"), {"ahead": "4"}, **SCRIPT).json()

    offering = {one["pair"] for one in reply["cards"] if 'value="picture_missing"' in one["html"]}
    assert len(reply["cards"]) == 4
    assert offering == set(Pair.objects.exclude(document__image="").values_list("pk", flat=True))
