"""Large comparisons: a real worker, in this process, on what was committed."""

from types import SimpleNamespace

import pytest
from django.db import connection
from procrastinate.contrib.django.models import ProcrastinateJob

from evaluation.comparisons.actions import comparing_jobs
from evaluation.comparisons.actions.comparing import Question, compare_runs
from evaluation.comparisons.actions.comparing_jobs import BeingComparedError, answer_or_ask, is_large
from evaluation.comparisons.actions.comparing_queries import compare_queries
from evaluation.models import ComparisonLook, ComparisonResult, Evaluation, MeasureEvaluation
from evaluation.runs.actions.runs import delete_run
from judgments.lists.actions.versions import freeze_version
from judgments.models import Role
from tests import factories as make
from tests.evaluation.comparisons.actions.test_gone_meanwhile import deleted_before_it_is_stored
from tests.evaluation.scored import change_grade
from tests.evaluation.two_runs import committed_list, comparison_address
from tests.judgments.working import taken_by_a_dead_worker, work
from touchstone_core.metrics.errors import MetricsError
from touchstone_core.metrics.formula import Formula
from touchstone_core.metrics.selection import read_measures

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("no_jobs")]


@pytest.fixture(autouse=True)
def _everything_is_large(monkeypatch):
    monkeypatch.setattr(comparing_jobs, "AT_ONCE", 9)


@pytest.fixture
def judgment_list(transactional_db):
    with committed_list() as judgment_list:
        yield judgment_list


def question_of(judgment_list, **others):
    runs = tuple(judgment_list.query_set.runs.order_by("pk"))
    asked = {"judgment_list": judgment_list, "version": None, "runs": runs, "formula": Formula()}
    return Question(**asked | {"on": "global"} | others)


def ask(question, **others):
    return answer_or_ask(question=question, user=None, at=make.NOW, **others)


def test_a_comparison_is_large_by_queries_times_runs(judgment_list, monkeypatch):
    version = freeze_version(judgment_list=judgment_list, at=make.NOW)
    question, frozen = question_of(judgment_list), question_of(judgment_list, version=version)

    assert (is_large(question), is_large(frozen)) == (True, True)
    monkeypatch.setattr(comparing_jobs, "AT_ONCE", 10)
    assert (is_large(question), is_large(frozen)) == (False, False)


def test_a_worker_answers_what_a_request_would(judgment_list):
    version = freeze_version(judgment_list=judgment_list, at=make.NOW)
    question = question_of(judgment_list, version=version, on="RR", measures=read_measures("RR P@1"))
    engineer = make.make_user()

    with pytest.raises(BeingComparedError) as waiting:
        answer_or_ask(question=question, user=engineer, at=make.NOW)
    work()
    told = ask(question)

    assert not waiting.value.running
    assert told.figures["comparisons"][0]["difference"]["mean"] == 0.5
    assert not told.outdated
    assert compare_runs(question=question, user=None, at=make.NOW).result == told.result
    assert not ProcrastinateJob.objects.exists()
    assert ComparisonLook.objects.get().by == engineer


def ask_and_wait(question):
    """Whether a worker is at it."""
    with pytest.raises(BeingComparedError) as waiting:
        ask(question)
    return waiting.value.running


def test_one_that_waits_serves_whatever_is_judged_meanwhile(judgment_list):
    question = question_of(judgment_list)
    ask_and_wait(question)
    ask_and_wait(question)
    change_grade(judgment_list, judgment_list.query_set.queries.earliest("pk"), "0-bad", 3)

    ask_and_wait(question)

    assert ProcrastinateJob.objects.count() == 1
    work()
    assert ask(question).figures["comparisons"][0]["difference"]["mean"] < 0.5


def test_beside_one_that_runs_on_earlier_grades_one_waits(judgment_list):
    question = question_of(judgment_list)
    ask_and_wait(question)
    taken_by_a_dead_worker()
    same_state = (ask_and_wait(question), ProcrastinateJob.objects.count())
    for value in (1, 2):
        change_grade(judgment_list, judgment_list.query_set.queries.earliest("pk"), "0-bad", value)
        ask_and_wait(question)

    assert same_state == (True, 1)
    assert sorted(ProcrastinateJob.objects.values_list("status", flat=True)) == ["doing", "todo"]
    locks = ProcrastinateJob.objects.values_list("lock", flat=True)
    assert len(set(locks)) == 1
    assert None not in locks


def test_two_who_ask_at_the_same_moment_ask_once(judgment_list):
    """The other's job was not there yet when we looked: here because it looks like one of another question."""
    question = question_of(judgment_list)
    ask_and_wait(question)
    with connection.cursor() as cursor:
        cursor.execute("UPDATE procrastinate_jobs SET args = args - 'question'")

    ask_and_wait(question)

    assert ProcrastinateJob.objects.count() == 1


def test_another_question_waits_beside_it(judgment_list):
    ask_and_wait(question_of(judgment_list))

    ask_and_wait(question_of(judgment_list, on="max"))

    assert ProcrastinateJob.objects.count() == 2


