"""What goes wrong with the files of a new evaluation: each fault is named with its cure, and nothing is half made."""

import gzip
from unittest.mock import patch

import pytest
from django.conf import settings
from django.urls import reverse

from evaluation.models import Run
from evaluation.start.actions import drafts as actions
from evaluation.start.actions import making
from judgments.files.limited_process import SourceFile, TooCostlyError
from judgments.lists.actions.scales import write_presets
from judgments.models import Document, Draft, Judgment, Query, QuerySet, Rater, Upload
from tests import factories as make
from tests.evaluation.scored import text_of
from tests.evaluation.start.views.drafting import (
    GOOD_RUN,
    QRELS,
    QUERIES,
    SHOP,
    address_of,
    drop,
    field_of,
    press,
    signed_in,
    zipped,
)
from tests.judgments.working import forget_jobs, work

pytestmark = pytest.mark.django_db
LATIN = "query_id,query\nq1,caf\xe9\nq2,straße und mehr\n"


def page_of(client, draft) -> str:
    return text_of(client.get(address_of(draft)))


def test_a_file_of_unknown_kind_waits_for_somebody_to_say_what_it_is(client):
    draft = drop(signed_in(client), SHOP | {"notes.md": "# Notes\n\nOf last week.\n"})
    page = page_of(client, draft)

    refused = press(client, draft)
    made = press(client, draft, **{field_of(draft, "notes.md", "kind"): "skip"})

    assert "What is this file?" in page
    assert refused.status_code == 422
    assert made.status_code == 302
    assert Query.objects.count() == 2


def test_a_table_whose_columns_say_nothing_shows_them(client):
    draft = drop(signed_in(client), SHOP | {"export.csv": "foo,bar,baz\n1,2,3\n4,5,6\n"})
    page = page_of(client, draft)

    assert "What is this file?" in page
    assert "Its columns: foo, bar, baz" in page


@pytest.mark.parametrize("content", ["", " \n\n"])
def test_an_empty_file_is_called_empty_and_can_be_removed(client, content):
    draft = drop(signed_in(client), SHOP | {"nothing.csv": content})
    page = page_of(client, draft)
    upload = draft.uploads.get(name="nothing.csv")

    client.post(address_of(draft), {"remove": str(upload.pk)})
    made = press(client, draft)

    assert "nothing.csv is empty." in page
    assert "What is this file?" not in page
    assert "nothing.csv can’t be used. Fix it and add it again, or leave it out." in page
    assert made.status_code == 302


def test_a_file_that_is_no_text_is_named_and_can_be_removed(client):
    draft = drop(signed_in(client), SHOP | {"report.pdf": b"%PDF-1.7\n\x00\x01"})
    page = page_of(client, draft)
    upload = draft.uploads.get(name="report.pdf")

    client.post(address_of(draft), {"remove": str(upload.pk)})
    made = press(client, draft)

    assert "report.pdf is a PDF file" in page
    assert made.status_code == 302


def test_a_file_of_another_draft_cannot_be_removed(client):
    signed_in(client)
    first, second = drop(client, {"queries.csv": QUERIES}), drop(client, {"queries.csv": QUERIES})

    response = client.post(address_of(first), {"remove": str(second.uploads.get().pk)})

    assert response.status_code == 404
    assert second.uploads.count() == 1


def test_a_wrong_encoding_is_cured_by_choosing_one(client):
    mixed = LATIN.encode("utf-8").replace("é".encode(), b"\xe9")
    draft = drop(signed_in(client), SHOP | {"queries.csv": mixed})
    before = client.get(address_of(draft)).context["files"]
    [faulty] = [row["reading"] for row in before if row["reading"].name == "queries.csv"]

    made = press(client, draft, **{field_of(draft, "queries.csv", "encoding"): "cp1252"})

    assert faulty.kind == "queries"
    assert "not valid UTF-8" in faulty.failure
    assert made.status_code == 302
    assert Query.objects.get(external_id="q1").text == "café"


def test_the_line_that_names_the_columns_is_chosen(client):
    """Two lines may name them, so nobody can tell."""
    products = "sku,product_title\nd1,Old\nsku,product_title\nd1,Red shoes\nd2,Blue shoes\nd3,Boots\n"
    draft = drop(signed_in(client), SHOP | {"products.csv": products})

    made = press(client, draft, **{field_of(draft, "products.csv", "header_line"): "3"})

    assert made.status_code == 302
    assert Document.objects.get(external_id="d1").title == "Red shoes"


def test_columns_that_nothing_names_are_asked_for(client):
    products = "number,label\nd1,Red shoes\nd2,Blue shoes\n"
    draft = drop(signed_in(client), SHOP | {"products.csv": products})
    page = page_of(client, draft)

    columns = {
        field_of(draft, "products.csv", "column-document_id"): "number",
        field_of(draft, "products.csv", "column-title"): "label",
    }
    made = press(client, draft, **columns)

    assert "which column is the document ID?" in page
    assert ">Document ID</label>" in page
    assert ">URL</label>" in page
    assert made.status_code == 302
    assert "Creates" not in page


