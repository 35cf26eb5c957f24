"""How far an import has come, seen from another connection while it runs, and the page that shows it."""

import re
import threading
import time

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.db import connection, transaction
from django.urls import reverse

from judgments.files import limited_process
from judgments.files.actions.import_jobs import request_import
from judgments.files.actions.imports import import_judgments
from judgments.files.actions.uploads import apply_upload, keep_upload
from judgments.files.reports.imports import Choices, OpenedFile
from judgments.files.reports.judgment_imports import Terms
from judgments.files.reports.uploads import CANCEL_NOTE, Progress, progress_of
from judgments.files.sql import progress
from judgments.models import ConsensusGrade, Judgment, Purpose, Query, Role, Upload
from tests import factories as make
from tests.judgments.files.views.import_pages import confirm, send
from tests.judgments.working import forget_jobs, work
from touchstone_core.formats.judgments.judgments import JudgmentRecord

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def upload():
    judgment_list = make.make_list(make.make_query_set())
    user = make.make_member(judgment_list.query_set, Role.ADMIN)
    file = SimpleUploadedFile("a.qrels", b"q 0 d 1\n")
    return keep_upload(
        query_set=judgment_list.query_set,
        user=user,
        purpose=Purpose.JUDGMENTS,
        file=file,
        judgment_list=judgment_list,
    )


@pytest.fixture
def requested(upload, client):
    """An import that waits for a worker, and its address for the admin who asked for it."""
    forget_jobs()
    request_import(upload=upload, choices=Choices(create_missing=True), at=make.NOW, latest_import="", rows=1)
    client.force_login(upload.user)
    return reverse("upload", args=[upload.pk])


@pytest.fixture
def every_file_is_large(monkeypatch):
    forget_jobs()
    monkeypatch.setattr(limited_process, "SMALL", 0)


def elsewhere(ask, *arguments):
    """The answer in another thread, which has a connection of its own."""
    answers = []

    def run():
        answers.append(ask(*arguments))
        connection.close()

    thread = threading.Thread(target=run)
    thread.start()
    thread.join()
    return answers[0]


def look(client, url, trigger="import-waiting"):
    """As the page asks that waits."""
    return client.get(url, headers={"HX-Request": "true", "HX-Trigger": trigger})


@pytest.mark.parametrize(
    ("step", "expected"),
    [
        (["reading", 50_000], Progress("Reading and comparing")),
        (["writing"], Progress("Writing judgments")),
        (["checking"], Progress("Checking what was written")),
        (
            ["settling", 20_000, 50_000, 3600],
            Progress("Working out grades of pairs", 20_000, 50_000, 3600),
        ),
        (
            ["settling", 10**8, 10**8, 10**5],
            Progress("Working out grades of pairs", 10**8, 10**8, 10**5),
        ),
    ],
)
def test_what_an_import_tells_is_seen_until_it_ends(upload, step, expected):
    with transaction.atomic():
        progress.tell(upload.pk, *step)
        assert elsewhere(progress_of, upload) == expected

    assert progress_of(upload) is None


def test_an_import_of_judgments_tells_its_steps_in_their_order(upload, monkeypatch):
    told = []
    monkeypatch.setattr(progress, "tell", lambda key, step, *numbers: told.append((key, step, *numbers)))

    apply_upload(upload=upload, choices=Choices(create_missing=True), at=make.NOW, rows=1)

    key = upload.pk
    assert told == [(key, "reading", 1), (key, "writing"), (key, "settling", 0, 1, 0), (key, "checking")]


@pytest.mark.sampled
def test_lines_are_counted_while_they_are_read(upload):
    seen = []

    def records():
        for number in range(20_000):
            yield JudgmentRecord(number + 1, f"q{number // 100}", f"document-{number}", "1", 1.0)
        deadline = time.monotonic() + 20
        while time.monotonic() < deadline and not (seen and seen[-1].done and seen[-1].rate):
            seen.append(elsewhere(progress_of, upload))

    with transaction.atomic():
        progress.tell(upload.pk, progress.READING, 40_000)
        import_judgments(
            judgment_list=upload.judgment_list,
            file=OpenedFile(records()),
            at=make.NOW,
            progress_key=upload.pk,
            terms=Terms(rater_name="a", create_missing=True),
        )

    assert seen[-1].words == "Reading lines"
    assert 0 < seen[-1].done <= 20_000
    assert seen[-1].share == seen[-1].done / 40_000
    assert ConsensusGrade.objects.count() == 20_000


