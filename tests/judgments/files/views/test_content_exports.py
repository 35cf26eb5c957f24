"""Taking queries and documents out by page and by command; what comes out goes in again as the same."""

import csv
import io
import json
import zipfile
from io import StringIO

import pytest
from django.core.management import CommandError, call_command
from django.urls import reverse

from judgments.lists.actions.versions import freeze_version
from judgments.models import Act, Document, Query
from tests import factories as make
from tests.html import html_of
from tests.judgments.files.actions.test_import_grades import bring_in, make_scale

pytestmark = pytest.mark.django_db
QUERY = ("external_id", "text", "information_need", "weight", "tags")
DOCUMENT = ("external_id", "title", "body", "url", "image", "fields")


@pytest.fixture
def filled(query_set):
    make.make_query(query_set, "q1", text="=red", information_need="a\nb", weight=0.1, tags=["a;b", "c"])
    make.make_query(query_set, "-q 2", text="käse", tags=["x", "y"])
    make.make_document(
        query_set, "d1", title="+T", body="<b>\n\n</b>", url="https://a.example", fields={"size": "=1"}
    )
    make.make_document(query_set, "@d2", title="", image="https://a.example/i.png", fields={"brand": "A, B"})
    return query_set


def download(client, query_set, format, **more):
    response = client.get(reverse("query-set-export", args=[query_set.pk]), {"format": format} | more)
    return response, b"".join(response.streaming_content) if response.streaming else response.content


def rows(query_set):
    return (
        list(Query.objects.filter(query_set=query_set).order_by("pk").values_list(*QUERY)),
        list(Document.objects.filter(query_set=query_set).order_by("pk").values_list(*DOCUMENT)),
    )


@pytest.mark.parametrize("suffix", ["csv", "jsonl"])
def test_queries_and_documents_come_back_into_another_query_set(client, admin, filled, tmp_path, suffix):
    other = make.make_query_set(name="Other")
    for what in ("queries", "documents"):
        response, content = download(client, filled, f"{what}-{suffix}")
        path = tmp_path / f"{what}.{suffix}"
        path.write_bytes(content)
        call_command(f"import_{what}", str(path), query_set="Other", stdout=StringIO(), stderr=StringIO())
        assert f".{what}." in response["Content-Disposition"]

    assert rows(other) == rows(filled)


def test_no_spreadsheet_runs_a_text(client, admin, filled):
    for what in ("queries", "documents"):
        content = download(client, filled, f"{what}-csv")[1].decode()
        cells = [cell for row in csv.reader(io.StringIO(content)) for cell in row]
        assert not [cell for cell in cells if cell.startswith(("=", "+", "-", "@"))]


@pytest.fixture
def graded(filled):
    found = make.make_list(filled, scale=make_scale(filled, 0, 1, 2), name="Main")
    bring_in(found, "query,document,grade\nq1,d1,2\n-q 2,@d2,1\n", name="file.csv")
    return found


EXPECTED_QRELS = "query-id\tcorpus-id\tscore\nq1\td1\t2\n-q 2\t@d2\t1\n"


def test_a_beir_folder_is_a_zip_of_three_files(client, admin, graded):
    response, content = download(client, graded.query_set, "beir", list=graded.pk)

    files = zipfile.ZipFile(io.BytesIO(content))
    assert response["Content-Type"] == "application/zip"
    assert files.testzip() is None
    assert files.namelist() == ["corpus.jsonl", "queries.jsonl", "qrels/test.tsv"]
    corpus = [json.loads(line) for line in files.read("corpus.jsonl").splitlines()]
    assert corpus[0] == {
        "_id": "d1",
        "title": "+T",
        "text": "<b>\n\n</b>",
        "metadata": {"size": "=1", "url": "https://a.example"},
    }
    assert json.loads(files.read("queries.jsonl").splitlines()[1])["text"] == "käse"
    assert files.read("qrels/test.tsv").decode() == EXPECTED_QRELS


def test_a_command_writes_the_same_and_a_version(client, admin, graded, tmp_path):
    name = graded.query_set.name
    version = freeze_version(judgment_list=graded)
    call_command(
        "export_content", query_set=name, format="beir", list=f"Main@{version.number}", output=tmp_path
    )
    out = StringIO()
    call_command("export_content", query_set=name, format="documents-csv", stdout=out)

    assert (tmp_path / "qrels" / "test.tsv").read_text() == EXPECTED_QRELS
    assert len((tmp_path / "corpus.jsonl").read_text().splitlines()) == 2
    assert out.getvalue().encode() == download(client, graded.query_set, "documents-csv")[1]
    assert Act.objects.filter(verb="exported").count() == 3


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"format": "beir"}, "needs --output"),
        ({"format": "queries-csv", "list": "Main"}, "--list is for BEIR"),
        ({"format": "queries-csv", "query_set": "None"}, "None"),
    ],
)
def test_a_command_says_what_is_missing(filled, options, message):
    with pytest.raises(CommandError, match=message):
        call_command("export_content", **{"query_set": filled.name} | options)


@pytest.mark.parametrize("fields", [{"Size": "1"}, {f"f{n}": "1" for n in range(1001)}])
def test_fields_that_a_table_cannot_tell_apart_are_refused(client, admin, filled, fields):
    make.make_document(filled, "d3", fields=fields)

    response, content = download(client, filled, "documents-csv")

    assert response.status_code == 422
    assert "Choose JSON lines" in content.decode()
    assert not Act.objects.filter(verb="exported").exists()
    assert download(client, filled, "documents-jsonl")[0].status_code == 200


def test_the_page_says_what_each_file_leaves_out(client, admin, graded):
    page = html_of(client.get(reverse("query-set-export", args=[graded.query_set_id])))

    assert "Leaves out" in page
    assert page.count("who changed what") == 5
    assert page.count("pairs without a grade") == 1


def test_raters_and_strangers_take_nothing_out(client, filled):
    for role in ("rater", None):
        user = make.make_member(filled, role) if role else make.make_user()
        client.force_login(user)
        for format in ("", "documents-csv", "beir"):
            assert download(client, filled, format)[0].status_code == 404


def test_a_format_or_list_that_there_is_not_is_not_found(client, admin, filled):
    foreign = make.make_list(make.make_query_set())

    assert download(client, filled, "xml")[0].status_code == 404
    assert download(client, filled, "beir", list=foreign.pk)[0].status_code == 404
    assert download(client, filled, "beir", list="x")[0].status_code == 404


def test_asking_for_the_headers_takes_nothing_out(client, admin, filled):
    response = client.head(reverse("query-set-export", args=[filled.pk]), {"format": "queries-csv"})

    assert response.status_code == 200
    assert not Act.objects.filter(verb="exported").exists()
