"""Every kind of run file, taken by page or refused."""

import bz2
import io
import json

import polars as pl
import pytest
import zstandard
from django.urls import reverse

from evaluation.models import Ranking, Run
from tests import factories as make
from tests.evaluation.runs.views.uploading import TREC, engineer, query_set, upload
from tests.touchstone_core.formats.other_tools import SNAPSHOTS

__all__ = ["engineer", "query_set"]  # fixtures

pytestmark = pytest.mark.django_db


def parquet() -> bytes:
    stream = io.BytesIO()
    pl.DataFrame({"query": ["q1", "q1"], "document": ["d1", "d2"], "score": [1.0, 2.0]}).write_parquet(stream)
    return stream.getvalue()


def said(client, response) -> list[tuple[str, str]]:
    return [(one.level_tag, one.message) for one in client.get(response["Location"]).context["messages"]]


@pytest.mark.parametrize(
    ("content", "choices"),
    [
        (b"q1,d1,2\n", {"format": "trec"}),
        (lambda: bz2.compress(bytes(1 << 26)), {}),
        (lambda: zstandard.ZstdCompressor().compress(bytes(1 << 30)), {}),
        (bytes(range(256)) * 9, {}),
        (TREC.decode().encode("utf-16")[:-1], {}),
        (parquet()[:-9], {}),
        (b"query,document,score\nq1,d1,1,1\n", {}),
        (b"q1 0 d1 1\n", {}),
        (b"q1 Q0 d1 1 2 a\nq1 Q0 d1 1 2 b\n", {"several": "refuse"}),
    ],
    ids=[
        "format",
        "bzip2",
        "zstd",
        "binary",
        "utf-16",
        "parquet",
        "columns",
        "qrels",
        "tags",
    ],
)
def test_bad_files_of_every_kind_are_told_in_a_sentence_and_store_nothing(
    client, query_set, engineer, content, choices
):
    response = upload(client, query_set, content() if callable(content) else content, **choices)

    told = response.context["form"].errors.get("file") or [
        line["text"] for report in response.context["reports"] for line in report["lines"]
    ]
    assert response.status_code == 422
    assert told[0].endswith(".")
    assert not Run.objects.exists()


@pytest.mark.parametrize(
    ("content", "name"),
    [
        (TREC.decode().encode("utf-16"), "tagged"),
        (b"\xef\xbb\xbf" + TREC.replace(b"\n", b"\r\n"), "tagged"),
        (zstandard.ZstdCompressor().compress(TREC), "tagged"),
        (bz2.compress(TREC), "tagged"),
        (parquet(), "run"),
        (b'{"query": "q1", "results": ["d1", "d2"]}\n', "run"),
        (
            json.dumps({"metric_score": 1, "details": {"q1": {"hits": [{"hit": {"_id": "d1"}}]}}}).encode(),
            "run",
        ),
    ],
    ids=["utf-16", "bom-crlf", "zstd", "bzip2", "parquet", "jsonl", "rank_eval"],
)
def test_every_format_and_packing_is_taken(client, query_set, engineer, content, name):
    assert upload(client, query_set, content).status_code == 302
    assert Run.objects.get().name == name


def test_several_runs_of_a_file_are_stored_and_named(client, query_set, engineer):
    make.make_list(query_set)
    content = TREC + b"q1 Q0 d9 1 2 other\n"

    response = upload(client, query_set, content, several="split")

    assert response["Location"] == reverse("query-set-runs", args=[query_set.pk])
    assert said(client, response)[0] == (
        "success",
        "2 runs (“tagged”, “other”) are stored, in all 2 queries, 3 documents.",
    )
    assert set(Run.objects.values_list("name", "row_count")) == {("tagged", 2), ("other", 1)}


def test_several_runs_are_stored_once_however_often_they_come(client, query_set, engineer):
    content = "".join(f"q1 Q0 d1 1 1 t{number}\n" for number in range(12)).encode()
    upload(client, query_set, content, several="split")

    response = upload(client, query_set, content, several="split")

    assert said(client, response)[-1][1].endswith("“t9”, 2 more). Nothing was stored again.")
    assert Run.objects.count() == 12


def test_of_several_runs_all_are_stored_or_none(client, query_set, engineer):
    upload(client, query_set, title="other")

    response = upload(client, query_set, TREC + b"q1 Q0 d9 1 2 other\n", several="split")

    assert response.status_code == 422
    assert "already has a run named “other”" in response.content.decode()
    assert Run.objects.count() == 1
    again = upload(client, query_set, TREC + b"q1 Q0 d9 1 2 other\n", several="split", title="new")
    assert again.status_code == 302
    assert set(Run.objects.values_list("name", flat=True)) == {"other", "new tagged", "new other"}


def test_runs_whose_names_differ_in_case_only_are_refused(client, query_set, engineer):
    response = upload(client, query_set, b"q1 Q0 d 1 1 bm25\nq1 Q0 d 1 1 BM25\n", several="split")

    assert response.status_code == 422
    assert "several runs named “bm25”, upper and lower case aside" in response.content.decode()
    assert not Run.objects.exists()


def test_snapshots_of_quepid_find_their_queries_by_text(client, query_set, engineer):
    make.make_query(query_set, "q7", text="star wars")
    make.make_query(query_set, "q8", text="=dog")

    assert upload(client, query_set, SNAPSHOTS.encode(), "snapshots.csv").status_code == 302

    assert set(Run.objects.values_list("name", "query_count")) == {("(3/5/26) Base", 1), ("(3/6/26) New", 2)}
    assert set(Ranking.objects.values_list("query__external_id", flat=True)) == {"q7", "q8"}


def test_queries_in_which_scores_and_ranks_disagree_are_counted(client, query_set, engineer):
    content = b"q1 Q0 d1 1 1 t\nq1 Q0 d2 2 2 t\n"

    response = upload(client, query_set, content)
    by_rank = upload(client, query_set, content, title="ranked", order="rank")

    sentence = (
        "Scores and ranks give different orders in 1 of 1 query. The scores were used. "
        "To use the ranks instead, upload the file again and choose its rank column."
    )
    assert ("warning", sentence) in said(client, response)
    assert all("The scores were used" not in message for _, message in said(client, by_rank))


def test_the_notes_of_a_run_stand_on_its_page(client, query_set, engineer):
    make.make_list(query_set)
    content = b"# ir_metadata.start\n# platform:\n#   os: linux\n# ir_metadata.end\n" + TREC

    page = client.get(upload(client, query_set, content)["Location"]).content.decode()

    assert "platform:<br>  os: linux" in page