@pytest.mark.parametrize(
    ("done", "total", "seconds", "share", "figures"),
    [
        (0, 0, 0, None, ""),
        (0, 1000, 3, 0, ""),
        (500, 1000, 1, 0.5, "500 of 1,000"),
        (500, 1000, 5, 0.5, "500 of 1,000, 100 a second, about 5 seconds left in this step"),
        (999, 1000, 10, 0.999, "999 of 1,000, 100 a second, about 1 second left in this step"),
        (1000, 37_000, 10, 1 / 37, "1,000 of 37,000, 100 a second, about 6 minutes left in this step"),
        (1000, 1000, 10, 1, "1,000 of 1,000, 100 a second"),
        (1200, 1000, 10, None, "1,200, 120 a second"),
        (500, 0, 5, None, "500, 100 a second"),
    ],
)
def test_the_rest_is_told_as_far_as_it_is_known(done, total, seconds, share, figures):
    told = Progress("Reading lines", done, total, seconds)

    assert (told.share, told.figures) == (share, figures)


def test_an_import_that_waits_says_so_and_how_to_start_a_worker(client, requested):
    page = client.get(requested).content.decode()

    assert "Waiting for a worker" in page
    assert "manage.py work" in page
    assert '<noscript><meta http-equiv="refresh"' in page
    assert look(client, requested).status_code == 204


def test_an_import_that_runs_shows_how_far_it_is(client, requested, upload):
    with transaction.atomic():
        progress.tell(upload.pk, progress.SETTLING, 25_000, 50_000, 100)
        page = client.get(requested).content.decode()
        again = look(client, requested, "import-running")

    assert "25,000 of 50,000, 250 a second, about 2 minutes left in this step" in re.sub(r"<[^>]+>", "", page)
    assert 'value="0.500"' in page
    assert again.status_code == 200
    assert "every 2s" in again.content.decode()


def test_the_page_leads_to_what_was_imported_when_it_is_done(client, requested, upload):
    work()

    assert look(client, requested)["HX-Refresh"] == "true"
    response = client.get(requested)
    assert response["Location"] == reverse("list", args=[upload.judgment_list_id])
    told = client.get(response["Location"]).content.decode()
    assert "a.qrels: 1 new, 0 changed, 0 unchanged. If it was the wrong file, undo it at" in told


def test_an_import_is_cancelled_by_its_button_and_can_be_asked_for_again(client, requested, upload):
    response = client.post(requested, {"action": "cancel"}, follow=True)

    assert CANCEL_NOTE in response.content.decode()
    assert "Import 1 judgment" in response.content.decode()
    assert look(client, requested)["HX-Refresh"] == "true"
    work()
    assert not Judgment.objects.exists()
    confirm(client, requested, create_missing="on")
    assert Judgment.objects.exists()


def test_another_click_on_import_changes_nothing(client, requested, upload):
    response = confirm(client, requested, good_lines="on")

    assert response["Location"] == requested
    upload.refresh_from_db()
    assert not upload.options["good_lines"]


@pytest.mark.sampled
@pytest.mark.usefixtures("every_file_is_large")
def test_a_large_file_is_left_to_a_worker_with_the_choices_and_the_count_of_its_preview(client):
    query_set = make.make_query_set()
    client.force_login(make.make_member(query_set, Role.ADMIN))
    url = send(client, "queries", query_set.pk, "query_id,query\nq1,zoo\nq1,lion\nq2,lion\n")
    page = client.get(url).content.decode()
    hidden = dict(re.findall(r'name="(seen|rows)" value="(\w*)"', page))
    assert hidden["rows"] == "2"

    refused = confirm(client, url, **hidden)
    assert refused["Location"] == url
    assert not Query.objects.exists()
    work()
    assert "The file has 1 problem." in client.get(url).content.decode()
    confirm(client, url, good_lines="on", **hidden | {"rows": "many"})
    work()

    assert set(Query.objects.values_list("text", flat=True)) == {"zoo", "lion"}
    target = reverse("query-set-queries", args=[query_set.pk])
    assert client.get(url)["Location"] == target


def test_the_pages_before_it_lead_back_to_an_import_that_is_under_way(client, requested, upload):
    account = " ".join(client.get(reverse("account")).content.decode().split())
    importing = client.get(reverse("import-judgments", args=[upload.judgment_list_id])).content.decode()

    assert f'href="{requested}">a.qrels</a> <span class="row-end">being imported, ' in account
    assert f'href="{requested}">a.qrels</a>' in importing
    client.force_login(make.make_member(upload.query_set, Role.ADMIN))
    others = client.get(reverse("import-judgments", args=[upload.judgment_list_id])).content.decode()
    assert "a.qrels" not in others


def test_nobody_else_sees_or_cancels_an_import(client, requested, upload):
    client.force_login(make.make_member(upload.query_set, Role.ADMIN))

    assert client.get(requested).status_code == 404
    assert client.post(requested, {"action": "cancel"}).status_code == 404
    assert Upload.objects.get().requested_at
