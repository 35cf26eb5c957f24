"""Importing judgments by page: what grades mean, who the raters are."""

import json
import re

import pytest
from django.urls import reverse

from judgments.files.reports import import_raters
from judgments.models import ConsensusGrade, Document, Judgment, Query, Role
from tests import factories as make
from tests.html import html_of, text_of
from tests.judgments.files.views.import_pages import confirm, send
from tests.judgments.working import forget_jobs, work
from tests.shared_data import shared_data

pytestmark = pytest.mark.django_db


@pytest.mark.sampled
@pytest.mark.django_db(transaction=True)  # the documents are read by another process
@pytest.mark.parametrize("name", ["judgments.csv", "qrels.txt"])
def test_the_real_data_arrive_by_page(client, admin, query_set, name):
    folder = shared_data("esci_small")
    judgment_list = make.make_list(query_set, scale=make.preset("ESCI"))
    forget_jobs()

    for what, pk, file in (
        ("queries", query_set.pk, "queries.csv"),
        ("documents", query_set.pk, "products.csv"),
        ("documents", query_set.pk, "extra_products_in_runs.csv"),
        ("judgments", judgment_list.pk, name),
    ):
        url = send(client, what, pk, (folder / file).read_bytes(), file)
        assert client.get(url).status_code == 200
        assert confirm(client, url).status_code == 302
        work()  # the documents are left to a worker

    assert Query.objects.count() == 30
    assert Document.objects.count() == 1267 + 512
    assert ConsensusGrade.objects.filter(value__isnull=False).count() == 1269
    page = client.get(reverse("list", args=[judgment_list.pk]))
    assert page.context["coverage"]["graded"] == 1269


def test_judgments_take_a_rater_and_make_what_is_missing_on_request(client, admin, query_set):
    judgment_list = make.make_list(query_set)
    url = send(client, "judgments", judgment_list.pk, "q1 0 d1 3\n", "expert.qrels")
    assert client.get(url).context["reading"].report.errors.total == 1

    response = confirm(client, url, rater="Assessor", create_missing="on")

    assert response["Location"] == reverse("list", args=[judgment_list.pk])
    assert Judgment.objects.get().rater.name == "Assessor"


@pytest.mark.parametrize(
    ("choice", "words"),
    [
        ({"rater": "x" * 151}, "Rater: "),
        ({"header_line": "-3"}, "Columns named in line: "),
        ({"negative": "nothing"}, "Negative grades: "),
        ({"priority": "7"}, "Raters get new pairs: "),
        ({"encoding": "nonsense"}, "Encoding: "),
    ],
    ids=lambda one: next(iter(one)) if isinstance(one, dict) else "",
)
@pytest.mark.parametrize("action", ["import", "import_good", ""])
def test_choices_that_cannot_be_are_refused_by_name(client, admin, query_set, choice, words, action):
    """The file was imported by the choices before, as if nothing had been wrong."""
    judgment_list = make.make_list(query_set)
    url = send(client, "judgments", judgment_list.pk, "q1 0 d1 3\n", "expert.qrels")
    client.post(url, {"create_missing": "on"})

    refused = client.post(url, {"create_missing": "on", "action": action, **choice})

    assert refused.status_code == 422
    assert words in text_of(refused)
    assert not Judgment.objects.exists()


def test_without_a_name_the_rater_is_called_after_the_file(client, admin, query_set):
    judgment_list = make.make_list(query_set)
    url = send(client, "judgments", judgment_list.pk, "q1 0 d1 3\n", "expert.qrels.txt")

    confirm(client, url, create_missing="on")

    assert Judgment.objects.get().rater.name == "expert"


def test_an_unknown_grade_names_the_grades_of_the_scale(client, admin, query_set):
    judgment_list = make.make_list(query_set, scale=make.preset("Binary"))
    url = send(client, "judgments", judgment_list.pk, "q1 0 d1 3\n", "x.qrels")

    refused = confirm(client, url, create_missing="on").content.decode()

    assert "should be a grade of the scale “Binary”: 0 (Not relevant), 1 (Relevant)" in refused


def test_lines_with_other_problems_can_be_left_out_beside_negative_grades(client, admin, query_set):
    judgment_list = make.make_list(query_set, scale=make.preset("Binary"))
    url = send(client, "judgments", judgment_list.pk, "q1 0 d1 1\nq1 0 d2 -1\nq1 0 d3 7\n", "qrels.txt")

    client.post(url, {"action": "preview", "create_missing": "on"})
    page = client.get(url).content.decode()

    assert ('value="import_good"' in page, 'href="#id_negative"' in page) == (True, False)


