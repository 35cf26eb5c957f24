"""How the queries of a run spread between 0 and 1, on the run's page."""

import csv
import io
import re
from dataclasses import replace

import pytest
from django.urls import reverse

from evaluation.models import Score
from tests import factories as make
from tests.api import Api
from tests.evaluation.scored import evaluate, make_all_grades, make_ranking, queries_of, text_of

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("engineer")]

VALUES = [0, 0, 0, 0.05, 0.1, 0.2 - 1e-16, 0.31, 0.77, 0.899999, 0.95, 1 - 1e-12, 1]
BARS = [4, 1, 1, 1, 0, 0, 0, 1, 1, 3]
"""How many of VALUES lie in each tenth, counted by hand: 0.2 − 1e-16 is 0.2, and 1 is in the last one."""


@pytest.fixture
def run(judgment_list):
    """A query for each of VALUES, and one that the formula leaves out if it skips queries without an ideal."""
    run = make.make_run(judgment_list.query_set, name="bm25")
    queries = make.make_queries(judgment_list.query_set, len(VALUES))
    make_all_grades(judgment_list, {query: {f"{query.external_id}-a": 3} for query in queries})
    for query in queries:
        make_ranking(run, query, [f"{query.external_id}-a"])
    evaluation = evaluate(run, judgment_list)
    for query, value in zip(queries, VALUES, strict=True):
        Score.objects.filter(evaluation=evaluation, query=query).update(ndcg_global=value)
    evaluation.median_ndcg_global = 0.255
    evaluation.save()
    return run


def page_of(client, judgment_list, run, query=""):
    return client.get(reverse("run", args=[judgment_list.pk, run.pk]) + query)


def csv_of(response):
    return list(csv.DictReader(io.StringIO(b"".join(response.streaming_content).decode())))


def test_ten_bars_and_a_sentence_show_how_queries_spread(client, judgment_list, run):
    page = page_of(client, judgment_list, run)

    spread = page.context["spread"]
    assert [bar.queries for bar in spread.bars] == BARS
    assert (spread.queries, spread.zero, spread.one) == (12, 3, 2)
    text = text_of(page)
    assert "3 of 12 queries score 0, and 2 score 1. Half of the queries score at least 0.2550." in text
    assert text.index("judged@10") < text.index("3 of 12 queries") < text.index("Where points are lost")


def test_programs_get_the_same_counts(client, engineer, judgment_list, run):
    of_file = page_of(client, judgment_list, run, "?format=json").json()["spread"]
    of_api = Api(engineer).get(f"lists/{judgment_list.pk}/runs/{run.pk}").json()["spread"]

    assert of_file == of_api
    assert (list(of_api["bars"].values()), list(of_api["bars"])[3]) == (BARS, "0.3-0.4")
    assert (of_api["zero"], of_api["one"], of_api["unknown"]) == (3, 2, 0)


def test_the_bars_say_what_the_file_of_the_queries_says(client, judgment_list, run):
    values = [float(row["nDCG@10"]) for row in csv_of(page_of(client, judgment_list, run, "?format=csv"))]

    spread = page_of(client, judgment_list, run).context["spread"]

    bins = [min(int(value * 10 + 1e-8), 9) for value in values]
    assert [bar.queries for bar in spread.bars] == [bins.count(place) for place in range(10)]
    assert spread.zero == values.count(0)
    assert spread.one == sum(value >= 1 - 1e-9 for value in values)


def test_each_bar_leads_to_its_queries_in_the_table_and_in_the_file(client, judgment_list, run):
    html = page_of(client, judgment_list, run, "?q=nothing").content.decode()

    links = re.findall(r'href="(\?show=[^"]*)#queries"[^>]*>\s*<span class="visually-hidden">(\d+)', html)
    assert [int(count) for _, count in links] == [count for count in BARS if count]
    for link, count in links:
        address = "?" + link[1:].replace("&amp;", "&")
        assert len(page_of(client, judgment_list, run, address).context["table"].rows) == int(count)
        assert len(csv_of(page_of(client, judgment_list, run, address + "&format=csv"))) == int(count)


@pytest.mark.parametrize(("show", "expected"), [("0", 3), ("1", 2), ("0.0-0.1", 4), ("0.9-1.0", 3)])
def test_the_filter_knows_the_ends(client, judgment_list, run, show, expected):
    page = page_of(client, judgment_list, run, f"?show={show}")

    assert len(page.context["table"].rows) == expected
    assert f'<option value="{show}" selected>' in page.content.decode()
    bars = page.content.decode().split('class="histogram"')[1].split("</ol>")[0]
    assert bars.count("aria-current") == (show not in ("0", "1"))
    assert page_of(client, judgment_list, run, "?show=0.5-0.7").status_code == 422


def test_queries_that_are_left_out_are_in_no_bar_and_unjudged_pages_are_named(client, judgment_list):
    run = make.make_run(judgment_list.query_set)
    queries = make.make_queries(judgment_list.query_set, 4)
    make_all_grades(
        judgment_list,
        {query: {f"{query.external_id}-a": 0 if place == 3 else 2} for place, query in enumerate(queries)},
    )
    make_ranking(run, queries[0], [f"{queries[0].external_id}-a"])
    make_ranking(run, queries[1], ["unjudged"])
    make_ranking(run, queries[3], ["unjudged"])

    page = page_of(client, judgment_list, run, "?zero=skip")

    spread = page.context["spread"]
    assert [bar.queries for bar in spread.bars] == [2, 0, 0, 0, 0, 0, 0, 0, 0, 1]
    assert spread.words == (
        "2 of 3 queries score 0, 1 of them because no result on its page is judged, and 1 scores 1."
    )
    alone = replace(spread, zero=1)
    assert alone.words == "1 of 3 queries scores 0, because no result on its page is judged, and 1 scores 1."


def test_one_query_has_no_spread(client, judgment_list):
    run = make.make_run(judgment_list.query_set)
    query = make.make_query(judgment_list.query_set)
    make_all_grades(judgment_list, {query: {"a": 2}})
    make_ranking(run, query, ["a"])

    page = page_of(client, judgment_list, run)

    assert page.context["spread"] is None
    assert 'class="histogram"' not in page.content.decode()


def test_it_costs_no_statement(client, judgment_list, run):
    assert queries_of(client, reverse("run", args=[judgment_list.pk, run.pk])) <= 13
