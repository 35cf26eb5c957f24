"""Large files of runs, which a worker stores: by page and by API."""

import gzip
from html import unescape

import pytest
from django.db import OperationalError, transaction
from django.urls import reverse
from procrastinate.contrib.django.models import ProcrastinateJob

from evaluation.models import Evaluation, Ranking, Run
from evaluation.runs.actions import run_jobs, runs
from evaluation.runs.actions.run_files import NOT_ALLOWED
from judgments.content.actions.query_sets import archive_query_set
from judgments.files import limited_process
from judgments.files.actions.import_jobs import FAILURE_NOTE, cancel_import
from judgments.files.reports.uploads import CANCEL_NOTE, Progress, progress_of
from judgments.files.sql import progress
from judgments.models import Act, ApiToken, Membership, Upload, User, Verb
from tests import factories as make
from tests.api import Api
from tests.evaluation.runs.views.uploading import TREC, engineer, query_set, upload
from tests.evaluation.scored import text_of
from tests.judgments.files.views.test_import_progress import elsewhere, look
from tests.judgments.working import bring_forward, forget_jobs, taken_by_a_dead_worker, work

__all__ = ["engineer", "query_set"]  # fixtures

pytestmark = pytest.mark.django_db(transaction=True)
TWO = b"q1 Q0 d1 1 2.0 a\nq1 Q0 d2 1 2.0 b\n"


@pytest.fixture(autouse=True)
def every_file_is_large(monkeypatch):
    forget_jobs()
    monkeypatch.setattr(run_jobs, "MOST_BYTES", 0)


def page_of(client):
    return reverse("stored-runs", args=[Upload.objects.get().pk])


def test_a_small_file_is_stored_at_once(client, query_set, engineer, monkeypatch):
    monkeypatch.setattr(run_jobs, "MOST_BYTES", len(TREC))

    upload(client, query_set)

    assert Run.objects.exists()
    assert not Upload.objects.exists()


@pytest.mark.parametrize("small", [0, 1 << 20])
def test_a_worker_stores_and_scores_a_large_file(client, query_set, engineer, monkeypatch, small):
    """In a process of its own, too."""
    monkeypatch.setattr(limited_process, "SMALL", small)
    judgment_list = make.make_list(query_set)
    pair = make.make_pair(judgment_list, query_set.queries.get(), make.make_document(query_set, "d1"))
    make.make_consensus(pair, 1)

    response = upload(client, query_set, title="Mine")

    assert response["Location"] == page_of(client)
    waiting = text_of(client.get(page_of(client)))
    assert "Waiting for a worker" in waiting
    assert not Run.objects.exists()

    work()

    run = Run.objects.get()
    assert (run.name, run.uploaded_by, run.row_count) == ("Mine", engineer, 2)
    evaluation = Evaluation.objects.get()
    assert (evaluation.run, evaluation.judgment_list) == (run, judgment_list)
    assert evaluation.ndcg_local is not None
    response = client.get(page_of(client), follow=True)
    assert response.redirect_chain[-1][0] == reverse("run", args=[judgment_list.pk, run.pk])
    assert "Run “Mine” is stored: 1 query, 2 documents." in text_of(response)
    kept = Upload.objects.get()
    assert not kept.file.storage.exists(kept.file.name)
    assert Act.objects.get(verb=Verb.IMPORTED).by == engineer
    assert not ProcrastinateJob.objects.exists()


def test_several_runs_are_stored_together(client, query_set, engineer):
    upload(client, query_set, TWO, several="split")
    work()

    assert sorted(run.name for run in Run.objects.all()) == ["a", "b"]
    response = client.get(page_of(client), follow=True)
    assert "2 runs (“a”, “b”) are stored" in text_of(response)


def test_what_is_wrong_with_the_file_is_shown_with_the_form_as_it_was_sent(client, query_set, engineer):
    upload(client, query_set, b"q1 Q0 d1 1 2 a\nq9 Q0 d1 1 2 a\n", title="Mine")
    work()

    page = client.get(page_of(client))
    text = text_of(page)

    assert "q9" in text
    assert "Errors: nothing was stored" in text
    assert 'value="Mine"' in page.content.decode()
    assert not Run.objects.exists()
    kept = Upload.objects.get()
    response = upload(client, query_set, None, title="Mine", unknown="skip", kept=str(kept.pk))
    assert response["Location"] == page_of(client)
    work()
    assert Run.objects.get().name == "Mine"


