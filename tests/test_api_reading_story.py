"""What pages tell about comparisons, raters and the site, the API tells as data."""

import csv
from io import StringIO
from math import log2

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from judgments.content.actions.deleting import delete_query_set
from judgments.lists.actions.versions import freeze_version
from judgments.log.actions import acting, record_act
from judgments.models import Role, Verb
from tests import factories as make
from tests.api import Api, problem_of
from tests.evaluation.two_runs import comparison_address, make_two_runs
from tests.judgments.agreed import Agreed
from tests.test_api_engineer_story import api, runs, shop

__all__ = ["api", "runs", "shop"]
pytestmark = pytest.mark.django_db

SECOND = 1 / log2(3)
"""The discount of rank 2."""


@pytest.fixture
def beside(shop, runs):
    """Both runs on one query, within two results."""
    query_set, main = shop

    def address(name, more=""):
        query = query_set.queries.get(external_id=name)
        return f"lists/{main.pk}/comparison/queries/{query.pk}?runs={runs[0]}-{runs[1]}&k=2{more}"

    return address


def test_one_query_of_a_comparison_has_both_rankings(api, beside):
    answer = api.get(beside("q1", "&measures=RR"))
    assert answer.status_code == 200, answer.content
    two = answer.json()

    assert (two["baseline"]["name"], two["run"]["name"], two["query"]["id"]) == ("base", "new", "q1")
    assert two["compared"]["difference"] == pytest.approx(1 - SECOND)
    assert two["moved"] == {"same": 0, "moved": 2, "new": 0, "lost": 0}
    values = {one["measure"]: (one["baseline"], one["run"], one["difference"]) for one in two["values"]}
    assert values["DCG@2"] == pytest.approx((2 * SECOND, 2, 2 - 2 * SECOND))
    assert values["RR"] == (0.5, 1.0, 0.5)
    before, after = (
        [(one["document"], one["grade"], one["move"], one["gain"]) for one in two[side]["results"]]
        for side in ("baseline_ranking", "run_ranking")
    )
    assert before == [("b", 0, "down", 0), ("a", 2, "up", 2)]
    assert after == [("a", 2, "up", 2), ("b", 0, "down", 0)]
    first = two["run_ranking"]["results"][0]
    assert (first["baseline_rank"], first["run_rank"]) == (2, 1)
    assert first["change_of_dcg"] == pytest.approx(2 - 2 * SECOND)
    swap = two["baseline_ranking"]["best_swap"]
    assert (swap["ranks"], swap["documents"]) == ([1, 2], ["b", "a"])
    assert swap["gain"] == pytest.approx(2 - 2 * SECOND)
    assert two["run_ranking"]["best_swap"] is None


def test_a_query_that_the_runs_are_not_compared_on_has_its_rankings_still(api, beside, shop):
    make.make_query(shop[0], "q3")
    two = api.get(beside("q3")).json()
    assert two["compared"] is None
    assert [two[side]["answered"] for side in ("baseline_ranking", "run_ranking")] == [False, False]


def test_a_held_out_query_is_told_once_it_is_open(api, beside, shop, runs):
    make.make_comparing(shop[0], held_out="q1")
    assert problem_of(api.get(beside("q1"))).startswith("This query is held out: ")
    assert api.get(beside("q2")).status_code == 200

    assert (
        problem_of(api.get(beside("q1", "&confirm=1"))) == "The held-out queries are closed for these runs."
    )
    query = f"runs={runs[0]}-{runs[1]}&k=2&confirm=1"
    assert api.post(f"lists/{shop[1].pk}/comparison/open?{query}").json() == {"opened": True}
    assert api.get(beside("q1", "&confirm=1")).json()["on_held_out_queries"] is True


@pytest.fixture
def report():
    """An engineer reads the report of two runs by API and by page."""
    judgment_list = make.make_list(make.make_query_set())
    two = make_two_runs(judgment_list)
    engineer = make.make_member(judgment_list.query_set, Role.ENGINEER)
    api, client = Api(engineer, "read"), Client()
    client.force_login(engineer)
    path = f"lists/{judgment_list.pk}/comparison/report?runs={two[0].pk}-{two[1].pk}&k=10"

    def page(format):
        address = comparison_address(judgment_list, *two, page="comparison-report", k="10", format=format)
        return client.get(address, follow=True).content.decode()

    return lambda format: (api.get(f"{path}&format={format}"), page(format))


