"""Runs beside a baseline by people's grades, with the help of a machine that doesn't count."""

import csv
from io import StringIO
from math import log2

import numpy as np
import pytest
from django.urls import reverse

from evaluation.comparisons.reports import machine_help as reports
from judgments.grades.actions.consensus import refresh_within
from judgments.lists.actions.versions import freeze_version
from judgments.models import Query, Role
from tests import factories as make
from tests.evaluation.scored import make_rankings, make_scale
from tests.evaluation.two_runs import comparison_address, make_two_runs
from tests.html import text_of
from tests.judgments.agreed import Agreed
from touchstone_core.comparison.values import signed
from touchstone_core.significance.prediction import prediction_powered_mean

pytestmark = pytest.mark.django_db
PEOPLE, BY_MACHINE, CHANGED, QUERIES = 40, 68, 70, 80
D = [1, 1 / log2(3)]
"""Of 80 queries with four documents, the runs differ on the first 70. People judged 40 of those and the last ten, the machine the first 68."""


class World:
    def __init__(self, client, people=PEOPLE):
        random = np.random.default_rng(3)
        scene = Agreed(queries=QUERIES, documents=4, overlap=1)
        self.people = random.integers(0, 4, size=(QUERIES, 4))
        slips = random.random((QUERIES, 4)) < 0.2
        self.machine = np.where(slips, random.integers(0, 4, size=(QUERIES, 4)), self.people)
        judged = np.isin(np.arange(QUERIES), [*range(people), *range(CHANGED, QUERIES)])[:, None]
        scene.rater("ann", _answers(self.people, judged))
        scene.machine("gpt", _answers(self.machine, np.arange(QUERIES)[:, None] < BY_MACHINE))
        self.list, self.query_set, self.scene = scene.list, scene.query_set, scene
        refresh_within(judgment_list=self.list, pair_ids=None)
        self.documents = list(self.query_set.documents.order_by("pk").values_list("external_id", flat=True))
        self.queries = list(Query.objects.filter(query_set=self.query_set).order_by("pk"))
        self.old, self.new = self.run("old", [0, 1]), self.run("new", [3, 1], same=[0, 1])
        client.force_login(make.make_member(self.query_set, Role.ENGINEER))

    def run(self, name, places, same=None):
        run = make.make_run(self.query_set, name=name)
        pages = [places if nth < CHANGED or same is None else same for nth in range(QUERIES)]
        names = [[self.documents[place] for place in page] for page in pages]
        make_rankings(run, dict(zip(self.queries, names, strict=True)))
        return run

    def address(self, **others):
        return comparison_address(self.list, self.old, self.new, page="comparison-machines", k=2, **others)


def _answers(grades, judged):
    shown = np.broadcast_to(judged, grades.shape).ravel()
    return [float(grade) if there else "-" for grade, there in zip(grades.ravel(), shown, strict=True)]


@pytest.fixture
def world(client):
    return World(client)


def rows_of(client, address):
    content = b"".join(client.get(f"{address}&format=csv").streaming_content).decode("utf-8-sig")
    return list(csv.DictReader(StringIO(content)))


def test_the_figures_are_those_of_ndcg_max(client, world):
    """At cutoff 2 and top grade 3: only the first rank differs, by document 3 instead of document 0."""
    (row,) = rows_of(client, world.address())

    ideal = 3 * sum(D)
    people, machine = ((grades[:, 3] - grades[:, 0]) / ideal for grades in (world.people, world.machine))
    found = prediction_powered_mean(
        people[:PEOPLE],
        machine[:PEOPLE],
        machine[PEOPLE:BY_MACHINE],
        changed=CHANGED,
        queries=QUERIES,
        span=1.0,
    )
    assert [
        row[name] for name in ("machine", "run", "queries", "changed", "left_out", "people", "others")
    ] == [*("gpt", "new", "80", "70", "2", "40", "28")]
    assert found.people_alone.mean == pytest.approx(people[:PEOPLE].mean() * 70 / 80)
    figures = {
        "difference": found.people_alone.mean,
        "difference_low": found.people_alone.interval.low,
        "difference_high": found.people_alone.interval.high,
        "difference_with_machine": found.with_machine.mean,
        "difference_with_machine_low": found.with_machine.interval.low,
        "difference_with_machine_high": found.with_machine.interval.high,
        "correlation": found.correlation,
    }
    assert {name: float(row[name]) for name in figures} == pytest.approx(figures)
    page = text_of(client.get(world.address()))
    width = found.with_machine.interval.high - found.with_machine.interval.low
    alone = found.people_alone.interval.high - found.people_alone.interval.low
    assert (
        f"gpt, new: {signed(found.with_machine.mean)} on average, in an interval {100 * width / alone:.1f} % as wide"
        in page
    )