def test_a_file_that_cant_be_read_is_refused_with_its_reason(client, query_set, engineer):
    upload(client, query_set, TWO)
    work()

    assert "several" in text_of(client.get(page_of(client))) or "tags" in text_of(client.get(page_of(client)))
    assert not Run.objects.exists()


@pytest.mark.sampled
@pytest.mark.parametrize(
    "content",
    [lambda: gzip.compress(bytes(1 << 30), 1), lambda: b"q1 Q0 d1 1 2 a\n" + b"x" * 10_000_001],
    ids=["zeros", "long-line"],
)
def test_large_bad_files_are_told_in_a_sentence_and_store_nothing(client, query_set, engineer, content):
    upload(client, query_set, content())
    work()

    context = client.get(page_of(client)).context
    told = [error for errors in context["form"].errors.values() for error in errors] or [
        line["text"] for report in context["reports"] for line in report["lines"]
    ]
    assert told[0].endswith(".")
    assert not Run.objects.exists()


def test_a_name_that_is_taken_is_said_beside_the_name(client, query_set, engineer):
    make.make_run(query_set, name="Mine")
    upload(client, query_set, title="Mine")
    work()

    assert "already has a run named “Mine”" in text_of(client.get(page_of(client)))


def test_the_same_file_twice_is_stored_once(client, query_set, engineer):
    """Two clicks make two uploads."""
    upload(client, query_set)
    upload(client, query_set)
    work()

    assert Run.objects.count() == 1
    assert [one.failure for one in Upload.objects.all()] == ["", ""]
    assert {one.result["already_stored"] for one in Upload.objects.all()} == {True, False}


def test_a_second_request_for_the_same_file_asks_for_nothing(client, query_set, engineer):
    upload(client, query_set)
    kept = Upload.objects.get()

    assert not run_jobs.request_storing(upload=kept, about=run_jobs.RunUpload(), at=make.NOW)
    assert ProcrastinateJob.objects.count() == 1


def test_a_cancelled_upload_stores_nothing_and_can_be_sent_again(client, query_set, engineer):
    upload(client, query_set)
    client.post(page_of(client), {"action": "cancel"})
    work()

    assert not Run.objects.exists()
    page = text_of(client.get(page_of(client)))
    assert CANCEL_NOTE in page
    upload(client, query_set, None, kept=str(Upload.objects.get().pk))
    work()
    assert Run.objects.count() == 1


def test_cancelling_in_the_middle_takes_back_what_is_stored(client, query_set, engineer, monkeypatch):
    upload(client, query_set)
    kept = Upload.objects.get()

    def cancelled(key, step, *numbers):
        if step == progress.RANKING:
            elsewhere(lambda: cancel_import(upload=kept))

    monkeypatch.setattr(progress, "tell", cancelled)
    work()

    kept.refresh_from_db()
    assert (kept.requested_at, kept.applied_at, kept.failure) == (None, None, CANCEL_NOTE)
    assert not Run.objects.exists()
    assert not Ranking.objects.exists()


@pytest.mark.parametrize("active", [True, False])
def test_nothing_is_stored_when_the_rights_are_lost_meanwhile(
    client, query_set, engineer, monkeypatch, active
):
    upload(client, query_set, TWO, several="split")
    store, stored = runs.store_run, []

    def lost_meanwhile(**arguments):
        stored.append(store(**arguments))
        if active:
            elsewhere(lambda: Membership.objects.filter(user=engineer).delete())
        else:
            elsewhere(lambda: User.objects.filter(pk=engineer.pk).update(is_active=False))
        return stored[-1]

    monkeypatch.setattr(runs, "store_run", lost_meanwhile)
    work()

    kept = Upload.objects.get()
    assert (kept.requested_at, kept.applied_at, kept.failure) == (None, None, NOT_ALLOWED)
    assert len(stored) == 2
    assert not Run.objects.exists()


def test_a_killed_worker_leaves_the_work_to_another_one(client, query_set, engineer):
    upload(client, query_set)
    taken_by_a_dead_worker()

    work()

    assert Run.objects.count() == 1


def test_a_job_that_is_done_twice_stores_once(client, query_set, engineer):
    upload(client, query_set)
    job = ProcrastinateJob.objects.get()
    run_jobs.store_in_background.defer(**job.args)
    work()

    assert Run.objects.count() == 1
    assert not ProcrastinateJob.objects.exists()