def test_the_report_is_the_page_as_text_and_as_data(report):
    answer, markdown = report("md")
    assert answer.status_code == 200, answer.content
    data = answer.json()

    assert data["text"] == markdown
    assert data["recommendation"] == "Ship new."
    assert data["subtitle"] in markdown
    assert [one["kind"] for one in data["verdicts"]] == ["better"]
    [new] = data["runs"]
    assert (new["run"], new["worse"]) == ("new", [])
    assert {one["part"] for one in new["steps"]} == {"order", "depth", "recall"}
    assert "the first relevant document rose from rank 2 to 1" in [one["cause"] for one in new["better"]]
    for one in new["better"]:
        assert one["difference"] in markdown
        assert one["baseline_results"] != one["run_results"]
    assert data["page"].startswith("http://testserver/lists/")
    assert "format" not in data["page"]

    html = report("html")[0].json()["text"]
    assert html.startswith("<!doctype html>")
    assert "<h1>Ship new.</h1>" in html


@pytest.fixture
def agreed():
    """Thirty pairs of three queries; Ann and Bob judged all, Cy two."""
    scene = Agreed(queries=3, documents=10)
    scene.ann = scene.rater("ann", [0, 1, 2, 3, 3] * 6)
    scene.bob = scene.rater("bob", [0, 1, 3, 3, 3] * 5 + [0, 1, 2, 3, None])
    scene.cy = scene.rater("cy", [3, 3])
    return scene


@pytest.fixture
def files(agreed):
    """An admin reads a path by API, and a file of the page."""
    admin = agreed.member(Role.ADMIN)
    api, client = Api(admin), Client()
    client.force_login(admin)

    def read(path, table):
        file = client.get(reverse("list-agreement", args=[agreed.list.pk]), {"table": table})
        rows = list(csv.DictReader(StringIO(file.getvalue().decode())))
        return api.get(f"lists/{agreed.list.pk}/agreement{path}").json(), rows

    return read


def figures(values):
    """Numbers of a file, which has nothing for None."""
    return [None if value == "" else pytest.approx(float(value)) for value in values]


def test_each_rater_has_the_figures_of_the_page(files):
    answer, rows = files("/raters", "raters")
    ann, bob, cy = answer["raters"]

    assert [one["name"] for one in (ann, bob, cy)] == ["ann", "bob", "cy"]
    names = ("judgments", "cannot_judge", "compared", "agreement", "kappa", "higher_by", "alpha_without")
    columns = ("judgments", "cannot_judge", "compared", "agreement", "kappa", "bias", "alpha_without")
    for one, row in zip((ann, bob, cy), rows, strict=True):
        assert [one[name] for name in names] == figures(row[column] for column in columns)
        assert [each["count"] for each in one["grades"]] == figures(
            value for column, value in row.items() if column.startswith("gave ")
        )
    assert (bob["cannot_judge"], cy["compared"], cy["enough"]) == (1, 4, False)

    _, times = files("/raters", "time")
    tenths = [tenth for one in answer["raters"] for tenth in one["over_time"]]
    assert len(tenths) == len(times) == 20
    assert [one["agreement"] for one in tenths] == figures(row["agreement"] for row in times)
    assert [one["moving_average"] for one in tenths] == figures(row["moving_average"] for row in times)


def test_every_two_raters_have_the_figures_of_the_page(files, agreed):
    answer, rows = files("/rater-pairs", "couples")
    assert answer["listed"] == len(rows) == 3
    for one, row in zip(answer["items"], rows, strict=True):
        assert [each["name"] for each in one["raters"]] == [row["rater"], row["other"]]
        found = [one[name] for name in ("pairs", "agreement", "kappa", "higher_by")]
        assert found == figures(row[name] for name in ("pairs", "agreement", "kappa", "bias"))
    assert answer["grades"] is None

    two, _ = files(f"/rater-pairs?rater={agreed.bob.pk}&other={agreed.ann.pk}", "couples")
    assert (two["listed"], two["items"][0]["pairs"]) == (1, 29)
    assert two["grades"]["sentence"] == "bob grades 0.17 higher on average."
    # Bob's grades are the rows: five times he gave 3 where Ann gave 2.
    assert two["grades"]["counts"] == [[6, 0, 0, 0], [0, 6, 0, 0], [0, 0, 1, 0], [0, 0, 5, 11]]
    assert [one["name"] for one in two["grades"]["kappas"]] == [
        "unweighted",
        "linear weights",
        "quadratic weights",
    ]
    assert len(files(f"/rater-pairs?rater={agreed.cy.pk}&limit=1&offset=1", "couples")[0]["items"]) == 1
    assert (
        files(f"/rater-pairs?rater={make.make_rater(agreed.list.query_set).pk}", "couples")[0]["items"] == []
    )


