"""What has changed between two states of a list, and what that does to its runs."""

import pytest
from django.urls import reverse

from evaluation.models import Evaluation
from judgments.lists.actions.versions import freeze_version
from tests import factories as make
from tests.evaluation.scored import change_grade, make_grades, make_ranking, make_scale

pytestmark = pytest.mark.django_db


@pytest.fixture
def judgment_list(client):
    """Frozen as version 1, then changed: “a” is worse than it was, and “d” is new."""
    judgment_list = make.make_list(make.make_query_set(name="Shop"), name="Main")
    query = make.make_query(judgment_list.query_set, "q1")
    make_grades(judgment_list, query, {"a": 3, "b": 1, "c": 0})
    for name, documents in (("first a", ["a", "b"]), ("first b", ["b", "a"])):
        make_ranking(make.make_run(judgment_list.query_set, name=name), query, documents)
    freeze_version(judgment_list=judgment_list)
    change_grade(judgment_list, query, "a", 0)
    make_grades(judgment_list, query, {"d": 2})
    client.force_login(make.make_member(judgment_list.query_set, "engineer"))
    return judgment_list


def difference(client, judgment_list, parameters="", number=1):
    return client.get(reverse("version-difference", args=[judgment_list.pk, number]) + parameters)


def test_the_grades_and_the_means_of_runs_on_both_sides(client, judgment_list):
    response = difference(client, judgment_list)

    assert response.context["counted"] == (1, 1, 0, 1)
    assert [(row.document_id, row.before, row.after) for row in response.context["rows"]] == [
        ("a", 3, 0),
        ("d", None, 2),
    ]
    effect = response.context["effect"]
    assert (effect.changed_runs, effect.flips) == (2, 1)
    assert [run.name for run, _ in effect.rows] == ["first b", "first a"]
    means = {
        one.version and one.version.number: one for one in Evaluation.objects.filter(run__name="first a")
    }
    local = effect.rows[1][1][0]
    assert (local.was.number, local.now.number) == (means[1].ndcg_local, means[None].ndcg_local)
    assert local.change == f"−{means[1].ndcg_local - means[None].ndcg_local:.4f}"
    text = " ".join(response.content.decode().split())
    assert "2 of 2 runs have other means" in text
    assert "1 pair of runs swaps places by NDCG-global" in text
    assert "the live list" in text


def test_two_versions(client, judgment_list):
    freeze_version(judgment_list=judgment_list)
    freeze_version(judgment_list=judgment_list)

    forward = difference(client, judgment_list, "?to=2")
    assert forward.context["counted"] == (1, 1, 0, 1)
    assert "From version 1 to version 2" in forward.content.decode()
    backward = difference(client, judgment_list, "?to=1", number=2)  # the earlier version is always the first
    assert backward.context["counted"] == (1, 1, 0, 1)
    assert "From version 1 to version 2" in backward.content.decode()
    same = difference(client, judgment_list, "?to=3", number=2)
    assert "Every grade is the same in both." in same.content.decode()
    assert (same.context["effect"].changed_runs, same.context["effect"].flips) == (0, 0)
    assert "<table" not in same.content.decode()
    assert {pair.change for _, pairs in same.context["effect"].rows for pair in pairs} == {"0"}


@pytest.mark.parametrize("to", ["2", "0", "-1", "x", "9" * 30])
def test_what_there_is_not_is_no_page(client, judgment_list, to):
    assert difference(client, judgment_list, f"?to={to}").status_code == 404


def test_the_whole_difference_as_a_file(client, judgment_list):
    response = difference(client, judgment_list, "?format=csv")

    lines = response.getvalue().decode("utf-8-sig").split()
    assert lines[0].startswith("query,document,version")
    assert [line.split(",")[1:] for line in lines[-2:]] == [["a", "3.0", "0.0"], ["d", "", "2.0"]]


def test_a_list_without_runs(client, judgment_list):
    other = make.make_list(make.make_query_set())
    make_grades(other, make.make_query(other.query_set), {"a": 1})
    freeze_version(judgment_list=other)
    client.force_login(make.make_user(is_superuser=True))

    assert "There are no runs yet" in difference(client, other).content.decode()


def test_a_version_on_another_scale_is_scored_on_its_own(client, judgment_list):
    version = judgment_list.versions.get()
    before = {run.name: None for run in judgment_list.query_set.runs.all()}
    for run, pairs in difference(client, judgment_list).context["effect"].rows:
        before[run.name] = pairs[0].was.number
    judgment_list.scale = make_scale(0, 1, 2, 3, gains=[0, 9, 99, 999])
    judgment_list.save()
    version.evaluations.all().delete()

    after = difference(client, judgment_list).context["effect"].rows

    assert {run.name: pairs[0].was.number for run, pairs in after} == before
