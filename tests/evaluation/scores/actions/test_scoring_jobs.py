"""Many scores at once: a real worker, in this process, on what was committed."""

from types import SimpleNamespace

import pytest
from procrastinate.contrib.django.models import ProcrastinateJob

from evaluation.models import Evaluation, MeasureEvaluation
from evaluation.runs.actions.runs import delete_run
from evaluation.scores.actions import scoring_jobs
from evaluation.scores.actions.scores import bring_up_to_date, is_up_to_date
from evaluation.scores.actions.scoring_jobs import BeingScoredError, score_or_ask
from evaluation.scores.actions.scoring_request import ScoringRequest
from judgments.lists.actions.versions import freeze_version
from tests import factories as make
from tests.evaluation.scored import change_grade
from tests.evaluation.two_runs import committed_list
from tests.judgments.working import taken_by_a_dead_worker, work
from touchstone_core.metrics.errors import MetricsError
from touchstone_core.metrics.formula import Formula
from touchstone_core.metrics.selection import read_measures

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("no_jobs")]
QUERIES, RUNS = 5, 2


@pytest.fixture(autouse=True)
def _all_is_many(monkeypatch):
    monkeypatch.setattr(scoring_jobs, "AT_ONCE", QUERIES * RUNS - 1)


@pytest.fixture
def judgment_list(transactional_db):
    with committed_list(queries=QUERIES) as judgment_list:
        yield judgment_list


def scoring(judgment_list, **others):
    runs = list(judgment_list.query_set.runs.order_by("pk"))
    return ScoringRequest(judgment_list, **{"runs": runs, "formula": Formula()} | others)


def waits(judgment_list, **others):
    with pytest.raises(BeingScoredError) as waiting:
        score_or_ask(scoring(judgment_list, **others))
    return waiting.value


def global_means(**where):
    found = Evaluation.objects.filter(**where).order_by("run_id").values_list("ndcg_global", flat=True)
    return [round(value, 4) for value in found]


def test_what_is_many_waits_for_a_worker_which_scores_it(judgment_list):
    waiting = waits(judgment_list)

    assert (waiting.running, waiting.done, waiting.runs) == (False, 0, 2)
    assert not Evaluation.objects.exists()
    work()
    score_or_ask(scoring(judgment_list))
    assert global_means() == [0.6309, 1.0]  # 1 / log2(3) where the good document is second
    assert not ProcrastinateJob.objects.exists()


def test_what_is_few_is_done_by_the_request(judgment_list, monkeypatch):
    monkeypatch.setattr(scoring_jobs, "AT_ONCE", QUERIES * RUNS)

    score_or_ask(scoring(judgment_list))

    assert global_means() == [0.6309, 1.0]
    assert not ProcrastinateJob.objects.exists()


def test_the_few_queries_that_somebody_has_judged_since_are_done_by_the_request(judgment_list):
    waits(judgment_list)
    work()
    change_grade(judgment_list, judgment_list.query_set.queries.earliest("pk"), "0-bad", 3)

    score_or_ask(scoring(judgment_list))

    assert is_up_to_date(scoring(judgment_list))
    assert not ProcrastinateJob.objects.exists()


def test_two_people_who_ask_for_the_same_get_one_job_and_another_formula_has_its_own(judgment_list):
    waits(judgment_list)
    waits(judgment_list)
    assert ProcrastinateJob.objects.count() == 1

    waits(judgment_list, formula=Formula(cutoff=3))

    assert ProcrastinateJob.objects.count() == 2


def test_further_measures_count_and_are_scored_with_the_rest(judgment_list, monkeypatch):
    monkeypatch.setattr(scoring_jobs, "AT_ONCE", QUERIES * RUNS)
    measures = read_measures("RR P@1")

    waits(judgment_list, measures=measures)
    work()
    score_or_ask(scoring(judgment_list, measures=measures))

    means = MeasureEvaluation.objects.filter(measure="RR").order_by("run_id").values_list("mean", flat=True)
    assert list(means) == [0.5, 1.0]
    assert MeasureEvaluation.objects.count() == 4
    assert global_means() == [0.6309, 1.0]


def test_a_version_is_scored_by_its_own_grades(judgment_list):
    version = freeze_version(judgment_list=judgment_list, at=make.NOW)
    change_grade(judgment_list, judgment_list.query_set.queries.earliest("pk"), "0-bad", 3)

    waits(judgment_list, version=version, every_average=True)
    work()
    score_or_ask(scoring(judgment_list, version=version, every_average=True))

    assert global_means(version=version) == [0.6309, 1.0]
    assert Evaluation.objects.filter(version=version, median_ndcg_global=1).count() == 1


def test_each_transaction_scores_few_runs_so_that_nobody_waits_long_for_its_locks(judgment_list, monkeypatch):
    together = []

    def spy(scoring):
        together.append([run.name for run in scoring.runs])
        return bring_up_to_date(scoring)

    waits(judgment_list)
    monkeypatch.setattr(scoring_jobs, "bring_up_to_date", spy)
    work()

    assert together == [["old"], ["new"]]


def test_how_many_runs_are_done_is_told_meanwhile(judgment_list):
    waits(judgment_list)
    taken_by_a_dead_worker()
    runs = scoring(judgment_list).runs
    bring_up_to_date(scoring(judgment_list, runs=runs[:1]))
    for name in "ab":  # so that what is left is still many
        make.make_run(judgment_list.query_set, name=name)
    waits(judgment_list)
    taken_by_a_dead_worker()

    waiting = waits(judgment_list)

    assert (waiting.running, waiting.done, waiting.runs) == (True, 1, 4)


def test_where_a_worker_has_failed_the_request_does_it(judgment_list, monkeypatch):
    waits(judgment_list)

    def fail(scoring):
        raise MetricsError("No.")

    with monkeypatch.context() as patch:
        patch.setattr(scoring_jobs, "bring_up_to_date", fail)
        work()
    score_or_ask(scoring(judgment_list))

    assert global_means() == [0.6309, 1.0]


def test_what_is_deleted_meanwhile_is_not_scored(judgment_list):
    waits(judgment_list)
    delete_run(run=scoring(judgment_list).runs[0])
    work()

    assert global_means() == [1.0]


@pytest.mark.parametrize("gone", [{"list_id": 0}, {"version_id": 0}])
def test_a_list_or_version_that_is_gone_is_forgotten(judgment_list, gone):
    arguments = {"list_id": judgment_list.pk, "version_id": None, "run_ids": [], "measures": ""}

    scoring_jobs.score_in_background(
        SimpleNamespace(job=SimpleNamespace(id=None)), **arguments | gone, formula="", every_average=False
    )

    assert not Evaluation.objects.exists()