def test_a_rater_is_left_out(files, agreed):
    answer, _ = files(f"/raters?without={agreed.bob.pk}", "raters")
    assert [one["name"] for one in answer["raters"]] == ["ann", "cy"]
    assert answer["headline"]["pairs"] == 2
    nobody = make.make_rater(agreed.list.query_set)
    assert files(f"/raters?without={nobody.pk}", "raters")[0]["status"] == 404


def test_an_engineer_reads_figures_of_all_raters_together(agreed):
    api, path = Api(agreed.member(Role.ENGINEER), "engineer"), f"lists/{agreed.list.pk}/agreement"
    answer = api.get(path).json()
    assert [one["count"] for one in answer["grades"]] == [12, 12, 7, 30]
    assert answer["cannot_judge"] == 1
    assert {one["name"] for one in answer["further"]} >= {"Fleiss’ kappa", "near grades"}
    assert answer["noise"] is None  # of too few queries
    assert answer["reading"]
    assert [api.get(f"{path}/{one}").status_code for one in ("raters", "rater-pairs")] == [404, 404]


def test_noise_of_raters_has_numbers():
    scene = Agreed(queries=30, documents=2)
    for name in ("ann", "bob"):
        scene.rater(name, [0, 3, 1, 2] * 14 + ([0, 3, 1, 2] if name == "ann" else [0, 3, 2, 2]))
    noise = (
        Api(scene.member(Role.ENGINEER), "engineer").get(f"lists/{scene.list.pk}/agreement").json()["noise"]
    )

    assert (noise["now"]["judgments"], noise["more"]["judgments"]) == (2, 4)
    assert 0.9 < noise["now"]["least"] < noise["now"]["about"] < noise["more"]["about"] < 1
    assert noise["in_words"].startswith("Noise of raters makes differences between runs smaller.")


@pytest.fixture
def administrator():
    return make.make_user("site", is_superuser=True)


def test_the_log_of_the_site_is_for_its_administrators(administrator):
    query_set = make.make_query_set(name="Shop")
    admin = make.make_member(query_set, "admin", username="ada")
    with acting(admin):
        record_act(Verb.PAUSED, "list Main", query_set=query_set)
    api = Api(administrator)
    newest = api.get("log").json()["items"][0]
    assert (newest["who"], newest["did"], newest["subject"]) == ("ada", "paused", "list Main")
    assert newest["query_set"] == "Shop"

    delete_query_set(query_set=query_set, confirmed_name="Shop")
    gone = [one["query_set"] for one in api.get("log?text=Main").json()["items"]]
    assert gone == [None]
    assert api.get("log?group=judgments").status_code == 422
    assert Api(admin).get("log").status_code == 404


def test_a_token_with_limits_does_not_read_the_log_of_the_site(administrator):
    bound = Api(administrator, query_set=make.make_query_set())
    narrow = [Api(administrator, scope) for scope in ("read", "engineer")]
    assert {api.get("log").status_code for api in (bound, *narrow)} == {404}


def test_the_log_of_the_site_comes_in_pages(administrator):
    for number in range(60):
        record_act(Verb.CHANGED, f"thing {number}")
    api = Api(administrator)
    first = api.get("log?text=thing").json()
    second = api.get(first["next"]).json()
    subjects = [one["subject"] for one in first["items"] + second["items"]]
    assert subjects == [f"thing {number}" for number in range(59, -1, -1)]
    assert second["next"] is None


