"""The pages that list, take and delete runs."""

import gzip
import re
import shlex
from html import unescape

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from evaluation.models import Ranking, Run
from judgments.models import Upload
from tests import factories as make
from tests.evaluation.runs.views.uploading import TREC, engineer, query_set, upload
from tests.shared_data import shared_data

__all__ = ["engineer", "query_set"]  # fixtures

pytestmark = pytest.mark.django_db
CHOSEN = {"order": "score", "unknown": "refuse", "duplicates": "refuse"}


def test_a_run_takes_the_name_of_its_tag_and_leads_to_the_list_of_runs(client, query_set, engineer):
    response = upload(client, query_set)

    run = Run.objects.get()
    assert (run.name, run.file_name, run.uploaded_by) == ("tagged", "run.trec", engineer)
    assert response.status_code == 302
    assert response["Location"] == reverse("query-set-runs", args=[query_set.pk])


def test_with_a_judgment_list_it_leads_to_the_values(client, query_set, engineer):
    judgment_list = make.make_list(query_set)

    response = upload(client, query_set, gzip.compress(TREC), "run.trec.gz")

    assert response["Location"] == reverse("run", args=[judgment_list.pk, Run.objects.get().pk])


@pytest.mark.parametrize(
    ("content", "says"),
    [
        (b"", "is empty"),
        (b"# only\n# comments\n", "comments"),
        (gzip.compress(TREC, mtime=0)[:-12], "cut off"),
        (b"PK\x03\x04abcd", "damaged: it starts as zip"),
        (b"q1 Q0 d1 1 2.0 a\nq1 Q0 d2 2 1.0 b\n", "tag"),
        (b"q1 Q0 d1 1 nan a\n", "line 1</span>"),
        (b"q1 Q0 d1 1 inf a\n", "line 1</span>"),
        (b"q1 Q0 d1 1 2 a\nq1 Q0 d1 2 1 a\n", "line 2</span>"),
        (b"q1 d1\n", "2 columns. There should be"),
        (b"q9 Q0 d1 1 2 a\n", "q9"),
        (b'{"q1": ', "is cut off: it ends on line 1"),
        (b"q1 Q0 d\x81 1 2 a\n", "neither UTF-8 nor Windows-1252"),
    ],
)
def test_a_bad_file_is_refused_with_its_reason_and_stores_no_run(client, query_set, engineer, content, says):
    response = upload(client, query_set, content)

    assert response.status_code == 422
    assert says in response.content.decode()
    assert not Run.objects.exists()
    assert not Ranking.objects.exists()


def test_no_file_at_all_is_told(client, query_set, engineer):
    response = upload(client, query_set, None)

    assert response.status_code == 422
    assert "Choose a run file." in response.content.decode()


def test_a_refused_file_is_kept_for_another_choice(client, query_set, engineer):
    refused = upload(client, query_set, TREC + b"q9 Q0 d1 1 2.0 tagged\n")
    kept = Upload.objects.get(user=engineer)

    again = upload(client, query_set, None, unknown="skip", kept=str(kept.pk))

    assert refused.status_code == 422
    assert again.status_code == 302
    assert Run.objects.get().report["warnings"]["counts"] == {"unknown query": 1}


UNKNOWN, TWICE = b"q9 Q0 d1 1 2.0 tagged\n", b"q1 Q0 d1 3 0.5 tagged\n"


@pytest.mark.parametrize(
    ("lines", "cures"),
    [
        (UNKNOWN, ["unknown query"]),
        (TWICE, ["a document twice"]),
        (UNKNOWN + TWICE, ["a document twice", "unknown query"]),
        (UNKNOWN + b"q1 Q0 d3 3 high tagged\n", []),
    ],
)
def test_one_click_cures_what_a_choice_can_cure(client, query_set, engineer, lines, cures):
    page = upload(client, query_set, TREC + lines)

    assert re.findall(r'name="cure" value="([^"]+)"', page.content.decode()) == cures


@pytest.mark.parametrize(("lines", "cure"), [(UNKNOWN, "unknown query"), (TWICE, "a document twice")])
def test_a_cure_wins_over_what_was_chosen(client, query_set, engineer, lines, cure):
    upload(client, query_set, TREC + lines)

    cured = upload(client, query_set, None, cure=cure, kept=str(Upload.objects.get(user=engineer).pk))

    assert cured.status_code == 302
    assert Run.objects.get().row_count == 2


SEVERAL = b"q9 Q0 d1 1 2.0 lost\nq1 Q0 d1 1 2.0 first\nq1 Q0 d1 1 2.0 last\nq9 Q0 d1 1 2.0 last\n"


