"""The page on which pairs are added to a list."""

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from judgments.models import Act, Pair, Role
from tests import factories as make
from tests.evaluation.scored import make_grades, make_ranking

pytestmark = pytest.mark.django_db


@pytest.fixture
def judgment_list():
    return make.make_list(make.make_query_set(name="Shop"), name="First pass", overlap=2)


@pytest.fixture
def admin(client, judgment_list):
    user = make.make_member(judgment_list.query_set, Role.ADMIN)
    client.force_login(user)
    return user


@pytest.fixture
def runs(judgment_list):
    query = make.make_query(judgment_list.query_set, "q1")
    runs = [make.make_run(judgment_list.query_set, name=name) for name in ("bm25", "dense")]
    for run, documents in zip(runs, (["a", "b", "c"], ["b", "d"]), strict=True):
        make_ranking(run, query, documents)
    return runs


def address(judgment_list):
    return reverse("list-pairs", args=[judgment_list.pk])


def test_all_runs_are_checked_to_begin_with_and_nothing_is_previewed(client, admin, judgment_list, runs):
    response = client.get(address(judgment_list))

    html = response.content.decode()
    assert response.context["preview"] is None
    assert html.count(" checked>") == 2
    assert 'name="depth" value="10"' in html


def test_a_preview_stands_in_the_address_and_stores_nothing(client, admin, judgment_list, runs):
    response = client.get(address(judgment_list), {"run": [run.pk for run in runs], "depth": 2})

    preview = response.context["preview"]
    assert (preview.pairs, preview.new, preview.judgments) == (3, 3, 6)
    html = " ".join(response.content.decode().split())
    assert "Add 3 pairs" in html
    assert "3 of these documents have no text here" in html
    assert "20–61 s each, an assumption until 20 have been timed" in html
    assert "2–7 min" in html
    assert not Pair.objects.exists()


def test_only_the_checked_runs_are_previewed_and_stay_checked(client, admin, judgment_list, runs):
    response = client.get(address(judgment_list), {"run": runs[1].pk, "depth": 1})

    assert response.context["preview"].pairs == 1
    assert response.content.decode().count(" checked>") == 1


def test_the_pool_is_added_and_the_list_says_so(client, admin, judgment_list, runs):
    response = client.post(
        address(judgment_list), {"run": [run.pk for run in runs], "depth": "2", "queries": "every"}
    )

    assert response["Location"] == reverse("list", args=[judgment_list.pk])
    assert Pair.objects.filter(judgment_list=judgment_list).count() == 3
    assert b"3 pairs added." in client.get(response["Location"]).content


def test_pairs_can_be_added_before_all_others(client, admin, judgment_list, runs):
    choice = {"run": runs[0].pk, "depth": "2", "priority": "10"}
    page = client.get(address(judgment_list), choice).content.decode()
    assert 'name="priority" value="10"' in page

    client.post(address(judgment_list), choice)

    assert set(Pair.objects.values_list("priority", flat=True)) == {10}
    assert client.post(address(judgment_list), choice | {"priority": "9"}).status_code == 422


def test_the_preview_offers_only_what_can_change_the_comparison(client, admin, judgment_list, runs):
    make_ranking(runs[0], query := make.make_query(judgment_list.query_set, "q2"), ["a", "e"])
    make_ranking(runs[1], query, ["a"])
    keys = [run.pk for run in runs]

    html = " ".join(client.get(address(judgment_list), {"run": keys, "depth": 2}).content.decode().split())

    assert "The runs differ on 4 of the 5 new pairs." in html
    link = f"run={keys[0]}&run={keys[1]}&depth=2&queries=every&documents=differing&priority=0"
    assert f'href="?{link.replace("&", "&amp;")}"' in html
    page = client.get(f"{address(judgment_list)}?{link}")
    assert "Add 4 pairs" in page.content.decode()
    assert "The runs differ on" not in page.content.decode()
    client.post(
        address(judgment_list), {"run": keys, "depth": 2, "queries": "every", "documents": "differing"}
    )
    assert Pair.objects.count() == 4


