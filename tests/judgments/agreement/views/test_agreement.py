"""The page of agreement: who sees what, and what it says."""

import csv
from io import StringIO

import pytest
from django.urls import reverse
from django.utils import timezone

from judgments.models import JudgmentList, Role
from tests import factories as make
from tests.html import html_of
from tests.judgments.agreed import Agreed

pytestmark = pytest.mark.django_db


@pytest.fixture
def scene(client):
    """Thirty pairs of three queries; Ann and Bob judged all, Cy two."""
    scene = Agreed(queries=3, documents=10)
    scene.ann = scene.rater("ann", [0, 1, 2, 3, 3] * 6)
    scene.bob = scene.rater("bob", [0, 1, 3, 3, 3] * 5 + [0, 1, 2, 3, None])
    scene.cy = scene.rater("=cy", [3, 3])
    client.force_login(scene.member(Role.ADMIN))
    return scene


def page(client, scene, **query):
    response = client.get(reverse("list-agreement", args=[scene.list.pk]), query)
    assert response.status_code == 200
    return html_of(response)


def table(client, scene, name, **more):
    response = client.get(reverse("list-agreement", args=[scene.list.pk]), {"table": name, **more})
    return response, list(csv.DictReader(StringIO(response.getvalue().decode())))


def test_an_admin_sees_everything(client, scene):
    text = page(client, scene)

    assert "Krippendorff’s alpha, ordinal" in text
    assert "95 % interval" in text
    assert "The interval is based on only 3 queries. Below 25 it’s rough." in text
    assert "expected by chance" in text
    assert "29 pairs in common, 83 % with the same grade. ann grades 0.17 lower on average." in text
    assert "too few" in text
    assert "and 1 “cannot judge”" in text


def test_an_engineer_sees_figures_and_no_names(client, scene):
    client.force_login(scene.member(Role.ENGINEER))

    text = page(client, scene, without=scene.bob.pk, one=scene.ann.pk, other=scene.bob.pk)

    assert "Krippendorff’s alpha" in text
    assert "29 <small" in text
    assert not any(name in text for name in ("bob", "=cy", "Rater by rater", "Two raters"))
    assert client.get(reverse("list-agreement", args=[scene.list.pk]), {"table": "raters"}).status_code == 404
    assert table(client, scene, "queries")[0].status_code == 200


def test_a_rater_does_not_see_the_page(client, scene):
    client.force_login(scene.member(Role.RATER))

    assert client.get(reverse("list-agreement", args=[scene.list.pk])).status_code == 404


def test_without_two_judgments_the_page_says_what_to_do(client):
    scene = Agreed()
    scene.rater("ann", [1, 2, 3])
    client.force_login(scene.member(Role.ADMIN))

    text = page(client, scene)

    assert "No pair has two judgments yet" in text
    assert reverse("list-edit", args=[scene.list.pk]) in text
    assert "Download CSV" not in text
    client.force_login(scene.member(Role.ENGINEER))
    assert "No pair has two judgments yet" in page(client, scene)


def test_what_is_not_defined_is_said_in_words(client):
    scene = Agreed(queries=2, documents=1)
    for name in ("ann", "bob"):
        scene.rater(name, [2, 2])
    client.force_login(scene.member(Role.ADMIN))

    text = page(client, scene)

    assert "not defined" in text
    assert "All raters gave the same grade to everything" in text
    assert "one grade</td>" in text
    assert "nan" not in text


def test_a_cell_without_a_kappa_says_why(client):
    scene = Agreed(queries=3, documents=10)
    scene.rater("ann", [2] * 30)
    scene.rater("bob", [2] * 25)
    scene.rater("cy", [2])
    scene.rater("dan", ["-"] * 29 + [1])
    client.force_login(scene.member(Role.ADMIN))

    response = client.get(reverse("list-agreement", args=[scene.list.pk]))

    reasons = {
        (name, cell.why, cell.pairs)
        for name, cells in response.context["matrix"]
        for cell in cells
        if not cell.self
    }
    assert reasons >= {("ann", "one grade", 25), ("ann", "too few", 1), ("cy", "none", 0)}
    text = html_of(response)
    assert '<span class="quiet">one grade</span> <small class="d-block ms-0">25</small>' in text
    assert '<td class="num quiet">not defined</td>' in text


