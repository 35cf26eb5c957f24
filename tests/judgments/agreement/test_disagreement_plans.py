"""Every statement of the page of disagreements follows an index and ends when the page is full. EXPLAIN tells, on 6,000 pairs."""

import pytest
from django.db import connection
from django.test import Client
from django.urls import reverse

from judgments.models import ConsensusGrade, Document, Pair, Query
from tests import factories as make
from tests.judgments.judging.test_plans import plans, scans

pytestmark = pytest.mark.django_db
QUERIES, DOCUMENTS = 300, 20
READ = {"judgments_consensusgrade", "judgments_pair"}
INDEX = "consensus_disagreements"


@pytest.fixture
def judgment_list():
    """Every third pair differs; nobody has decided anything."""
    query_set = make.make_query_set()
    judgment_list = make.make_list(query_set)
    queries = Query.objects.bulk_create(
        Query(query_set=query_set, external_id=str(nth), text=str(nth)) for nth in range(QUERIES)
    )
    documents = Document.objects.bulk_create(
        Document(query_set=query_set, external_id=str(nth)) for nth in range(DOCUMENTS)
    )
    common = {"query_set": query_set, "judgment_list": judgment_list}
    pairs = Pair.objects.bulk_create(
        [Pair(**common, query=query, document=document) for query in queries for document in documents],
        batch_size=5_000,
    )
    ConsensusGrade.objects.bulk_create(
        [
            ConsensusGrade(
                **common,
                pair=pair,
                query_id=pair.query_id,
                document_id=pair.document_id,
                value=1,
                judgments=2,
                answers=2,
                spread=1 + nth % 2 if nth % 3 == 0 else None,
            )
            for nth, pair in enumerate(pairs)
        ],
        batch_size=5_000,
    )
    with connection.cursor() as cursor:
        cursor.execute(
            "ANALYZE judgments_pair, judgments_consensusgrade, judgments_query, judgments_document"
        )
    return judgment_list


@pytest.fixture
def admin(judgment_list):
    client = Client()
    client.force_login(make.make_member(judgment_list.query_set, "admin"))
    return client


def listings(judgment_list, admin, parameters=""):
    """The plan of the statement that finds disagreements; the one that counts them ends at a limit."""
    address = reverse("list-disagreements", args=[judgment_list.pk]) + parameters
    tables = plans(lambda: admin.get(address))
    about = [(sql, plan) for sql, plan in tables if "FROM judgments_consensusgrade grade" in sql]
    counting = [one for one in about if "SELECT count(*)" in one[0]]
    assert all("Limit" in nodes(plan) for _, plan in counting)
    return [one for one in about if one not in counting]


@pytest.mark.parametrize("place", ["first", "later"])
def test_the_page_walks_along_the_index_of_disagreements(judgment_list, admin, place):
    middle = ConsensusGrade.objects.filter(spread=1).order_by("-pair")[500]
    parameters = "" if place == "first" else f"?after=1.0,2,{middle.pair_id}"

    tables = listings(judgment_list, admin, parameters)

    assert len(tables) == 1
    for sql, plan in tables:
        read = {(kind, index) for kind, table, index in scans(plan) if table == "judgments_consensusgrade"}
        assert read <= {("Index Scan", INDEX), ("Index Only Scan", INDEX)}, sql
        assert read
        assert "Sort" not in nodes(plan), sql


def test_no_statement_of_the_page_reads_a_large_table_whole(judgment_list, admin):
    tables = plans(lambda: admin.get(reverse("list-disagreements", args=[judgment_list.pk])))

    assert tables
    for sql, plan in tables:
        if "Limit" in nodes(plan):  # ends when the page is full, or the count says “more than”
            continue
        whole = [(kind, table) for kind, table, _ in scans(plan) if table in READ and kind == "Seq Scan"]
        assert whole == [], f"{whole} in {sql}"


def nodes(plan):
    return {plan["Node Type"]}.union(*(nodes(below) for below in plan.get("Plans", [])))
