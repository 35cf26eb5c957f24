"""Summaries that were adjusted to changed grades have the same digits as those of a new evaluation."""

import random
import statistics
from dataclasses import replace
from threading import Thread

import pytest
from django.db import connections, transaction

from evaluation.models import Evaluation, EvaluationTotals, Score
from evaluation.scores.actions import scores
from evaluation.scores.actions.scores import bring_up_to_date
from evaluation.scores.actions.scoring_request import ScoringRequest
from evaluation.scores.sql import totals
from evaluation.scores.sql.scores import read_fingerprint
from evaluation.scores.sql.storing import sum_anew
from evaluation.scores.sql.totals import read_spreads
from tests import factories as make
from tests.evaluation.scored import change_grade, evaluate, make_grades, make_ranking, make_scale
from tests.judgments.working import somebody_is_held_up, until
from touchstone_core.metrics.formula import Formula

pytestmark = pytest.mark.django_db
NAMES = ("a", "b", "c")
FORMULA = Formula(cutoff=2)


@pytest.fixture
def scene():
    """Seven queries with equal retrieval scores here and there, in a list whose gains aren't decimals of few places."""
    query_set = make.make_query_set()
    judgment_list = make.make_list(query_set, scale=make_scale(0, 1 / 3, 0.7, 2.1))
    run = make.make_run(query_set)
    queries = [make.make_query(query_set, f"q{number}", weight=1 + number % 3) for number in range(7)]
    for number, query in enumerate(queries):
        make_grades(judgment_list, query, dict(zip(NAMES, (0, 2.1, 1 / 3), strict=True)))
        if number:
            make_ranking(run, query, ["b", "a", "x"], [3, 3 - number % 2, 1])
    return judgment_list, run, queries


@pytest.fixture
def summed_anew(monkeypatch):
    """The evaluations of each call that sums totals anew."""
    found = []
    monkeypatch.setattr(scores, "sum_anew", lambda *given: (found.append(given[1]), sum_anew(*given)))
    return found


def evaluated(run, judgment_list, formula):
    """The figures of the evaluation, brought up to date. Weighted means are sums of floats, which have no exact digits."""
    evaluate(run, judgment_list, formula)
    figures = Evaluation.objects.values().get()
    inexact = {"id", "computed_at", *(name for name in figures if name.startswith("weighted_"))}
    return {name: value for name, value in figures.items() if name not in inexact}


def anew(judgment_list, run, formula):
    """What a new evaluation says. The old one stays."""
    with transaction.atomic():
        Evaluation.objects.all().delete()
        found = evaluated(run, judgment_list, formula)
        transaction.set_rollback(True)
    return found


@pytest.mark.parametrize("formula", [FORMULA, Formula(cutoff=2, zero="skip", missing="skip")])
def test_adjusted_summaries_have_the_digits_of_new_ones(scene, formula, summed_anew):
    judgment_list, run, queries = scene
    evaluate(run, judgment_list, formula)
    draw = random.Random(7)
    for step in range(8):
        query = queries[step % 7]
        values = [None] * 3 if step == 3 else [draw.choice([0, 1 / 3, 0.7, 2.1, None]) for _ in NAMES]
        for name, value in zip(NAMES, values, strict=True):
            change_grade(judgment_list, query, name, value)
        summed_anew.clear()
        adjusted = evaluated(run, judgment_list, formula)
        assert summed_anew == []
        assert adjusted == anew(judgment_list, run, formula)


def test_a_query_without_grades_that_leaves_the_list_changes_no_total(scene):
    judgment_list, run, _ = scene
    bare = make.make_query(judgment_list.query_set)
    make_grades(judgment_list, bare, {"c": None})
    before = evaluated(run, judgment_list, FORMULA)

    judgment_list.pairs.filter(query=bare).delete()
    judgment_list.list_queries.filter(query=bare).delete()
    after = evaluated(run, judgment_list, FORMULA)

    assert after.pop("revision") == after.pop("further_revision") == read_fingerprint(judgment_list.pk)
    assert before.items() >= after.items()
    assert EvaluationTotals.objects.get().revision == read_fingerprint(judgment_list.pk)


