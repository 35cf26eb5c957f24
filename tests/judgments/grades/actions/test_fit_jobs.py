"""Dawid-Skene as a background job: a real worker, in this process, on what was committed."""

from contextlib import contextmanager

import numpy as np
import pytest
from django.db import connection, transaction
from django.utils import timezone
from procrastinate.contrib.django.models import ProcrastinateJob

from judgments.content.actions.query_sets import archive_query_set, restore_query_set
from judgments.grades.actions.consensus import change_rule
from judgments.grades.actions.model_fits import ask_for_fit, fit_now
from judgments.models import Judgment, ModelFit, Scale
from tests import factories as make
from tests.judgments.modelled import estimate, first_pair, how, judged, make_modelled
from tests.judgments.refreshed import refresh_consensus
from tests.judgments.working import bring_forward, forget_jobs, work

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("no_jobs")]
ASKED_AGAIN_WHEN_BEGUN = """
CREATE FUNCTION ask_again() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
    INSERT INTO procrastinate_jobs (task_name, queue_name, lock, queueing_lock, args, scheduled_at)
    VALUES (NEW.task_name, NEW.queue_name, NEW.lock, NEW.queueing_lock, NEW.args, now() + interval '1 minute');
    RETURN NULL;
END $$;
CREATE TRIGGER ask_again AFTER UPDATE ON procrastinate_jobs FOR EACH ROW
WHEN (OLD.status = 'todo' AND NEW.status = 'doing') EXECUTE FUNCTION ask_again()
"""


@contextmanager
def no_grade_can_be_stored():
    with connection.cursor() as cursor:
        cursor.execute("ALTER TABLE judgments_modelgrade ADD CONSTRAINT none CHECK (false) NOT VALID")
    try:
        yield
    finally:
        with connection.cursor() as cursor:
            cursor.execute("ALTER TABLE judgments_modelgrade DROP CONSTRAINT none")


@pytest.fixture
def judgment_list():
    return make_modelled()


def test_a_worker_stores_what_the_arithmetic_says(judgment_list):
    assert ask_for_fit(judgment_list=judgment_list, rule="ds-nominal", at_once=True)

    work()

    pair_ids, expected = estimate(judgment_list, "nominal")
    fit = ModelFit.objects.get()
    assert (fit.judgment_list, fit.rule, fit.error) == (judgment_list, "ds-nominal", "")
    assert (fit.pairs, fit.raters, fit.labels) == (40, 4, 160)
    assert (fit.rounds, fit.converged) == (expected.rounds, True)
    assert fit.scale == [0, 1, 2, 3]
    assert fit.shares == pytest.approx(expected.shares.tolist())
    assert [one["labels"] for one in fit.habits] == [40] * 4
    assert np.array([one["matrix"] for one in fit.habits]) == pytest.approx(expected.habits, abs=1e-6)
    grades = {grade.pair_id: grade for grade in fit.grades.all()}
    assert list(grades) == pair_ids
    for pair_id, likeliest, chances in zip(pair_ids, expected.likeliest, expected.chances, strict=True):
        one = grades[pair_id]
        assert (one.value, one.likeliest, one.labels) == (likeliest, likeliest, 4)
        assert one.certainty == pytest.approx(chances[likeliest], abs=6e-4)
    assert not ProcrastinateJob.objects.exists()


def test_judgments_that_come_later_are_told_and_fitted_once_though_asked_for_often(
    judgment_list, monkeypatch
):
    monkeypatch.setattr("touchstone_core.grades.dawid_skene.ENOUGH_PER_RATER", 1)
    fit_now(judgment_list=judgment_list, rule="ds-nominal")
    change_rule(judgment_list=judgment_list, rule="ds-nominal", tie="lower")
    forget_jobs()
    pair = first_pair(judgment_list)
    make.make_judgment(pair, make.make_rater(judgment_list.query_set), value=1)

    for _ in range(3):
        refresh_consensus(judgment_list=judgment_list, pair_ids=[pair.pk])

    assert how(pair).endswith("; 1 grade not in the model")
    job = ProcrastinateJob.objects.get()
    assert job.scheduled_at > timezone.now()
    bring_forward()
    work()
    assert "not in the model" not in how(pair)
    assert not ProcrastinateJob.objects.exists()


def test_what_is_rolled_back_asks_for_nothing(judgment_list):
    with transaction.atomic():
        ask_for_fit(judgment_list=judgment_list, rule="ds-nominal")
        transaction.set_rollback(True)

    assert not ProcrastinateJob.objects.exists()


