"""The run table in groups."""

import re
from datetime import timedelta

import pytest
from django.urls import reverse

from evaluation.models import Run
from evaluation.scores.views import run_table
from judgments.models import Role
from tests import factories as make
from tests.evaluation.scored import make_grades, make_ranking
from tests.html import html_of

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def engineer(client, judgment_list):
    user = make.make_member(judgment_list.query_set, Role.ENGINEER, username="erin")
    client.force_login(user)
    return user


@pytest.fixture
def runs(judgment_list, engineer):
    """The fewer queries a run answers, the worse it is: a is best, d worst."""
    query_set = judgment_list.query_set
    facts = {
        "a": {"tags": ["nightly", "model: bm25"], "commit": "c1"},
        "b": {"tags": ["model:dense"], "commit": "c1", "uploaded_by": engineer},
        "c": {"tags": ["Release", "nightly"], "uploaded_by": engineer},
        "d": {"tags": [], "commit": "b0"},
    }
    runs = {name: make.make_run(query_set, name=name, **own) for name, own in facts.items()}
    for place, run in enumerate(runs.values()):
        Run.objects.filter(pk=run.pk).update(created_at=make.NOW + timedelta(days=place // 2))
    for number in range(4):
        query = make.make_query(query_set)
        make_grades(judgment_list, query, {"x": 3})
        for run in list(runs.values())[: 4 - number]:
            make_ranking(run, query, ["x"])
    return runs


def page_of(client, judgment_list, query):
    return client.get(reverse("run-table", args=[judgment_list.pk]) + query)


def groups(client, judgment_list, query):
    """The names of the runs by the heading of their group, in the order of the page."""
    found, heading = {}, ""
    for row in page_of(client, judgment_list, query).context["table"].rows:
        heading = row.heading or heading
        found.setdefault(heading, []).append(row.row.run.name)
    return found


def test_without_a_choice_there_are_no_groups(client, judgment_list, runs):
    response = page_of(client, judgment_list, "")

    assert [row.heading for row in response.context["table"].rows] == [""] * 4
    assert html_of(response).count("<tbody>") == 1


@pytest.mark.parametrize(
    ("by", "expected"),
    [
        (
            "tag",
            {
                "model: bm25 (1)": ["a"],
                "model:dense (1)": ["b"],
                "nightly (2)": ["a", "c"],
                "Release (1)": ["c"],
                "no tag (1)": ["d"],
            },
        ),
        ("tag:model", {"bm25 (1)": ["a"], "dense (1)": ["b"], "no model (2)": ["c", "d"]}),
        ("commit", {"b0 (1)": ["d"], "c1 (2)": ["a", "b"], "no commit (1)": ["c"]}),
        ("day", {"Nov 22, 2026 (2)": ["c", "d"], "Nov 21, 2026 (2)": ["a", "b"]}),
        ("by", {"erin (2)": ["b", "c"], "unknown (2)": ["a", "d"]}),
    ],
)
def test_groups_come_by_name_and_their_runs_in_the_order_of_the_table(
    client, judgment_list, runs, by, expected
):
    assert list(groups(client, judgment_list, f"?group={by}").items()) == list(expected.items())


def test_the_order_of_the_table_and_its_filter_hold_within_groups(client, judgment_list, runs):
    assert groups(client, judgment_list, "?group=tag&tag=nightly&sort=global") == {
        "model: bm25 (1)": ["a"],
        "nightly (2)": ["c", "a"],
        "Release (1)": ["c"],
    }


def test_a_group_has_its_own_part_of_the_table_with_a_heading_over_all_columns(client, judgment_list, runs):
    response = page_of(client, judgment_list, "?group=by")

    page, columns = html_of(response), len(response.context["table"].headings)
    assert page.count("<tbody>") == page.count("</tbody>") == 2
    heads = re.findall(r'<th colspan="(\d+)" scope="rowgroup"><span>([^<]*)</span>', page)
    assert heads == [(str(columns), "erin (2)"), (str(columns), "unknown (2)")]


def test_only_what_makes_several_groups_can_be_chosen(client, judgment_list):
    make.make_run(judgment_list.query_set, tags=["nightly"])
    make.make_run(judgment_list.query_set, tags=["nightly", "https://ci.example.com"])

    choices = page_of(client, judgment_list, "?group=tag:https").context["filter"].groups

    assert choices == [("", "nothing"), ("tag", "tag")]


def test_groups_go_on_over_pages(client, judgment_list, runs, monkeypatch):
    monkeypatch.setattr(run_table, "PER_PAGE", 3)

    first = groups(client, judgment_list, "?group=commit")
    second = groups(client, judgment_list, "?group=commit&page=2")

    assert (first, second) == ({"b0 (1)": ["d"], "c1 (2)": ["a", "b"]}, {"no commit (1)": ["c"]})


def test_files_have_each_run_once(client, judgment_list, runs):
    rows = page_of(client, judgment_list, "?group=tag&format=json").json()["runs"]

    assert [row["run"] for row in rows] == ["a", "b", "c", "d"]


def test_a_run_that_was_selected_in_two_groups_is_compared_once(client, judgment_list, runs):
    query = f"?run={runs['a'].pk}&run={runs['c'].pk}&run={runs['a'].pk}"

    response = client.get(reverse("comparison", args=[judgment_list.pk]) + query, follow=True)

    assert response.status_code == 200
    assert response.request["QUERY_STRING"].count(str(runs["a"].pk)) == 1
    tagged = client.get(reverse("runs-tag", args=[judgment_list.query_set_id]) + query)
    assert len(tagged.context["runs"]) == 2


def test_groups_are_kept_with_a_view(client, judgment_list, runs):
    page = page_of(client, judgment_list, "?group=commit&version=live")

    assert page.context["view_query"] == "group=commit"
