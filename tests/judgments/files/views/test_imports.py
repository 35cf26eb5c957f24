"""Importing by page: upload, preview, choices, confirmation."""

import gzip
import re

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.urls import reverse

from judgments.files.reports import uploads
from judgments.files.reports.imports import ImportResult
from judgments.models import Query, Upload
from tests import factories as make
from tests.api import Api
from tests.judgments.files.views.import_pages import confirm, send

pytestmark = pytest.mark.django_db


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
    told = client.get(response["Location"]).content
    assert b"file.csv: 1 new, 1 changed, 0 unchanged." in told
    assert b"undo it" not in told  # only judgments can be taken back


def test_the_preview_says_how_queries_without_ids_are_known(client, admin, query_set):
    make.make_query(query_set, "q1", text="red shoes")
    url = send(client, "queries", query_set.pk, "red shoes\nblue shoes, size 9\n", "queries.txt")

    page = client.get(url)
    confirm(client, url)

    assert page.context["reading"].result == ImportResult(1, 0, 1)
    assert b"This file has no query IDs." in page.content
    ids = [row[0] for row in page.context["preview"].rows]
    assert ids[0] == "q1"
    assert ids[1].startswith("blue-shoes-size-9-")
    assert set(Query.objects.values_list("text", flat=True)) == {"red shoes", "blue shoes, size 9"}
    with_ids = client.get(send(client, "queries", query_set.pk, "query_id,query\nq1,zoo\n"))
    assert b"This file has no query IDs." not in with_ids.content


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

    assert "Column query_id: “q1” should be listed once" in client.get(url).content.decode()

    response = confirm(client, url, good_lines="on")

    assert response.status_code == 302
    assert Query.objects.get().text == "zoo"


def test_one_click_imports_the_good_lines(client, admin, query_set):
    url = send(client, "queries", query_set.pk, "query_id,query\nq1,zoo\nq1,lion\nq2,cat\n")

    assert "Import the good lines (2 queries)" in client.get(url).content.decode()
    response = client.post(url, {"action": "import_good"}, follow=True)

    assert response.redirect_chain == [(reverse("query-set-queries", args=[query_set.pk]), 302)]
    assert "file.csv: 2 new, 0 changed, 0 unchanged; 1 problem left out." in response.content.decode()
    assert set(Query.objects.values_list("text", flat=True)) == {"zoo", "cat"}


def test_judgments_that_were_left_out_are_told(client, admin, query_set):
    judgment_list = make.make_list(query_set, scale=make.preset("Binary"))
    url = send(client, "judgments", judgment_list.pk, "q1 0 d1 1\nq1 0 d2 7\nq1 0 d3 8\n", "qrels.txt")

    response = client.post(url, {"action": "import_good", "create_missing": "on"}, follow=True)

    assert "1 new, 0 changed, 0 unchanged; 2 problems left out." in response.content.decode()


@pytest.mark.parametrize("content", ["query_id,query\nq1,zoo\n", "query_id,query\n,zoo\n"])
def test_good_lines_are_not_offered_where_all_lines_are_alike(client, admin, query_set, content):
    url = send(client, "queries", query_set.pk, content)

    assert "Import the good lines (" not in client.get(url).content.decode()


@pytest.mark.parametrize(
    ("content", "sentence"),
    [
        (b"a,b\n1,2\n", "needs a column for query;"),
        (b"query_id,query\n1,\x81\n", " holds bytes that neither UTF-8 nor Windows-1252 has"),
        (gzip.compress(b"query_id,query\nq1,zoo\n" * 1000, mtime=0)[:-20], "is cut off"),
        (b"\x89PNG\x00\x01", "binary data"),
        (b"  \n", "is empty"),
    ],
)
def test_a_file_that_cannot_be_read_says_why(client, admin, query_set, content, sentence):
    url = send(client, "queries", query_set.pk, content)

    page = client.get(url).content.decode()
    assert sentence in page
    assert "choose another file" in page
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
    page = client.get(reverse("import-queries", args=[query_set.pk])).content.decode()
    assert "up to 10 bytes" in " ".join(page.split())
    assert not Upload.objects.exists()


def test_columns_encoding_and_format_are_chosen_and_remembered(client, admin, query_set):
    url = send(client, "queries", query_set.pk, "nummer;frage\n1;Käse\n".encode("cp1252"))
    headers = client.get(url).content
    assert b'<option value="nummer">' in headers
    chosen = {"encoding": "cp1252", "column-query_id": "nummer", "column-query": "frage"}
    assert client.post(url, chosen)["Location"] == url
    preview = client.get(url)
    assert "Käse" in preview.content.decode()
    assert preview.context["form"]["column-query"].field.widget.choices[0] == ("", "Detect")
    assert preview.context["form"]["column-weight"].field.widget.choices[0] == ("", "none")

    assert confirm(client, url, **chosen).status_code == 302
    assert Query.objects.get().text == "Käse"