def test_intervals_of_several_runs_hold_together(client, world):
    """Bonferroni: two runs beside the baseline, so 97.5 % each."""
    (alone,) = rows_of(client, world.address())
    third = world.run("third", [2, 1])

    rows = rows_of(
        client, comparison_address(world.list, world.old, world.new, third, page="comparison-machines", k=2)
    )

    assert [row["run"] for row in rows] == ["new", "third"]
    assert rows[0]["difference"] == alone["difference"]
    assert float(rows[0]["difference_high"]) > float(alone["difference_high"])


def test_a_machine_that_counts_helps_nobody(client, world):
    """Its grades are among those that it would be measured by."""
    world.list.exclusions.all().delete()

    page = text_of(client.get(world.address()))

    assert "No machine to help" in page


def test_too_few_queries_of_people_are_said(client):
    world = World(client, people=20)

    (row,) = rows_of(client, world.address())

    assert (row["people"], row["others"], row["difference"]) == ("20", "48", "")
    assert "gpt, new: It takes 30 queries on which people and the machine graded" in text_of(
        client.get(world.address())
    )


def test_a_machine_that_graded_no_further_query_is_no_help_for_that_reason(client):
    """Its differences go with people's: they judged every changed query that it graded."""
    world = World(client, people=BY_MACHINE)

    (row,) = rows_of(client, world.address())

    assert (row["people"], row["others"], float(row["correlation"]) > 0.5) == ("68", "0", True)
    assert "gpt, new: No help: there is no changed query that only the machine graded." in text_of(
        client.get(world.address())
    )


def test_a_version_has_the_grades_of_then(client, world):
    (before,) = rows_of(client, world.address())
    freeze_version(judgment_list=world.list)
    world.scene.list.judgments.filter(rater__name="ann").delete()
    refresh_within(judgment_list=world.list, pair_ids=None)

    (row,) = rows_of(client, world.address(version=1))

    assert row == before


def test_too_many_documents_are_refused(client, world, monkeypatch):
    monkeypatch.setattr(reports, "MOST_DOCUMENTS", 100)

    page = text_of(client.get(world.address(), follow=True))

    assert "Compare fewer runs, or choose a smaller cutoff." in page


def test_the_comparison_leads_there_where_the_verdict_is_unclear(client, world):
    user = world.query_set.memberships.get().user
    clear = make.make_list(make.make_query_set(), scale=make_scale(0, 3))
    clear.query_set.memberships.create(user=user, role=Role.ENGINEER)
    better = make_two_runs(clear)

    for judgment_list, runs, kind in (
        (world.list, (world.old, world.new), "unshown"),
        (clear, better, "better"),
    ):
        page = client.get(comparison_address(judgment_list, *runs, k=2))
        link = reverse("comparison-machines", args=[judgment_list.pk])
        assert [row["verdict"].kind for row in page.context["forest"]["rows"]] == [kind]
        assert (f'href="{link}?' in page.content.decode()) == (kind == "unshown")


@pytest.mark.parametrize("queries", [40, 80])
def test_statements_do_not_grow(client, world, queries, django_assert_max_num_queries):
    Query.objects.filter(pk__in=[query.pk for query in world.queries[queries:]]).delete()

    with django_assert_max_num_queries(20):
        client.get(world.address())
