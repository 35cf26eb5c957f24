"""Dawid-Skene through the database: what a fit stores, and what a list makes of it."""

import json

import numpy as np
import pytest
from procrastinate.contrib.django.models import ProcrastinateJob

from judgments.agreement.actions.adjudication import adjudicate, exclude_rater
from judgments.grades.actions import model_fits
from judgments.grades.actions.consensus import change_rule
from judgments.grades.actions.model_fits import FitError, fit_now
from judgments.grades.sql.model_fits import replace_grades
from judgments.lists.actions.versions import freeze_version
from judgments.models import Act, ListQuery, ModelFit, ModelGrade, Rater, Scale
from tests import factories as make
from tests.judgments.agreement import real
from tests.judgments.modelled import estimate, fill, first_pair, grades_of, how, judged, make_modelled
from tests.judgments.refreshed import refresh_consensus
from tests.judgments.working import forget_jobs
from tests.touchstone_core.grades.make_crowd_kit_answers import of_first_pairs
from tests.touchstone_core.grades.test_dawid_skene import ANSWERS

pytestmark = pytest.mark.django_db
SCALE = np.arange(4.0)


@pytest.fixture
def judgment_list():
    return make_modelled()


def test_the_crowd_through_the_database_is_what_crowd_kit_finds(monkeypatch):
    """crowd-kit has no prior; ours (2 and .5) moves the chances of few pairs across the middle."""
    monkeypatch.setattr("touchstone_core.grades.dawid_skene.ENOUGH_PER_RATER", 1)
    reference = np.array(json.loads(ANSWERS.read_text())["rounds"]["100"])
    rows = of_first_pairs(real.vuurens_labels())
    numbers = {pair: number for number, pair in enumerate(sorted({row[0] for row in rows}))}
    scale = Scale.objects.get(query_set=None, name="Binary")
    crowd = make.make_list(make.make_query_set(), scale=scale)
    fill(crowd, sorted((numbers[pair], rater, value) for pair, rater, value in rows))

    fit_now(judgment_list=crowd, rule="ds-nominal")

    results = np.array(ModelGrade.objects.order_by("pair_id").values_list("value", flat=True))
    _, expected = estimate(crowd, "nominal", grades=2)
    assert results.tolist() == expected.likeliest.tolist()
    assert ((reference > 0.5) == results).mean() > 0.9


def test_the_ordinal_grade_is_the_mean_under_the_chances_to_hundredths(judgment_list):
    fit_now(judgment_list=judgment_list, rule="ds-ordinal")

    pair_ids, expected = estimate(judgment_list, "ordinal")
    means = (expected.chances @ SCALE).round(2)
    grades = dict(ModelGrade.objects.values_list("pair_id", "value"))
    assert grades == pytest.approx(dict(zip(pair_ids, means, strict=True)))


@pytest.mark.parametrize("rule", ["ds-nominal", "ds-ordinal"])
def test_the_rule_reads_the_stored_grades_and_says_how(judgment_list, rule):
    fit_now(judgment_list=judgment_list, rule=rule)

    change_rule(judgment_list=judgment_list, rule=rule, tie="lower")

    assert grades_of(judgment_list) == dict(ModelGrade.objects.values_list("pair_id", "value"))
    assert all(": Dawid–Skene " in how(pair) for pair in judgment_list.pairs.all())
    act = Act.objects.get(verb="rule-changed")
    assert (act.judgment_list, act.before["rule"], act.after["rule"]) == (judgment_list, "median", rule)


def test_what_an_admin_decided_stands_above_the_model(judgment_list):
    fit_now(judgment_list=judgment_list, rule="ds-nominal")
    change_rule(judgment_list=judgment_list, rule="ds-nominal", tie="lower")
    pair = first_pair(judgment_list)
    admin = make.make_member(judgment_list.query_set, "admin")

    adjudicate(judgment_list=judgment_list, pair_id=pair.pk, value=1, cause="slip", user=admin, at=make.NOW)

    assert grades_of(judgment_list)[pair.pk] == 1
    assert how(pair).endswith("adjudicated 1 (a slip)")


def test_a_pair_that_is_new_to_the_model_has_the_plain_grade(judgment_list):
    fit_now(judgment_list=judgment_list, rule="ds-ordinal")
    change_rule(judgment_list=judgment_list, rule="ds-ordinal", tie="lower")
    pair = make.make_pair(
        judgment_list, first_pair(judgment_list).query, make.make_document(judgment_list.query_set)
    )
    for name, value in (("a", 2), ("b", 2)):
        make.make_judgment(pair, Rater.objects.get(name=name), value=value)

    refresh_consensus(judgment_list=judgment_list, pair_ids=[pair.pk])

    assert how(pair) == "2, 2: median 2; not in the model"


