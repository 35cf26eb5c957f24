"""An engineer works with runs by API: explains a query, keeps formulas, views and comparisons, and reconciles a number."""

import pytest

from evaluation.models import Comparison, ComparisonLook, Intent, SavedFormula, SavedView
from judgments.content.actions.query_sets import archive_query_set
from tests import factories as make
from tests.api import Api, problem_of

pytestmark = pytest.mark.django_db

BASELINE = b"q1 Q0 b 1 2 base\nq1 Q0 a 2 1 base\nq2 Q0 c 1 1 base\n"
CANDIDATE = b"q1 Q0 a 1 2 new\nq1 Q0 b 2 1 new\nq2 Q0 c 1 1 new\n"


@pytest.fixture
def shop():
    """A list with a 2 and a 0 for the first query, and a 1 for the second."""
    query_set = make.make_query_set(name="Shop")
    main = make.make_list(query_set, name="Main")
    queries = [make.make_query(query_set, name, tags=[name]) for name in ("q1", "q2")]
    grades = {"a": (0, 2), "b": (0, 0), "c": (1, 1)}
    for document, (query, grade) in grades.items():
        pair = make.make_pair(main, queries[query], make.make_document(query_set, document))
        make.make_consensus(pair, grade)
    return query_set, main


@pytest.fixture
def api(shop):
    return Api(make.make_member(shop[0], "engineer", username="eve"), "engineer")


@pytest.fixture
def runs(api, shop):
    path = f"query-sets/{shop[0].pk}/runs?file_name=a.trec"
    return [api.post(path, content).json()["runs"][0]["id"] for content in (BASELINE, CANDIDATE)]


def test_one_query_figure_by_figure(api, shop, runs):
    _, main = shop
    query = shop[0].queries.get(external_id="q1")
    explained = api.get(f"lists/{main.pk}/runs/{runs[0]}/queries/{query.pk}?k=2")
    assert explained.status_code == 200, explained.content
    assert explained.json()["run"]["name"] == "base"

    assert api.get(f"lists/{main.pk}/runs/{runs[0]}/queries/{query.pk}?k=0").status_code == 422
    assert api.get(f"lists/{main.pk}/runs/{runs[0]}/queries/8999999").status_code == 404


def test_formulas_are_saved_once_and_one_is_the_default(api, shop):
    path = f"query-sets/{shop[0].pk}/formulas"
    house = {"name": "House", "formula": "DCG(gain='exp')@5", "is_default": True}
    first, again = api.post(path, house), api.post(path, house)
    assert (first.status_code, again.json()["id"]) == (201, first.json()["id"]), first.content
    assert "Exponential" in first.json()["words"]
    other = api.post(path, {"name": "Other", "formula": "DCG()@5"}).json()
    one = f"saved-formulas/{other['id']}"
    assert api.patch(one, {"is_default": True, "name": "New"}).json()["is_default"]
    assert [row["is_default"] for row in api.get(path).json()["items"]] == [False, True]
    assert api.patch(one, {"name": "House"}).status_code == 422
    assert api.patch(one, {"is_default": False}).json()["is_default"] is False
    assert api.post(path, {"name": "Third", "formula": "DCG("}).json()["errors"][0]["field"] == "formula"
    assert api.get(f"lists/{shop[1].pk}/runs?choice=own-{other['id']}").status_code == 200
    assert api.delete(one).status_code == 204
    assert SavedFormula.objects.get().name == "House"


def test_views_keep_what_belongs_to_the_table(api, shop):
    path = f"query-sets/{shop[0].pk}/run-views"
    view = api.post(path, {"name": "Nightly", "query": "k=5&tag=nightly&page=3"})
    assert (view.status_code, view.json()["query"]) == (201, "k=5&tag=nightly")
    assert api.post(path, {"name": "nightly"}).status_code == 422
    assert [one["name"] for one in api.get(path).json()["items"]] == ["Nightly"]
    assert api.delete(f"run-views/{view.json()['id']}").status_code == 204
    assert not SavedView.objects.exists()


