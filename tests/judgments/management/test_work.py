"""Workers as processes: they take jobs, stop when told, and what a killed one did is done again."""

import json
import os
import signal
import subprocess
import sys
from contextlib import contextmanager
from pathlib import Path

import psutil
import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.core.management import call_command
from django.db import connection, transaction
from procrastinate.contrib.django.models import ProcrastinateJob, ProcrastinateWorker

from evaluation.models import Run
from evaluation.runs.actions import run_jobs
from evaluation.runs.actions.run_files import RunUpload
from judgments.base.sql import locks
from judgments.content.actions import deletion_jobs
from judgments.content.actions.deletion_jobs import delete_list_or_ask
from judgments.files.actions.import_jobs import is_large, request_import
from judgments.files.actions.uploads import keep_upload
from judgments.files.reports.imports import Choices
from judgments.files.reports.uploads import open_upload, progress_of
from judgments.grades.actions.model_fits import ask_for_fit
from judgments.lists.actions.pairs import add_pairs
from judgments.models import Deletion, Judgment, JudgmentList, ModelFit, Pair, Purpose, Role, Upload
from tests import factories as make
from tests.judgments.modelled import make_modelled
from tests.judgments.working import no_loop, somebody_waits, taken_by_a_dead_worker, until, work

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.drill, pytest.mark.usefixtures("no_jobs")]
ROOT = Path(__file__).parents[3]

FASTER = """
CREATE FUNCTION faster() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RETURN NULL; END';
CREATE TRIGGER faster BEFORE UPDATE ON procrastinate_jobs FOR EACH ROW
WHEN (OLD.status = 'doing' AND NEW.status = 'todo') EXECUTE FUNCTION faster()
"""


@contextmanager
def worker(**more):
    database = {name: connection.settings_dict[name] for name in ("HOST", "NAME")} | more
    command = [sys.executable, "-m", "tests.judgments.worker", json.dumps(database)]
    process = subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    try:
        yield process
    finally:
        process.kill()
        process.communicate()


def test_a_worker_takes_jobs_and_ends_in_silence_when_it_is_told():
    judgment_list = make_modelled()
    with worker() as process:
        until(ProcrastinateWorker.objects.exists)
        ask_for_fit(judgment_list=judgment_list, rule="ds-nominal", at_once=True)
        until(ModelFit.objects.exists)
        until(lambda: not ProcrastinateJob.objects.exists())

        process.send_signal(signal.SIGINT)

        assert process.wait(30) == 0
        assert process.stdout.read() == ""
    assert not ProcrastinateWorker.objects.exists()


def test_a_worker_listens_where_there_is_no_pooler_in_between():
    listening = (
        "SELECT count(*) FROM pg_stat_activity WHERE application_name = 'direct' AND query LIKE 'LISTEN %%'"
    )
    judgment_list = make_modelled()
    with worker(direct="direct"), connection.cursor() as cursor:
        until(lambda: cursor.execute(listening) or cursor.fetchone()[0])
        ask_for_fit(judgment_list=judgment_list, rule="ds-nominal", at_once=True)
        until(ModelFit.objects.exists)


def test_what_a_killed_worker_did_is_done_again():
    judgment_list = make_modelled()
    ask_for_fit(judgment_list=judgment_list, rule="ds-nominal", at_once=True)
    with worker() as process, transaction.atomic():
        locks.lock_list(judgment_list.pk)  # the worker stops here before it writes
        until(somebody_waits)
        process.kill()
        process.wait()
    assert ProcrastinateJob.objects.get().status == "doing"
    assert not ModelFit.objects.exists()
    work()
    assert not ModelFit.objects.exists()  # it may be alive for all that is known
    with connection.cursor() as cursor:
        cursor.execute("UPDATE procrastinate_workers SET last_heartbeat = now() - interval '1 minute'")

    work()

    assert ModelFit.objects.get().grades.count() == 40
    assert not ProcrastinateJob.objects.exists()


