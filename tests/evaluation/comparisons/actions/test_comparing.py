"""Comparisons are computed once for each state of the grades, and looks are counted."""

import pytest
from django.db import connection

from evaluation.comparisons.actions.comparing import (
    _LAYOUT,
    Question,
    compare_runs,
    read_compared,
    settings_of,
)
from evaluation.comparisons.actions.comparing_errors import HeldOutClosedError, NothingToCompareError
from evaluation.comparisons.actions.held_out import open_held_out
from evaluation.models import ComparisonLook, ComparisonResult
from judgments.models import ConsensusGrade
from tests import factories as make
from tests.evaluation.scored import change_grade, make_grades, make_ranking
from tests.shape import GROW, shape_of
from touchstone_core.metrics.formula import Formula
from touchstone_core.metrics.selection import read_measures

pytestmark = pytest.mark.django_db
FORMULA = Formula()


@pytest.fixture
def judgment_list():
    """Six queries; the candidate puts the good document first and the baseline second."""
    judgment_list = make.make_list(make.make_query_set())
    runs = [make.make_run(judgment_list.query_set) for _ in range(2)]
    for nth in range(6):
        query = make.make_query(judgment_list.query_set, f"q{nth}")
        make_grades(judgment_list, query, {"good": 3, "bad": 0})
        make_ranking(runs[0], query, ["bad", "good"])
        make_ranking(runs[1], query, ["good", "bad"])
    return judgment_list


def ask(judgment_list, *, on="global", formula=FORMULA, runs=None, **others):
    runs = runs or tuple(judgment_list.query_set.runs.order_by("pk"))
    settings = settings_of(judgment_list.query_set)
    question = Question(
        judgment_list=judgment_list,
        version=None,
        runs=runs,
        formula=formula,
        on=on,
        settings=settings,
        **others,
    )
    return compare_runs(question=question, user=None, at=make.NOW)


def question_of(judgment_list, **others):
    return Question(
        judgment_list=judgment_list,
        version=None,
        runs=tuple(judgment_list.query_set.runs.order_by("pk")),
        formula=FORMULA,
        on="global",
        **others,
    )


def test_the_same_question_has_the_same_answer_and_is_computed_once(judgment_list):
    first, second = ask(judgment_list), ask(judgment_list)

    assert first.result == second.result
    assert (first.figures["queries"], first.figures["left_out"]) == (6, 0)
    assert ComparisonResult.objects.get().seed == 1


def test_the_layout_says_which_fields_are_stored(judgment_list):
    assert (_LAYOUT, shape_of(ask(judgment_list).figures)) == (21, "4c6d9790"), GROW


@pytest.mark.parametrize(
    "other",
    [{"on": "max"}, {"formula": Formula(cutoff=5)}, {"measures": read_measures("RR")}],
    ids=["measure", "formula", "further measures"],
)
def test_another_question_has_another_answer(judgment_list, other):
    ask(judgment_list)

    ask(judgment_list, **other)

    assert ComparisonResult.objects.count() == 2


def test_a_changed_grade_makes_a_new_answer(judgment_list):
    before = ask(judgment_list)
    change_grade(judgment_list, judgment_list.query_set.queries.earliest("pk"), "bad", 3)

    after = ask(judgment_list)

    assert after.figures["comparisons"][0]["outcomes"]["wins"] == 5
    assert before.figures["comparisons"][0]["outcomes"]["wins"] == 6


def test_another_stored_run_makes_a_new_answer_as_it_may_have_fed_the_pool(judgment_list):
    runs = tuple(judgment_list.query_set.runs.order_by("pk"))
    before = ask(judgment_list, runs=runs)
    third = make.make_run(judgment_list.query_set)
    for query in judgment_list.query_set.queries.order_by("pk"):
        make_ranking(third, query, ["unheard-of"])

    after = ask(judgment_list, runs=runs)

    assert (before.figures["pool"]["runs"], after.figures["pool"]["runs"]) == (2, 3)
    assert after.figures["pool"]["fed"] == before.figures["pool"]["fed"]


def test_a_query_that_is_held_out_from_now_on_makes_a_new_answer(judgment_list):
    make.make_comparing(judgment_list.query_set, held_out="aside")
    ask(judgment_list)
    judgment_list.query_set.queries.filter(external_id="q0").update(tags=["aside"])

    answer = ask(judgment_list)
    with pytest.raises(HeldOutClosedError, match="closed for these runs"):
        ask(judgment_list, confirming=True)
    settings = settings_of(judgment_list.query_set)
    asked = question_of(judgment_list, confirming=True, settings=settings)
    open_held_out(question=asked, user=None, at=make.NOW)
    opened = ask(judgment_list, confirming=True)

    assert (answer.figures["queries"], answer.figures["held_out"]) == (5, 1)
    assert opened.figures["queries"] == 1
    assert set(ComparisonLook.objects.values_list("measure", "held_out")) == {
        ("nDCG@10", False),
        ("nDCG@10", True),
    }


