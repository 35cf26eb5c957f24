"""Values of formulas that nobody looks at any more."""

from datetime import timedelta

import pytest

from evaluation.models import Evaluation, MeasureEvaluation, MeasureScore, Score
from evaluation.scores.actions.measures import bring_measures_up_to_date
from evaluation.scores.actions.pruning import MOST_KEPT, forget_formulas, forget_measures
from evaluation.scores.actions.scores import bring_up_to_date
from evaluation.scores.actions.scoring_request import ScoringRequest
from tests import factories as make
from tests.evaluation.scored import make_grades, make_ranking
from touchstone_core.metrics.formula import Formula
from touchstone_core.metrics.selection import read_measures

BEFORE = make.NOW - timedelta(days=1000)  # long before the clock of the database
pytestmark = pytest.mark.django_db


@pytest.fixture
def run(judgment_list):
    query = make.make_query(judgment_list.query_set)
    make_grades(judgment_list, query, {"a": 3, "b": 1})
    run = make.make_run(judgment_list.query_set)
    make_ranking(run, query, ["b", "a"])
    return run


def score(judgment_list, run, *cutoffs):
    """Each a minute after the one before."""
    for minute, cutoff in enumerate(cutoffs):
        formula = Formula(cutoff=cutoff)
        bring_up_to_date(ScoringRequest(judgment_list, [run], formula))
        later = BEFORE + timedelta(minutes=minute)
        Evaluation.objects.filter(formula=formula.key).update(computed_at=later)


def measure(judgment_list, run, *texts):
    for minute, text in enumerate(texts):
        bring_measures_up_to_date(ScoringRequest(judgment_list, [run], measures=read_measures(text)))
        later = BEFORE + timedelta(minutes=minute)
        MeasureEvaluation.objects.filter(measure=text.partition("~")[0]).update(computed_at=later)


def formulas():
    return set(Evaluation.objects.values_list("formula", flat=True))


def test_the_formulas_computed_last_stay(judgment_list, run):
    score(judgment_list, run, 1, 2, 3)

    assert forget_formulas(judgment_list=judgment_list, keep=2) == 1

    assert formulas() == {"DCG@2", "DCG@3"}
    assert Score.objects.count() == 2


def test_a_saved_formula_stays_however_old_and_is_not_counted(judgment_list, run):
    make.make_saved_formula(judgment_list.query_set, formula="DCG@1")
    score(judgment_list, run, 1, 2, 3)

    assert forget_formulas(judgment_list=judgment_list, keep=1) == 1

    assert formulas() == {"DCG@1", "DCG@3"}


def test_another_list_keeps_its_own(judgment_list, run):
    other = make.make_list(judgment_list.query_set)
    score(judgment_list, run, 1)
    score(other, run, 2)

    assert forget_formulas(judgment_list=judgment_list, keep=0) == 1

    assert formulas() == {"DCG@2"}


def test_what_is_just_being_made_counts_as_the_newest(judgment_list, run):
    score(judgment_list, run, 1, 2)
    Evaluation.objects.filter(formula="DCG@1").update(computed_at=None)

    forget_formulas(judgment_list=judgment_list, keep=1)

    assert formulas() == {"DCG@1"}


def test_a_new_formula_makes_room_for_itself(judgment_list, run):
    score(judgment_list, run, *range(1, MOST_KEPT + 2))

    assert len(formulas()) == MOST_KEPT
    assert "DCG@1" not in formulas()
    score(judgment_list, run, 1)
    assert Evaluation.objects.get(formula="DCG@1").ndcg_global is not None


def test_of_the_measures_those_computed_last_and_those_of_saved_formulas_stay(judgment_list, run):
    make.make_saved_formula(judgment_list.query_set, measures="AP nDCG@10~2")
    measure(judgment_list, run, "AP", "nDCG@10~2", "RR", "Rprec", "RR@3")

    assert forget_measures(judgment_list=judgment_list, keep=2) == 1

    kept = set(MeasureEvaluation.objects.values_list("measure", "digits"))
    assert kept == {("AP", -1), ("nDCG@10", 2), ("Rprec", -1), ("RR@3", -1)}
    assert MeasureScore.objects.count() == 4


def test_nothing_goes_where_there_is_room(judgment_list, run):
    score(judgment_list, run, 1)
    measure(judgment_list, run, "AP")

    assert forget_formulas(judgment_list=judgment_list) == 0
    assert forget_measures(judgment_list=judgment_list) == 0


def test_a_new_measure_makes_room_for_itself(judgment_list, run):
    measure(judgment_list, run, *(f"P@{cutoff}" for cutoff in range(1, MOST_KEPT + 2)))

    assert MeasureEvaluation.objects.count() == MOST_KEPT


def test_saved_measures_take_no_room_from_others(judgment_list, run):
    make.make_saved_formula(judgment_list.query_set, measures="AP")
    measure(judgment_list, run, "AP", "RR")

    assert forget_measures(judgment_list=judgment_list, keep=1) == 0
    assert MeasureEvaluation.objects.count() == 2