def test_an_import_ends_with_its_worker_and_is_done_again():
    judgment_list = make.make_list(make.make_query_set())
    content = b"".join(b"query-%d 0 document-%d 1\n" % (line // 50, line % 50) for line in range(50_000))
    upload = keep_upload(
        query_set=judgment_list.query_set,
        user=make.make_member(judgment_list.query_set, Role.ADMIN),
        purpose=Purpose.JUDGMENTS,
        file=SimpleUploadedFile("large.qrels", content),
        judgment_list=judgment_list,
    )
    assert is_large(upload)
    choices = Choices(create_missing=True)
    request_import(upload=upload, choices=choices, at=make.NOW, latest_import="", rows=50_000)
    with worker() as process:
        until(lambda: progress_of(upload))
        process.kill()
        process.wait()
    until(lambda: progress_of(upload) is None)
    upload.refresh_from_db()
    assert upload.requested_at
    assert not Judgment.objects.exists()
    with connection.cursor() as cursor:
        cursor.execute("UPDATE procrastinate_workers SET last_heartbeat = now() - interval '1 minute'")

    work()

    upload.refresh_from_db()
    assert upload.applied_at
    assert upload.result["new"] == Judgment.objects.count() == 50_000
    assert not ProcrastinateJob.objects.exists()


def test_an_import_waits_for_no_job_of_another_kind():
    judgment_list = make_modelled()
    upload = keep_upload(
        query_set=judgment_list.query_set,
        user=make.make_member(judgment_list.query_set, Role.ADMIN),
        purpose=Purpose.QUERIES,
        file=SimpleUploadedFile("queries.csv", b"query_id,query\nnew,zoo\n"),
    )
    request_import(upload=upload, choices=Choices(), at=make.NOW, latest_import="", rows=1)
    ask_for_fit(judgment_list=judgment_list, rule="ds-nominal", at_once=True)
    with worker(), transaction.atomic():
        locks.lock_list(judgment_list.pk)  # the fit stops here before it writes
        until(somebody_waits)
        until(Upload.objects.exclude(applied_at=None).exists)
    assert judgment_list.query_set.queries.filter(external_id="new").exists()


def test_a_job_that_another_worker_puts_back_at_the_same_moment_is_passed_over():
    """A trigger stands for the other worker: for us there is nothing left to put back."""
    first, second = make_modelled(), make_modelled()
    ask_for_fit(judgment_list=first, rule="ds-nominal", at_once=True)
    taken_by_a_dead_worker()
    ask_for_fit(judgment_list=second, rule="ds-nominal", at_once=True)
    with connection.cursor() as cursor:
        cursor.execute(FASTER)
    try:
        work()
    finally:
        with connection.cursor() as cursor:
            cursor.execute("DROP FUNCTION faster CASCADE")

    assert ModelFit.objects.get().judgment_list == second


def test_a_worker_ends_with_its_parent():
    with no_loop():
        call_command("work", parent=os.getpid())  # whose parent is another

    assert not ProcrastinateWorker.objects.exists()


def heard_of_no_more():
    """Ten seconds later, so to speak."""
    with connection.cursor() as cursor:
        cursor.execute("UPDATE procrastinate_workers SET last_heartbeat = now() - interval '1 minute'")


def test_a_deletion_goes_on_where_a_killed_worker_stopped(monkeypatch):
    monkeypatch.setattr(deletion_jobs, "MOST_ROWS", 0)
    judgment_list = make.make_list(make.make_query_set(), name="Large")
    other = make.make_list(judgment_list.query_set, name="Other")
    queries = [make.make_query(judgment_list.query_set) for _ in range(50)]
    documents = [make.make_document(judgment_list.query_set) for _ in range(400)]
    pairs = [(query.pk, document.pk) for query in queries for document in documents]
    for one in (judgment_list, other):
        add_pairs(judgment_list=one, pairs=pairs)
    admin = make.make_member(judgment_list.query_set, Role.ADMIN)
    deletion = delete_list_or_ask(
        judgment_list=judgment_list, confirmed_name="Large", user=admin, at=make.NOW
    )

    def began():
        deletion.refresh_from_db()
        return deletion.counts.get("pairs")

    with worker() as process:
        until(began)
        process.kill()
        process.wait()
    deletion.refresh_from_db()
    assert 0 < deletion.rows_gone < deletion.row_total
    left = Pair.objects.filter(judgment_list=judgment_list).count()
    assert left == len(pairs) - deletion.counts["pairs"]
    heard_of_no_more()

    with worker():
        until(lambda: Deletion.objects.get().done_at)
        until(lambda: not ProcrastinateJob.objects.exists())

    deletion.refresh_from_db()
    assert deletion.rows_gone == deletion.row_total
    assert not JudgmentList.everything.filter(pk=judgment_list.pk).exists()
    assert Pair.objects.filter(judgment_list=other).count() == len(pairs)


def test_runs_are_stored_once_though_their_worker_was_killed():
    query_set = make.make_query_set()
    lines = []
    for _ in range(500):
        query = make.make_query(query_set)
        lines += [f"{query.external_id} Q0 d{rank} {rank} {-rank} run" for rank in range(1, 1001)]
    upload = keep_upload(
        query_set=query_set,
        user=make.make_member(query_set, Role.ENGINEER),
        purpose=Purpose.RUN,
        file=SimpleUploadedFile("large.trec", "\n".join(lines).encode()),
    )
    with open_upload(upload) as file:
        assert run_jobs.is_large(file, upload.size)
    run_jobs.request_storing(upload=upload, about=RunUpload(), at=make.NOW)
    with worker() as process, transaction.atomic():
        locks.lock_upload(upload.pk)  # the process that stores them stops here, and ends with the worker
        until(somebody_waits)
        stores = psutil.Process(process.pid).children(recursive=True)
        process.kill()
        process.wait()
        assert stores
        assert psutil.wait_procs(stores, timeout=30)[1] == []
    until(lambda: progress_of(upload) is None)
    assert not Run.objects.exists()
    heard_of_no_more()

    with worker():
        until(lambda: Upload.objects.exclude(applied_at=None).exists())
        until(lambda: not ProcrastinateJob.objects.exists())

    assert Run.objects.get().row_count == 500_000
