"""The queries of a comparison as files."""

import csv
import io

import pytest

from judgments.lists.actions.versions import freeze_version
from tests import factories as make
from tests.evaluation.differing_runs import make_differing_runs, queries_address

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("engineer")]


@pytest.fixture
def runs(judgment_list):
    return make_differing_runs(judgment_list)


def rows_of(response):
    return list(csv.DictReader(io.StringIO(response.getvalue().decode())))


def test_csv_has_every_figure_of_the_queries_that_are_listed_in_their_order(client, judgment_list, runs):
    version = freeze_version(judgment_list=judgment_list, at=make.NOW)

    address = queries_address(judgment_list, runs, format="csv", version=1, on="max", sort="-difference")
    response = client.get(address)

    rows = rows_of(response)
    assert "first-pass_new_queries.csv" in response["Content-Disposition"]
    assert [row["query id"] for row in rows] == ["won", "tied", "open", "lost"]
    won, _, opened, _ = rows
    assert (won["run"], won["baseline"], won["formula"]) == ("new", "old", "DCG@10")
    assert won["measure"] == "nDCG(ideal='max')@10"
    assert (won["query"], won["tags"], won["change"], won["wins"]) == ("won words", "w", "order", "run")
    assert float(won["difference"]) == float(won["run value"]) - float(won["baseline value"]) > 0
    assert won["NDCG-max at least"] == won["NDCG-max at most"]
    assert float(won["NDCG-max at least"]) == pytest.approx(float(won["difference"]))
    assert (opened["wins"], opened["baseline holes"], opened["run holes"]) == ("open", "1", "1")
    assert float(opened["NDCG-max at least"]) < 0 < float(opened["NDCG-max at most"])
    assert (won["list version"], won["state"]) == ("1", version.sha256)


def test_a_filter_holds_for_the_file_too(client, judgment_list, runs):
    found = client.get(queries_address(judgment_list, runs, format="json", show="open")).json()

    assert [query["id"] for query in found["queries"]] == ["open"]
    assert (found["compared"], found["measure"], found["list"]["version"]) == (4, "nDCG@10", "live")
    assert (found["run"]["name"], found["baseline"]["name"]) == ("new", "old")
    assert found["queries"][0]["wins"] == "open"
    assert found["queries"][0]["ndcg_global_at_least"] < 0
    assert not found["on_held_out_queries"]


def test_what_rests_on_bounds_is_empty_where_there_are_none(client, judgment_list, runs):
    chosen = {"unjudged": "condensed"}

    rows = rows_of(client.get(queries_address(judgment_list, runs, format="csv", **chosen)))
    found = client.get(queries_address(judgment_list, runs, format="json", **chosen)).json()

    assert {row["wins"] for row in rows} == {row["NDCG-max ceiling"] for row in rows} == {""}
    assert {query["wins"] for query in found["queries"]} == {None}


def test_a_filter_that_is_none_gives_the_page_that_says_so(client, judgment_list, runs):
    response = client.get(queries_address(judgment_list, runs, format="csv", show="nonsense"))

    assert response.status_code == 422
    assert response["Content-Type"].startswith("text/html")


def test_the_page_leads_to_both_files(client, judgment_list, runs):
    page = client.get(queries_address(judgment_list, runs, show="lost")).content.decode()

    assert "format=csv" in page
    assert "format=json" in page