def test_at_once_does_not_wait_behind_what_is_to_be_done_later(judgment_list):
    assert ask_for_fit(judgment_list=judgment_list, rule="ds-nominal")
    assert not ask_for_fit(judgment_list=judgment_list, rule="ds-nominal")

    assert ask_for_fit(judgment_list=judgment_list, rule="ds-nominal", at_once=True)

    work()
    assert ModelFit.objects.get().fitted_at


def test_two_who_ask_at_the_same_moment_ask_once(judgment_list):
    """The other's job was not there yet when we looked: here because it looks like another task's."""
    ask_for_fit(judgment_list=judgment_list, rule="ds-nominal")
    with connection.cursor() as cursor:
        cursor.execute("ALTER TABLE procrastinate_jobs RENAME TO procrastinate_jobs_there")
        cursor.execute(
            "CREATE VIEW procrastinate_jobs AS SELECT * FROM procrastinate_jobs_there WHERE status <> 'todo'"
        )
    try:
        is_new = ask_for_fit(judgment_list=judgment_list, rule="ds-nominal")
    finally:
        with connection.cursor() as cursor:
            cursor.execute("DROP VIEW procrastinate_jobs")
            cursor.execute("ALTER TABLE procrastinate_jobs_there RENAME TO procrastinate_jobs")

    assert not is_new
    assert ProcrastinateJob.objects.count() == 1


@pytest.mark.parametrize(
    ("scale", "sentence"),
    [
        ({"continuous": True, "maximum": 3}, "The model needs a scale with two or more fixed grades."),
        ({"maximum": 3}, "The model needs a scale with two or more fixed grades."),
    ],
)
def test_a_scale_without_grades_is_told_and_not_tried_again(scale, sentence):
    judgment_list = make.make_list(make.make_query_set(), scale=Scale.objects.create(name="S", **scale))
    ask_for_fit(judgment_list=judgment_list, rule="ds-nominal", at_once=True)

    work()

    assert ModelFit.objects.get().error == sentence
    assert not ProcrastinateJob.objects.exists()


def test_a_failure_is_told_in_words_tried_again_and_over_when_it_is(judgment_list):
    fit_now(judgment_list=judgment_list, rule="ds-nominal")
    judged(judgment_list, value=0)
    ask_for_fit(judgment_list=judgment_list, rule="ds-nominal", at_once=True)

    with no_grade_can_be_stored():
        work()

    fit = ModelFit.objects.get()
    assert fit.error.startswith("Something went wrong that isn’t the list’s fault: new row for relation")
    assert fit.grades.count() == 40  # those of the fit before
    assert ProcrastinateJob.objects.get().status == "todo"
    bring_forward()
    work()
    assert ModelFit.objects.get().error == ""


def test_a_job_that_fails_waits_again_beside_one_that_was_asked_for_meanwhile(judgment_list):
    ask_for_fit(judgment_list=judgment_list, rule="ds-nominal", at_once=True)
    with connection.cursor() as cursor:
        cursor.execute(ASKED_AGAIN_WHEN_BEGUN)
    try:
        with no_grade_can_be_stored():
            work()
    finally:
        with connection.cursor() as cursor:
            cursor.execute("DROP FUNCTION ask_again CASCADE")
    assert list(ProcrastinateJob.objects.values_list("status", flat=True)) == ["todo", "todo"]
    bring_forward()

    work()

    assert ModelFit.objects.get().error == ""
    assert not ProcrastinateJob.objects.exists()


def test_a_list_that_was_deleted_meanwhile_needs_no_fit(judgment_list):
    ask_for_fit(judgment_list=judgment_list, rule="ds-nominal", at_once=True)
    Judgment.objects.all().delete()
    judgment_list.delete()

    work()

    assert not ProcrastinateJob.objects.exists()


def test_in_the_archive_nothing_is_fitted_until_it_is_taken_out(judgment_list):
    change_rule(judgment_list=judgment_list, rule="ds-nominal", tie="lower")
    forget_jobs()
    ask_for_fit(judgment_list=judgment_list, rule="ds-nominal", at_once=True)
    archive_query_set(query_set=judgment_list.query_set, user=make.make_user(), at=timezone.now())

    work()

    assert not ModelFit.objects.exists()
    assert restore_query_set(query_set=judgment_list.query_set)
    work()
    assert ModelFit.objects.get().grades.count() == 40
