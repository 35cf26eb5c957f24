"""Importing by page: upload, preview, choices, confirmation."""

import gzip
import threading

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.db import connection
from django.urls import reverse

from judgments.actions.imports import ImportRefusedError
from judgments.actions.uploads import AppliedAlreadyError, apply_upload, keep_upload
from judgments.models import ConsensusGrade, Document, Judgment, Purpose, Query, Role, Upload
from judgments.reports.imports import Choices, ImportResult
from tests import factories as make
from tests.shared_data import shared_data

pytestmark = pytest.mark.django_db


@pytest.fixture
def query_set():
    return make.make_query_set(name="Shop")


@pytest.fixture
def admin(client, query_set):
    user = make.make_member(query_set, Role.ADMIN)
    client.force_login(user)
    return user


def send(client, what, pk, content, name="file.csv"):
    """Uploads a file; the address of its preview."""
    data = content if isinstance(content, bytes) else content.encode()
    response = client.post(reverse(f"import-{what}", args=[pk]), {"file": SimpleUploadedFile(name, data)})
    assert response.status_code == 302, response.content.decode()
    return response["Location"]


def confirm(client, url, **choices):
    return client.post(url, {"action": "import"} | choices)


def test_a_file_is_previewed_and_then_imported(client, admin, query_set):
    make.make_query(query_set, "q1", text="old")
    url = send(client, "queries", query_set.pk, "query_id,query\nq1,zoo\nq2,lion\n")

    page = client.get(url)
    assert page.context["reading"].result == ImportResult(1, 1, 0)
    assert b"lion" in page.content
    assert Query.objects.count() == 1

    response = confirm(client, url)
    assert response["Location"] == reverse("query-set-queries", args=[query_set.pk])
    assert set(Query.objects.values_list("text", flat=True)) == {"zoo", "lion"}
    assert b"file.csv: 1 new, 1 changed, 0 unchanged." in client.get(response["Location"]).content


@pytest.mark.parametrize("name", ["judgments.csv", "qrels.txt"])
def test_the_real_data_arrive_by_page(client, admin, query_set, name):
    folder = shared_data("esci_small")
    judgment_list = make.make_list(query_set, scale=make.preset("ESCI"))

    for what, pk, file in (
        ("queries", query_set.pk, "queries.csv"),
        ("documents", query_set.pk, "products.csv"),
        ("documents", query_set.pk, "extra_products_in_runs.csv"),
        ("judgments", judgment_list.pk, name),
    ):
        url = send(client, what, pk, (folder / file).read_bytes(), file)
        assert client.get(url).status_code == 200
        assert confirm(client, url).status_code == 302

    assert Query.objects.count() == 30
    assert Document.objects.count() == 1267 + 512
    assert ConsensusGrade.objects.filter(value__isnull=False).count() == 1269
    page = client.get(reverse("list", args=[judgment_list.pk]))
    assert page.context["coverage"].graded == 1269


def test_problems_stand_on_the_page_by_line_and_refuse_the_file(client, admin, query_set):
    url = send(client, "queries", query_set.pk, "query_id,query\nq1,zoo\nq1,lion\n,cat\n")

    page = client.get(url)
    refused = confirm(client, url)

    assert page.status_code == 200
    assert refused.status_code == 422
    assert b"line 3" in refused.content
    assert b"twice in the file: 1" in refused.content
    assert not Query.objects.exists()


def test_the_good_lines_are_imported_on_request(client, admin, query_set):
    url = send(client, "queries", query_set.pk, "query_id,query\nq1,zoo\nq1,lion\n")

    response = confirm(client, url, good_lines="on")

    assert response.status_code == 302
    assert Query.objects.get().text == "zoo"


@pytest.mark.parametrize(
    ("content", "sentence"),
    [
        (b"a,b\n1,2\n", "needs a column for query_id and query"),
        (b"query_id,query\n1,\xff\n", "not valid UTF-8 on line 2"),
        (gzip.compress(b"query_id,query\nq1,zoo\n" * 1000)[:-20], "is cut off"),
        (b"\x89PNG\x00\x01", "binary data"),
        (b"  \n", "is empty"),
    ],
)
def test_a_file_that_cannot_be_read_says_why(client, admin, query_set, content, sentence):
    url = send(client, "queries", query_set.pk, content)

    assert sentence in client.get(url).content.decode()
    assert confirm(client, url).status_code == 422
    assert not Query.objects.exists()


def test_an_empty_file_and_no_file_are_refused_at_once(client, admin, query_set):
    url = reverse("import-queries", args=[query_set.pk])

    empty = client.post(url, {"file": SimpleUploadedFile("empty.csv", b"")})
    none = client.post(url)

    assert (empty.status_code, none.status_code) == (422, 422)
    assert b"This file is empty." in empty.content
    assert b"Choose a file." in none.content
    assert not Upload.objects.exists()