def test_negative_grades_are_refused_until_the_page_is_told_what_they_mean(client, admin, query_set):
    judgment_list = make.make_list(query_set, scale=make.preset("Binary"))
    url = send(client, "judgments", judgment_list.pk, "q1 0 d1 1\nq1 0 d2 -1\nq1 0 d3 -2\n", "qrels.txt")

    client.post(url, {"action": "preview", "create_missing": "on"})
    first = client.get(url).content.decode()
    client.post(url, {"action": "preview", "create_missing": "on", "negative": "lowest"})
    second = client.get(url).content.decode()

    assert first.count("or choose what a negative grade means") == 2
    assert 'href="#id_negative"' in first
    for offer in ('value="import_good"', 'name="good_lines"'):  # the choice itself can leave them out
        assert offer not in first
    assert second.count("it becomes the lowest grade") == 2
    assert "Import 3 judgments" in second
    confirm(client, url, create_missing="on", negative="lowest")
    assert sorted(Judgment.objects.values_list("value", flat=True)) == [0, 0, 1]


def test_a_table_with_a_column_for_each_rater_is_shown_and_its_raters_chosen(client, admin, query_set):
    judgment_list = make.make_list(query_set)
    url = send(client, "judgments", judgment_list.pk, "query,docid,Ann,Bob,final\nq,d,1,2,2\nq,e,,0,0\n")

    page = client.get(url)
    assert "read as CSV with a column for each rater" in page.content.decode()
    assert page.context["preview"].unused_headers == []
    confirm(client, url, **{"create_missing": "on", "column-raters": "Ann, Bob"})

    assert sorted(Judgment.objects.values_list("rater__name", "value")) == [
        ("Ann", 1),
        ("Bob", 0),
        ("Bob", 2),
    ]


def test_a_document_of_json_has_no_columns_to_choose(client, admin, query_set):
    judgment_list = make.make_list(query_set)
    url = send(client, "judgments", judgment_list.pk, '{"q": {"d": 1}}', "qrels.json")

    content = client.get(url).content.decode()

    assert "read as JSON: grades by query and document" in content
    assert ">Columns</h3>" not in content


def test_the_names_of_a_file_are_shown_and_somebody_says_who_they_are(client, admin, query_set):
    make.make_member(query_set, Role.RATER, username="ann")
    judgment_list = make.make_list(query_set, overlap=2)
    content = "query,document,rater,grade\nq,d,a@example.org,1\nq,d,gpt,2\nq,e,gpt,2\n"
    url = send(client, "judgments", judgment_list.pk, content)
    said = {
        "create_missing": "on",
        "rater-name": ["a@example.org", "gpt", "x\0"],
        "rater-as": ["account:ann", "machine", "machine"],
    }

    first = client.get(url).content.decode()
    client.post(url, said)
    second = client.get(url).content.decode()
    confirm(client, url, **said)

    assert first.index('value="gpt"') < first.index('value="a@example.org"')
    assert "default: external rater, new" in first
    assert '<option value="account:ann" selected>account ann</option>' in second
    assert sorted(Judgment.objects.values_list("rater__name", "rater__kind")) == [
        ("ann", "person"),
        ("gpt", "machine"),
        ("gpt", "machine"),
    ]


def test_names_that_differ_only_in_case_wait_for_an_answer_also_without_the_bad_lines(
    client, admin, query_set
):
    judgment_list = make.make_list(query_set)
    lines = "query,document,rater,grade\nq,d1,Zoe,1\nq,d2,Zoe,1\nq,d3,zoe,2\n"
    url = send(client, "judgments", judgment_list.pk, lines)
    made = {"create_missing": "on", "good_lines": "on"}

    client.post(url, made)
    page = client.get(url).content.decode()
    refused = confirm(client, url, **made)
    answered = confirm(client, url, **made, **{"rater-name": "zoe", "rater-as": "same:Zoe"})

    [asked] = re.findall(r'href="#(rater-\d+)">Choose who', page)
    assert f'<select id="{asked}" name="rater-as">' in page
    assert (refused.status_code, answered.status_code) == (422, 302)
    assert set(Judgment.objects.values_list("rater__name", flat=True)) == {"Zoe"}
    assert "Choose who" not in client.get(url).content.decode()