def test_lines_with_problems_are_grouped_by_cause_and_left_out_on_request(client):
    bad = "".join(f"q1 0 x{n} bad\n" for n in range(147))
    draft = drop(signed_in(client), SHOP | {"qrels.txt": QRELS + bad})
    page = page_of(client, draft)

    refused = press(client, draft)
    press(client, draft, good_lines="on")

    assert "147 × not a number" in page
    assert page.count("should be a number") == 3
    assert "Leave out the 147 lines with problems" in page
    assert refused.status_code == 422
    assert Judgment.objects.count() == 3


def test_a_run_with_broken_lines_is_never_stored_with_holes(client):
    draft = drop(signed_in(client), SHOP | {"good.trec": GOOD_RUN + "q2 Q0 d1 2 nothing good\n"})

    refused = press(client, draft, good_lines="on")

    assert refused.status_code == 422
    assert "good.trec has problems" in text_of(refused)
    assert not QuerySet.objects.exists()


def test_a_document_twice_in_a_run_counts_once_on_request(client):
    draft = drop(signed_in(client), SHOP | {"good.trec": GOOD_RUN + "q2 Q0 d3 2 1 good\n"})

    refused = press(client, draft)
    press(client, draft, good_lines="on")

    assert refused.status_code == 422
    assert Run.objects.get(name="good").row_count == 3


def test_files_that_contradict_each_other_say_where(client):
    files = SHOP | {
        "other_queries.csv": "query_id,query\nq1,blue shoes\n",
        "judgments.csv": "query,document,grade\nq1,d1,0\n",
    }
    draft = drop(signed_in(client), files)
    page = page_of(client, draft)

    press(client, draft)

    assert "q1: “red shoes” and “blue shoes”" in page
    assert "q1 / d1: 2 and 0" in page
    assert Query.objects.get(external_id="q1").text == "red shoes"
    assert Judgment.objects.count() == 4


def test_a_grade_that_a_file_contradicts_itself_is_a_problem(client):
    draft = drop(signed_in(client), SHOP | {"qrels.txt": QRELS + "q1 0 d1 0\n"})

    assert "1 × twice in the file" in page_of(client, draft)
    assert press(client, draft).status_code == 422


def test_the_same_file_twice_counts_once(client):
    draft = drop(signed_in(client), SHOP | {"copy.trec": GOOD_RUN})

    press(client, draft)

    assert set(Run.objects.values_list("name", flat=True)) == {"good", "poor"}


def test_ids_that_do_not_meet_are_pointed_out(client):
    other_documents = GOOD_RUN.replace(" d", " sku-")
    other_queries = GOOD_RUN.replace("q", "query-")
    draft = drop(signed_in(client), {"a.trec": other_documents, "b.trec": other_queries, "qrels.txt": QRELS})

    page = page_of(client, draft)

    assert "Do the files use the same document IDs?" in page
    assert "Do the files use the same query IDs?" in page
    rows = client.get(address_of(draft)).context["groups"].values()
    assert {row["reading"].name for group in rows for row in group if row["reading"].doubt} == {
        "a.trec",
        "b.trec",
    }


@pytest.mark.sampled
@pytest.mark.django_db(transaction=True)
def test_a_packed_file_that_grows_beyond_measure_is_refused_by_name(client):
    bomb = gzip.compress(b"q1 0 d1 1\n" * 3_000_000)
    forget_jobs()
    write_presets()
    draft = drop(signed_in(client), {"qrels.txt.gz": bomb})
    page_of(client, draft)
    work()

    assert "qrels.txt.gz unpacks to more than 316,562 lines" in page_of(client, draft)


def test_a_file_that_exhausts_its_reader_is_named_and_the_others_are_read(client):
    draft = drop(signed_in(client), SHOP)
    read = actions.read_draft

    def exhausting(*, failures=None, **arguments):
        if draft.uploads.get(name="products.csv").pk.__str__() not in (failures or {}):
            raise TooCostlyError(SourceFile("products.csv", 1, False, 1), "8 seconds")
        return read(failures=failures, **arguments)

    with patch.object(actions, "read_draft", exhausting):
        rows = client.get(address_of(draft)).context["files"]

    failures = {row["reading"].name: row["reading"].failure for row in rows if row["reading"].failure}
    assert failures.keys() == {"products.csv"}
    assert "8 seconds" in failures["products.csv"]


def test_an_archive_that_cannot_be_unpacked_stays_and_says_why(client):
    files = {"queries.csv": QUERIES, "good.trec": GOOD_RUN}
    with patch.object(settings, "UNDECIDED_UPLOADS", 1):
        draft = drop(signed_in(client), {"all.zip": zipped(files)})
    nested = drop(client, {"nested.zip": zipped({"inner.zip": zipped(files), "good.trec": GOOD_RUN})})

    assert "all.zip holds files of several kinds. Unpack it" in page_of(client, draft)
    assert "inner.zip in nested.zip is packed too" in page_of(client, nested)


