"""Taking runs out by page: what there is to choose from, what is refused, and how the file is sent."""

import io
import json
import re
import tracemalloc
import zipfile

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.urls import reverse
from django.utils import timezone

from evaluation.models import Run
from evaluation.runs.reports.exports import MOST_AT_ONCE, export_runs
from judgments.content.actions.query_sets import archive_query_set
from judgments.models import Act, Query, Verb
from tests import factories as make
from tests.api import Api, problem_of
from tests.evaluation.runs.exported import store
from tests.evaluation.runs.views.uploading import engineer, query_set, upload
from tests.evaluation.scored import text_of
from touchstone_core.formats.runs.declarations import WRITABLE

__all__ = ["engineer", "query_set"]  # fixtures

pytestmark = pytest.mark.django_db

TIED = b"q1 Q0 d1 1 2 t\nq1 Q0 d2 2 2 t\n"


def get(client, query_set, *runs, **parameters):
    asked = {"run": [run.pk for run in runs]} | parameters
    return client.get(reverse("runs-export", args=[query_set.pk]), asked)


def told(query_set):
    lines = Act.objects.filter(query_set=query_set, verb=Verb.EXPORTED)
    return [(one.subject, one.after) for one in lines]


@pytest.fixture
def run(query_set, engineer):
    run = store(query_set, TIED)
    Run.objects.filter(pk=run.pk).update(
        name="BM25 (tuned)", tags=["nightly"], notes="First try", commit="4f2c1aa"
    )
    run.refresh_from_db()
    return run


def test_the_page_offers_every_format_and_says_what_it_leaves_out(client, query_set, run):
    text = text_of(get(client, query_set, run))

    assert "<h1>Export run “BM25 (tuned)”</h1>" in text
    for format in WRITABLE.values():
        assert f'href="?run={run.pk}&amp;format={format.name}"' in text
        assert f'href="?run={run.pk}&amp;format={format.name}&amp;about=1"' in text
        assert format.leaves_out in text


@pytest.mark.parametrize(
    ("format", "media_type", "name", "content"),
    [
        (
            "trec",
            "text/plain; charset=utf-8",
            "BM25-tuned.trec",
            "q1 Q0 d2 1 2 BM25_(tuned)\nq1 Q0 d1 2 1 BM25_(tuned)\n",
        ),
        (
            "csv",
            "text/csv; charset=utf-8",
            "BM25-tuned.csv",
            "query,document,rank,score\r\nq1,d2,1,2.0\r\nq1,d1,2,2.0\r\n",
        ),
        ("json", "application/json", "BM25-tuned.json", '{\n"q1": {"d2": 2.0, "d1": 2.0}\n}\n'),
    ],
)
def test_a_run_is_a_file_and_a_line_in_the_log(client, query_set, run, format, media_type, name, content):
    response = get(client, query_set, run, format=format)

    assert (response.status_code, response["Content-Type"]) == (200, media_type)
    assert response["Content-Disposition"] == f'attachment; filename="{name}"'
    assert response.getvalue().decode() == content
    assert told(query_set) == [("run BM25 (tuned)", {"format": WRITABLE[format].label})]


def test_what_else_is_known_is_in_a_file_of_its_own(client, query_set, run):
    response = get(client, query_set, run, format="trec", about=1)

    about = response.json()
    (said,) = about["runs"]
    assert response["Content-Disposition"] == 'attachment; filename="about-BM25-tuned.json"'
    assert (about["query_set"], about["format"]) == (query_set.name, "TREC run")
    assert (said["name"], said["tags"], said["notes"], said["commit"]) == (
        run.name,
        ["nightly"],
        "First try",
        "4f2c1aa",
    )
    assert (said["queries"], said["documents"], said["uploaded_file"]) == (1, 2, "")
    assert said["in_this_file"] == [
        "1 query with scores that count down to 1: theirs are equal in single precision, give another order, or are missing."
    ]
    assert told(query_set) == []


def test_what_a_format_leaves_out_of_this_run_is_counted(client, query_set, engineer):
    for name in ("q2", "q3"):
        make.make_query(query_set, name)
    run = store(query_set, b'{"q1": {"a": 1}, "q2": ["a"], "q3": []}')

    says = {
        format: get(client, query_set, run, format=format, about=1).json()["runs"][0]["in_this_file"]
        for format in WRITABLE
    }

    left_out = "1 query without results left out."
    assert says["trec"][0] == says["csv"][0] == left_out
    assert says["csv"][1:] == [
        "Scores stand under given_score, and ranks decide: those of 1 query give another order or are missing."
    ]
    assert says["json"] == []


def test_a_program_gets_the_same_file_and_the_same_refusals(client, query_set, engineer, run):
    api = Api(engineer, "read")

    for format in WRITABLE:
        answer = api.get(f"runs/{run.pk}/export?format={format}")
        assert answer.getvalue() == get(client, query_set, run, format=format).getvalue()
    assert len(told(query_set)) == 2 * len(WRITABLE)
    wrong = api.get(f"runs/{run.pk}/export?format=xls")
    Query.objects.filter(query_set=query_set).update(external_id="q 1")
    refused = api.get(f"runs/{run.pk}/export")

    assert (wrong.status_code, refused.status_code) == (422, 422)
    assert problem_of(wrong) == "Unknown format “xls”. Choose one of: csv, json, trec."
    assert "holds a blank" in problem_of(refused)
    assert len(told(query_set)) == 2 * len(WRITABLE)


