"""Another consensus rule: what it would change is what it does change."""

import pytest
from django.urls import reverse

from evaluation.models import Evaluation
from judgments.models import ConsensusGrade, ListQuery, Scale
from tests import factories as make
from tests.evaluation.scored import make_ranking
from tests.judgments.refreshed import refresh_consensus
from touchstone_core.metrics.formula import Formula

pytestmark = pytest.mark.django_db


@pytest.fixture
def judgment_list(client):
    """Two raters who differ on “a” and “c”; “d” has one judgment, and one query waits for an admin."""
    judgment_list = make.make_list(make.make_query_set(name="Shop"), name="Main", tie="lower")
    raters = [make.make_rater(judgment_list.query_set) for _ in range(2)]
    given = {("q1", "a"): (1, 3), ("q1", "b"): (2, 2), ("q2", "c"): (0, 1), ("q2", "d"): (3,)}
    for (name, document), values in given.items():
        query = judgment_list.query_set.queries.filter(external_id=name).first()
        query = query or make.make_query(judgment_list.query_set, name)
        pair = make.make_pair(judgment_list, query, make.make_document(judgment_list.query_set, document))
        for rater, value in zip(raters, values, strict=False):
            make.make_judgment(pair, rater, value=value)
    refresh_consensus(judgment_list=judgment_list)
    make.make_run(judgment_list.query_set, name="without rankings")
    for name, documents in (("one", "ab"), ("two", "ba")):
        run = make.make_run(judgment_list.query_set, name=name)
        make_ranking(run, judgment_list.query_set.queries.get(external_id="q1"), list(documents))
    client.force_login(make.make_member(judgment_list.query_set, "admin"))
    return judgment_list


def address(judgment_list, parameters=""):
    return reverse("list-rule", args=[judgment_list.pk]) + parameters


def test_what_a_rule_would_change_is_shown_and_nothing_is_saved(client, judgment_list):
    before = list(ConsensusGrade.objects.order_by("pk").values())

    context = client.get(address(judgment_list, "?rule=median&tie=higher")).context

    changes = context["grade_effect"].changes
    assert (changes.added, changes.changed, changes.removed) == (0, 2, 0)
    text = dict(judgment_list.query_set.queries.values_list("external_id", "text"))
    assert context["grade_effect"].examples == [
        f"“{text['q1']}”, “Title of a”: 1, 3: median between 1 and 3, tie goes to the higher: 3",
        f"“{text['q2']}”, “Title of c”: 0, 1: median between 0 and 1, tie goes to the higher: 1",
    ]
    assert (context["effect"].changed_runs, context["effect"].flips) == (2, 1)
    assert list(ConsensusGrade.objects.order_by("pk").values()) == before
    judgment_list.refresh_from_db()
    assert judgment_list.tie == "lower"


@pytest.mark.parametrize("tie", ["higher", "mean", "adjudicate"])
@pytest.mark.parametrize("rule", ["median", "mean", "trimmed", "majority"])
def test_saving_does_what_was_shown(client, judgment_list, rule, tie):
    shown = client.get(address(judgment_list, f"?rule={rule}&tie={tie}")).context["effect"]

    response = client.post(address(judgment_list), {"rule": rule, "tie": tie})

    assert response.status_code == 302
    again = client.get(address(judgment_list, f"?rule={rule}&tie={tie}")).context
    assert again["grade_effect"].changes.total == 0
    assert (
        "Every grade keeps its value."
        in client.get(address(judgment_list, f"?rule={rule}&tie={tie}")).content.decode()
    )
    stored = {one.run.name: one for one in Evaluation.objects.select_related("run")}
    for run, pairs in shown.rows:
        expected = [stored[run.name].ndcg_local, stored[run.name].ndcg_global]
        assert [pairs[0].now.number, pairs[2].now.number] == pytest.approx(expected)


def test_grades_can_go_and_come(client, judgment_list):
    gone = client.get(address(judgment_list, "?rule=median&tie=adjudicate")).context["grade_effect"].changes
    client.post(address(judgment_list), {"rule": "median", "tie": "adjudicate"})
    back = client.get(address(judgment_list, "?rule=mean&tie=lower")).context["grade_effect"].changes

    assert (gone.added, gone.changed, gone.removed) == (0, 0, 2)
    assert (back.added, back.changed, back.removed) == (2, 0, 0)
    assert ListQuery.objects.filter(graded_count=1).count() == 2


def test_a_query_may_lose_its_last_grade(client, judgment_list):
    judgment_list.pairs.get(document__external_id="d").judgments.all().delete()
    refresh_consensus(judgment_list=judgment_list)

    context = client.get(address(judgment_list, "?rule=median&tie=adjudicate")).context

    assert context["grade_effect"].changes.removed == 2
    assert context["effect"].changed_runs == 2


def test_a_rule_that_there_is_not_is_refused(client, judgment_list):
    for response in (
        client.get(address(judgment_list, "?rule=best&tie=lower")),
        client.post(address(judgment_list), {"rule": "median", "tie": "x"}),
    ):
        assert response.status_code == 422
        assert "isn’t one of the choices" in response.content.decode()


def test_without_a_choice_the_present_one_is_shown(client, judgment_list):
    response = client.get(address(judgment_list))

    assert "chosen" not in response.context
    assert response.context["form"]["tie"].value() == "lower"


def test_a_list_without_runs_and_judgments(client, judgment_list):
    empty = make.make_list(make.make_query_set())
    client.force_login(make.make_user(is_superuser=True))

    text = client.get(address(empty, "?rule=mean&tie=lower")).content.decode()

    assert "There are no runs yet" in text


def test_a_default_that_the_scale_does_not_allow_gives_way(client, judgment_list):
    judgment_list.scale = Scale.objects.create(name="Slider", continuous=True, minimum=0, maximum=3)
    judgment_list.save()
    make.make_saved_formula(judgment_list.query_set, formula="DCG(gain='table')@10", is_default=True)

    response = client.get(address(judgment_list, "?rule=mean&tie=lower"))

    assert response.context["formula"] == Formula()
    assert response.context["effect"].changed_runs == 2


@pytest.mark.parametrize(
    ("formula", "problem"),
    [
        ("k=0", "Cutoff: 0 is too small. Enter 1 or more."),
        ("choice=preset-none", "Unknown formula “preset-none”. Choose one from the list."),
    ],
)
@pytest.mark.parametrize("name", ["list-rule", "rater-effect"])
def test_a_formula_that_there_is_not_is_said(client, judgment_list, name, formula, problem):
    response = client.get(reverse(name, args=[judgment_list.pk]) + f"?rule=mean&tie=lower&{formula}")

    assert response.context["formula"] == Formula()
    assert [str(message) for message in response.context["messages"]] == [
        f"{problem} So the plain formula is used."
    ]


def test_settings_of_a_judged_list_lead_here_and_leave_the_rule_alone(client, judgment_list):
    settings = reverse("list-edit", args=[judgment_list.pk])
    page = client.get(settings)
    initial = {name: page.context["form"][name].value() for name in page.context["form"].fields}
    sent = {name: value for name, value in initial.items() if value is not None and value is not False}

    response = client.post(settings, sent | {"rule": "mean", "tie": "higher", "name": "Renamed"})

    assert f'href="{address(judgment_list)}"' in page.content.decode()
    assert response.status_code == 302
    judgment_list.refresh_from_db()
    assert (judgment_list.name, judgment_list.rule, judgment_list.tie) == ("Renamed", "median", "lower")