def test_a_second_click_makes_nothing_more(client):
    draft = drop(signed_in(client), SHOP)
    fields = {"seen": client.get(address_of(draft)).context["seen"], "name": "Shop", "action": "create"}

    first, second = (client.post(address_of(draft), fields) for _ in range(2))

    assert first["Location"] == second["Location"]
    assert QuerySet.objects.count() == 1
    assert Run.objects.count() == 2


def test_another_tab_that_added_a_file_is_noticed(client):
    draft = drop(signed_in(client), SHOP)
    fields = {"seen": client.get(address_of(draft)).context["seen"], "name": "Shop", "action": "create"}
    drop(client, {"more.trec": GOOD_RUN.replace("good", "more")}, draft)

    response = client.post(address_of(draft), fields)

    assert response.status_code == 409
    assert "The files changed after you opened this preview" in text_of(response)
    assert not QuerySet.objects.exists()


def test_a_name_that_is_taken_is_asked_for_again(client):
    make.make_query_set(name="Shop")
    draft = drop(signed_in(client), SHOP)

    response = press(client, draft, name="shop")

    assert response.status_code == 422
    assert "is taken already" in text_of(response)
    assert QuerySet.objects.count() == 1


def test_an_expired_session_loses_nothing_that_was_dropped(client):
    draft = drop(signed_in(client), SHOP)
    user = draft.user
    client.logout()

    response = client.post(address_of(draft), {"action": "create", "name": "Shop"})
    client.force_login(user)

    assert response["Location"].startswith(reverse("sign-in"))
    assert "Creates 2 queries" in page_of(client, draft)
    assert not QuerySet.objects.exists()


@pytest.mark.django_db(transaction=True)
def test_what_fails_in_between_leaves_nothing_behind_and_can_be_tried_again(client):
    write_presets()
    draft = drop(signed_in(client), SHOP)
    client.raise_request_exception = False

    with patch.object(making, "store_runs", side_effect=RuntimeError("killed")):
        assert press(client, draft).status_code == 500
    nothing = [model.objects.count() for model in (QuerySet, Query, Judgment, Run)]
    again = press(client, draft)

    assert nothing == [0, 0, 0, 0]
    assert again.status_code == 302
    assert Run.objects.count() == 2


@pytest.mark.django_db(transaction=True)
def test_files_are_kept_until_they_are_imported_and_no_longer(client):
    write_presets()
    draft = drop(signed_in(client), SHOP)
    files = [upload.file for upload in draft.uploads.all()]
    before = [file.storage.exists(file.name) for file in files]

    press(client, draft)

    assert before == [True] * 5
    assert [file.storage.exists(file.name) for file in files] == [False] * 5
    assert set(Upload.objects.values_list("purpose", flat=True)) == {
        "run",
        "judgments",
        "queries",
        "documents",
    }


def test_files_beyond_the_quota_are_refused_together(client):
    signed_in(client)
    with patch.object(settings, "UNDECIDED_UPLOADS", 3):
        response = client.post(reverse("new-evaluation"), {"files": [_named(name) for name in "abcd"]})

    assert response.status_code == 422
    assert not Upload.objects.exists()
    assert not Draft.objects.exists()


def _named(name: str):
    from django.core.files.uploadedfile import SimpleUploadedFile

    return SimpleUploadedFile(f"{name}.csv", QUERIES.encode())


def test_too_many_files_and_none_at_all_are_refused(client):
    signed_in(client)
    many = client.post(reverse("new-evaluation"), {"files": [_named(str(n)) for n in range(41)]})
    none = client.post(reverse("new-evaluation"), {})

    assert (many.status_code, none.status_code) == (422, 422)
    assert not Upload.objects.exists()


def test_discarding_takes_the_files_along(client):
    draft = drop(signed_in(client), SHOP)

    response = press(client, draft, action="discard")

    assert response["Location"] == reverse("new-evaluation")
    assert not Upload.objects.exists()
    assert not Draft.objects.exists()


def test_drafts_of_others_and_raters_find_nothing(client):
    draft = drop(signed_in(client), SHOP)
    client.force_login(make.make_user(is_superuser=True))
    of_another = client.get(address_of(draft))
    client.force_login(make.make_member(make.make_query_set(), "rater"))

    assert of_another.status_code == 404
    assert client.get(reverse("new-evaluation")).status_code == 404


def test_two_files_of_the_same_name_are_two_raters(client):
    files = SHOP | {"qrels.csv": "query,document,grade\nq1,d1,0\n"}

    press(client, drop(signed_in(client), files))

    assert set(Rater.objects.values_list("name", flat=True)) == {"qrels.txt", "qrels.csv"}
    assert Judgment.objects.count() == 4