def test_a_query_and_a_document_name_their_pairs_with_grades(api, shop):
    query_set, main = shop
    first, document = query_set.queries.get(external_id="q1"), query_set.documents.get(external_id="a")
    query = f"queries/{first.pk}/pairs"

    pairs = api.get(query).json()["items"]

    assert [(one["document_id"], one["grade"], one["list_id"]) for one in pairs] == [
        ("a", 2, main.pk),
        ("b", 0, main.pk),
    ]
    assert all(one["label"] and one["query_id"] == "q1" for one in pairs)
    following = api.get(f"{query}?limit=1").json()["next"]
    assert [one["document_id"] for one in api.get(following).json()["items"]] == ["b"]
    [pair] = api.get(f"documents/{document.pk}/pairs").json()["items"]
    assert pair == pairs[0]

    other = make.make_list(query_set)
    make.make_pair(other, first, document)
    assert [one["grade"] for one in api.get(f"{query}?list={other.pk}").json()["items"]] == [None]
    assert len(api.get(query).json()["items"]) == 3
    other.being_deleted = True
    other.save()
    assert len(api.get(query).json()["items"]) == 2


def test_the_overview_says_what_the_page_says(agreed):
    admin = agreed.member(Role.ADMIN)
    client = Client()
    client.force_login(admin)
    path = f"lists/{agreed.list.pk}/overview"

    answer = Api(admin).get(path).json()
    page = client.get(reverse("list", args=[agreed.list.pk])).context

    assert answer["progress"] == page["coverage"]
    assert answer["forecast"]["missing"] == page["outlook"].forecast.missing
    assert answer["forecast"]["in_words"] in ("", page["outlook"].in_words)
    assert [one["pairs"] for one in answer["steps"]] == [one.pairs for one in page["outlook"].steps]
    assert [one["name"] for one in answer["raters"]] == [one.name for one in page["raters"].rows]
    assert answer["agreement"] is None
    Api(admin).get(f"lists/{agreed.list.pk}/agreement")
    latest = Api(admin).get(path).json()["agreement"]
    assert (latest["figures"]["pairs"], latest["behind"]) == (29, 0)

    for limited in (Api(admin, "engineer"), Api(agreed.member(Role.ENGINEER))):
        assert limited.get(path).json()["raters"] is None


def test_comparisons_cost_a_bounded_number_of_statements(api, beside, shop, runs):
    paths = [beside("q1"), f"lists/{shop[1].pk}/comparison/report?runs={runs[0]}-{runs[1]}&k=2"]
    for path in paths:
        assert api.get(path).status_code == 200  # stores what is worked out once
    for path in paths:
        with CaptureQueriesContext(connection) as statements:
            api.get(path)
        assert len(statements) <= 30, path


def test_a_deletion_says_before_what_would_be_lost(shop):
    query_set, main = shop
    api = Api(make.make_member(query_set, "admin"))
    whole = api.get(f"query-sets/{query_set.pk}/deletion-preview").json()
    assert {"2 queries", "3 documents", "1 judgment list", "3 pairs"} <= set(whole["things"])
    assert api.get(f"lists/{main.pk}/deletion-preview").json() == {
        "things": ["3 pairs"],
        "scored_versions": [],
    }
    assert query_set.judgment_lists.exists()


def test_disagreements_of_two_raters_by_the_grades_they_gave(agreed):
    for pair in agreed.pairs[2:25:5]:  # Ann gave 2 and Bob 3
        make.make_consensus(pair, 2, spread=1, answers=2, judgments=2)
    api, path = Api(agreed.member(Role.ADMIN)), f"lists/{agreed.list.pk}/disagreements?state=any"
    two = f"{path}&rater={agreed.ann.pk}&other={agreed.bob.pk}"
    count = {query: len(api.get(query).json()["items"]) for query in (two, f"{two}&gave=2&other_gave=3")}
    assert list(count.values()) == [5, 5]
    assert api.get(f"{two}&gave=0&other_gave=3").json()["items"] == []


def test_a_version_that_there_is_not_is_named_with_those_that_there_are(api, shop, runs):
    main = shop[1]
    freeze_version(judgment_list=main)
    says = f"{main} has no version 9. It has: 1."
    for path in (
        f"lists/{main.pk}/versions/9",
        f"lists/{main.pk}/runs?version=9",
        f"lists/{main.pk}/export?version=9",
        f"lists/{main.pk}/comparison?runs={runs[0]}-{runs[1]}&version=9",
    ):
        response = api.get(path)
        assert (response.status_code, problem_of(response)) == (404, says), path


def test_what_takes_another_role_or_token_says_so(shop):
    engineer = Api(make.make_member(shop[0], Role.ENGINEER), "engineer")
    response = engineer.post(f"lists/{shop[1].pk}/versions", {})
    assert response.status_code == 404
    assert "it takes another role, or a token that may do more" in problem_of(response)