def test_runs_with_the_same_unjudged_results_are_told_that_these_decide_nothing(
    client, admin, judgment_list, runs
):
    make_ranking(
        same := make.make_run(judgment_list.query_set, name="same"), runs[1].rankings.get().query, ["b", "d"]
    )

    html = client.get(address(judgment_list), {"run": [runs[1].pk, same.pk]}).content.decode()

    assert "so they can’t change which run is better" in " ".join(html.split())


def test_one_run_differs_from_no_other(client, admin, judgment_list, runs):
    response = client.get(address(judgment_list), {"run": runs[0].pk, "documents": "differing"})

    assert response.status_code == 422
    assert "Choose two runs or more" in response.content.decode()


def test_each_run_has_a_link_to_its_holes(client, admin, judgment_list, runs):
    html = client.get(address(judgment_list), {"run": runs[0].pk, "depth": "4"}).content.decode()

    assert f'href="?run={runs[1].pk}&amp;depth=4&amp;queries=graded"' in html


def test_on_a_paused_list_the_pairs_wait(client, admin, judgment_list, runs):
    judgment_list.paused = True
    judgment_list.save()

    response = client.post(address(judgment_list), {"run": runs[1].pk, "depth": "1"}, follow=True)

    assert b"1 pair added. Raters get them when this list goes on." in response.content


def test_a_pool_without_anything_new_cannot_be_added(client, admin, judgment_list, runs):
    choice = {"run": [run.pk for run in runs], "depth": "2"}
    client.post(address(judgment_list), choice)

    page = client.get(address(judgment_list), choice).content
    one_more = client.get(address(judgment_list), choice | {"depth": "3"}).content
    again = client.post(address(judgment_list), choice, follow=True).content

    assert b"This list already has all of these pairs." in page
    assert b"Add 0" not in page
    assert b"Rater time" not in page
    assert b"Rater time" in one_more
    assert b"Nothing was added" in again


@pytest.mark.parametrize("depth", ["0", "-3", "ten", "", "100001", "1.5"])
@pytest.mark.parametrize("method", ["get", "post"])
def test_a_bad_depth_is_refused_and_keeps_the_runs(client, admin, judgment_list, runs, depth, method):
    response = getattr(client, method)(address(judgment_list), {"run": runs[0].pk, "depth": depth})

    assert response.status_code == 422
    assert response.context["form"].errors["depth"]
    assert response.content.decode().count(" checked>") == 1
    assert not Pair.objects.exists()


@pytest.mark.parametrize("method", ["get", "post"])
def test_without_a_run_the_page_asks_for_one(client, admin, judgment_list, runs, method):
    response = getattr(client, method)(address(judgment_list), {"depth": "5", "queries": "every"})

    assert response.status_code == 422
    assert b"Choose at least one run." in response.content


def test_runs_of_other_query_sets_and_unknown_ones_are_refused(client, admin, judgment_list, runs):
    foreign = make.make_run(make.make_query_set())

    for key in (foreign.pk, 10**30, "x"):
        response = client.get(address(judgment_list), {"run": key, "depth": 5})
        assert response.status_code == 422
        assert b"One of the runs is not there any more." in response.content


def test_without_runs_the_page_leads_to_uploading_one_and_to_a_file(client, admin, judgment_list):
    html = client.get(address(judgment_list)).content.decode()

    assert "No runs to pool yet" in html
    assert reverse("run-upload", args=[judgment_list.query_set_id]) in html
    assert reverse("import-judgments", args=[judgment_list.pk]) in html


