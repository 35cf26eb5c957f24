"""Leaving a rater out of a list's grades by page: what it would change is said before."""

import pytest
from django.urls import reverse

from judgments.models import ConsensusGrade, Exclusion, Rater
from tests import factories as make
from tests.judgments.judging.actions.scene import Scene

pytestmark = pytest.mark.django_db


@pytest.fixture
def scene(client):
    """Judged by two: 0 and 3, then 1 and 1; by one of them alone: 2. An admin, signed in."""
    scene = Scene(queries=1, documents=3, overlap=2, tie="adjudicate")
    scene.pairs = list(scene.list.pairs.order_by("pk"))
    scene.anna, scene.ben = scene.rater(), scene.rater()
    for pair, *values in zip(scene.pairs, (0, 1), (3, 1), strict=False):
        for user, value in zip((scene.anna, scene.ben), values, strict=True):
            scene.judge(user, pair.pk, value=value)
    scene.judge(scene.ben, scene.pairs[2].pk, value=2)
    client.force_login(make.make_member(scene.query_set, "admin", username="ada"))
    return scene


def address(scene, user, query=""):
    rater = Rater.objects.get(user=user)
    return reverse("rater-exclusion", args=[scene.list.pk, rater.pk]) + query


def grades(scene):
    effect = dict(ConsensusGrade.objects.values_list("pair", "value"))
    return [effect.get(pair.pk) for pair in scene.pairs]


def test_what_would_change_is_said_and_nothing_changes(client, scene):
    response = client.get(address(scene, scene.ben))

    effect = response.context["effect"]
    changes = effect.changes
    assert (effect.pairs, changes.added, changes.changed, changes.removed) == (3, 1, 0, 1)
    assert "Leave Rater B out" in response.content.decode()
    first, _, last = (f"“{pair.query.text}”, “{pair.document.title}”" for pair in scene.pairs)
    assert effect.examples == [
        f"{first}: 0: the only grade; without 1 judgment of excluded raters",
        f"{last}: no grade: only excluded raters judged it",
    ]
    assert grades(scene) == [None, 1, 2]
    assert not Exclusion.objects.exists()


def test_a_rater_is_left_out_with_a_note_and_taken_back(client, scene):
    left_out = client.post(
        address(scene, scene.ben), {"action": "exclude", "note": "At random."}, follow=True
    )
    assert left_out.redirect_chain == [(reverse("list-raters", args=[scene.list.pk]), 302)]
    assert "Rater B no longer counts. 2 grades changed." in left_out.content.decode()
    assert "left out of the grades" in left_out.content.decode()
    assert grades(scene) == [0, 1, None]

    before = client.get(address(scene, scene.ben, "?names=shown"))
    assert "At random." in before.content.decode()
    changes = before.context["effect"].changes
    assert (changes.added, changes.removed) == (1, 1)
    back = client.post(address(scene, scene.ben, "?names=shown"), {"action": "include"}, follow=True)

    assert f"{scene.ben.username} counts again" in back.content.decode()
    assert grades(scene) == [None, 1, 2]


def test_a_form_that_is_sent_twice_is_not_undone(client, scene):
    there = address(scene, scene.ben)

    pages = [client.post(there, {"action": "exclude"}, follow=True).content.decode() for _ in range(2)]
    assert "Rater B no longer counts" in pages[0]
    assert "Rater B is left out already." in pages[1]
    assert Exclusion.objects.standing().count() == 1

    pages = [client.post(there, {"action": "include"}, follow=True).content.decode() for _ in range(2)]
    assert "Rater B counts again" in pages[0]
    assert "Rater B counts already." in pages[1]
    assert not Exclusion.objects.standing().exists()


@pytest.mark.parametrize("data", [{}, {"action": "delete"}])
def test_without_a_button_nothing_is_done(client, scene, data):
    response = client.post(address(scene, scene.ben), data)

    assert response.status_code == 422
    assert "Press the button again." in response.content.decode()
    assert 'value="exclude"' in response.content.decode()
    assert not Exclusion.objects.exists()


def test_a_rater_whose_judgments_change_nothing(client, scene):
    carl = scene.rater()
    scene.judge(carl, scene.pairs[1].pk, value=1)

    response = client.get(address(scene, carl))

    assert response.context["effect"].changes.total == 0
    assert "No grade changes." in response.content.decode()


@pytest.mark.parametrize(("query", "expected"), [("?pair={}", ""), ("?pair={}&names=shown", "?names=shown")])
def test_the_way_leads_back_to_the_disagreement(client, scene, query, expected):
    pair = scene.pairs[0].pk

    response = client.post(address(scene, scene.ben, query.format(pair)), {"action": "exclude"})

    assert response["Location"] == reverse("disagreement", args=[scene.list.pk, pair]) + expected


def test_a_note_that_is_too_long_is_refused(client, scene):
    response = client.post(address(scene, scene.ben), {"action": "exclude", "note": "x" * 1001})

    assert response.status_code == 422
    assert not Exclusion.objects.exists()


def test_a_rater_of_another_query_set_is_not_there(client, scene):
    stranger = make.make_rater(make.make_query_set())

    address = reverse("rater-exclusion", args=[scene.list.pk, stranger.pk])
    assert client.get(address).status_code == 404