def test_other_tags_make_a_new_answer(judgment_list):
    before = ask(judgment_list)
    judgment_list.query_set.queries.filter(external_id__in=["q0", "q1"]).update(tags=["brand"])

    tagged = ask(judgment_list)
    judgment_list.query_set.queries.filter(external_id="q1").update(tags=["brand", "other"])
    again = ask(judgment_list)

    told = [
        [(one["name"], one["queries"]) for one in answer.figures["segments"]]
        for answer in (before, tagged, again)
    ]
    assert told == [[], [("brand", 2)], [("brand", 2), ("other", 1)]]


def test_all_pairs_are_told_of_no_held_out_query(judgment_list):
    """They are opened for each candidate beside the baseline."""
    make.make_run(judgment_list.query_set)
    make.make_comparing(judgment_list.query_set, held_out="aside")
    judgment_list.query_set.queries.filter(external_id__in=["q0", "q1"]).update(tags=["aside"])
    asked = question_of(judgment_list, confirming=True, settings=settings_of(judgment_list.query_set))

    open_held_out(question=asked, user=None, at=make.NOW)

    assert ask(judgment_list).figures["pairs"] is not None
    assert ask(judgment_list, confirming=True).figures["pairs"] is None
    assert ComparisonLook.objects.filter(held_out=True, state="").count() == 2


def test_looks_name_the_measure(judgment_list):
    for on in ("global", "local", "dcg", "RR"):
        ask(judgment_list, on=on, measures=read_measures("RR"))

    assert set(ComparisonLook.objects.values_list("measure", flat=True)) == {
        *("nDCG@10", "nDCG(ideal='local')@10", "DCG@10", "RR")
    }


def test_a_formula_without_bounds_is_compared_without_them(judgment_list):
    answer = ask(judgment_list, formula=Formula(unjudged="condensed"))

    assert (answer.figures["bounds"], answer.figures["evidence"]) == (None, None)


def test_nothing_to_compare_is_told(judgment_list):
    empty = make.make_list(judgment_list.query_set)

    with pytest.raises(NothingToCompareError, match="No query has a value in every run"):
        ask(empty)
    assert not ComparisonLook.objects.exists()


def test_no_held_out_query_is_told_and_none_can_be_opened(judgment_list):
    open_held_out(question=question_of(judgment_list, confirming=True), user=None, at=make.NOW)

    assert not ComparisonLook.objects.exists()
    with pytest.raises(NothingToCompareError, match="No held-out query"):
        ask(judgment_list, confirming=True)


def test_old_answers_are_forgotten(judgment_list):
    common = {"query_set": judgment_list.query_set, "judgment_list": judgment_list}
    old = [
        ComparisonResult(**common, key=f"{nth}", seed=1, draws=1, figures={}, computed_at=make.NOW)
        for nth in range(205)
    ]
    ComparisonResult.objects.bulk_create(old)

    ask(judgment_list)

    assert ComparisonResult.objects.count() == 200
    assert not ComparisonResult.objects.filter(key="5").exists()
    assert ComparisonResult.objects.filter(key="6").exists()


class Leaving:
    """Before the queries are read, one of them leaves the list; so many times."""

    def __init__(self, judgment_list, times):
        self.queries = list(judgment_list.list_queries.order_by("pk")[:times])

    def __call__(self, execute, sql, params, many, context):
        if "JOIN judgments_query query ON query.id = judged.query_id" in sql and self.queries:
            gone = self.queries.pop()
            ConsensusGrade.objects.filter(pair__judgment_list=gone.judgment_list, query=gone.query).delete()
            gone.delete()
        return execute(sql, params, many, context)


def test_a_list_that_changes_meanwhile_is_read_again(judgment_list):
    with connection.execute_wrapper(Leaving(judgment_list, 1)):
        question = question_of(judgment_list)
        found = read_compared(question, question.runs)

    assert len(found.compared.queries) == found.pages.document.shape[1] == 5


def test_a_list_that_never_rests_is_given_up(judgment_list):
    question = question_of(judgment_list)

    with (
        connection.execute_wrapper(Leaving(judgment_list, 6)),
        pytest.raises(NothingToCompareError, match="keep changing"),
    ):
        read_compared(question, question.runs)
