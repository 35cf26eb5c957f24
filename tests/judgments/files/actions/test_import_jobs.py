"""Imports that a worker does: a real worker, in this process."""

import threading
from datetime import timedelta

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.db import IntegrityError, OperationalError, connection, transaction
from procrastinate.contrib.django.models import ProcrastinateJob

from judgments.base.sql import locks
from judgments.content.actions.deleting import delete_list
from judgments.content.actions.query_sets import archive_query_set, restore_query_set
from judgments.files import limited_process
from judgments.files.actions import import_jobs
from judgments.files.actions.import_jobs import (
    FAILURE_NOTE,
    cancel_import,
    is_large,
    request_import,
)
from judgments.files.actions.uploads import discard_undecided, keep_upload
from judgments.files.reports.imports import Choices, last_import
from judgments.files.reports.uploads import CANCEL_NOTE, progress_of
from judgments.files.sql import progress
from judgments.models import Act, Judgment, Purpose, Query, Role, Upload, Verb
from tests import factories as make
from tests.judgments.working import (
    bring_forward,
    somebody_waits,
    taken_by_a_dead_worker,
    until,
    work,
)

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("no_jobs")]
CONTENT = b"q1 0 d1 1\nq1 0 d2 0\nq2 0 d1 1\n"


@pytest.fixture
def every_file_is_large(monkeypatch):
    """Else the worker reads these files itself, which is quicker."""
    monkeypatch.setattr(limited_process, "SMALL", 0)


@pytest.fixture
def upload():
    return keep(make.make_list(make.make_query_set()))


def keep(judgment_list, content=CONTENT, user=None):
    return keep_upload(
        query_set=judgment_list.query_set,
        user=user or make.make_member(judgment_list.query_set, Role.ADMIN),
        purpose=Purpose.JUDGMENTS,
        file=SimpleUploadedFile("grades.qrels", content),
        judgment_list=judgment_list,
    )


def request(upload, at=make.NOW, **others):
    choices = others.pop("choices", Choices(create_missing=True))
    return request_import(upload=upload, choices=choices, at=at, **{"latest_import": "", "rows": 3} | others)


def state(upload):
    upload.refresh_from_db()
    return bool(upload.requested_at), bool(upload.applied_at), upload.failure


def in_a_thread(work):
    def run():
        try:
            work()
        finally:
            connection.close()

    thread = threading.Thread(target=run)
    thread.start()
    return thread


@pytest.mark.usefixtures("every_file_is_large")
def test_a_worker_imports_what_was_asked_for_and_the_log_names_who_asked(upload):
    assert request(upload)
    assert state(upload) == (True, False, "")

    work()

    assert state(upload) == (False, True, "")
    assert upload.result == {
        "new": 3,
        "changed": 0,
        "unchanged": 0,
        "left_out": 0,
        "machines_left_out": 0,
        "decisions": 0,
        "known_decisions": 0,
        "pairs": 0,
        "known_pairs": 0,
        "documents": 0,
        "kept_fields": 0,
    }
    assert Judgment.objects.count() == 3
    assert Act.objects.get(verb=Verb.IMPORTED).by == upload.user
    assert not upload.file.storage.exists(upload.file.name)
    assert not ProcrastinateJob.objects.exists()


def test_a_file_is_large_where_reading_it_needs_a_process_of_its_own(upload, monkeypatch):
    assert not is_large(upload)
    monkeypatch.setattr(limited_process, "SMALL", len(CONTENT) - 1)
    assert is_large(upload)


def test_the_second_of_two_clicks_asks_for_nothing(upload):
    assert request(upload)
    assert not request(upload, at=make.NOW + timedelta(seconds=1))

    assert ProcrastinateJob.objects.count() == 1
    work()
    assert not request(upload)
    assert Judgment.objects.count() == 3
    assert not ProcrastinateJob.objects.exists()


def test_what_is_rolled_back_asks_for_nothing(upload):
    with transaction.atomic():
        request(upload)
        transaction.set_rollback(True)

    assert state(upload) == (False, False, "")
    assert not ProcrastinateJob.objects.exists()


def test_of_two_files_that_were_confirmed_on_the_same_preview_one_is_imported(upload):
    other = keep(upload.judgment_list, b"q9 0 d9 1\n")
    seen = last_import(upload.query_set_id)
    request(upload, latest_import=seen)
    request(other, latest_import=seen)

    work()

    assert state(upload) == (False, True, "")
    requested, applied, failure = state(other)
    assert (requested, applied) == (False, False)
    assert "Somebody imported another file" in failure
    assert not Query.objects.filter(external_id="q9").exists()


def test_a_bad_file_changes_nothing_says_so_and_can_be_imported_with_other_choices(upload):
    bad = keep(upload.judgment_list, CONTENT + b"q3 0 d1 7\n")
    request(bad)

    work()

    assert state(bad)[:2] == (False, False)
    assert "The file has 1 problem" in bad.failure
    assert not Judgment.objects.exists()
    request(bad, choices=Choices(create_missing=True, good_lines=True))
    work()
    assert state(bad) == (False, True, "")
    assert Judgment.objects.count() == 3


def test_a_file_that_is_gone_is_named(upload):
    request(upload)
    upload.file.storage.delete(upload.file.name)

    work()

    assert state(upload) == (False, False, "grades.qrels is no longer stored. Upload it again.")


@pytest.mark.usefixtures("every_file_is_large")
def test_a_file_that_takes_too_much_ends_its_process_only(upload, monkeypatch):
    monkeypatch.setattr(limited_process, "FREE_SECONDS", 0)
    request(upload)

    work()

    # Of time or of memory: a process whose coverage is measured is ended by the harder limit.
    assert "grades.qrels could not be read: that took more than" in state(upload)[2]