def test_other_fields_that_change_are_said_before_and_afterwards(client, admin, query_set):
    judgment_list = make.make_list(query_set)

    def file(note):
        rated = [{"docId": "d1", "rating": "1.000"}]
        return json.dumps({"judgmentRatings": [{"query": "red", "note": note, "ratings": rated}]})

    url = send(client, "judgments", judgment_list.pk, file("old"), "a.json")
    assert "Other fields" not in html_of(client.get(url))
    confirm(client, url, create_missing="on")

    url = send(client, "judgments", judgment_list.pk, file("new"), "a.json")
    page = text_of(client.get(url))
    told = text_of(client.get(confirm(client, url)["Location"]))

    assert "Other fields 1 changed" in page
    assert "Import 1 change to other fields" in page
    assert "a.json: 0 new, 0 changed, 1 unchanged; 1 change to other fields." in told
    assert "undo it" not in told  # no judgment was written


def test_names_beyond_the_first_hundred_are_counted(client, admin, query_set):
    judgment_list = make.make_list(query_set)
    lines = "".join(f"q,d,rater {number},1\n" for number in range(130))
    url = send(client, "judgments", judgment_list.pk, f"query,document,rater,grade\n{lines}")
    client.post(url, {"create_missing": "on"})

    assert "And 30 more, all as by default" in client.get(url).content.decode()
    client.post(url, {"create_missing": "on", "raters": "rater 129=machine\n\nrater 128=external"})
    raters = {one.name: one.decision for one in client.get(url).context["raters"]["rows"]}
    assert (len(raters), raters["rater 129"], raters["rater 128"]) == (102, "machine", "external")
    refused = client.post(url, {"raters": "rater 129"})
    assert (refused.status_code, "“rater 129” is not NAME=external" in refused.content.decode()) == (
        422,
        True,
    )


def test_decisions_that_no_row_shows_stay_in_the_field(client, admin, query_set, monkeypatch):
    monkeypatch.setattr(import_raters, "MOST_SHOWN", 1)
    url = send(
        client,
        "judgments",
        make.make_list(query_set).pk,
        "query,document,rater,grade\nq,d,ann,1\nq,e,ann,1\nq,d,bob,1\n",
    )

    client.post(url, {"create_missing": "on", "raters": "bob=machine"})

    page = client.get(url)
    assert page.context["form"]["raters"].value() == "bob=machine"
    assert 'name="raters"' in page.content.decode()


def test_where_documents_are_unknown_the_page_says_how_to_create_them(client, admin, query_set):
    judgment_list = make.make_list(query_set)
    make.make_query(query_set, "zoo")
    url = send(client, "judgments", judgment_list.pk, "query,document,grade\nzoo,d1,1\n")
    advice = "Or check “Create unknown queries and documents” below and press “Preview again”."
    assert advice in text_of(client.get(url))

    client.post(url, {"create_missing": "on"})
    page = client.get(url)
    assert page.context["importable"]
    assert advice not in text_of(page)


def test_the_documents_of_a_book_are_imported_on_request(client, admin, query_set):
    judgment_list = make.make_list(query_set)
    make.make_query(query_set, "zoo")
    pairs = [
        {
            "query_text": "zoo",
            "doc_id": "d1",
            "document_fields": {"title": "Zoolander", "year": 2001},
            "judgements": [{"rating": 3}],
        },
        {"query_text": "zoo", "doc_id": "d2", "judgements": [{"rating": 0}]},
    ]
    url = send(client, "judgments", judgment_list.pk, json.dumps({"query_doc_pairs": pairs}), "book.json")
    assert client.get(url).context["reading"].report.errors.counts == {"unknown document": 2}

    client.post(url, {"documents": "on"})
    page = client.get(url)
    assert page.context["reading"].result.documents == 1
    assert page.context["reading"].report.ok
    assert not Document.objects.exists()
    response = confirm(client, url, documents="on")

    assert sorted(Document.objects.values_list("external_id", "title", "fields")) == [
        ("d1", "Zoolander", {"year": "2001"}),
        ("d2", "", {}),
    ]
    assert (
        b"2 new, 0 changed, 0 unchanged; 1 document new or changed."
        in client.get(response["Location"]).content
    )