def test_without_a_rater_there_may_be_nothing_to_compare(client):
    scene = Agreed()
    ann = scene.rater("ann", [1, 2])
    scene.rater("bob", [1, 2])
    client.force_login(scene.member(Role.ADMIN))

    text = page(client, scene, without=ann.pk)

    assert "Without this rater no pair has two judgments" in text
    assert "in the settings" not in text


def test_a_rater_is_left_out_of_the_whole_page(client, scene):
    text = page(client, scene, without=scene.bob.pk)

    assert "bob is left out of this page." in text
    assert "They have no pair in common" not in text
    assert "2 pairs in common" in text
    assert f'<option value="{scene.bob.pk}" selected>bob</option>' in text


@pytest.mark.parametrize("text", ["", "x", "-1", "9" * 30, "0", "٣"])
def test_a_rater_that_does_not_exist_is_no_choice(client, scene, text):
    assert "is left out of this page" not in page(client, scene, without=text)


def test_two_raters_are_compared_as_chosen(client, scene):
    assert "bob grades 0.17 higher on average" in page(client, scene, one=scene.bob.pk, other=scene.ann.pk)
    assert "Choose two different raters." in page(client, scene, one=scene.bob.pk, other=scene.bob.pk)


def test_raters_without_a_common_pair(client):
    scene = Agreed(queries=1, documents=3)
    scene.rater("ann", [1, 2, "-"])
    bob = scene.rater("bob", [1, 2, "-"])
    cy = scene.rater("cy", ["-", "-", 1])
    client.force_login(scene.member(Role.ADMIN))

    assert "They have no pair in common." in page(client, scene, one=bob.pk, other=cy.pk)


@pytest.mark.parametrize("sort", ["worth", "agreement", "distance", "alpha", "pairs", "nonsense"])
def test_queries_can_be_ordered(client, scene, sort):
    text = page(client, scene, sort=sort)

    assert ("Queries to review come first." in text) == (sort in ("worth", "nonsense"))
    assert text.count('aria-sort="') == (sort not in ("worth", "nonsense"))


def test_middle_grades_that_nobody_uses_are_noticed(client):
    scene = Agreed(queries=2, documents=10)
    for name in ("ann", "bob"):
        scene.rater(name, [0] * 9 + [3] * 10 + [1])
    client.force_login(scene.member(Role.ADMIN))

    assert "The grades between the lowest and the highest get only 5 % of all judgments." in page(
        client, scene
    )


def test_a_prevailing_grade_brings_another_coefficient(client):
    scene = Agreed(queries=2, documents=10)
    scene.rater("ann", [0] * 20)
    scene.rater("bob", [0] * 19 + [3])
    client.force_login(scene.member(Role.ADMIN))

    text = page(client, scene)

    assert "One grade has 98 % of all judgments" in text
    assert "<dt>Gwet’s AC2</dt><dd>0.9" in text


def test_a_slider(client):
    scene = Agreed(queries=2, documents=2, scale=make.preset("Slider 0–100"))
    scene.rater("ann", [10, 50, 90, 0])
    scene.rater("bob", [20, 61, 90, 40])
    client.force_login(scene.member(Role.ADMIN))

    text = page(client, scene)

    assert "Within a tenth of the range" in text
    assert "90 to 100" in text
    assert "Mean distance" in text
    assert "at all" not in text


def test_a_nominal_scale_shows_no_distances(client):
    scene = Agreed(queries=2, documents=2)
    scale = scene.query_set.scales.create(name="Kinds", level="nominal", maximum=2)
    for value in range(3):
        scale.grades.create(value=value, label=f"Kind {value}", gain=value, key=str(value))
    kinds = make.make_list(scene.query_set, scale=scale)
    for pair in scene.pairs:
        made = make.make_pair(kinds, pair.query, pair.document)
        scene.list = kinds
        for number, name in enumerate(("ann", "bob")):
            rater, _ = scene.query_set.raters.get_or_create(name=name, kind="external")
            make.make_judgment(made, rater, (pair.pk + number) % 3 if pair.pk % 2 else 1)
    client.force_login(scene.member(Role.ADMIN))

    text = page(client, scene)

    assert "alpha, nominal" in text
    assert "Cohen’s, unweighted" in text
    assert not any(words in text for words in ("Grades apart", "Higher by", "grades as high", "At most one"))