def test_columns_with_other_names_are_chosen_before_anything_else(client, admin, query_set):
    url = send(client, "queries", query_set.pk, b"nummer;frage\n1;boots\n")
    lacking = client.get(url).content.decode()
    client.post(url, {"column-query_id": "nummer", "column-query": "frage"})
    read = client.get(url).content.decode()

    def columns_first(page):
        assert page.count('name="column-query"') == 1
        return page.index('name="column-query"') < page.index('name="encoding"')

    assert columns_first(lacking)
    assert "Choose its columns here" in lacking
    assert not columns_first(read)


def test_the_line_that_names_the_columns_is_chosen_and_remembered(client, admin, query_set):
    two = "Exported on,26 November\nquery_id,query\nold,old\nquery_id,query,weight\nq1,zoo,2\n"
    url = send(client, "queries", query_set.pk, two)

    assert client.post(url, {"header_line": "4"})["Location"] == url
    page = client.get(url)
    assert page.context["form"]["header_line"].value() == 4
    assert page.context["preview"].headers == ["query_id", "query", "weight"]

    confirm(client, url, header_line="4")

    assert (Query.objects.get().external_id, Query.objects.get().weight) == ("q1", 2)


def test_a_line_that_can_not_name_the_columns_is_said(client, admin, query_set):
    url = send(client, "queries", query_set.pk, "query_id,query\nq1,zoo\n")

    client.post(url, {"header_line": "9"})

    page = client.get(url).content.decode()
    assert "Line 9 of file.csv can’t name the columns: the file has 2 lines." in page


def test_a_column_may_be_left_out(client, admin, query_set):
    url = send(client, "queries", query_set.pk, "query_id,query,weight\nq1,zoo,many\n")
    assert client.get(url).context["reading"].report.errors.total == 1

    client.post(url, {"column-weight": "-"})
    page = client.get(url)
    assert page.context["preview"].unused_headers == ["weight"]
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

    assert page.context["preview"].unused_headers == unused
    assert ("Not used:" in page.content.decode()) == bool(unused)


def test_hundreds_of_columns_that_nothing_uses_are_counted(client, admin, query_set):
    further = ",".join(f"c{number}" for number in range(200))
    url = send(client, "queries", query_set.pk, f"query_id,query,{further}\nq1,zoo{',' * 200}\n")

    page = client.get(url).content.decode()

    assert "<code>c29</code> and more, 200 columns in all" in " ".join(page.split())


def test_a_preview_made_before_another_import_asks_again(client, admin, query_set):
    mine = send(client, "queries", query_set.pk, "query_id,query\nq1,mine\n")
    seen = re.search(r'name="seen" value="(\w+)"', client.get(mine).content.decode())[1]
    confirm(client, send(client, "queries", query_set.pk, "query_id,query\nq1,theirs\n", "theirs.csv"))

    asked = confirm(client, mine, seen=seen)

    assert asked.status_code == 409
    assert "Somebody imported another file after you opened this preview" in asked.content.decode()
    assert query_set.queries.get().text == "theirs"
    seen = re.search(r'name="seen" value="(\w+)"', asked.content.decode())[1]
    assert confirm(client, mine, seen=seen).status_code == 302
    assert query_set.queries.get().text == "mine"


def test_the_button_counts_what_would_be_new_or_changed(client, admin, query_set):
    content = "query_id,query\nq1,a\nq2,b\n"
    confirm(client, send(client, "queries", query_set.pk, content))

    same = client.get(send(client, "queries", query_set.pk, content)).content.decode()
    more = client.get(send(client, "queries", query_set.pk, content + "q3,c\n")).content.decode()

    assert "Everything in this file is already stored." in same
    assert "Import anyway</button>" in same
    assert "Import 1 query</button>" in more


def test_an_import_while_a_preview_is_read_is_newer_than_the_preview(client, admin, query_set, monkeypatch):
    mine = send(client, "queries", query_set.pk, "query_id,query\nq1,mine\n")
    theirs = send(client, "queries", query_set.pk, "query_id,query\nq1,theirs\n", "theirs.csv")

    def slowly(*args, **more):
        found = preview(*args, **more)
        monkeypatch.undo()
        confirm(client, theirs)
        return found

    preview = uploads.preview
    monkeypatch.setattr(uploads, "preview", slowly)
    seen = re.search(r'name="seen" value="(\w+)"', client.get(mine).content.decode())[1]

    assert confirm(client, mine, seen=seen).status_code == 409


HEADERS = {
    "queries": "query_id,query\n",
    "documents": "document_id,title\n",
    "judgments": "query,document,grade\n",
}


@pytest.mark.parametrize("what", HEADERS)
def test_a_file_without_rows_is_refused_before_the_import_as_by_it(client, admin, query_set, what):
    pk = make.make_list(query_set).pk if what == "judgments" else query_set.pk
    sentence = f"headonly.csv holds no {what} that can be imported."

    page = client.get(send(client, what, pk, HEADERS[what], "headonly.csv"))

    assert sentence in page.content.decode()
    path = f"lists/{pk}/imports" if what == "judgments" else f"query-sets/{pk}/imports/{what}"
    preview = Api(admin).post(f"{path}/preview?file_name=headonly.csv", HEADERS[what].encode()).json()
    assert (preview["problems"], preview["can_be_imported"]) == ([sentence], False)