def test_an_engineer_asks_the_raters_but_takes_nothing_out_and_imports_nothing(client, judgment_list, runs):
    engineer = make.make_member(judgment_list.query_set, Role.ENGINEER)
    client.force_login(engineer)
    removing = reverse("list-pairs-remove", args=[judgment_list.pk])
    importing = reverse("import-judgments", args=[judgment_list.pk])

    pages = [
        client.get(address(judgment_list)),
        client.get(address(judgment_list), {"run": runs[0].pk, "depth": 5}),
    ]
    added = client.post(address(judgment_list), {"run": runs[0].pk, "depth": "5"})

    assert [page.status_code for page in pages] == [200, 200]
    for page in pages:
        assert removing not in page.content.decode()
        assert importing not in page.content.decode()
    assert added["Location"] == reverse("list", args=[judgment_list.pk])
    assert Pair.objects.exists()
    act = Act.objects.latest("pk")
    assert (act.by, act.judgment_list) == (engineer, judgment_list)


def test_a_rater_finds_no_such_page_and_no_way_to_it(client, judgment_list, runs):
    client.force_login(make.make_member(judgment_list.query_set, Role.RATER))

    got = client.get(address(judgment_list))
    posted = client.post(address(judgment_list), {"run": runs[0].pk, "depth": "5"})
    overview = client.get(reverse("list", args=[judgment_list.pk]))

    assert (got.status_code, posted.status_code) == (404, 404)
    assert address(judgment_list).encode() not in overview.content
    assert not Pair.objects.exists()


def test_a_runs_page_sends_its_holes_with_the_cutoff_as_depth(client, admin, judgment_list, runs):
    make_grades(judgment_list, judgment_list.query_set.queries.get(), {"a": 3})
    judgment_list.list_queries.update(graded_count=1)
    run_page = reverse("run", args=[judgment_list.pk, runs[0].pk])
    link = f"{address(judgment_list)}?run={runs[0].pk}&amp;depth=2&amp;queries=graded"

    assert link in client.get(run_page + "?k=2").content.decode()
    preview = client.get(link.replace("&amp;", "&")).context["preview"]
    assert (preview.new, preview.known_pairs) == (1, 1)

    client.force_login(make.make_member(judgment_list.query_set, Role.ENGINEER))
    assert link in client.get(run_page + "?k=2").content.decode()


def test_a_run_without_holes_has_none_to_send(client, admin, judgment_list, runs):
    make_grades(judgment_list, judgment_list.query_set.queries.get(), {"a": 3})

    html = client.get(reverse("run", args=[judgment_list.pk, runs[0].pk]) + "?k=1").content.decode()

    assert f"{address(judgment_list)}?run=" not in html


def test_lists_without_pairs_lead_here(client, admin, judgment_list):
    query_set = judgment_list.query_set
    make.make_query(query_set)
    pages = [
        reverse("list", args=[judgment_list.pk]),
        reverse("judge", args=[judgment_list.pk]),
        reverse("query-set", args=[query_set.pk]),
        reverse("query-set-lists", args=[query_set.pk]),
    ]
    link = f'href="{address(judgment_list)}"'

    assert [page for page in pages if link not in client.get(page).content.decode()] == []
    client.force_login(make.make_member(query_set, Role.ENGINEER))
    assert [page for page in pages if link not in client.get(page).content.decode()] == []
    client.force_login(make.make_member(query_set, Role.RATER))
    assert link not in client.get(pages[1]).content.decode()


def test_the_page_costs_the_same_whatever_it_pools(client, admin, judgment_list):
    query_set = judgment_list.query_set
    counts = []
    for size in (2, 30):
        for query in [make.make_query(query_set) for _ in range(size)]:
            for run in [make.make_run(query_set), make.make_run(query_set)]:
                make_ranking(run, query, [f"{run.pk}-{rank}" for rank in range(size)])
        keys = [run.pk for run in query_set.runs.all()]
        with CaptureQueriesContext(connection) as captured:
            assert client.get(address(judgment_list), {"run": keys, "depth": 100}).status_code == 200
        counts.append(len(captured))

    assert counts[0] == counts[1] <= 15