def test_an_import_that_waits_is_cancelled(upload):
    request(upload)

    assert cancel_import(upload=upload)
    work()

    assert state(upload) == (False, False, CANCEL_NOTE)
    assert not Judgment.objects.exists()
    assert not cancel_import(upload=upload)


@pytest.mark.usefixtures("every_file_is_large")
def test_a_running_import_is_cancelled_at_once(upload):
    """It waits for a lock here, as it might for PostgreSQL; then it has no connection any more."""
    request(upload)
    with transaction.atomic():
        locks.announce_change(upload.judgment_list_id)
        working = in_a_thread(work)
        until(somebody_waits)
        assert in_another_connection(lambda: cancel_import(upload=upload))
        working.join(60)
        assert not working.is_alive()

    assert state(upload) == (False, False, CANCEL_NOTE)
    assert not Judgment.objects.exists()
    assert not ProcrastinateJob.objects.exists()


def in_another_connection(ask):
    answers = []
    in_a_thread(lambda: answers.append(ask())).join()
    return answers[0]


def test_an_import_that_no_force_reaches_finds_at_its_end_that_it_was_cancelled(upload, monkeypatch):
    monkeypatch.setattr(progress, "end", lambda key: None)
    request(upload)
    with transaction.atomic():
        locks.announce_change(upload.judgment_list_id)
        working = in_a_thread(work)
        until(somebody_waits)
        in_another_connection(lambda: cancel_import(upload=upload))
    working.join(60)

    assert state(upload) == (False, False, CANCEL_NOTE)
    assert not Judgment.objects.exists()


def test_what_was_cancelled_and_asked_for_anew_is_imported_by_the_new_job_only(upload):
    request(upload)
    cancel_import(upload=upload)
    request(upload, at=make.NOW + timedelta(seconds=1))
    assert ProcrastinateJob.objects.count() == 2

    work()

    assert state(upload) == (False, True, "")
    assert Act.objects.filter(verb=Verb.IMPORTED).count() == 1


def test_what_a_dead_worker_began_is_done_by_another_once(upload):
    request(upload)
    taken_by_a_dead_worker()

    work()

    assert state(upload) == (False, True, "")
    assert Judgment.objects.count() == 3


def test_a_job_that_comes_after_its_import_does_nothing(upload):
    request(upload)
    arguments = ProcrastinateJob.objects.get().args
    work()

    import_jobs.import_in_background.func(None, **arguments)

    assert Act.objects.filter(verb=Verb.IMPORTED).count() == 1


def test_a_list_that_is_deleted_takes_its_waiting_import_along(upload):
    request(upload)
    delete_list(judgment_list=upload.judgment_list, confirmed_name=upload.judgment_list.name)

    work()

    assert not Upload.objects.exists()
    assert not ProcrastinateJob.objects.exists()


def test_nothing_comes_into_the_archive(upload):
    request(upload)
    archive_query_set(query_set=upload.query_set, user=upload.user, at=make.NOW)

    work()

    assert "it was archived" in state(upload)[2]
    assert not Judgment.objects.exists()
    restore_query_set(query_set=upload.query_set)
    request(upload)
    work()
    assert state(upload) == (False, True, "")


def failing(*errors):
    """Imports that fail in this way, one after the other, and after that do what they should."""
    left = list(errors)
    read = import_jobs.with_upload

    def with_upload(*args, **others):
        if left:
            raise left.pop(0)
        return read(*args, **others)

    return with_upload


def test_what_passes_by_itself_is_tried_again(upload, monkeypatch):
    monkeypatch.setattr(import_jobs, "with_upload", failing(OperationalError("deadlock")))
    request(upload)

    work()
    assert state(upload) == (True, False, "")
    bring_forward()
    work()

    assert state(upload) == (False, True, "")


def test_what_does_not_pass_is_told_in_the_end_and_can_be_asked_for_again(upload, monkeypatch):
    monkeypatch.setattr(import_jobs, "with_upload", failing(*[OperationalError("deadlock")] * 4))
    request(upload)

    for _ in range(4):
        assert state(upload) == (True, False, "")
        bring_forward()
        work()

    assert state(upload) == (False, False, FAILURE_NOTE)
    assert ProcrastinateJob.objects.get().status == "failed"
    assert request(upload)
    work()
    assert state(upload) == (False, True, "")


def test_a_fault_of_ours_is_told_at_once_and_its_job_kept_for_the_administrator(upload, monkeypatch):
    monkeypatch.setattr(import_jobs, "with_upload", failing(RuntimeError("no process")))
    request(upload)

    work()

    assert state(upload) == (False, False, FAILURE_NOTE)
    assert ProcrastinateJob.objects.get().status == "failed"


def test_discarding_leaves_out_what_waits_for_a_worker(upload):
    request(upload)
    undecided = keep(upload.judgment_list, user=upload.user)

    assert discard_undecided(user=upload.user) == 1

    assert list(Upload.objects.all()) == [upload]
    assert not Upload.objects.filter(pk=undecided.pk).exists()


def test_while_an_import_waits_for_its_turn_others_see_that_it_has_begun(upload):
    request(upload)
    assert progress_of(upload) is None
    with transaction.atomic():
        locks.announce_change(upload.judgment_list_id)
        working = in_a_thread(work)
        until(somebody_waits)
        found = in_another_connection(lambda: progress_of(upload))
    working.join()

    assert found.words == "Reading and comparing"
    assert state(upload) == (False, True, "")


@pytest.mark.parametrize("waits", [{"requested_at": make.NOW}, {"failure": "Nothing was imported."}])
def test_what_is_imported_waits_for_nothing(upload, waits):
    with pytest.raises(IntegrityError, match="upload_imported_waits_for_nothing"):
        Upload.objects.update(applied_at=make.NOW, **waits)
