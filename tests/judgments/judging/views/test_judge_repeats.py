"""A hidden repeat on the rating screen: a card like any other, whose answer never touches the judgment."""

import json
import re
from datetime import timedelta
from uuid import uuid4

import pytest
from django.urls import reverse
from django.utils import timezone

from judgments.models import Judgment, RepeatAnswer, RepeatDraw, Skip
from tests import factories as make
from tests.judgments.judging.actions.repeat_scene import RepeatScene
from tests.judgments.judging.views.judge_pages import SCRIPT, address, found, hidden

pytestmark = pytest.mark.django_db
FIELDS = ("pair", "request_id", "card", "known", "put_off")


@pytest.fixture
def scene(client):
    """A rater who is signed in and holds a repeat."""
    scene = RepeatScene(judged_at=timezone.now() - timedelta(days=1))
    Judgment.objects.update(comment="Said on Monday.")
    scene.one = scene.held_repeat(at=timezone.now())
    client.force_login(scene.user)
    return scene


def page_of(client, scene, **query):
    return client.get(address(scene.list), query).content.decode()


def fields_in(html):
    return {name: hidden(html, name) for name in FIELDS if hidden(html, name)}


def shown_repeat(client, scene):
    """The page of the repeat, once all that comes before it is judged."""
    now = timezone.now()
    while (first := scene.handed(now)[0]).repeat != scene.one.repeat:
        scene.answer(first, at=now)
    html = page_of(client, scene)
    assert hidden(html, "card") == str(scene.one.repeat)
    return html


def post(client, scene, act, fields, **more):
    return client.post(address(scene.list, f"judge-{act}"), fields, **more)


def again():
    return list(RepeatAnswer.objects.counted().values_list("first_value", "value"))


def test_nothing_on_the_card_of_a_repeat_tells_it_from_another(client, scene):
    other = page_of(client, scene)
    repeat = shown_repeat(client, scene)

    assert 'aria-pressed="true"' not in repeat
    assert "Said on Monday." not in repeat
    assert "judged before" not in repeat
    assert "data-known" not in repeat
    assert not hidden(repeat, "known")
    assert "data-later" not in repeat  # arrows lead back from the end, as on any new card
    names = re.compile(r'<input type="hidden" name="([^"]+)"')
    assert names.findall(repeat) == names.findall(other)


def test_the_script_gets_the_repeat_among_its_cards(client, scene):
    answer = post(client, scene, "cards", {"ahead": "10"}, **SCRIPT).json()

    card = next(one["html"] for one in answer["cards"] if one["pair"] == scene.one.pair_id)
    assert hidden(card, "card") == str(scene.one.repeat)
    assert 'aria-pressed="true"' not in card
    assert all(hidden(one["html"], "card") for one in answer["cards"])
    reply = post(client, scene, "cards", {"have": str(scene.one.pair_id), "ahead": "5"}, **SCRIPT).json()
    assert scene.one.pair_id in reply["kept"]


def test_an_answer_to_a_repeat_is_saved_as_any_other_and_changes_no_judgment(client, scene):
    fields = fields_in(shown_repeat(client, scene)) | {"grade": "0.0"}
    before = scene.everything_else()

    reply = post(client, scene, "answer", fields, follow=True).content.decode()
    twice = post(client, scene, "answer", fields, **SCRIPT).json()

    assert "Irrelevant saved" in reply
    assert twice["saved"]["pair"] == scene.one.pair_id
    assert twice["notes"] == []
    assert scene.everything_else() == before
    assert again() == [(2.0, 0.0)]


def test_of_several_answers_that_waited_one_may_be_to_a_repeat(client, scene):
    fields = fields_in(shown_repeat(client, scene)) | {"grade": "1.0"}
    answers = [fields, fields | {"request_id": str(uuid4()), "grade": "3.0"}]

    reply = post(client, scene, "answer", {"answers": json.dumps(answers), "enough": "1"}, **SCRIPT).json()

    assert [one["status"] for one in reply["answers"]] == [200, 409]
    assert "You judged this" in reply["answers"][1]["problem"]
    assert again() == [(2.0, 1.0)]


def test_a_second_tab_is_asked_before_it_changes_the_answer_to_the_repeat(client, scene):
    fields = fields_in(shown_repeat(client, scene))
    post(client, scene, "answer", fields | {"grade": "1.0"})

    second = fields | {"request_id": str(uuid4()), "grade": "3.0"}
    conflict = post(client, scene, "answer", second)
    html = conflict.content.decode()

    assert conflict.status_code == 409
    assert (
        found(r'value="([^"]+)"[^>]*aria-pressed="true"', html) == "1.0"
    )  # of the repeat, not of the judgment
    post(client, scene, "answer", fields_in(html) | {"grade": "3.0"})
    assert again() == [(2.0, 3.0)]
    assert Judgment.objects.get(pair=scene.one.pair_id).value == 2.0