def test_it_says_that_a_worker_is_at_it(judgment_list):
    question = question_of(judgment_list)
    with pytest.raises(BeingComparedError):
        ask(question)
    taken_by_a_dead_worker()

    with pytest.raises(BeingComparedError) as waiting:
        ask(question)

    assert waiting.value.running


def test_while_others_judge_the_earlier_answer_can_be_had(judgment_list):
    question = question_of(judgment_list)
    with pytest.raises(BeingComparedError):
        ask(question, earlier=True)
    work()
    before = ask(question)
    change_grade(judgment_list, judgment_list.query_set.queries.earliest("pk"), "0-bad", 3)

    with pytest.raises(BeingComparedError):
        ask(question)
    earlier = ask(question, earlier=True)
    work()
    after = ask(question)

    assert (earlier.result, earlier.outdated) == (before.result, True)
    assert not after.outdated
    assert after.result != before.result


def test_an_earlier_answer_whose_scores_are_forgotten_is_not_shown(judgment_list):
    question = question_of(judgment_list)
    compare_runs(question=question, user=None, at=make.NOW)
    change_grade(judgment_list, judgment_list.query_set.queries.earliest("pk"), "0-bad", 3)
    Evaluation.objects.get(run=question.runs[1]).delete()

    with pytest.raises(BeingComparedError):
        ask(question, earlier=True)


def test_where_a_worker_has_failed_the_request_says_why(judgment_list):
    question = question_of(judgment_list, measures=read_measures("ERR(max=1)@10"))
    with pytest.raises(BeingComparedError):
        ask(question)
    work()

    with pytest.raises(MetricsError):
        ask(question)

    assert ProcrastinateJob.objects.get().status == "failed"


def test_what_was_deleted_meanwhile_is_not_compared(judgment_list):
    question = question_of(judgment_list)
    with pytest.raises(BeingComparedError):
        ask(question)
    delete_run(run=question.runs[1])

    work()

    assert not ComparisonResult.objects.filter(judgment_list=judgment_list).exists()
    assert not ProcrastinateJob.objects.exists()


def test_what_is_deleted_while_a_worker_compares_it_is_no_fault(judgment_list):
    question = question_of(judgment_list)
    ask_and_wait(question)

    job = ProcrastinateJob.objects.get()

    with connection.execute_wrapper(deleted_before_it_is_stored(question.runs[1])):
        comparing_jobs.compare_in_background(SimpleNamespace(job=job), **job.args)

    assert judgment_list.query_set.runs.count() == 1


def test_queries_of_a_large_comparison_wait_until_its_runs_are_scored(judgment_list):
    question = question_of(judgment_list)
    given = {"question": question, "candidate": question.runs[1], "user": None, "at": make.NOW}

    with pytest.raises(BeingComparedError):
        compare_queries(**given)
    work()

    assert len(compare_queries(**given).table.queries) == 5


def test_queries_whose_grades_have_changed_are_scored_by_the_request(judgment_list):
    question = question_of(judgment_list)
    compare_runs(question=question, user=None, at=make.NOW)
    change_grade(judgment_list, judgment_list.query_set.queries.earliest("pk"), "0-bad", 3)

    found = compare_queries(question=question, candidate=question.runs[1], user=None, at=make.NOW)

    assert found.table.difference.tolist()[0] == 0
    assert not ProcrastinateJob.objects.exists()


def test_queries_wait_until_a_worker_has_scored_the_further_measures(judgment_list):
    compare_runs(question=question_of(judgment_list), user=None, at=make.NOW)
    question = question_of(judgment_list, measures=read_measures("RR P@1"))
    given = {"question": question, "candidate": question.runs[1], "user": None, "at": make.NOW}

    with pytest.raises(BeingComparedError):
        compare_queries(**given)
    before = MeasureEvaluation.objects.filter(judgment_list=judgment_list).count()
    work()

    assert before == 0
    assert len(compare_queries(**given).table.queries) == 5


def test_the_page_tells_that_it_waits_then_shows_the_comparison_and_then_that_grades_moved(
    client, judgment_list
):
    client.force_login(make.make_member(judgment_list.query_set, Role.ENGINEER))
    runs = judgment_list.query_set.runs.order_by("pk")
    page, report = (
        comparison_address(judgment_list, *runs, page=name) for name in ("comparison", "comparison-report")
    )

    waiting, no_report = client.get(page).content.decode(), client.get(report)
    work()
    shown = client.get(page).content.decode()
    change_grade(judgment_list, judgment_list.query_set.queries.earliest("pk"), "0-bad", 3)
    stale = client.get(page).content.decode()

    assert "Waiting for a worker" in waiting
    assert "Verdict" not in waiting
    assert no_report.url == page
    assert "Verdict" in shown
    assert "Stale:" not in shown
    assert "grades have changed since this was computed" in stale
    assert "Verdict" in stale
