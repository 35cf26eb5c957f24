"""What is compared is deleted while it is compared: on what was committed, since the database tells so at the commit."""

import pytest
from django.db import IntegrityError, connection

from evaluation.comparisons.actions.comparing import Question, compare_runs
from evaluation.comparisons.actions.comparing_errors import GoneMeanwhileError
from evaluation.comparisons.actions.comparing_queries import compare_queries
from evaluation.models import ComparisonLook, Evaluation, Run
from evaluation.runs.actions.runs import delete_run
from judgments.models import JudgmentList, User
from tests import factories as make
from tests.evaluation.scored import make_scale
from tests.evaluation.two_runs import make_two_runs
from tests.meanwhile import Before
from touchstone_core.metrics.formula import Formula
from touchstone_core.metrics.selection import read_measures

pytestmark = pytest.mark.django_db(transaction=True)
GIVEN = {"user": None, "at": make.NOW}


@pytest.fixture
def judgment_list():
    judgment_list = make.make_list(make.make_query_set(), scale=make_scale(0, 3))
    make_two_runs(judgment_list, queries=5)
    return judgment_list


@pytest.fixture
def question(judgment_list):
    runs = tuple(judgment_list.query_set.runs.order_by("pk"))
    return Question(judgment_list=judgment_list, version=None, runs=runs, formula=Formula(), on="global")


def deleted_before_it_is_stored(run):
    """The oldest answers are looked for when the new one is computed."""
    return Before(
        lambda: delete_run(run=Run.objects.get(pk=run.pk)),
        'SELECT "evaluation_comparisonresult"."id"',
        "OFFSET",
    )


def test_a_run_that_is_deleted_before_the_answer_is_stored(question):
    with (
        connection.execute_wrapper(deleted_before_it_is_stored(question.runs[1])),
        pytest.raises(GoneMeanwhileError, match="deleted meanwhile; try again"),
    ):
        compare_runs(question=question, **GIVEN)

    assert not ComparisonLook.objects.filter(judgment_list=question.judgment_list).exists()


def test_a_run_that_is_deleted_before_the_table_of_queries_is_stored(question):
    with (
        connection.execute_wrapper(deleted_before_it_is_stored(question.runs[1])),
        pytest.raises(GoneMeanwhileError),
    ):
        compare_queries(question=question, candidate=question.runs[1], **GIVEN)


def test_a_list_that_is_deleted_before_the_answer_is_stored(question):
    of = JudgmentList.objects.get(pk=question.judgment_list.pk)
    deed = Before(of.delete, 'SELECT "evaluation_comparisonresult"."id"', "OFFSET")

    with connection.execute_wrapper(deed), pytest.raises(GoneMeanwhileError):
        compare_runs(question=question, **GIVEN)


@pytest.mark.parametrize("measures", ["", "RR"])
def test_a_run_that_is_deleted_before_it_is_scored(question, measures):
    asked = Question(
        judgment_list=question.judgment_list,
        version=None,
        runs=question.runs,
        formula=question.formula,
        on="global",
        measures=read_measures(measures),
    )
    delete_run(run=Run.objects.get(pk=question.runs[1].pk))

    with pytest.raises(GoneMeanwhileError):
        compare_runs(question=asked, **GIVEN)


def test_scores_that_are_forgotten_before_they_are_read(question):
    compare_runs(question=question, **GIVEN)
    of_one = Evaluation.objects.filter(run=question.runs[1])
    deed = Before(of_one.delete, 'SELECT "evaluation_evaluation"."id"')

    with connection.execute_wrapper(deed), pytest.raises(GoneMeanwhileError):
        compare_runs(question=question, **GIVEN)

    assert compare_runs(question=question, **GIVEN).figures["comparisons"]


def test_whatever_else_cannot_be_stored_is_a_fault(question):
    nobody = User(pk=make.make_user().pk + 1)

    with pytest.raises(IntegrityError):
        compare_runs(question=question, user=nobody, at=make.NOW)