def test_a_refused_answer_brings_the_card_of_the_repeat_back(client, scene):
    fields = fields_in(shown_repeat(client, scene)) | {"grade": "7", "comment": "typed"}

    refusal = post(client, scene, "answer", fields)

    html = refusal.content.decode()
    assert refusal.status_code == 422
    assert hidden(html, "card") == str(scene.one.repeat)
    assert 'aria-pressed="true"' not in html
    assert "typed" in html


def test_an_answer_after_the_session_ended_is_taken_once_after_signing_in(client, scene):
    fields = fields_in(shown_repeat(client, scene)) | {"grade": "1.0"}
    client.logout()

    assert post(client, scene, "answer", fields, **SCRIPT).status_code == 401
    client.force_login(scene.user)
    for _ in range(2):
        assert post(client, scene, "answer", fields, **SCRIPT).status_code == 200
    assert again() == [(2.0, 1.0)]


def test_an_answer_while_the_list_is_paused_is_saved(client, scene):
    fields = fields_in(shown_repeat(client, scene)) | {"grade": "1.0"}
    scene.list.paused = True
    scene.list.save()

    assert post(client, scene, "answer", fields, **SCRIPT).json()["reason"] == "paused"
    assert again() == [(2.0, 1.0)]


@pytest.mark.parametrize("by_script", [True, False])
def test_undo_brings_the_repeat_back_without_an_answer(client, scene, by_script):
    fields = fields_in(shown_repeat(client, scene)) | {"grade": "1.0"}
    post(client, scene, "answer", fields)

    if by_script:
        response = post(client, scene, "undo", {"undo_id": str(uuid4())}, **SCRIPT).json()["saved"]
        query = {"pair": response["pair"], "card": response["card"]}
        html = client.get(address(scene.list), query, **SCRIPT).json()["html"]
    else:
        html = post(client, scene, "undo", {}, follow=True).content.decode()

    assert hidden(html, "card") == str(scene.one.repeat)
    assert 'aria-pressed="true"' not in html
    assert again() == []


def test_the_card_of_an_answered_repeat_shows_that_answer(client, scene):
    fields = fields_in(shown_repeat(client, scene)) | {"grade": "1.0", "comment": "Now."}
    post(client, scene, "answer", fields)

    html = page_of(client, scene, pair=scene.one.pair_id, card=scene.one.repeat)
    plain = page_of(client, scene, pair=scene.one.pair_id)

    pattern = r'value="([^"]+)"[^>]*aria-pressed="true"'
    assert (found(pattern, html), found(pattern, plain)) == ("1.0", "2.0")
    assert "Now.</textarea>" in html
    assert hidden(html, "known") == "1"


def test_later_takes_the_repeat_away(client, scene):
    fields = fields_in(shown_repeat(client, scene))

    for _ in range(2):
        assert post(client, scene, "skip", fields, **SCRIPT).status_code == 200

    assert RepeatDraw.objects.get(card=scene.one.repeat).put_off_at is not None
    assert not Skip.objects.exists()
    post(client, scene, "undo", {"undo_id": str(uuid4()), "pair": scene.one.pair_id}, **SCRIPT)
    assert RepeatDraw.objects.get(card=scene.one.repeat).put_off_at is None


@pytest.mark.parametrize("card", ["x", "", "0"])
def test_a_card_that_is_none_is_none(client, scene, card):
    assert client.get(address(scene.list), {"pair": scene.one.pair_id, "card": card}).status_code == 200
    fields = {"pair": scene.one.pair_id, "request_id": str(uuid4()), "card": card, "grade": "1.0"}
    assert post(client, scene, "answer", fields, **SCRIPT).status_code in (409, 422)
    assert not RepeatAnswer.objects.exists()


def test_another_raters_card_shows_and_changes_nothing(client, scene):
    shown_repeat(client, scene)
    stranger = scene.rater()
    make.make_handout(scene.one.pair_id, stranger)
    client.force_login(stranger)

    html = page_of(client, scene, pair=scene.one.pair_id, card=scene.one.repeat)

    assert hidden(html, "card") != str(scene.one.repeat)
    post(client, scene, "answer", fields_in(html) | {"grade": "0.0", "card": scene.one.repeat})
    assert not RepeatAnswer.objects.exists()
    assert Judgment.objects.filter(rater__user=stranger).count() == 1


def test_pages_of_a_raters_own_judgments_know_no_repeat(client, scene):
    fields = fields_in(shown_repeat(client, scene)) | {"grade": "0.0", "comment": "Only for the repeat."}
    done = reverse("judge-done", args=[scene.list.pk])
    pages = []
    for act in (lambda: None, lambda: post(client, scene, "answer", fields, **SCRIPT)):
        act()
        pages.append(re.sub("[A-Za-z0-9]{64}", "token", client.get(done).content.decode()))

    assert again() == [(2.0, 0.0)]
    assert pages[0] == pages[1]


def test_a_list_that_is_judged_as_lists_shows_none(client, scene):
    scene.list.view = "list"
    scene.list.save()
    RepeatDraw.objects.all().delete()

    client.get(address(scene.list))

    assert not RepeatDraw.objects.exists()
