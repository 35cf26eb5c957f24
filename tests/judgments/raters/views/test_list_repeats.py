"""The Raters tab says how often raters gave the same grade again."""

import pytest
from django.urls import reverse
from django.utils import timezone

from judgments.models import Pair, RaterQueue
from judgments.raters.reports.raters import raters_of
from tests import factories as make
from tests.judgments.judging.actions.scene import Scene
from tests.judgments.raters.reports.test_self_agreement import give_repeats

pytestmark = pytest.mark.django_db


@pytest.fixture
def scene(client):
    scene = Scene(queries=5, documents=5)
    scene.rater_of_it = make.make_rater(scene.query_set, scene.rater())
    RaterQueue.objects.create(judgment_list=scene.list, rater=scene.rater_of_it, seed=1)
    client.force_login(make.make_member(scene.query_set, "admin"))
    return scene


def page(client, scene):
    return client.get(reverse("list-raters", args=[scene.list.pk])).content.decode()


def row(scene):
    return raters_of(scene.list, [], at=timezone.now())[0]


def test_a_list_without_repeats_has_no_column_of_them(client, scene):
    assert "Same again" not in page(client, scene)


def test_a_list_that_asks_for_repeats_says_that_there_are_none_yet(client, scene):
    scene.list.repeat_rate = 3
    scene.list.save()

    assert "Same again" in page(client, scene)
    assert row(scene).repeats_in_words == "none yet"


def test_below_twenty_repeats_there_is_no_share_and_no_distance(client, scene):
    give_repeats(scene, scene.rater_of_it, [(2, 2)] * 18 + [(2, 0), (1, None)])

    assert row(scene).repeats_in_words == "18 of 19: too few to judge"
    assert row(scene).repeat_details_in_words == "1 × cannot judge"
    assert "18 of 19: too few to judge" in page(client, scene)


def test_from_twenty_on_there_is_a_share_with_its_interval_and_how_far_apart(client, scene):
    give_repeats(scene, scene.rater_of_it, [(2, 2)] * 18 + [(2, 0)] * 2)

    # the Wilson interval of 18 of 20, as scipy.stats.binomtest(18, 20).proportion_ci(method="wilson") gives it
    assert row(scene).repeats_in_words == "18 of 20, 90 % (70–97 %)"
    assert row(scene).repeat_details_in_words == "0.20 apart on average"
    assert "18 of 20, 90 % (70–97 %)" in page(client, scene)


def test_grades_without_an_order_lie_no_distance_apart(scene):
    query_set = scene.query_set
    scale = query_set.scales.create(name="Kinds", level="nominal", maximum=2)
    for value in (0, 1, 2):
        scale.grades.create(value=value, label=str(value), gain=value, key=str(value))
    scene.list.scale = scale
    scene.list.save()
    give_repeats(scene, scene.rater_of_it, [(2, 2)] * 18 + [(2, 0)] * 2)

    assert row(scene).repeat_details_in_words == ""


def test_repeats_are_no_judgments_of_the_raters_table(scene):
    give_repeats(scene, scene.rater_of_it, [(2, 2)])

    assert (row(scene).totals.judgments, row(scene).skips, row(scene).lease_count) == (0, 0, 0)
    assert Pair.objects.filter(judgments__isnull=False).count() == 0