def test_a_fit_makes_only_those_queries_stale_whose_grades_it_changes(judgment_list):
    fit_now(judgment_list=judgment_list, rule="ds-nominal")
    change_rule(judgment_list=judgment_list, rule="ds-nominal", tie="lower")
    before = grades_of(judgment_list)
    revisions = dict(ListQuery.objects.values_list("query_id", "revision"))
    judged(judgment_list, value=0, name="a")
    judged(judgment_list, value=0, name="b")

    assert fit_now(judgment_list=judgment_list, rule="ds-nominal")

    after = grades_of(judgment_list)
    changed_pairs = {pair for pair in after if after[pair] != before[pair]}
    queries = set(judgment_list.pairs.filter(pk__in=changed_pairs).values_list("query_id", flat=True))
    new_revisions = {
        row.query_id for row in ListQuery.objects.all() if row.revision != revisions[row.query_id]
    }
    assert changed_pairs
    assert new_revisions == queries
    assert len(new_revisions) < ListQuery.objects.count()


def test_a_fit_of_the_same_judgments_does_nothing(judgment_list):
    assert fit_now(judgment_list=judgment_list, rule="ds-nominal")
    first = ModelFit.objects.get().fitted_at

    assert not fit_now(judgment_list=judgment_list, rule="ds-nominal")
    assert ModelFit.objects.get().fitted_at == first


def test_what_does_not_count_does_not_go_in(judgment_list):
    pair = first_pair(judgment_list)
    further = make.make_rater(judgment_list.query_set)
    make.make_judgment(pair, further, reason="language")
    make.make_judgment(pair, make.make_rater(judgment_list.query_set), value=3, gold="practice")
    admin = make.make_member(judgment_list.query_set, "admin")
    zero = Rater.objects.get(name="zero")
    exclude_rater(judgment_list=judgment_list, rater=zero, user=admin, at=make.NOW)

    fit_now(judgment_list=judgment_list, rule="ds-nominal")

    fit = ModelFit.objects.get()
    assert (fit.raters, fit.labels) == (3, 120)
    assert zero.pk not in [one["rater"] for one in fit.habits]


def test_raters_with_few_judgments_are_left_out_together(judgment_list):
    pairs = list(judgment_list.pairs.order_by("pk"))
    further = [make.make_rater(judgment_list.query_set) for _ in range(3)]
    for rater in further:
        for pair in pairs[:19]:
            make.make_judgment(pair, rater, value=3)

    fit_now(judgment_list=judgment_list, rule="ds-nominal")

    fit = ModelFit.objects.get()
    assert (fit.raters, fit.labels) == (4, 160)
    assert not {one["rater"] for one in fit.habits} & {rater.pk for rater in further}
    assert not fit_now(judgment_list=judgment_list, rule="ds-nominal")  # nothing has changed since


def test_a_list_without_a_rater_of_enough_judgments_says_so():
    few = make_modelled(pairs=10)

    with pytest.raises(FitError, match="No rater has 20 judgments"):
        fit_now(judgment_list=few, rule="ds-nominal")


def test_a_fit_keeps_how_far_it_is_from_held_back_judgments(judgment_list):
    fit_now(judgment_list=judgment_list, rule="ds-ordinal")

    comparison = ModelFit.objects.get().comparison
    assert comparison["judgments"] == 40
    assert set(comparison["plain"]) == {"mean", "median"}
    assert comparison["low"] < comparison["ahead"] < comparison["high"]


def test_excluding_a_rater_of_a_list_under_a_model_asks_for_another_fit(judgment_list):
    fit_now(judgment_list=judgment_list, rule="ds-nominal")
    change_rule(judgment_list=judgment_list, rule="ds-nominal", tie="lower")
    forget_jobs()
    admin = make.make_member(judgment_list.query_set, "admin")

    exclude_rater(judgment_list=judgment_list, rater=Rater.objects.get(name="zero"), user=admin, at=make.NOW)

    assert ProcrastinateJob.objects.get().args == {"list_id": judgment_list.pk, "rule": "ds-nominal"}


def test_a_plain_rule_asks_for_nothing(judgment_list):
    judged(judgment_list, value=3)

    assert not ProcrastinateJob.objects.exists()


def test_a_frozen_version_names_the_model_and_keeps_its_grades(judgment_list):
    fit_now(judgment_list=judgment_list, rule="ds-nominal")
    change_rule(judgment_list=judgment_list, rule="ds-nominal", tie="lower")

    version = freeze_version(judgment_list=judgment_list)

    assert version.consensus_rule.rule == "ds-nominal"
    assert version.grade_count == 40


def test_a_list_without_judgments_is_told():
    judgment_list = make.make_list(make.make_query_set())

    with pytest.raises(FitError, match="no judgments"):
        fit_now(judgment_list=judgment_list, rule="ds-nominal")


def test_an_error_without_words_is_told_by_its_name():
    assert model_fits._first_line(MemoryError()) == "MemoryError"


def test_pairs_that_go_while_the_model_is_computed_are_passed_over(judgment_list):
    fit = ModelFit.objects.create(
        query_set=judgment_list.query_set, judgment_list=judgment_list, rule="ds-nominal"
    )
    pair = first_pair(judgment_list)

    count = replace_grades(fit.pk, [(pair.pk, 1.0, 1.0, 0.5, 2), (10**9, 1.0, 1.0, 0.5, 2)])

    assert count == 1
