"""The page of a plan: who sees it, and what it shows at first."""

from datetime import timedelta

import pytest
from django.urls import reverse
from django.utils import timezone

from judgments.models import Role
from tests import factories as make
from tests.html import html_of
from tests.judgments.judging.actions.scene import Scene

pytestmark = pytest.mark.django_db


@pytest.fixture
def scene(client):
    scene = Scene(queries=2, documents=3, overlap=1)
    scene.rater()
    client.force_login(make.make_member(scene.query_set, Role.ADMIN))
    return scene


def get(client, scene, **data):
    return client.get(reverse("list-plan", args=[scene.list.pk]), data)


def test_at_first_the_plan_is_for_what_is_missing(client, scene):
    response = get(client, scene)

    assert response.status_code == 200
    assert "1 rater finishes 6 judgments" in html_of(response)


def test_where_no_plan_fits_there_is_no_empty_table(client):
    scene = Scene(queries=2, documents=3, overlap=3)
    client.force_login(make.make_member(scene.query_set, Role.ADMIN))

    page = html_of(get(client, scene, raters=1))

    assert "1 rater can’t finish this list." in page
    assert "<table" not in page


def test_where_nothing_is_left_no_table_says_when_it_is_finished(client):
    empty = make.make_list(make.make_query_set(), overlap=1)
    client.force_login(make.make_member(empty.query_set, Role.ADMIN))

    wishes = {"raters": 1, "hours": 2, "week": "weekdays", "queries": 1, "documents": 0}

    plain, until = (
        html_of(client.get(reverse("list-plan", args=[empty.pk]), wishes | more))
        for more in ({}, {"deadline": timezone.localdate() + timedelta(days=7)})
    )

    assert "Nothing is left to judge." in plain
    assert "<table" not in plain
    assert "<table" in until, "it says how much would fit"


def test_a_list_without_pairs_is_planned_with_ten_documents_per_query(client, scene):
    other = make.make_list(scene.query_set, name="Empty", overlap=1)

    page = html_of(client.get(reverse("list-plan", args=[other.pk])))

    assert "20 judgments" in page


@pytest.mark.parametrize(
    "data", [{"raters": 0}, {"hours": "nan"}, {"deadline": "2020-01-01"}, {"week": "never"}, {"seconds": "x"}]
)
def test_what_makes_no_sense_is_refused_beside_its_field(client, scene, data):
    response = get(client, scene, **data)

    assert response.status_code == 422
    assert 'class="errorlist"' in response.content.decode()


def test_only_admins_plan(client, scene):
    client.force_login(make.make_member(scene.query_set, Role.ENGINEER))

    assert get(client, scene).status_code == 404


def test_a_deadline_shows_what_fits(client, scene):
    page = html_of(get(client, scene, raters=3, documents=5, seconds=30, deadline="2030-01-01"))

    assert "in time for" in page
    assert "New documents per query that fit" in page


def test_raters_who_cannot_judge_are_not_planned_with(client, scene):
    gone = scene.rater()
    assert "2 raters finish" in html_of(get(client, scene))

    gone.is_active = False
    gone.save()

    assert "1 rater finishes" in html_of(get(client, scene))


def test_admins_who_judge_are_planned_with(client, scene):
    admin = make.make_member(scene.query_set, "admin")
    assert "1 rater finishes" in html_of(get(client, scene))

    scene.judge(admin, scene.list.pairs.earliest("pk").pk)

    assert "2 raters finish" in html_of(get(client, scene))