def test_before_runs_without_a_known_query_are_left_out_the_page_names_them(client, query_set, engineer):
    page = upload(client, query_set, SEVERAL, several="split", title="new")

    assert page.context["kept_runs"] == ["new first", "new last"]
    assert page.context["left_out_runs"] == ["new lost"]
    assert "“new lost” isn’t: none of its queries is in this query set." in unescape(page.content.decode())
    assert not Run.objects.exists()


def test_a_run_without_a_known_query_is_left_out_and_named(client, query_set, engineer):
    upload(client, query_set, SEVERAL, several="split")
    kept = str(Upload.objects.get().pk)

    response = upload(client, query_set, None, kept=kept, several="split", cure="unknown query")

    assert set(Run.objects.values_list("name", flat=True)) == {"first", "last"}
    page = unescape(client.get(response["Location"]).content.decode())
    assert "Run “lost” isn’t stored: none of its queries is in this query set." in page
    assert "The file was read with 1 warning." in page


def test_a_file_without_any_known_query_has_no_button_that_would_store_nothing(client, query_set, engineer):
    page = upload(client, query_set, UNKNOWN)

    assert 'name="cure"' not in page.content.decode()
    assert page.context["left_out_runs"] == []


def test_the_line_that_names_the_columns_is_chosen(client, query_set, engineer):
    two = b"query,document,score\nq1,old,3\nquery,document,score\nq1,d1,2\n"

    response = upload(client, query_set, two, "run.csv", header_line="3")

    assert response.status_code == 302
    assert Run.objects.get().row_count == 1


def test_a_refused_file_is_not_kept_beyond_what_one_person_may_leave(client, query_set, engineer, settings):
    settings.UNDECIDED_UPLOADS = 0

    refused = upload(client, query_set, TREC + b"q9 Q0 d1 1 2.0 tagged\n")

    assert refused.status_code == 422
    assert "discard some on your account page" in refused.content.decode()
    assert not Upload.objects.exists()


def test_a_file_kept_for_somebody_else_is_not_to_be_had(client, query_set, engineer):
    upload(client, query_set, b"q9 Q0 d1 1 2.0 tagged\n")
    kept = Upload.objects.get()
    client.force_login(make.make_member(query_set, "engineer"))

    for key in (str(kept.pk), "nonsense"):
        response = upload(client, query_set, None, unknown="skip", kept=key)
        assert response.status_code == 422
        assert "Choose a run file." in response.content.decode()


def test_a_double_click_stores_one_run_and_shows_it(client, query_set, engineer):
    upload(client, query_set)

    response = upload(client, query_set)

    assert response.status_code == 302
    assert Run.objects.count() == 1


def test_another_file_of_the_same_name_is_refused(client, query_set, engineer):
    upload(client, query_set)

    response = upload(client, query_set, TREC.replace(b"2.0", b"3.0"))

    assert response.status_code == 422
    assert "Choose another name" in response.content.decode()
    assert Run.objects.count() == 1


def test_a_file_whose_name_is_taken_is_kept_for_another_name(client, query_set, engineer):
    upload(client, query_set)
    upload(client, query_set, TREC.replace(b"2.0", b"3.0"))

    again = upload(client, query_set, None, title="other", kept=str(Upload.objects.get().pk))

    assert again.status_code == 302
    assert set(Run.objects.values_list("name", flat=True)) == {"tagged", "other"}


def test_a_kept_file_is_kept_on_when_a_choice_makes_it_unreadable(client, query_set, engineer):
    upload(client, query_set, TREC + b"q9 Q0 d1 1 2.0 tagged\n")
    kept = Upload.objects.get()

    for choices in ({"format": "json"}, {"unknown": "refuse"}):
        response = upload(client, query_set, None, kept=str(kept.pk), **choices)
        assert response.status_code == 422
        assert response.context["kept"] == kept


def test_the_same_file_under_another_name_is_stored_and_told(client, query_set, engineer):
    upload(client, query_set)

    response = upload(client, query_set, title="second")

    page = client.get(response["Location"]).content.decode()
    assert "was uploaded before" in page
    assert set(Run.objects.values_list("name", flat=True)) == {"tagged", "second"}


@pytest.mark.parametrize(
    ("known", "level", "sentence"),
    [
        ([], "warning", "None of its 3 documents is known to this query set."),
        (["d1"], "info", "2 of its 3 documents are not known to this query set."),
        (["d1", "d2"], "info", "1 of its 3 documents is not known to this query set."),
        (["d1", "d2", "d3"], "", ""),
    ],
)
def test_documents_that_the_query_set_does_not_know_are_counted(
    client, query_set, engineer, known, level, sentence
):
    make.make_query(query_set, "q2")
    make.make_document(make.make_query_set(), "d1")
    for name in known:
        make.make_document(query_set, name)

    response = upload(client, query_set, TREC + b"q2 Q0 d3 1 2 tagged\nq2 Q0 d1 2 1 tagged\n")

    said = [(one.level_tag, one.message) for one in client.get(response["Location"]).context["messages"]]
    assert [one for one in said if one[0] != "success"] == ([(level, sentence)] if sentence else [])


