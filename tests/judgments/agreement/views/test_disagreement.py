"""The page of one disagreement: what was said of the pair, and what an admin decides about it."""

import pytest
from django.urls import reverse

from judgments.models import Adjudication, ConsensusGrade, GoldPair, Judgment, Slot
from tests import factories as make
from tests.judgments.agreement.decisions import decide
from tests.judgments.agreement.views.disputed import address, disputed, page
from tests.judgments.judging.actions.scene import Scene
from tests.judgments.refreshed import refresh_consensus

pytestmark = pytest.mark.django_db


@pytest.fixture
def scene(client):
    return disputed(client)


def test_all_that_was_said_stands_side_by_side_without_names(client, scene):
    document = scene.wide.document
    document.title, document.body = "A red tent", "<p>For two people.</p>"
    document.fields = {"color": "red or dark red"}
    document.save()
    Judgment.objects.filter(pair=scene.wide, rater__user=scene.anna).update(
        comment="Too small.",
        confidence=3,
        active_ms=12_500,
        evidence=[
            {"field": "body", "quote": "two people", "start": 4, "end": 14},
            {"field": "Color", "quote": "dark red", "start": 7, "end": 15},
        ],
    )
    Judgment.objects.filter(pair=scene.wide, rater__user=scene.ben).update(
        evidence=[{"field": "", "quote": "red tent", "start": None, "end": None}]
    )

    text = page(client, scene, scene.wide)

    for words in (
        "Rater A",
        "Rater B",
        "Too small.",
        "sure, 12.5 s, guidelines 1",
        '<span class="passage">two people</span><sup class="passage-by">A</sup>',
        '<span class="passage">dark red</span><sup class="passage-by">A</sup>',
        '<span class="passage">red tent</span><sup class="passage-by">B</sup>',
        "0, 3: median between 0 and 3, waits for an admin to decide",
    ):
        assert words in text
    assert scene.anna.username not in text
    shown = page(client, scene, scene.wide, "?names=shown")
    assert scene.anna.username in shown
    assert "Hide names" in shown


def test_letters_stay_when_raters_join(client, scene):
    make.make_rater(scene.query_set)

    assert [one.name for one in client.get(address(scene, scene.near)).context["details"].answers] == [
        "Rater A",
        "Rater B",
        "Rater C",
    ]


def test_a_decision_leads_to_the_next_disagreement_under_the_same_filter(client, scene):
    data = {"action": "decide", "value": "2.0", "cause": "guidelines", "note": "Sizes\r\nmatter."}

    response = client.post(address(scene, scene.wide, "?least=1"), data)

    assert response["Location"] == address(scene, scene.near, "?least=1")
    gold = Adjudication.objects.get()
    assert (gold.value, gold.cause, gold.note, gold.by) == (2, "guidelines", "Sizes\nmatter.", scene.admin)
    assert ConsensusGrade.objects.get(pair=scene.wide).value == 2
    last = client.post(address(scene, scene.near, "?least=1"), data, follow=True)
    assert last.redirect_chain == [(address(scene, query="?least=1"), 302)]
    assert "This was the last of these disagreements." in last.content.decode()


@pytest.mark.parametrize(
    ("data", "text"),
    [
        ({"cause": "slip"}, "Choose a grade."),
        ({"value": "2.0"}, "Choose a cause."),
        ({"value": "7", "cause": "slip"}, "isn’t one of the choices"),
    ],
)
def test_half_a_decision_is_refused_with_what_was_chosen(client, scene, data, text):
    response = client.post(address(scene, scene.wide), {"action": "decide", "note": "Kept."} | data)

    assert response.status_code == 422
    assert text in response.content.decode()
    assert "Kept." in response.content.decode()
    assert not Adjudication.objects.exists()


def test_a_decision_can_be_changed_and_withdrawn(client, scene):
    decide(scene, scene.wide, value=3, note="First thought.")
    text = page(client, scene, scene.wide)
    assert "ada decided on" in text
    assert 'value="3.0" data-key="3" checked' in text

    decide(scene, scene.wide, value=1)
    response = client.post(address(scene, scene.wide), {"action": "withdraw"}, follow=True)

    assert "Decision withdrawn." in response.content.decode()
    assert "Earlier decisions (2)" in response.content.decode()
    assert not Adjudication.objects.standing().exists()


def test_a_form_that_is_sent_twice_decides_once(client, scene):
    data = {"action": "decide", "value": "2.0", "cause": "slip", "note": " As it says. ", "seen": "0"}

    answers = [client.post(address(scene, scene.wide), data) for _ in range(2)]

    assert [answer.status_code for answer in answers] == [302, 302]
    assert answers[0]["Location"] == answers[1]["Location"]
    assert Adjudication.objects.filter(pair=scene.wide).count() == 1


