"""Two runs query by query: computed once for each state of the grades, and counted as a look."""

import numpy as np
import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from evaluation.comparisons.actions.comparing import Question
from evaluation.comparisons.actions.comparing_errors import NothingToCompareError
from evaluation.comparisons.actions.comparing_queries import _LAYOUT, compare_queries
from evaluation.models import ComparisonLook, ComparisonResult
from tests import factories as make
from tests.evaluation.differing_runs import QUERIES, make_differing_runs
from tests.evaluation.scored import change_grade
from tests.shape import GROW, shape_of
from touchstone_core.comparison.page_evidence import Standing
from touchstone_core.impact.pages import Change
from touchstone_core.metrics.formula import Formula

pytestmark = pytest.mark.django_db
FORMULA = Formula()


def ask(judgment_list, runs, formula=FORMULA):
    question = Question(
        judgment_list=judgment_list, version=None, runs=tuple(runs), formula=formula, on="global"
    )
    return compare_queries(question=question, candidate=runs[-1], user=None, at=make.NOW).table


def test_the_layout_says_which_fields_are_stored(judgment_list):
    ask(judgment_list, make_differing_runs(judgment_list))

    assert (_LAYOUT, shape_of(ComparisonResult.objects.get().figures)) == (5, "7135ffe5"), GROW


def test_each_query_has_its_values_and_its_evidence(judgment_list):
    runs = make_differing_runs(judgment_list)

    table = ask(judgment_list, runs)

    second = 1 / np.log2(3)
    best = 3 + second
    assert table.difference == pytest.approx([1 - second, (second - 3) / best, 0, second - 1])
    assert table.change.tolist() == [Change.ORDER, Change.DOCUMENTS, Change.NONE, Change.DOCUMENTS]
    assert table.standing.tolist() == [
        Standing.CANDIDATE,
        Standing.BASELINE,
        Standing.EVEN,
        Standing.OPEN,
    ]
    assert (table.baseline_holes.tolist(), table.candidate_holes.tolist()) == ([0, 0, 0, 1], [0, 0, 0, 1])


def test_what_is_stored_is_what_was_computed(judgment_list):
    runs = make_differing_runs(judgment_list)
    computed = ask(judgment_list, runs).figures()

    with CaptureQueriesContext(connection) as queries:
        stored = ask(judgment_list, runs).figures()

    assert stored == computed
    assert ComparisonResult.objects.count() == 1
    assert not any("evaluation_ranking" in query["sql"] for query in queries.captured_queries)


def test_a_new_grade_makes_a_new_answer(judgment_list):
    runs = make_differing_runs(judgment_list)
    before = ask(judgment_list, runs)
    change_grade(judgment_list, judgment_list.query_set.queries.get(external_id="won"), "bad", 3)

    after = ask(judgment_list, runs)

    assert (before.difference[0] > 0, after.difference[0]) == (True, 0)


def test_a_look_is_counted_once_for_the_two_runs(judgment_list):
    runs = make_differing_runs(judgment_list)
    third = make.make_run(judgment_list.query_set)

    ask(judgment_list, [*runs, third])
    ask(judgment_list, [*runs, third])

    assert list(ComparisonLook.objects.values_list("first", "second")) == [(runs[0].pk, third.pk)]


def test_a_formula_without_bounds_says_nothing_of_missing_grades(judgment_list):
    runs = make_differing_runs(judgment_list)

    table = ask(judgment_list, runs, Formula(unjudged="condensed"))

    assert not table.judged
    assert len(table.queries) == len(QUERIES)
    assert not table.ceiling.any()


def test_without_grades_there_is_nothing_to_compare(judgment_list):
    runs = [make.make_run(judgment_list.query_set) for _ in range(2)]

    with pytest.raises(NothingToCompareError):
        ask(judgment_list, runs)
