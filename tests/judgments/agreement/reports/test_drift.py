"""Raters beside others over time: tenths of their latest judgments, the moving average, and what to look at."""

import csv
from io import StringIO

import numpy as np
import pytest
from django.urls import reverse

from judgments.agreement.reports import drift as reports
from judgments.agreement.reports.agreement import steps_of
from judgments.models import Role
from tests import factories as make
from tests.judgments.agreed import Agreed

pytestmark = pytest.mark.django_db


@pytest.fixture
def scene():
    """Forty pairs: Ann gives 0 and 2, query by query, Bob at first the same, and one more for the last twenty; Cy judged one pair."""
    scene = Agreed(queries=10, documents=4)
    grades = np.tile(np.repeat([0.0, 2.0, 0.0, 2.0, 0.0], 4), 2)
    scene.ann = scene.rater("ann", grades)
    scene.bob = scene.rater("bob", grades + (np.arange(40) >= 20))
    scene.cy = scene.rater("cy", [None, 0.0])
    return scene


def drift_of(scene, *raters, **more):
    names = {rater.pk: rater.name for rater in raters}
    return reports.drift(scene.list, steps_of(scene.list.scale), names, list(names), **more)


def test_a_rater_is_compared_by_tenths(scene):
    report = drift_of(scene, scene.bob, without=[scene.cy.pk])

    (bob,) = report.raters
    assert [one.judgments for one in bob.slices] == [4] * 10
    assert [one.same for one in bob.slices] == [1.0] * 5 + [0.0] * 5
    assert [one.apart for one in bob.slices] == [0.0] * 5 + [1.0] * 5
    assert bob.judgments == 40


def test_the_moving_average_follows_the_formula(scene):
    report = drift_of(scene, scene.ann, scene.bob, without=[scene.cy.pk])

    bob = next(one for one in report.raters if one.name == "bob")
    assert bob.slices[4].average == 0
    assert bob.slices[5].average == pytest.approx(1 - 0.9**4)
    assert bob.slices[-1].average == pytest.approx(1 - 0.9**20)


def test_who_grades_otherwise_than_before_is_to_be_looked_at(scene):
    """Of two raters nobody can say which of them changed."""
    report = drift_of(scene, scene.cy, scene.ann, scene.bob, without=[scene.cy.pk])

    assert {one.name: one.way for one in report.raters} == {
        "ann": reports.WAYS["lower"],
        "bob": reports.WAYS["higher"],
    }


def test_a_habit_is_nothing_to_look_at_and_a_change_comes_first():
    scene = Agreed(queries=20, documents=5)
    rng = np.random.default_rng(4)
    right = rng.integers(2, size=100)
    others = [scene.rater(f"rater {number}", right + rng.integers(2, size=100)) for number in range(8)]
    mild = scene.rater("mild", right + 1.0)
    raters_to_review = scene.rater("changed", right + rng.integers(2, size=100) + (np.arange(100) >= 50))

    report = drift_of(scene, *others, mild, raters_to_review)

    assert [(one.name, one.way) for one in report.raters if one.way] == [("changed", reports.WAYS["higher"])]
    assert report.raters[0].name == "changed"


def test_the_chart_stays_in_its_box(scene):
    report = drift_of(scene, scene.bob, without=[scene.cy.pk])

    chart = report.raters[0].chart
    points = [tuple(map(float, point.split(","))) for point in chart.line.split()]
    assert points[0] == (0, reports.HEIGHT / 2)
    assert points[-1][0] == 100
    assert all(0 <= height <= reports.HEIGHT for _, height in points)
    assert 0 < chart.usual < chart.zero == reports.HEIGHT / 2


def test_few_judgments_are_not_compared(scene):
    report = drift_of(scene, scene.cy)

    assert report.raters == []


def test_grades_without_an_order_have_no_moving_average():
    query_set = make.make_query_set()
    scale = query_set.scales.create(name="Kinds", level="nominal", maximum=3)
    for value in range(4):
        scale.grades.create(value=value, label=f"kind {value}", gain=value, key=str(value))
    scene = Agreed(queries=3, documents=10)
    scene.list.scale = scale
    scene.ann = scene.rater("ann", [1.0] * 30)
    scene.rater("bob", [2.0] * 30)

    (ann,) = drift_of(scene, scene.ann).raters

    assert (ann.chart, ann.way) == (None, "")
    assert {one.same for one in ann.slices} == {0.0}


def test_admins_see_it_with_its_table_as_csv(client, scene):
    client.force_login(scene.member(Role.ADMIN))
    address = reverse("list-agreement", args=[scene.list.pk])

    text = client.get(address).content.decode()
    rows = list(csv.DictReader(StringIO(client.get(address, {"table": "time"}).getvalue().decode())))

    assert "Over time" in text
    assert text.count('<svg class="drift"') == 2
    assert "to review: grades higher than before" in text
    assert [row["rater"] for row in rows].count("bob") == 10
    assert rows[0].keys() >= {"tenth", "agreement", "higher_by", "moving_average"}
    client.force_login(scene.member(Role.ENGINEER, username="eve"))
    assert "Over time" not in client.get(address).content.decode()
    assert client.get(address, {"table": "time"}).status_code == 404