@pytest.mark.parametrize("by", ["other", "nobody"])
def test_of_two_admins_the_second_is_told_of_the_first(client, scene, by):
    other = make.make_member(scene.query_set, "admin", username="bert")
    first = decide(scene, scene.wide, value=1)
    Adjudication.objects.filter(pk=first.pk).update(by=other if by == "other" else None)
    data = {"action": "decide", "value": "2.0", "cause": "slip"}

    invalid = client.post(address(scene, scene.wide), {**data, "seen": "0"})
    again = client.post(address(scene, scene.wide), {**data, "seen": first.pk})

    message = invalid.content.decode()
    assert invalid.status_code == 422
    assert f"{'bert' if by == 'other' else 'Somebody'} decided this pair meanwhile." in message
    assert f'<input type="hidden" name="seen" value="{first.pk}">' in message
    assert again.status_code == 302
    assert Adjudication.objects.standing().get(pair=scene.wide).value == 2


def test_a_pair_becomes_gold_with_its_grade(client, scene):
    invalid = client.post(address(scene, scene.wide), {"action": "gold"}, follow=True)
    assert "This pair has no grade yet." in invalid.content.decode()
    decide(scene, scene.wide, value=2, note="As the guidelines say.")

    response = client.post(address(scene, scene.wide), {"action": "gold"}, follow=True)

    gold = GoldPair.objects.get()
    assert (gold.pair, gold.value, gold.explanation) == (scene.wide, 2, "As the guidelines say.")
    assert "This is a gold pair." in response.content.decode()


def test_a_pair_that_a_colleague_made_gold_meanwhile_stays_as_it_is(client, scene):
    decide(scene, scene.wide, value=2)
    gold = make.make_gold_pair(scene.wide, 3, explanation="Ann says so")

    page = client.post(address(scene, scene.wide), {"action": "gold"}, follow=True)

    gold.refresh_from_db()
    assert (gold.value, gold.explanation) == (3, "Ann says so")
    assert "Nothing was changed" in page.content.decode()


def test_a_mean_between_two_grades_cannot_be_gold(client, scene):
    scene.list.rule = "mean"
    scene.list.save()
    refresh_consensus(judgment_list=scene.list)

    response = client.post(address(scene, scene.wide), {"action": "gold"}, follow=True)

    assert "lies between two grades" in response.content.decode()
    assert "1.5" in response.content.decode()
    assert not GoldPair.objects.exists()


def test_a_grade_on_a_continuous_scale_is_typed(client):
    scene = Scene(queries=1, documents=1, overlap=2, scale=make.preset("Continuous 0–1"))
    pair = scene.list.pairs.get()
    for value in (0.25, 0.75):
        scene.judge(scene.rater(), pair.pk, value=value)
    client.force_login(make.make_member(scene.query_set, "admin"))
    assert 'type="number" name="value"' in page(client, scene, pair)

    client.post(address(scene, pair), {"action": "decide", "value": "0.5", "cause": "difference"})

    assert Adjudication.objects.get().value == 0.5
    assert "0.5" in page(client, scene, pair)


def test_what_is_not_there_or_not_known_is_refused(client, scene):
    other = Scene(queries=1, documents=1)

    assert client.post(address(scene, scene.wide), {"action": "dance"}).status_code == 400
    assert client.get(address(scene, other.list.pairs.get())).status_code == 404
    assert client.get(reverse("disagreement", args=[scene.list.pk, 10**30])).status_code == 404


def test_another_rater_is_asked_and_not_asked_any_more(client, scene):
    scene.rater()
    one_pair = address(scene, scene.near, "?least=1")
    assert 'value="ask"' in client.get(one_pair).content.decode()

    asked, again = (client.post(one_pair, {"action": "ask"}, follow=True) for _ in range(2))

    assert asked.redirect_chain == [(one_pair, 302)]
    assert "A rater who hasn’t judged this pair gets it." in asked.content.decode()
    assert "This pair waits for another rater." in asked.content.decode()
    assert "It waits for 1 rater already." in again.content.decode()
    assert Slot.objects.filter(pair=scene.near, state="open").count() == 1
    assert "waits for 1 rater" in client.get(address(scene)).content.decode()
    stopped, again = (client.post(one_pair, {"action": "stop-asking"}, follow=True) for _ in range(2))
    assert "No other rater is asked." in stopped.content.decode()
    assert "Nobody else was being asked." in again.content.decode()
    assert not Slot.objects.filter(pair=scene.near, state="open").exists()


def test_why_nobody_can_be_asked_takes_the_place_of_the_button(client, scene):
    text = page(client, scene, scene.wide)

    assert "It waits for 1 rater already." in text
    assert 'value="ask"' not in text


def test_an_archived_query_set_asks_nobody(client, scene):
    scene.rater()
    scene.query_set.archived_at = make.NOW
    scene.query_set.save()

    assert 'value="ask"' not in page(client, scene, scene.near)
    assert client.post(address(scene, scene.near), {"action": "ask"}).status_code == 409


@pytest.mark.parametrize("name", ["query", "document"])
def test_admins_get_from_a_grade_to_its_answers(client, scene, name):
    content = reverse(name, args=[getattr(scene.wide, name).pk])
    link = f'href="{address(scene, scene.wide)}"'

    assert link in client.get(content).content.decode()
    client.force_login(make.make_member(scene.query_set, "engineer"))
    assert link not in client.get(content).content.decode()
