"""Machines on the pages of agreement, raters and progress: what they say, and to whom."""

import csv
from io import StringIO

import pytest
from django.urls import reverse

from judgments.grades.actions.consensus import refresh_within
from judgments.models import Exclusion, Role
from tests import factories as make
from tests.html import html_of
from tests.judgments.agreed import Agreed

pytestmark = pytest.mark.django_db


@pytest.fixture
def scene(client):
    """Thirty pairs of three queries; Ann judged all, and so did a machine that grades each fifth pair one lower."""
    scene = Agreed(queries=3, documents=10)
    scene.ann = scene.rater("ann", [0, 1, 2, 3, 3] * 6)
    scene.gpt = machine(scene, "gpt", [0, 1, 2, 3, 2] * 6, origin="gpt-4o, prompt B")
    client.force_login(scene.member(Role.ADMIN))
    return scene


def machine(scene, name, values, **facts):
    rater = scene.machine(name, values, **facts)
    refresh_within(judgment_list=scene.list, pair_ids=None)
    return rater


def page(client, scene, name="list-agreement", *more, **query):
    response = client.get(reverse(name, args=[scene.list.pk, *more]), query)
    assert response.status_code == 200
    return html_of(response)


def test_a_machine_is_compared_where_no_people_agree_yet(client, scene):
    text = page(client, scene)

    assert "No pair has two judgments yet" in text
    assert "gpt-4o, prompt B" in text
    assert "80 %" in text
    assert "−0.20" in text
    assert "gpt: which grades people and the machine gave" in text


def test_single_machines_are_for_admins_as_single_raters_are(client, scene):
    client.force_login(scene.member(Role.ENGINEER))

    assert "gpt" not in page(client, scene)
    response = client.get(reverse("list-agreement", args=[scene.list.pk]), {"table": "machines"})
    assert response.status_code == 404


def test_the_file_has_all_digits(client, scene):
    response = client.get(reverse("list-agreement", args=[scene.list.pk]), {"table": "machines"})

    [row] = csv.DictReader(StringIO(response.getvalue().decode()))
    assert (row["machine"], row["origin"], row["judgments"], row["compared"]) == (
        "gpt",
        "gpt-4o, prompt B",
        "30",
        "30",
    )
    assert float(row["agreement"]) == 0.8
    assert float(row["higher_by"]) == pytest.approx(-0.2)
    assert float(row["higher_by_low"]) == pytest.approx(-0.2), "each query has the same grades"


def test_few_pairs_are_not_compared(client, scene):
    machine(scene, "llama", [1])

    assert '<td class="num quiet" colspan="3">too few</td>' in page(client, scene)


def test_the_raters_page_says_what_made_the_grades_and_that_they_do_not_count(client, scene):
    text = page(client, scene, "list-raters")

    assert "gpt-4o, prompt B" in text
    assert "left out of the grades" in text
    assert "Let count<span" in text
    assert "counts like a person" not in text


def test_a_machine_that_counts_is_marked(client, scene):
    Exclusion.objects.update(lifted_at=make.NOW)

    text = page(client, scene, "list-raters")

    assert "counts like a person" in text
    assert "Choose “Leave out” to compare it." in text


def test_the_page_that_lets_a_machine_count_says_what_that_does(client, scene):
    text = page(client, scene, "rater-exclusion", scene.gpt.pk, names="shown")
    assert "Let gpt count" in text
    assert "It would count like a person" in text

    address = reverse("rater-exclusion", args=[scene.list.pk, scene.gpt.pk]) + "?names=shown"
    done = client.post(address, {"action": "include"}, follow=True)

    assert "gpt counts. 6 grades changed." in done.content.decode()  # of 3 and 2 the list takes the lower one
    assert "Its grades stay, and are compared" in page(client, scene, "rater-exclusion", scene.gpt.pk)


def test_a_list_of_machines_alone_says_that_nothing_counts_and_leads_there(client):
    scene = Agreed(queries=1, documents=2)
    gpt = machine(scene, "gpt", [1, 2])
    client.force_login(scene.member(Role.ADMIN))

    text = page(client, scene, "list")
    assert "Only machines judged here" in text
    assert f'{reverse("rater-exclusion", args=[scene.list.pk, gpt.pk])}?names=shown">let gpt count</a' in text

    scene.rater("ann", [1])
    refresh_within(judgment_list=scene.list, pair_ids=None)
    assert "Only machines judged here" not in page(client, scene, "list")
