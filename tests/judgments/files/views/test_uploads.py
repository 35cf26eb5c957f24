"""Uploads between the file and the decision: kept, found again, confirmed once, thrown away."""

import bz2
import gzip
import threading

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.db import connection
from django.urls import reverse

from judgments.files.actions.imports import ImportRefusedError
from judgments.files.actions.uploads import AppliedAlreadyError, apply_upload, keep_upload
from judgments.files.reports.imports import Choices, ImportResult
from judgments.models import Purpose, Query, Role, Upload
from tests import factories as make
from tests.judgments.files.views.import_pages import confirm, send

pytestmark = pytest.mark.django_db


def test_the_same_file_again_is_recognized(client, admin, query_set):
    content = "query_id,query\nq1,zoo\n"
    confirm(client, send(client, "queries", query_set.pk, content))

    page = client.get(send(client, "queries", query_set.pk, content, "copy.csv")).content

    assert b"Same file." in page
    assert admin.username.encode() in page


def test_a_second_confirmation_imports_nothing_and_says_so(client, admin, query_set):
    url = send(client, "queries", query_set.pk, "query_id,query\nq1,zoo\n")
    confirm(client, url)
    Query.objects.update(text="changed since")

    response = confirm(client, url)

    assert response["Location"] == reverse("query-set-queries", args=[query_set.pk])
    assert Query.objects.get().text == "changed since"


def test_an_upload_that_was_imported_leads_to_its_rows(client, admin, query_set):
    url = send(client, "queries", query_set.pk, "query_id,query\nq1,zoo\n")
    confirm(client, url)

    told = client.get(url, follow=True).content.decode()
    Upload.objects.update(result={})  # as earlier releases left it
    earlier = client.get(url, follow=True).content.decode()

    assert "file.csv: 1 new, 0 changed, 0 unchanged." in told
    assert "file.csv: imported." in earlier


def test_the_stored_file_has_a_name_of_its_own(client, admin, query_set):
    send(client, "queries", query_set.pk, "query_id,query\n", "../../evil.csv")

    upload = Upload.objects.get()
    assert upload.name == "evil.csv"
    assert upload.file.name.endswith(f"/{upload.pk}.upload")
    assert (upload.size, len(upload.sha256)) == (15, 64)


def test_an_upload_whose_file_is_gone_leads_back_to_uploading(client, admin, query_set):
    url = send(client, "queries", query_set.pk, "query_id,query\nq1,zoo\n")
    upload = Upload.objects.get()
    upload.file.storage.delete(upload.file.name)

    for response in (client.get(url), confirm(client, url)):
        assert response["Location"] == reverse("import-queries", args=[query_set.pk])


def test_old_undecided_uploads_are_thrown_away_with_the_next_one(
    client, admin, query_set, django_capture_on_commit_callbacks
):
    send(client, "queries", query_set.pk, "query_id,query\nq1,zoo\n")
    old = Upload.objects.get()
    Upload.objects.update(created_at=make.NOW.replace(year=2020))

    with django_capture_on_commit_callbacks(execute=True):
        send(client, "queries", query_set.pk, "query_id,query\nq1,zoo\n")

    assert not Upload.objects.filter(pk=old.pk).exists()
    assert not old.file.storage.exists(old.file.name)


def test_somebody_elses_upload_and_one_of_a_lost_role_are_not_found(client, admin, query_set):
    url = send(client, "queries", query_set.pk, "query_id,query\nq1,zoo\n")
    client.force_login(make.make_member(query_set, Role.ADMIN))
    assert client.get(url).status_code == 404
    assert confirm(client, url).status_code == 404

    client.force_login(admin)
    query_set.memberships.filter(user=admin).update(role=Role.ENGINEER)
    assert client.get(url).status_code == 404


def test_uploads_of_runs_have_another_page(client, admin, query_set):
    upload = keep_upload(
        query_set=query_set, user=admin, purpose=Purpose.RUN, file=SimpleUploadedFile("run.txt", b"x")
    )

    assert client.get(reverse("upload", args=[upload.pk])).status_code == 404


def test_the_preview_costs_the_same_whatever_the_file_holds(
    client, admin, query_set, django_assert_max_num_queries
):
    counts = []
    for number in (2, 3, 3000):  # the second preview of a test also drops what the first one staged
        lines = "".join(f"q{n},text {n}\n" for n in range(number))
        url = send(client, "queries", query_set.pk, f"query_id,query\n{lines}")
        with django_assert_max_num_queries(20) as queries:
            client.get(url)
        counts.append(len(queries))

    assert counts[1] == counts[2]


@pytest.mark.django_db(transaction=True)
def test_of_two_confirmations_at_once_one_imports():
    query_set = make.make_query_set()
    user = make.make_member(query_set, Role.ADMIN)
    upload = keep_upload(
        query_set=query_set,
        user=user,
        purpose=Purpose.QUERIES,
        file=SimpleUploadedFile("q.csv", b"query_id,query\nq1,zoo\n"),
    )
    outcomes = []

    def apply():
        try:
            outcomes.append(apply_upload(upload=upload, choices=Choices(), at=make.NOW))
        except AppliedAlreadyError:
            outcomes.append("already")
        finally:
            connection.close()

    threads = [threading.Thread(target=apply) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert outcomes.count("already") == 3
    assert ImportResult(1, 0, 0) in outcomes


def test_a_refused_upload_can_be_confirmed_again():
    query_set = make.make_query_set()
    user = make.make_member(query_set, Role.ADMIN)
    upload = keep_upload(
        query_set=query_set,
        user=user,
        purpose=Purpose.QUERIES,
        file=SimpleUploadedFile("q.csv", b"query_id,query\nq1,zoo\nq1,b\n"),
    )
    with pytest.raises(ImportRefusedError):
        apply_upload(upload=upload, choices=Choices(), at=make.NOW)

    assert apply_upload(upload=upload, choices=Choices(good_lines=True), at=make.NOW).new == 1


@pytest.mark.sampled
@pytest.mark.django_db(transaction=True)  # the process that reads it sees only what was committed
@pytest.mark.parametrize("what", ["queries", "documents", "judgments"])
def test_a_packed_file_is_read_and_one_of_zeros_refused(client, admin, query_set, what):
    target = make.make_list(query_set) if what == "judgments" else query_set
    good = {
        "queries": "query_id,query",
        "documents": "document_id,title",
        "judgments": "query,document,grade",
    }
    row = "q1,d1,1" if what == "judgments" else "q1,zoo"

    page = client.get(send(client, what, target.pk, bz2.compress(f"{good[what]}\n{row}\n".encode()), "a.bz2"))
    refused = client.get(send(client, what, target.pk, gzip.compress(bytes(1 << 24)), "a.gz"))

    assert page.context["reading"] is not None
    assert "holds a NUL character" in refused.content.decode()