def test_intended_queries(api, shop):
    path = f"query-sets/{shop[0].pk}/intents"
    intent = api.post(path, {"name": "Sizes", "tags": ["q1"]})
    assert (intent.status_code, intent.json()["query_ids"]) == (201, ["q1"]), intent.content
    one = f"intents/{intent.json()['id']}"
    assert api.patch(one, {"name": "Colors"}).json()["query_ids"] == ["q1"]
    assert api.patch(one, {"queries": ["q2"]}).json()["query_ids"] == ["q2"]
    assert api.get(one).json()["queries"] == api.get(path).json()["items"][0]["queries"] == 1
    assert "q9" in problem_of(api.patch(one, {"queries": ["q9"]}))
    assert api.delete(one).status_code == 204
    assert not Intent.objects.exists()


def test_a_comparison_is_saved_changed_renewed_and_deleted(api, shop, runs):
    _, main = shop
    query = f"runs={runs[0]}-{runs[1]}&k=1"
    body = {"name": "December", "notes": "Shipped."}
    saved = api.post(f"lists/{main.pk}/comparisons?{query}", body, Idempotency_Key="1")
    again = api.post(f"lists/{main.pk}/comparisons?{query}", body, Idempotency_Key="1")
    assert saved.status_code == 201, saved.content
    assert (again.json(), Comparison.objects.count()) == (saved.json(), 1)
    assert (saved.json()["runs"], saved.json()["outdated"]) == (runs, False)
    assert saved.json()["page"].startswith(f"http://testserver/lists/{main.pk}/compare/?")
    assert [one["run"] for one in saved.json()["verdicts"]] == ["new"]

    one = f"comparisons/{saved.json()['id']}"
    assert api.patch(one, {"notes": ""}).json() == saved.json() | {"notes": ""}
    assert api.post(f"{one}/renew").json()["outdated"] is False
    assert [row["name"] for row in api.get(f"query-sets/{shop[0].pk}/comparisons").json()["items"]] == [
        "December"
    ]
    assert api.delete(f"runs/{runs[1]}").status_code == 204
    assert api.get(one).json()["runs"] == [runs[0], None]
    assert api.delete(one).status_code == 204
    assert api.get(one).status_code == 404


def test_runs_are_compared_query_by_query(api, shop, runs):
    path = f"lists/{shop[1].pk}/comparison/queries?runs={runs[0]}-{runs[1]}&k=1"
    compared = api.get(path)
    assert compared.status_code == 200, compared.content
    assert (compared.json()["listed"], compared.json()["run"]["name"]) == (2, "new")
    assert api.get(f"{path}&show=won").json()["listed"] == 1
    assert len(api.get(f"{path}&limit=1").json()["queries"]) == 1
    assert api.get(f"{path}&run={runs[0]}").status_code == 404


def test_held_out_queries_are_opened_once_and_the_log_says_by_whom(api, shop, runs):
    query_set, main = shop
    changed = api.call("put", f"query-sets/{query_set.pk}/comparing", {"held_out": "q1", "drawn": "traffic"})
    assert changed.json() == api.get(f"query-sets/{query_set.pk}/comparing").json()
    query = f"runs={runs[0]}-{runs[1]}&k=1"
    assert api.post(f"lists/{main.pk}/comparison/open?{query}").json() == {"opened": False}
    assert not ComparisonLook.objects.filter(held_out=True).exists()
    assert api.post(f"lists/{main.pk}/comparison/open?{query}&confirm=1").json() == {"opened": True}
    log = Api(make.make_member(query_set, "admin")).get(f"query-sets/{query_set.pk}/log").json()["items"]
    assert (log[0]["who"], log[0]["subject"]) == ("eve", "the held-out queries")
    [opening] = api.get(f"query-sets/{query_set.pk}/comparing").json()["openings"]
    assert (opening["who"], opening["runs"], opening["tag"]) == ("eve", ["base", "new"], "q1")
    refused = api.post(f"lists/{main.pk}/comparisons?{query}&confirm=1", {"name": "Held out"})
    assert "not kept by name" in problem_of(refused)