def test_a_file_above_the_limit_is_answered_with_413(client, admin, query_set, settings):
    settings.UPLOAD_LIMIT = 10

    response = client.post(
        reverse("import-queries", args=[query_set.pk]), {"file": SimpleUploadedFile("big.csv", b"x" * 11)}
    )

    assert response.status_code == 413
    assert "big.csv is too large. Nothing was stored." in response.content.decode()
    assert "takes files of up to 10\xa0bytes." in response.content.decode()
    assert "up to 10\xa0bytes" in client.get(reverse("import-queries", args=[query_set.pk])).content.decode()
    assert not Upload.objects.exists()


def test_columns_encoding_and_format_are_chosen_and_remembered(client, admin, query_set):
    url = send(client, "queries", query_set.pk, "nummer;frage\n1;Käse\n".encode("latin-1"))
    first = client.get(url)
    assert b"not valid UTF-8" in first.content

    client.post(url, {"encoding": "latin-1"})
    headers = client.get(url).content
    assert b'<option value="nummer">' in headers
    chosen = {"encoding": "latin-1", "column-query_id": "nummer", "column-query": "frage"}
    assert client.post(url, chosen)["Location"] == url
    assert "Käse" in client.get(url).content.decode()

    assert confirm(client, url, **chosen).status_code == 302
    assert Query.objects.get().text == "Käse"


def test_a_column_may_be_left_out(client, admin, query_set):
    url = send(client, "queries", query_set.pk, "query_id,query,weight\nq1,zoo,many\n")
    assert client.get(url).context["reading"].report.errors.total == 1

    client.post(url, {"column-weight": "-"})
    page = client.get(url)
    assert page.context["preview"].unused == ["weight"]
    assert b"Import 1 query</button>" in page.content

    confirm(client, url, **{"column-weight": "-"})

    assert Query.objects.get().weight == 1


@pytest.mark.parametrize(
    ("what", "content", "unused"),
    [
        ("queries", "c0,query_id,query,,c1\n,q1,zoo,,\n", ["c0", "c1"]),
        ("queries", "query_id,query\nq1,zoo\n", []),
        ("documents", "document_id,title,brand\nd1,Zoo,acme\n", []),
        ("judgments", "query,document,grade,mood\nq1,d1,1,good\n", ["mood"]),
        ("judgments", "q1 0 d1 1\n", []),
    ],
)
def test_columns_that_nothing_uses_are_named(client, admin, query_set, what, content, unused):
    target = make.make_list(query_set) if what == "judgments" else query_set

    page = client.get(send(client, what, target.pk, content))

    assert page.context["preview"].unused == unused
    assert ("Not used:" in page.content.decode()) == bool(unused)


def test_hundreds_of_columns_that_nothing_uses_are_counted(client, admin, query_set):
    further = ",".join(f"c{number}" for number in range(200))
    url = send(client, "queries", query_set.pk, f"query_id,query,{further}\nq1,zoo{',' * 200}\n")

    page = client.get(url).content.decode()

    assert "<code>c29</code> and more, 200 columns in all" in page


def test_judgments_take_a_rater_and_make_what_is_missing_on_request(client, admin, query_set):
    judgment_list = make.make_list(query_set)
    url = send(client, "judgments", judgment_list.pk, "q1 0 d1 3\n", "expert.qrels")
    assert client.get(url).context["reading"].report.errors.total == 1

    response = confirm(client, url, rater="Assessor", create_missing="on")

    assert response["Location"] == reverse("list", args=[judgment_list.pk])
    assert Judgment.objects.get().rater.name == "Assessor"


def test_without_a_name_the_rater_is_called_after_the_file(client, admin, query_set):
    judgment_list = make.make_list(query_set)
    url = send(client, "judgments", judgment_list.pk, "q1 0 d1 3\n", "expert.qrels.txt")

    confirm(client, url, create_missing="on")

    assert Judgment.objects.get().rater.name == "expert"


def test_an_unknown_grade_names_the_grades_of_the_scale(client, admin, query_set):
    judgment_list = make.make_list(query_set, scale=make.preset("Binary"))
    url = send(client, "judgments", judgment_list.pk, "q1 0 d1 3\n", "x.qrels")

    refused = confirm(client, url, create_missing="on").content.decode()

    assert "expected a grade of the scale “Binary”: 0 (Not relevant), 1 (Relevant)" in refused


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


def test_old_undecided_uploads_are_thrown_away_with_the_next_one(client, admin, query_set):
    send(client, "queries", query_set.pk, "query_id,query\nq1,zoo\n")
    old = Upload.objects.get()
    Upload.objects.update(created_at=make.NOW.replace(year=2020))

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
