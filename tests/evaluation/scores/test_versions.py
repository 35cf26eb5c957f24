"""Runs against a frozen version: the values stay, whatever happens to the list; every page says which it shows."""

import json
import re
from uuid import uuid4

import pytest
from django.db import IntegrityError, transaction
from django.urls import reverse

from evaluation.models import Evaluation, MeasureEvaluation, Score
from evaluation.scores.actions.measures import bring_measures_up_to_date
from evaluation.scores.actions.scores import bring_up_to_date
from evaluation.scores.actions.scoring_request import ScoringRequest
from evaluation.scores.reports.state import list_state
from judgments.judging.actions.judging import record_judgment
from judgments.lists.actions.versions import freeze_version
from judgments.models import Query
from tests import factories as make
from tests.evaluation.scored import change_grade, make_grades, make_ranking, make_scale, ndcgs, text_of
from touchstone_core.metrics.formula import Formula
from touchstone_core.metrics.measure import parse
from touchstone_core.metrics.rounding import RoundedMeasure

pytestmark = pytest.mark.django_db


@pytest.fixture
def judgment_list():
    return make.make_list(make.make_query_set(name="Shop"), name="Main")


@pytest.fixture
def queries(judgment_list):
    made = [make.make_query(judgment_list.query_set, f"q{n}", weight=n) for n in (1, 2, 3)]
    make_grades(judgment_list, made[0], {"a": 3, "b": 1, "c": None})
    make_grades(judgment_list, made[1], {"a": 2, "d": 0})
    pair = judgment_list.pairs.get(query=made[0], document__external_id="b")
    make.make_judgment(pair, make.make_rater(judgment_list.query_set), 1)
    return made


@pytest.fixture
def run(judgment_list, queries):
    run = make.make_run(judgment_list.query_set, name="bm25")
    make_ranking(run, queries[0], ["b", "c", "a"], [2.0, 1.0, 1.0])
    make_ranking(run, queries[1], ["x", "a"], [2.0, 1.0])
    return run


@pytest.fixture
def version(judgment_list, queries):
    return freeze_version(judgment_list=judgment_list, note="First", at=make.NOW)


def against(version, run, formula=None):
    formula = formula or Formula()
    bring_up_to_date(
        ScoringRequest(version.judgment_list, [run], formula, version=version, every_average=True)
    )
    return Evaluation.objects.get(run=run, version=version, formula=formula.key)


def numbers(evaluation):
    """Every stored figure of an evaluation, and of its queries."""
    own = {name: value for name, value in vars(evaluation).items() if name not in KEYS}
    scores = Score.objects.filter(evaluation=evaluation).order_by("query_id")
    return own, list(
        scores.values_list("query_id", "dcg", "ideal_local", "ideal_recall", "ideal_global", "ideal_max")
    )


KEYS = {"_state", "id", "version_id", "revision", "further_revision", "computed_at"}


def test_a_version_scores_as_the_list_did_when_it_was_frozen(judgment_list, run, version):
    bring_up_to_date(ScoringRequest(judgment_list, [run], Formula(), every_average=True))
    live = Evaluation.objects.get(run=run, version=None)

    frozen = against(version, run)

    (own, scores), (expected, same) = numbers(frozen), numbers(live)
    assert scores == same
    assert own.pop("formula") == expected.pop("formula")
    assert own == pytest.approx(expected, rel=1e-12)
    assert frozen.revision == version.fingerprint != live.revision