def test_tables_as_csv(client, scene):
    response, queries = table(client, scene, "queries")
    _, raters = table(client, scene, "raters")
    _, couples = table(client, scene, "couples")

    assert "agreement_queries.csv" in response["Content-Disposition"]
    assert len(queries) == 3
    assert {row["pairs"] for row in queries} == {"10", "9"}
    assert [row["rater"] for row in raters] == ["ann", "bob", "'=cy"]
    assert raters[1]["cannot_judge"] == "1"
    assert raters[0]["gave 3 Perfectly relevant"] == "12"
    assert [couples[0][name] for name in ("rater", "other", "pairs")] == ["ann", "bob", "29"]
    assert float(couples[0]["bias"]) == pytest.approx(-5 / 29)
    assert client.get(reverse("list-agreement", args=[scene.list.pk]), {"table": "x"}).status_code == 404


def test_many_queries_come_by_pages(client):
    scene = Agreed(queries=60, documents=1)
    scene.rater("ann", [1] * 60)
    scene.rater("bob", [0] * 60)
    client.force_login(scene.member(Role.ADMIN))

    assert "1–50 of 60" in page(client, scene)
    assert "51–60 of 60" in page(client, scene, page=2)


def test_of_many_raters_the_matrix_shows_those_with_the_most_judgments(client):
    scene = Agreed(queries=1, documents=2)
    for number in range(23):
        scene.rater(f"rater {number:02}", [1, 2 if number else "-"])
    client.force_login(scene.member(Role.ADMIN))

    text = page(client, scene)

    assert "The table shows the 20 raters with the most judgments." in text


NOISE = "Noise of raters makes differences between runs smaller."


def many_queries():
    """Two raters who often agree, on thirty queries of two documents: alpha's interval isn't rough, and doesn't reach 0."""
    scene = Agreed(queries=30, documents=2)
    scene.rater("ann", [0, 3, 1, 2] * 15)
    scene.rater("bob", [0, 3, 1, 3] * 15)
    return scene


ALPHA_OF_ALL = "includes people whose judgments are left out of the grades."


def noise_on(client, scene):
    return client.get(reverse("list-agreement", args=[scene.list.pk])).context["noise"].in_words


def test_noise_of_raters_is_said_with_its_numbers(client):
    scene = many_queries()
    client.force_login(scene.member(Role.ENGINEER))

    text = page(client, scene)

    assert f"{NOISE} With 2 judgments per pair" in text
    assert "With 4 judgments they would be about" in text
    JudgmentList.objects.filter(pk=scene.list.pk).update(tie="higher")
    assert NOISE not in page(client, scene)


def test_nothing_is_said_of_noise_with_few_queries(client, scene):
    assert NOISE not in page(client, scene)


def leave_out(scene, rater):
    scene.list.exclusions.create(query_set=scene.query_set, rater=rater, at=timezone.now())


def test_noise_of_raters_is_of_judgments_that_count(client):
    """Two careless people were left out, and the sentence went on with four judgments per pair."""
    scene = many_queries()
    client.force_login(scene.member(Role.ENGINEER))
    alone = noise_on(client, scene)
    careless = [scene.rater("cy", [1, 3, 0, 2] * 15), scene.rater("dan", [0, 2, 2, 3] * 15)]
    scene.list.list_queries.update(judgments_revision=1)
    assert "With 4 judgments per pair" in noise_on(client, scene)
    assert ALPHA_OF_ALL not in page(client, scene)

    for rater in careless:
        leave_out(scene, rater)

    assert noise_on(client, scene) == alone
    assert ALPHA_OF_ALL in page(client, scene)
