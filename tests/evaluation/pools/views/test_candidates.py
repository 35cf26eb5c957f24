"""Without a run, raters get the documents that share words with the queries."""

import pytest
from django.db import connection
from django.urls import reverse

from evaluation.pools.reports import candidates as reports
from evaluation.pools.sql import _WORDS
from judgments.base.sql.searching import by_bitmaps
from judgments.models import Act, Document, Pair, Role, Verb
from tests import factories as make
from tests.html import html_of

pytestmark = pytest.mark.django_db


@pytest.fixture
def judgment_list(client):
    query_set = make.make_query_set()
    make.make_query(query_set, "q1", text="Winter sleeping bag")
    make.make_query(query_set, "q2", text="tent")
    make.make_query(query_set, "q3", text="zeppelin")
    for name, title, body in (
        ("a", "Sleeping bag", "for winter"),
        ("b", "Bag", "a bag"),
        ("c", "Winter coat", "warm in winter, and in winter only"),
        ("d", "Family tent", ""),
        ("e", "Paper bag", ""),
    ):
        make.make_document(query_set, name, title=title, body=body)
    client.force_login(make.make_member(query_set, Role.ADMIN))
    return make.make_list(query_set, overlap=2)


def proposed(judgment_list, depth=10):
    names = dict(Document.objects.values_list("pk", "external_id"))
    queries = dict(judgment_list.query_set.queries.values_list("pk", "external_id"))
    pairs = reports.candidates(judgment_list, depth=depth).pairs
    return [f"{queries[query]} {names[document]}" for query, document in pairs]


def test_documents_with_the_most_and_the_rarest_words_come_first(judgment_list):
    """Of three words a has all. Winter, in two documents, is rarer than bag, in three."""
    assert proposed(judgment_list) == ["q1 a", "q1 c", "q1 b", "q1 e", "q2 d"]
    assert proposed(judgment_list, depth=2) == ["q1 a", "q1 c", "q2 d"]


def test_what_is_previewed_is_added_with_its_source(client, judgment_list):
    address = reverse("list-candidates", args=[judgment_list.pk])
    page = html_of(client.get(address, {"depth": 2}))
    assert "Add 3 pairs" in page
    assert "1 query without pairs: no document has their words" in page
    assert not Pair.objects.exists()

    client.post(address, {"depth": 2})

    assert Pair.objects.filter(judgment_list=judgment_list).count() == 3
    after = Act.objects.get(verb=Verb.PAIRS_ADDED).after
    assert (after["from"], after["documents per query"], after["pairs"]) == ("text search", 2, 3)


def test_nothing_is_searched_before_somebody_asks(client, judgment_list):
    response = client.get(reverse("list-candidates", args=[judgment_list.pk]))

    assert response.context["preview"] is None
    assert "nothing is stored yet" not in html_of(response)


def test_queries_with_pairs_are_left_alone(client, judgment_list):
    client.post(reverse("list-candidates", args=[judgment_list.pk]), {"depth": 1})

    assert proposed(judgment_list) == []


def test_documents_of_another_query_set_are_not_proposed(judgment_list):
    make.make_document(make.make_query_set(), "x", title="winter sleeping bag")

    assert "q1 x" not in proposed(judgment_list)


def test_a_word_of_many_documents_is_left_out(judgment_list, monkeypatch):
    monkeypatch.setattr(reports, "COMMON", 2)

    assert proposed(judgment_list) == ["q1 a", "q1 c", "q2 d"]


def test_some_queries_are_taken_at_once(judgment_list, monkeypatch):
    monkeypatch.setattr(reports, "MOST_QUERIES", 2)

    found = reports.candidates(judgment_list, depth=1)

    assert (found.queries, found.empty, found.left) == (2, 0, 1)


@pytest.mark.parametrize("text", ["'", "a\\b", "https://example.com/tent?x=1", "!!! & | <->", "", "–"])
def test_any_text_of_a_query_is_searched(judgment_list, text):
    make.make_query(judgment_list.query_set, "odd", text=text)

    assert "q2 d" in proposed(judgment_list)


def test_the_index_of_words_is_used(judgment_list):
    with by_bitmaps(), connection.cursor() as cursor:
        parameters = {"query_set": 1, "list": 1, "queries": 10, "most": 10}
        cursor.execute(f"EXPLAIN {_WORDS}", parameters)
        plan = "\n".join(row[0] for row in cursor.fetchall())

    assert "Bitmap Index Scan on document_search" in plan


@pytest.mark.parametrize("depth", ["0", "101", "x", ""])
def test_an_odd_depth_is_refused(client, judgment_list, depth):
    response = client.get(reverse("list-candidates", args=[judgment_list.pk]), {"depth": depth})

    assert response.status_code == 422


def test_engineers_add_them_too_and_raters_do_not(client, judgment_list):
    for role, status in ((Role.ENGINEER, 200), (Role.RATER, 404)):
        client.force_login(make.make_member(judgment_list.query_set, role))
        assert client.get(reverse("list-candidates", args=[judgment_list.pk])).status_code == status