def test_a_score_is_the_same_after_a_hundred_further_judgments(judgment_list, queries, run, version):
    before = numbers(against(version, run))
    pairs = list(judgment_list.pairs.all())
    for number in range(100 // len(pairs)):
        rater = make.make_member(judgment_list.query_set, "rater")
        for pair in pairs:
            make.make_handout(pair.pk, rater)
            record_judgment(
                user=rater,
                judgment_list=judgment_list,
                pair_id=pair.pk,
                request_id=uuid4(),
                at=make.NOW,
                value=number % 2,
            )

    again = numbers(against(version, run))
    Evaluation.objects.all().delete()
    anew = against(version, run)

    assert judgment_list.judgments.count() == 1 + 100
    assert again == numbers(anew) == before
    bring_up_to_date(ScoringRequest(judgment_list, [run], Formula()))
    assert ndcgs(Evaluation.objects.get(run=run, version=None)) != ndcgs(anew)


def test_further_pairs_and_other_weights_do_not_change_it_either(judgment_list, queries, run, version):
    before = numbers(against(version, run))
    make_grades(judgment_list, queries[0], {"x": 3})
    make_grades(judgment_list, queries[2], {"a": 3})
    Query.objects.filter(pk=queries[0].pk).update(weight=99)
    Evaluation.objects.all().delete()

    assert numbers(against(version, run)) == before


def test_what_is_right_is_not_computed_again(django_assert_num_queries, run, version):
    against(version, run)

    with django_assert_num_queries(1):
        bring_up_to_date(ScoringRequest(version.judgment_list, [run], Formula(), version=version))


def test_further_measures_are_kept_for_each_version(judgment_list, queries, run, version):
    def mean(version):
        measures = [RoundedMeasure(parse("AP"))]
        bring_measures_up_to_date(ScoringRequest(judgment_list, [run], measures=measures, version=version))
        return MeasureEvaluation.objects.get(run=run, version=version).mean

    before = mean(version)
    assert mean(None) == before
    change_grade(judgment_list, queries[0], "b", 0)

    assert mean(version) == before != mean(None)


def test_a_version_keeps_the_scale_it_was_frozen_on(judgment_list, run, version):
    before = numbers(against(version, run))
    judgment_list.scale = make_scale(0, 1, 2, 3, gains=[0, 9, 99, 999])
    judgment_list.save()
    Evaluation.objects.all().delete()
    version.refresh_from_db()

    assert numbers(against(version, run)) == before


def test_the_state_of_a_version_is_its_hash(judgment_list, version):
    state = list_state(judgment_list, version)

    assert (state.version, state.grades, state.key) == ("1", 4, version.sha256)
    assert str(state) == (
        f"version 1, 4 grades, SHA-256 {version.sha256[:8]}…, frozen Nov 21, 2026, 12:00 UTC, computed now"
    )
    assert state.as_json["frozen"] == "2026-11-21T12:00:00+00:00"
    assert state.cells["list version"] == "1"


PAGES = ["run-table", "run", "run-query", "reconcile"]


def address(name, judgment_list, run, queries, parameters=""):
    keys = {"run-table": [], "run-query": [run.pk, queries[0].pk]}.get(name, [run.pk])
    return reverse(name, args=[judgment_list.pk, *keys]) + parameters


@pytest.mark.parametrize("name", PAGES)
def test_every_page_says_which_version_it_shows(client, engineer, judgment_list, queries, run, version, name):
    change_grade(judgment_list, queries[0], "b", 0)

    page = text_of(client.get(address(name, judgment_list, run, queries, "?version=1")))
    live = text_of(client.get(address(name, judgment_list, run, queries)))

    assert f"version 1, 4 grades, SHA-256 {version.short_hash}" in page
    assert '<option value="1" selected> version 1 (Nov 21, 2026, First) </option>' in page
    assert "live, 4 grades, state" in live
    assert '<option value="1"> version 1' in live


@pytest.mark.parametrize("name", PAGES)
def test_links_stay_with_the_version(client, engineer, judgment_list, queries, run, version, name):
    page = text_of(client.get(address(name, judgment_list, run, queries, "?version=1")))

    target = address("run", judgment_list, run, queries, "?version=1")
    if name == "run":
        target = address("run-query", judgment_list, run, queries, "?version=1")
    assert f'href="{target}' in page
    forms = re.findall("<form.*?</form>", page)
    with_formula = [form for form in forms if 'name="choice"' in form or 'name="k"' in form]
    assert with_formula
    assert all(form.count('name="version"') == 1 for form in with_formula)


@pytest.mark.parametrize("name", PAGES)
@pytest.mark.parametrize("number", ["2", "0", "x", "-1"])
def test_a_version_that_there_is_not_is_no_page(
    client, engineer, judgment_list, queries, run, version, name, number
):
    assert client.get(address(name, judgment_list, run, queries, f"?version={number}")).status_code == 404


def test_live_is_said_by_nothing_or_by_its_name(client, engineer, judgment_list, queries, run, version):
    response = client.get(address("run-table", judgment_list, run, queries, "?version=live"))

    assert response.context["version"] is None


def test_the_drill_down_shows_the_frozen_grades(client, engineer, judgment_list, queries, run, version):
    change_grade(judgment_list, queries[0], "b", 0)

    def grades(parameters, query=0):
        found = client.get(
            reverse("run-query", args=[judgment_list.pk, run.pk, queries[query].pk]) + parameters
        )
        return [row.grade.value for row in found.context["first"]], found

    frozen, response = grades("?version=1")
    assert frozen == [1, None, 3]
    assert grades("")[0] == [0, None, 3]
    assert response.context["after"] == queries[1].pk
    assert response.context["drill_down"].chip("b").how == "1: the only grade"
    assert response.context["drill_down"].ties.rows
    assert grades("?version=1", query=2)[1].context["drill_down"].judged == 0


@pytest.mark.parametrize("name", ["run-table", "run", "run-query"])
def test_files_name_the_version(client, engineer, judgment_list, queries, run, version, name):
    csv = client.get(address(name, judgment_list, run, queries, "?version=1&format=csv"))
    found = client.get(address(name, judgment_list, run, queries, "?version=1&format=json"))

    assert version.sha256 in csv.getvalue().decode()
    assert '"version": "1"' in json.dumps(json.loads(found.content))
    assert version.sha256 in text_of(found)


def test_pages_of_a_version_cost_no_more(
    client, engineer, judgment_list, queries, run, version, django_assert_max_num_queries
):
    for name in PAGES:
        client.get(address(name, judgment_list, run, queries, "?version=1"))
        with django_assert_max_num_queries(15):
            client.get(address(name, judgment_list, run, queries, "?version=1"))


@pytest.mark.parametrize("frozen", [True, False])
def test_a_run_has_one_evaluation_of_each_state_and_formula(judgment_list, run, version, frozen):
    row = {"query_set": judgment_list.query_set, "judgment_list": judgment_list, "run": run}
    row["version"] = version if frozen else None
    Evaluation.objects.create(**row, formula="DCG@10")
    MeasureEvaluation.objects.create(**row, measure="AP")

    with pytest.raises(IntegrityError, match="evaluation_once"), transaction.atomic():
        Evaluation.objects.create(**row, formula="DCG@10")
    with pytest.raises(IntegrityError, match="measure_evaluation_once"), transaction.atomic():
        MeasureEvaluation.objects.create(**row, measure="AP")