def test_several_runs_are_an_archive_that_can_be_uploaded_as_it_is(client, query_set, run):
    other = make.make_run(query_set, name="bm25 TUNED")
    third = store(query_set, b"q1 Q0 d1 1 2 t\n")

    response = get(client, query_set, run, third, format="trec")
    content = response.getvalue()

    assert re.search(r'filename="[^"]+\.runs\.[0-9-]+\.trec\.zip"', response["Content-Disposition"])
    names = zipfile.ZipFile(io.BytesIO(content)).namelist()
    assert sorted(names) == sorted(["BM25-tuned.trec", f"{third.name.replace(' ', '-')}.trec"])
    assert told(query_set) == [("2 runs", {"format": "TREC run", "runs": [run.name, third.name]})]
    assert upload(client, query_set, content, name="runs.zip").status_code == 302
    assert set(Run.objects.values_list("name", flat=True)) > {"BM25_(tuned)", third.name.replace(" ", "_")}
    both = get(client, query_set, run, other, format="json").getvalue()
    assert sorted(zipfile.ZipFile(io.BytesIO(both)).namelist()) == sorted(
        [f"BM25-tuned-{run.pk}.json", f"bm25-TUNED-{other.pk}.json"]
    )


def test_what_a_format_cannot_hold_is_refused_before_the_first_byte(client, query_set, run):
    Query.objects.filter(query_set=query_set).update(external_id="q 1")

    response = get(client, query_set, run, format="trec")

    assert response.status_code == 422
    assert "Run “BM25 (tuned)”: The ID “q 1” holds a blank" in text_of(response)
    assert told(query_set) == []
    assert get(client, query_set, run, format="csv").getvalue().count(b"q 1,") == 2


def test_a_run_without_results_is_refused_where_nothing_would_be_in_the_file(client, query_set, engineer):
    run = store(query_set, b'{"q1": []}')

    refused = get(client, query_set, run, format="trec")

    assert refused.status_code == 422
    assert f"Run “{run}” has no results, and TREC run holds nothing else." in text_of(refused)
    assert json.loads(get(client, query_set, run, format="json").getvalue()) == {"q1": []}


def test_an_archive_has_a_bound(client, query_set, engineer):
    runs = [make.make_run(query_set) for _ in range(MOST_AT_ONCE + 1)]

    response = get(client, query_set, *runs, format="json")

    assert response.status_code == 422
    assert f"Up to {MOST_AT_ONCE} runs fit into one file." in text_of(response)
    assert get(client, query_set, *runs[1:], format="json").status_code == 200


def test_without_a_run_there_is_nothing_to_export(client, query_set, run):
    elsewhere = make.make_run(make.make_query_set())

    assert "Select runs in the table first." in text_of(get(client, query_set))
    assert "No runs left" in text_of(get(client, query_set, elsewhere, format="trec"))
    assert get(client, query_set, run, format="xls").status_code == 404


def test_who_asks_for_the_headers_takes_nothing_out(client, query_set, run):
    address = reverse("runs-export", args=[query_set.pk])

    response = client.head(address, {"run": run.pk, "format": "trec"})

    assert (response.status_code, response.getvalue(), told(query_set)) == (200, b"", [])


def test_runs_of_an_archived_query_set_can_be_taken_out(client, query_set, run):
    archive_query_set(query_set=query_set, user=None, at=make.NOW)

    assert get(client, query_set, run, format="trec").getvalue().count(b"\n") == 2
    page = client.get(reverse("query-set-runs", args=[query_set.pk])).content.decode()
    assert f"{reverse('runs-export', args=[query_set.pk])}?run={run.pk}" in page


QUERIES, DEPTH = 200, 400


@pytest.fixture
def long_run(monkeypatch):
    """Longer than what is read and sent at a time."""
    monkeypatch.setattr("judgments.base.streaming.BLOCK", 1 << 12)
    query_set = make.make_query_set()
    names = [f"q{n}" for n in range(QUERIES)]
    Query.objects.bulk_create(Query(query_set=query_set, external_id=one, text=one) for one in names)
    page = {f"document-{n}": float(-n) for n in range(DEPTH)}
    return store(query_set, json.dumps(dict.fromkeys(names, page)).encode())


def content_of(run, format):
    return export_runs(run.query_set, [run], WRITABLE[format], at=timezone.now()).content


@pytest.mark.parametrize("format", WRITABLE)
def test_an_export_takes_no_more_memory_the_longer_the_run_is(long_run, format):
    """All rows at once would take some ten megabytes, the file two or three."""
    tracemalloc.start()

    rows = sum(block.count(b"document-") for block in content_of(long_run, format))

    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert rows == QUERIES * DEPTH
    assert peak < 1 << 20


@pytest.mark.parametrize("format", WRITABLE)
def test_an_export_costs_as_many_statements_for_two_hundred_queries_as_for_one(long_run, format):
    one = store(long_run.query_set, b"q1 Q0 d1 1 2 t\n")
    costs = []
    for run in (one, long_run):
        with CaptureQueriesContext(connection) as captured:
            b"".join(content_of(run, format))
        costs.append(len(captured))

    assert costs[0] == costs[1] <= 6


def test_who_leaves_early_leaves_a_connection_that_works(long_run):
    content = content_of(long_run, "trec")
    first = next(content)

    content.close()

    assert first.startswith(b"q0 Q0 document-0 1 0.0 Run_number_") or first.startswith(
        b"q0 Q0 document-0 1 -0.0"
    )
    assert Run.objects.filter(pk=long_run.pk).exists()