def test_totals_of_one_run_are_adjusted_and_those_of_a_new_one_summed(scene, summed_anew):
    judgment_list, run, queries = scene
    evaluate(run, judgment_list, FORMULA)
    new = make.make_run(judgment_list.query_set)
    make_ranking(new, queries[1], ["a"])
    change_grade(judgment_list, queries[1], "a", 2.1)
    summed_anew.clear()

    bring_up_to_date(ScoringRequest(judgment_list, [run, new], FORMULA))

    (evaluation,) = Evaluation.objects.filter(run=new)
    assert summed_anew == [[evaluation.pk]]
    assert Score.objects.filter(evaluation=evaluation, retrieved=1).get().query == queries[1]
    Evaluation.objects.filter(run=new).delete()
    assert evaluated(run, judgment_list, FORMULA) == anew(judgment_list, run, FORMULA)


@pytest.mark.django_db(transaction=True)
def test_who_had_to_wait_for_another_view_adjusts_its_totals(scene, summed_anew):
    judgment_list, run, queries = scene
    evaluate(run, judgment_list, FORMULA)
    change_grade(judgment_list, queries[1], "a", 2.1)
    summed_anew.clear()

    with transaction.atomic():
        bring_up_to_date(ScoringRequest(judgment_list, [run], FORMULA))
        waiting = Thread(target=_change_and_look, args=(judgment_list, run, queries[2]))
        waiting.start()
        until(somebody_is_held_up)
    waiting.join()

    assert summed_anew == []
    assert evaluated(run, judgment_list, FORMULA) == anew(judgment_list, run, FORMULA)


def _change_and_look(judgment_list, run, query):
    change_grade(judgment_list, query, "a", 2.1)
    bring_up_to_date(ScoringRequest(judgment_list, [run], FORMULA))
    connections.close_all()


@pytest.mark.parametrize("late", [False, True])
def test_a_deleted_query_leaves_the_totals(scene, late):
    judgment_list, run, queries = scene
    evaluate(run, judgment_list, FORMULA)

    queries[1].delete()
    if late:
        make.make_query(judgment_list.query_set)
    change_grade(judgment_list, queries[2], "a", 2.1)

    assert evaluated(run, judgment_list, FORMULA) == anew(judgment_list, run, FORMULA)
    assert Evaluation.objects.get().judged_queries == 6


def test_medians_and_weighted_means_wait_until_somebody_asks(scene):
    judgment_list, run, queries = scene
    evaluate(run, judgment_list, FORMULA)
    change_grade(judgment_list, queries[2], "a", 2.1)
    scoring = ScoringRequest(judgment_list, [run], FORMULA)

    bring_up_to_date(scoring)

    evaluation = Evaluation.objects.get()
    values = list(Score.objects.order_by("query").values_list("dcg", flat=True))
    assert evaluation.dcg == pytest.approx(statistics.fmean(values))
    assert (evaluation.median_dcg, evaluation.weighted_dcg) == (None, None)

    bring_up_to_date(replace(scoring, every_average=True))

    evaluation.refresh_from_db()
    assert evaluation.median_dcg == pytest.approx(statistics.median(values))
    weights = [1 + number % 3 for number in range(7)]
    assert evaluation.weighted_dcg == pytest.approx(statistics.fmean(values, weights))


def test_totals_that_are_not_of_the_evaluation_are_not_adjusted(scene):
    """As after a version of the site that knew no totals has updated the evaluation."""
    judgment_list, run, queries = scene
    evaluate(run, judgment_list, FORMULA)
    EvaluationTotals.objects.update(revision=7)
    assert read_spreads([Evaluation.objects.get().pk], "dcg") == {}
    Score.objects.filter(query=queries[1]).update(shown=1, judged=1)

    change_grade(judgment_list, queries[2], "a", 2.1)

    assert evaluate(run, judgment_list, FORMULA).holes == sum(
        score.shown - score.judged for score in Score.objects.all()
    )


def test_the_spread_is_the_standard_deviation_of_the_values(scene):
    judgment_list, run, _ = scene
    evaluation = evaluate(run, judgment_list, Formula(missing="skip"))

    for column in totals.AVERAGE_COLUMNS:
        values = Score.objects.filter(**{f"{column}__isnull": False}).values_list(column, flat=True)
        count, spread = read_spreads([evaluation.pk], column)[evaluation.pk]
        assert (count, spread) == (6, pytest.approx(statistics.stdev(values), abs=1e-12))