@pytest.mark.parametrize("error", [OperationalError("gone"), ValueError("a fault")])
def test_what_may_pass_is_tried_again_and_a_fault_is_told(client, query_set, engineer, monkeypatch, error):
    tries = []

    def fail(*_, **__):
        tries.append(1)
        raise error

    monkeypatch.setattr(run_jobs, "with_upload", fail)
    upload(client, query_set)
    for _ in range(5):
        work()
        bring_forward()

    assert len(tries) == (4 if isinstance(error, OperationalError) else 1)
    assert FAILURE_NOTE in text_of(client.get(page_of(client)))


@pytest.mark.parametrize("gone", ["role", "account", "archive"])
def test_rights_are_looked_at_when_it_is_the_files_turn(client, query_set, engineer, gone):
    upload(client, query_set)
    if gone == "role":
        Membership.objects.filter(user=engineer).delete()
    elif gone == "account":
        User.objects.filter(pk=engineer.pk).update(is_active=False)
    else:
        archive_query_set(query_set=query_set, user=None, at=make.NOW)

    work()

    assert not Run.objects.exists()
    assert "Nothing was stored" in Upload.objects.get().failure


def test_its_progress_is_seen_from_elsewhere(client, query_set, engineer):
    upload(client, query_set)
    kept = Upload.objects.get()

    with transaction.atomic():
        progress.tell(kept.pk, progress.RANKING, 500, 1000, 10)
        seen = elsewhere(progress_of, kept)
        assert seen == Progress("Storing rankings", 500, 1000, 10)
        assert seen.figures == "500 of 1,000, 50 a second, about 10 seconds left in this step"
        page = elsewhere(lambda: text_of(client.get(page_of(client))))
        assert "Storing rankings:</strong> 500 of 1,000" in page
    assert elsewhere(progress_of, kept) is None


def test_the_page_that_waits_asks_again_and_opens_the_runs(client, query_set, engineer):
    upload(client, query_set)
    assert look(client, page_of(client)).status_code == 204
    work()
    assert look(client, page_of(client))["HX-Refresh"] == "true"


def test_others_do_not_see_the_upload(client, query_set, engineer):
    upload(client, query_set)
    client.force_login(make.make_member(query_set, "admin"))

    assert client.get(page_of(client)).status_code == 404


def test_programs_get_the_address_of_a_job(query_set, engineer):
    api = Api(engineer)
    call = f"query-sets/{query_set.pk}/runs?name=Mine&tags=nightly"

    response = api.post(call, TREC)

    assert response.status_code == 202
    job = response.json()
    assert (job["what"], job["state"], job["upload"]) == ("upload of runs", "waiting", None)
    assert response["Location"].endswith(job["id"])
    work()
    done = api.get(f"jobs/{job['id']}").json()
    run = Run.objects.get()
    assert (done["state"], run.tags, run.name) == ("done", ["nightly"], "Mine")
    assert Act.objects.get(verb=Verb.IMPORTED).token == ApiToken.objects.get()
    assert done["upload"] == {
        "run_ids": [run.pk],
        "already_stored": False,
        "warnings": [],
        "documents": "None of its 2 documents is known to this query set.",
        "left_out": [],
    }


def test_a_worker_names_the_runs_that_it_leaves_out(client, query_set, engineer):
    api = Api(engineer)
    lines = b"q9 Q0 d1 1 2 lost\nq1 Q0 d1 1 2 kept\n"
    job = api.post(f"query-sets/{query_set.pk}/runs?several=split&unknown=skip", lines).json()
    work()

    assert api.get(f"jobs/{job['id']}").json()["upload"]["left_out"] == ["lost"]
    page = client.get(reverse("stored-runs", args=[job["id"]]), follow=True).content.decode()
    assert "Run “lost” isn’t stored: none of its queries is in this query set." in unescape(page)


def test_programs_learn_why_nothing_was_stored(query_set, engineer):
    api = Api(engineer)
    job = api.post(f"query-sets/{query_set.pk}/runs", b"q9 Q0 d1 1 2 a\n").json()
    work()

    failed = api.get(f"jobs/{job['id']}").json()

    assert failed["state"] == "failed"
    assert "q9" in failed["failure"]
    assert api.post(f"jobs/{job['id']}/cancel").json()["state"] == "failed"