def test_problems_of_a_run_stand_by_line(client, query_set, engineer):
    content = b"q1 Q0 d1 1 3 t\nq9 Q0 d1 1 3 t\nq1 Q0 d1 2 2 t\nq1 Q0 d2 3 nan t\n"

    (report,) = upload(client, query_set, content).context["reports"]

    assert [entry["line"] for entry in report["lines"]] == [2, 3, 4]


def test_a_file_above_the_limit_answers_413(client, query_set, engineer, settings):
    settings.UPLOAD_LIMIT = 10

    response = upload(client, query_set)

    assert response.status_code == 413
    assert "run.trec is too large. Nothing was stored." in response.content.decode()
    assert "takes files of up to 10\xa0bytes." in response.content.decode()
    assert not Run.objects.exists()


def test_a_body_above_the_limit_is_refused_unread(client, query_set, engineer, settings):
    settings.UPLOAD_LIMIT = -(1 << 20) + 10

    response = upload(client, query_set)

    assert response.status_code == 413
    assert "Nothing was stored. This site takes files of up to" in response.content.decode()


def test_the_command_on_the_page_names_this_site_and_query_set_as_a_shell_reads_them(
    client, query_set, engineer
):
    query_set.name = "Ann’s $HOME 'shop'"
    query_set.save()

    html = client.get(reverse("run-upload", args=[query_set.pk])).content.decode()

    command = unescape(
        html[html.index("touchstone fetch") : html.index("</code></pre>", html.index("fetch"))]
    )
    words = shlex.split(command)
    assert words[words.index("--site") + 1] == "http://testserver"
    assert words[words.index("--query-set") + 1] == query_set.name


def test_the_page_says_how_large_a_file_may_be(client, query_set, engineer, settings):
    settings.UPLOAD_LIMIT = 512 << 20

    page = client.get(reverse("run-upload", args=[query_set.pk])).content.decode()

    assert "up to 512\xa0MB" in page


def test_the_list_of_runs_costs_the_same_for_two_and_for_thirty(client, query_set, engineer):
    counts = []
    for total in (2, 30):
        for _ in range(total - Run.objects.count()):
            make.make_run(query_set, uploaded_by=engineer)
        with CaptureQueriesContext(connection) as queries:
            response = client.get(reverse("query-set-runs", args=[query_set.pk]))
        assert response.status_code == 200
        counts.append(len(queries))

    assert counts[0] == counts[1] <= 15


def test_the_empty_list_says_what_to_do(client, query_set, engineer):
    page = client.get(reverse("query-set-runs", args=[query_set.pk])).content.decode()

    assert "No runs yet" in page
    assert reverse("run-upload", args=[query_set.pk]) in page


def test_a_run_is_deleted_by_its_uploader_or_an_admin_only(client, query_set, engineer):
    mine = make.make_run(query_set, uploaded_by=engineer)
    other = make.make_run(query_set)

    client.post(reverse("run-delete", args=[mine.pk]))
    client.post(reverse("run-delete", args=[other.pk]))
    assert list(Run.objects.all()) == [other]

    client.force_login(make.make_member(query_set, "admin"))
    client.post(reverse("run-delete", args=[other.pk]))
    assert not Run.objects.exists()


def test_real_runs_are_taken_by_page(client):
    folder = shared_data("esci_small")
    query_set = make.make_query_set()
    for line in (folder / "queries.csv").read_text().splitlines()[1:]:
        make.make_query(query_set, line.split(",")[0])
    client.force_login(make.make_member(query_set, "engineer"))

    for path in sorted((folder / "runs").glob("*.trec")):
        assert upload(client, query_set, path.read_bytes(), path.name).status_code == 302

    assert Run.objects.count() == 8
    assert set(Run.objects.values_list("query_count", flat=True)) <= {29, 30}


def test_several_files_at_once_are_as_many_runs(client, engineer, query_set):
    files = [
        SimpleUploadedFile(name, f"q1 Q0 d1 1 {score} bm25\n".encode())
        for name, score in (("old.trec", 1), ("new.trec", 2), ("new.trec", 3))
    ]

    response = client.post(reverse("run-upload", args=[query_set.pk]), {"file": files} | CHOSEN)

    assert response.status_code == 302
    assert sorted(Run.objects.values_list("name", flat=True)) == ["3 new", "new", "old"]