def test_the_trend_goes_from_the_oldest_to_the_newest(api, shop, runs):
    trend = api.get(f"lists/{shop[1].pk}/trend?k=1").json()
    assert [one["run"] for one in trend["runs"]] == ["base", "new"]
    assert [one["run"] for one in api.get(f"lists/{shop[1].pk}/trend?k=1&limit=1").json()["runs"]] == ["new"]
    assert api.get(f"lists/{shop[1].pk}/trend?tag=none").json()["runs"] == []


@pytest.mark.parametrize(
    ("call", "field"),
    [
        ("lists/{main}/comparison?runs={runs}&on=AP", "on"),
        ("lists/{main}/comparison?runs={runs}&confirm=0", "confirm"),
        ("lists/{main}/comparison?runs={runs}&intent=8999999", "intent"),
        ("lists/{main}/trend?on=AP", "on"),
        ("query-sets/{query_set}/impact?runs={runs}&intent=x", "intent"),
    ],
)
def test_what_cannot_be_chosen_is_refused_instead_of_left_out(api, shop, runs, call, field):
    places = {"query_set": shop[0].pk, "main": shop[1].pk, "runs": f"{runs[0]}-{runs[1]}"}

    refused = api.get(call.format_map(places))

    assert (refused.status_code, [one["field"] for one in refused.json()["errors"]]) == (422, [field])


def test_runs_are_compared_on_a_further_measure_and_with_an_intent(api, shop, runs):
    intent = api.post(f"query-sets/{shop[0].pk}/intents", {"name": "Sizes", "queries": ["q1"]}).json()
    query = f"runs={runs[0]}-{runs[1]}&measures=AP"

    compared = api.get(f"lists/{shop[1].pk}/comparison?{query}&on=AP&intent={intent['id']}").json()

    assert (compared["comparison"]["measure"], compared["comparison"]["intent"]["name"]) == ("AP", "Sizes")
    assert api.get(f"lists/{shop[1].pk}/trend?measures=AP&on=AP").json()["measure"] == "AP"


def test_what_changed_needs_no_judgments(api, shop, runs):
    impact = api.get(f"query-sets/{shop[0].pk}/impact?runs={runs[0]}-{runs[1]}&cutoff=1").json()
    assert (impact["baseline"]["name"], impact["run"]["name"], impact["compared"]) == ("base", "new", 2)
    assert api.get(f"query-sets/{shop[0].pk}/impact?runs={runs[0]}").status_code == 422
    assert api.get(f"query-sets/{shop[0].pk}/impact?runs={runs[0]}-{runs[1]}&cutoff=0").status_code == 422


def test_a_number_is_reconciled_even_in_the_archive(api, shop, runs):
    query_set, main = shop
    path = f"lists/{main.pk}/runs/{runs[1]}/reconcile"
    found = api.get(f"{path}?k=1&number=1.0")
    assert found.status_code == 200, found.content
    assert found.json()["matches"] > 0
    assert found.json()["candidates"][0]["value"] == 1.0
    assert api.get(f"{path}?number=abc").status_code == 422

    archive_query_set(query_set=query_set, user=make.make_user(), at=make.NOW)
    values = api.post(f"{path}?k=1", {"values": "q1 1.0\nq2 0.5\n"})
    assert values.status_code == 200, values.content
    assert (values.json()["agreeing"], values.json()["compared"]) == (1, 2)
    assert [one["query_id"] for one in values.json()["differing"]] == ["q2"]


def test_nothing_of_these_changes_in_the_archive(api, shop, runs):
    query_set, _ = shop
    saved = api.post(f"query-sets/{query_set.pk}/formulas", {"name": "House", "formula": "DCG()@5"}).json()
    archive_query_set(query_set=query_set, user=make.make_user(), at=make.NOW)

    for response in (
        api.patch(f"saved-formulas/{saved['id']}", {"name": "New"}),
        api.post(f"query-sets/{query_set.pk}/intents", {"name": "Sizes", "queries": ["q1"]}),
        api.call("put", f"query-sets/{query_set.pk}/comparing", {"drawn": "traffic"}),
    ):
        assert response.status_code == 409
        assert problem_of(response) == "This query set is archived, so nothing in it can be changed."
