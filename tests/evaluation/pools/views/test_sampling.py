"""The page that adds pairs draws documents of a run at random, and says what they tell of it."""

import pytest
from django.urls import reverse

from judgments.models import Pair, Role
from tests import factories as make
from tests.api import Api
from tests.evaluation.pools.deciding import judge_all, make_deciding

pytestmark = pytest.mark.django_db


@pytest.fixture
def world(client):
    """A list without pairs, and a run with 160 documents on its pages; an engineer is signed in."""
    judgment_list, runs = make_deciding(queries=40)
    client.force_login(make.make_member(judgment_list.query_set, Role.ENGINEER))
    return judgment_list, runs[1]


def form(run, **others):
    return {"run": run.pk, "depth": 4, "documents": "sample", "judgments": 40, "formula": "DCG@4"} | others


def open_page(client, judgment_list, **parameters):
    page = client.get(reverse("list-pairs", args=[judgment_list.pk]), parameters)
    return page, " ".join(page.content.decode().split())


def post(client, judgment_list, run, **others):
    return client.post(reverse("list-pairs", args=[judgment_list.pk]), form(run, queries="every", **others))


def test_before_anything_is_judged_it_says_what_the_batch_will_tell(client, world):
    judgment_list, run = world

    page, html = open_page(client, judgment_list, **form(run))

    assert page.status_code == 200
    assert (
        "Too few documents have been drawn at random and judged yet to say what NDCG-max@4 of new would be if all 160 documents on its pages"
        in html
    )
    assert "With this batch, NDCG-max@4 is known to about ±&nbsp;0.1" in html
    assert "Add 40 pairs" in html
    assert not Pair.objects.exists()


def test_a_double_click_adds_one_batch(client, world):
    judgment_list, run = world

    first, second = (post(client, judgment_list, run, pair_count="0") for _ in range(2))

    assert (first.status_code, second.status_code) == (302, 200)
    assert "have changed since your preview" in second.content.decode()
    assert Pair.objects.count() == 40


def test_what_waits_is_named_and_then_the_level(client, world):
    judgment_list, run = world
    post(client, judgment_list, run)
    _, html = open_page(client, judgment_list, **form(run))
    assert "40 of the documents that were drawn, or in the list before, still wait for raters" in html
    assert "The estimate appears when all of them are judged." in html

    judge_all(judgment_list)

    page, html = open_page(client, judgment_list, **form(run))
    level = page.context["preview"].sample.level
    assert f"NDCG-max@4 of new would be about {level.expected:.3f}</strong>" in html
    assert f"between {level.low:.3f} and {level.high:.3f} with 95 % confidence" in html
    assert "40 documents were drawn at random, of 160 on its pages" in html
    plan = page.context["preview"].sample.plan
    first, second = ((f"±&nbsp;{width:.2f}", judgments) for width, judgments in plan[:2])
    assert f"{first[0]} takes about {first[1]} judgments from now on, {second[0]} about {second[1]}" in html


def test_once_all_is_judged_nothing_is_left_to_draw(client, world):
    judgment_list, run = world
    post(client, judgment_list, run, judgments=1000)
    judge_all(judgment_list)

    page, html = open_page(client, judgment_list, **form(run))

    level = page.context["preview"].sample.level
    assert f"NDCG-max@4 of new is {level.expected:.4f}. All documents of these pages are judged." in html
    assert "Nothing is left to draw." in html
    assert "With this batch" not in html


@pytest.mark.parametrize(
    ("others", "message"),
    [
        ({"queries": "graded"}, "A sample is drawn among all queries of the runs. Choose these."),
        ({"depth": 101}, "A sample is drawn down to rank 100 at most."),
    ],
)
def test_what_cannot_be_drawn_is_refused(client, world, others, message):
    judgment_list, run = world

    page, html = open_page(client, judgment_list, **form(run, **others))

    assert page.status_code == 422
    assert message in html


def test_of_two_runs_no_sample_is_drawn(client, world):
    judgment_list, run = world
    other = make.make_run(judgment_list.query_set)

    page, html = open_page(client, judgment_list, **(form(run) | {"run": [run.pk, other.pk]}))

    assert page.status_code == 422
    assert "Choose the one run to sample. 2 runs are chosen." in html


def test_a_run_without_results_has_nothing_to_draw(client, world):
    judgment_list, _ = world
    empty = make.make_run(judgment_list.query_set)

    page, html = open_page(client, judgment_list, **form(empty))

    assert page.status_code == 200
    assert "These runs return nothing for these queries." in html


def test_a_program_draws_and_reads_the_estimate(world):
    judgment_list, run = world
    api = Api(make.make_member(judgment_list.query_set, Role.ADMIN))
    path = f"/api/v1/lists/{judgment_list.pk}/pairs"
    address = f"{path}/preview?runs={run.pk}&depth=4&documents=sample&judgments=40"
    assert api.get(address).json()["sample"]["level"] is None
    body = {"runs": [run.pk], "depth": 4, "documents": "sample", "judgments": 40}

    assert api.post(path, body).json() == {"added": 40}
    judge_all(judgment_list)

    sample = api.get(address).json()["sample"]
    assert 0 <= sample["level"]["low"] < sample["level"]["expected"] < sample["level"]["high"] <= 1
    assert (sample["draws"], sample["documents"], sample["waiting"]) == (40, 160, 0)
    widths = [one["width"] for one in sample["plan"]]
    assert 0.01 in widths
    assert all(width < sample["width"] for width in widths)
    assert api.get(f"{path}/preview?runs={run.pk}").json()["sample"] is None
