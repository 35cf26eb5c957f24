"""How much higher a machine grades than people, on the documents that each run shows."""

import csv
from io import StringIO

import pytest
from django.urls import reverse

from tests import factories as make
from tests.evaluation.scored import make_ranking
from tests.judgments.refreshed import refresh_consensus

pytestmark = pytest.mark.django_db

GRADES = {  # people's, and the machine's
    ("q1", "a"): (1, 3),
    ("q1", "b"): (2, 2),
    ("q2", "c"): (0, 0),
    ("q2", "d"): (3, 1),
    ("q2", "e"): (1, None),
}


@pytest.fixture
def judgment_list(client):
    """Run one shows a and c first, run two b and d."""
    judgment_list = make.make_list(make.make_query_set(name="Shop"), name="Main")
    person, gpt = (make.make_rater(judgment_list.query_set) for _ in range(2))
    judgment_list.query_set.raters.filter(pk=gpt.pk).update(name="gpt", kind="machine")
    judgment_list.exclusions.create(query_set=judgment_list.query_set, rater=gpt, at=make.NOW)
    for (name, document), values in GRADES.items():
        query = judgment_list.query_set.queries.filter(external_id=name).first()
        query = query or make.make_query(judgment_list.query_set, name)
        pair = make.make_pair(judgment_list, query, make.make_document(judgment_list.query_set, document))
        for rater, value in zip((person, gpt), values, strict=True):
            if value is not None:
                make.make_judgment(pair, rater, value=value)
    refresh_consensus(judgment_list=judgment_list)
    for name, documents in (("one", ("ab", "cde")), ("two", ("ba", "edc"))):
        run = make.make_run(judgment_list.query_set, name=name)
        for query, own in zip(("q1", "q2"), documents, strict=True):
            make_ranking(run, judgment_list.query_set.queries.get(external_id=query), list(own))
    client.force_login(make.make_member(judgment_list.query_set, "admin", username="boss"))
    return judgment_list


def rows_of(client, judgment_list, **query):
    address = reverse("rater-effect", args=[judgment_list.pk])
    response = client.get(address, {"table": "machines", **query})
    return list(csv.DictReader(StringIO(response.getvalue().decode())))


def test_each_run_is_looked_at_by_its_first_documents(client, judgment_list):
    found = {row["run"]: row for row in rows_of(client, judgment_list, k=1)}

    assert (found["one"]["machine"], found["one"]["compared"], float(found["one"]["higher_by"])) == (
        "gpt",
        "2",
        1.0,  # a two higher, c the same
    )
    assert (found["two"]["compared"], float(found["two"]["higher_by"])) == ("1", 0.0)  # b; nobody compared e

    both = {
        row["run"]: (row["compared"], float(row["higher_by"])) for row in rows_of(client, judgment_list, k=2)
    }
    assert both == {"one": ("4", 0.0), "two": ("3", 0.0)}


def test_the_interval_comes_from_resampled_queries(client, judgment_list):
    one = next(row for row in rows_of(client, judgment_list, k=1) if row["run"] == "one")

    assert (float(one["higher_by_low"]), float(one["higher_by_high"])) == (0.0, 2.0)  # q2 alone, or q1 alone
    two = next(row for row in rows_of(client, judgment_list, k=1) if row["run"] == "two")
    assert two["higher_by_low"] == "", "one query has nothing to compare"


def test_the_page_shows_it_and_says_what_is_compared(client, judgment_list):
    text = client.get(reverse("rater-effect", args=[judgment_list.pk]), {"k": 1}).content.decode()

    assert "Machines, by what runs show" in text
    assert "the first 1 result" in text
    assert "+1.00" in text


def test_without_machines_or_an_order_of_grades_there_is_nothing_to_show(client, judgment_list):
    judgment_list.exclusions.update(lifted_at=make.NOW)

    assert (
        "Machines, by what runs show"
        not in client.get(reverse("rater-effect", args=[judgment_list.pk])).content.decode()
    )
    assert rows_of(client, judgment_list) == []
