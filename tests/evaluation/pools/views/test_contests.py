"""Add pairs starts judging that goes on until it is decided, says how far it is and how it ended, and stops it."""

import pytest
from django.urls import reverse
from django.utils import timezone

from evaluation.models import Contest
from evaluation.pools.actions.contests import go_on
from judgments.models import Pair
from tests.evaluation.pools.deciding import deciding_form, judge_all

pytestmark = pytest.mark.django_db


def contest_form(runs, **others):
    further = {"queries": "every", "formula": "DCG@4", "until_decided": "1", "budget": 100}
    return deciding_form(runs, **further | others)


def start(client, judgment_list, runs, **others):
    return client.post(
        reverse("list-pairs", args=[judgment_list.pk]), contest_form(runs, **others), follow=True
    )


def text(response):
    return " ".join(response.content.decode().split())


def page(client, judgment_list):
    return text(client.get(reverse("list-pairs", args=[judgment_list.pk])))


def test_the_preview_offers_it(client, world):
    judgment_list, runs = world
    parameters = contest_form(runs) | {"until_decided": ""}
    html = text(client.get(reverse("list-pairs", args=[judgment_list.pk]), parameters))

    assert 'name="until_decided" value="1"' in html
    assert 'name="budget" value="100"' in html
    assert not Contest.objects.exists()


def test_it_starts_and_the_page_says_how_far_it_is(client, world):
    judgment_list, runs = world
    html = text(start(client, judgment_list, runs))

    contest = Contest.objects.get()
    assert (contest.baseline, contest.run) == runs
    assert (contest.batch_size, contest.budget, contest.judgments_requested, contest.formula) == (
        25,
        100,
        25,
        "DCG@4",
    )
    assert "25 of at most 100 judgments requested. 25 pairs wait for raters" in html
    judge_all(judgment_list)
    go_on(contest=contest, at=timezone.now())
    assert "50 of at most 100 judgments requested" in page(client, judgment_list)
    assert "So far new is ahead of old: " in page(client, judgment_list)


def test_while_it_goes_on_no_other_one_is_offered(client, world):
    judgment_list, runs = world
    start(client, judgment_list, runs)
    judge_all(judgment_list)

    parameters = contest_form(runs) | {"until_decided": ""}
    html = text(client.get(reverse("list-pairs", args=[judgment_list.pk]), parameters))
    assert "Add 25 pairs" in html
    assert 'name="until_decided" value="1"' not in html


def test_a_second_click_starts_nothing_and_says_so(client, world):
    judgment_list, runs = world
    start(client, judgment_list, runs)
    html = text(start(client, judgment_list, runs))

    assert "already being added to this list" in html
    assert Contest.objects.count() == 1
    assert Pair.objects.count() == 25


def test_it_is_stopped_once(client, world):
    judgment_list, runs = world
    start(client, judgment_list, runs)
    address = reverse("contest-stop", args=[Contest.objects.get().pk])

    first, second = (text(client.post(address, follow=True)) for _ in range(2))

    assert "Pairs that wait for raters stay in the list" in first
    assert "It had already ended" in second
    assert "before it was decided" in first
    assert Contest.objects.get().outcome == "stopped"
    assert client.get(address).status_code == 405


@pytest.mark.parametrize(
    ("outcome", "told"),
    [
        ("decided", "new is better than old on these queries"),
        ("spent", "raters have given all judgments that you allowed"),
        ("exhausted", "nothing is left that raters can judge"),
        ("failed", "A sentence of the failure."),
    ],
)
def test_the_page_says_how_it_ended(client, world, outcome, told):
    judgment_list, runs = world
    start(client, judgment_list, runs)
    contest = Contest.objects.get()
    Contest.objects.update(
        outcome=outcome,
        ended_at=timezone.now(),
        failure="A sentence of the failure." if outcome == "failed" else "",
        outlook=contest.outlook | {"z": 3.0, "expected": 0.2, "judged": 25},
    )

    html = page(client, judgment_list)
    assert told in html
    assert "25 of at most 100 judgments requested" in html
    assert reverse("contest-stop", args=[contest.pk]) not in html


def test_a_paused_list_is_said_to_hold_it_up(client, world):
    judgment_list, runs = world
    start(client, judgment_list, runs)
    assert "This list is paused" not in page(client, judgment_list)
    judgment_list.paused = True
    judgment_list.save()
    assert "This list is paused. Raters get these pairs" in page(client, judgment_list)


@pytest.mark.parametrize(
    ("wrong", "sentence"),
    [
        ({"budget": 24}, "Enter 25 or more the size of one batch."),
        ({"budget": ""}, "Fill in this field."),
        ({"budget": 10**9}, "1000000"),
        ({"documents": "every"}, "Choose “what decides” to keep adding until it’s decided."),
    ],
)
def test_wrong_values_start_nothing(client, world, wrong, sentence):
    judgment_list, runs = world
    response = start(client, judgment_list, runs, **wrong)

    assert response.status_code == 422
    assert sentence in text(response).replace(",", "")
    assert not Contest.objects.exists()
    assert not Pair.objects.exists()
