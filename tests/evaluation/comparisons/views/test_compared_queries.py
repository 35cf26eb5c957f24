"""A comparison query by query: the table, and one query's two rankings."""

import json
import re
from html import unescape

import pytest
from django.urls import reverse

from judgments.lists.actions.versions import freeze_version
from tests import factories as make
from tests.evaluation.differing_runs import make_differing_runs, queries_address
from tests.evaluation.scored import make_grades, make_ranking, text_of
from tests.evaluation.two_runs import comparison_address
from tests.html import html_of

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("engineer")]


@pytest.fixture
def runs(judgment_list):
    return make_differing_runs(judgment_list)


def listed(response):
    """The queries of the table by their IDs, in its order."""
    table = response.content.decode().split("<tbody>")[1].split("</tbody>")[0]
    return re.findall(r'<code class="id">(\w+)</code>', table)


def key(judgment_list, name):
    return judgment_list.query_set.queries.get(external_id=name).pk


def test_the_worst_query_stands_first(client, judgment_list, runs):
    response = client.get(queries_address(judgment_list, runs))

    assert listed(response) == ["lost", "open", "tied", "won"]
    assert "new beside old, query by query" in text_of(response)


@pytest.mark.parametrize(
    ("sort", "order"),
    [
        ("-difference", ["won", "tied", "open", "lost"]),
        ("-size", ["lost", "won", "open", "tied"]),
        ("-impact", ["lost", "open", "won", "tied"]),
        ("baseline", ["won", "lost", "tied", "open"]),
        ("nonsense", ["lost", "open", "tied", "won"]),
    ],
)
def test_the_table_is_sorted_as_the_address_says(client, judgment_list, runs, sort, order):
    assert listed(client.get(queries_address(judgment_list, runs, sort=sort))) == order


@pytest.mark.parametrize(
    ("show", "found"),
    [
        ("won", ["won"]),
        ("lost", ["lost", "open"]),
        ("tied", ["tied"]),
        ("changed", ["lost", "open", "won"]),
        ("order", ["won"]),
        ("documents", ["lost", "open"]),
        ("decided", ["lost", "won"]),
        ("for-run", ["won"]),
        ("for-baseline", ["lost"]),
        ("open", ["open"]),
        ("holes", ["open"]),
    ],
)
def test_the_table_shows_what_is_asked_for(client, judgment_list, runs, show, found):
    assert listed(client.get(queries_address(judgment_list, runs, show=show))) == found


def test_the_verdict_leads_to_the_queries_without_results(client, judgment_list):
    """A query that the run lacks, and one with an empty ranking. What the baseline lacks isn't meant."""
    old, new = (make.make_run(judgment_list.query_set, name=name) for name in ("old", "new"))
    pages = {"missing": (["a"], None), "empty": (["a"], []), "gained": (None, ["a"]), "same": (["a"], ["a"])}
    for name, of_runs in pages.items():
        query = make.make_query(judgment_list.query_set, name)
        make_grades(judgment_list, query, {"a": 3, "b": 0})
        for run, page in zip((old, new), of_runs, strict=True):
            if page is not None:
                make_ranking(run, query, page)

    page = client.get(comparison_address(judgment_list, old, new))
    (link,) = re.findall(r'<a href="([^"]+)">2 queries</a> get no results\.', html_of(page))

    for _ in range(2):  # computed, and then read
        assert sorted(listed(client.get(unescape(link)))) == ["empty", "missing"]


def test_queries_are_found_by_words_and_by_tag(client, judgment_list, runs):
    assert listed(client.get(queries_address(judgment_list, runs, q="ost wor"))) == ["lost"]
    assert listed(client.get(queries_address(judgment_list, runs, tag="t"))) == ["tied"]


def test_a_filter_that_finds_nothing_says_so(client, judgment_list, runs):
    page = text_of(client.get(queries_address(judgment_list, runs, q="absent")))

    assert "No matching queries." in page


def test_a_filter_that_is_none_is_told(client, judgment_list, runs):
    response = client.get(queries_address(judgment_list, runs, show="nonsense"))

    assert response.status_code == 422
    assert "cannot be narrowed down like that" in text_of(response)


def test_without_bounds_nothing_is_said_of_missing_grades(client, judgment_list, runs):
    page = text_of(client.get(queries_address(judgment_list, runs, unjudged="condensed")))
    refused = client.get(queries_address(judgment_list, runs, unjudged="condensed", show="open"))

    assert "This formula has no bounds" in page
    assert "Greatest impact" not in page
    assert refused.status_code == 422


def test_the_charts_get_every_listed_query_worst_first(client, judgment_list, runs):
    page = client.get(queries_address(judgment_list, runs, show="lost", sort="-difference")).content.decode()

    chart = json.loads(re.search(r'id="compared-points"[^>]*>(.*?)</script>', page)[1])
    assert (chart["baseline"], chart["candidate"], chart["measure"]) == ("old", "new", "NDCG-global@10")
    assert [point[:2] for point in chart["points"]] == [
        [key(judgment_list, name), f"{name} words"] for name in ("lost", "open")
    ]


def test_the_charts_keep_to_the_greatest_differences(client, judgment_list, runs, monkeypatch):
    monkeypatch.setattr("evaluation.comparisons.reports.query_rows.MOST_POINTS", 2)

    page = text_of(client.get(queries_address(judgment_list, runs)))

    chart = json.loads(re.search(r'id="compared-points"[^>]*>(.*?)</script>', page)[1])
    assert [name for _, name, *_ in chart["points"]] == ["lost words", "open words"]
    assert "The 2 queries with the greatest difference." in page


def test_one_of_several_runs_is_chosen(client, judgment_list, runs):
    third = make.make_run(judgment_list.query_set, name="third")

    page = text_of(client.get(queries_address(judgment_list, [*runs, third], run=third.pk)))
    unknown = client.get(queries_address(judgment_list, [*runs, third], run=runs[0].pk))

    assert "third beside old, query by query" in page
    assert unknown.status_code == 404


def both_pages(judgment_list, runs, **chosen):
    """The table of queries and the page of one."""
    yield queries_address(judgment_list, runs, **chosen)
    yield queries_address(judgment_list, runs, key(judgment_list, "won"), **chosen)


def test_what_cannot_be_compared_leads_to_the_comparison(client, judgment_list, runs):
    for address in both_pages(judgment_list, runs[:1], sort="-size"):
        response = client.get(address)

        assert response.status_code == 302
        assert response.url == reverse("comparison", args=[judgment_list.pk], query={"runs": runs[0].pk})


@pytest.mark.parametrize(
    ("wrong", "told"),
    [
        ({"k": "0"}, "0 is too small. Enter 1 or more."),
        ({"measures": "RR@@5"}, "At character 4"),
        ({"measures": "RBP(gain='table')"}, "has no"),
    ],
)
def test_a_wrong_formula_is_told_where_it_was_chosen(client, judgment_list, runs, wrong, told):
    for address in both_pages(judgment_list, runs, show="lost", **wrong):
        response = client.get(address)

        page = text_of(response)
        assert response.status_code == 422
        assert told in page
        assert f'name="runs" value="{runs[0].pk}-{runs[1].pk}"' in page
        default = queries_address(judgment_list, runs, show="lost").split("?")[1].replace("&", "&amp;")
        assert f'?{default}">use the default formula</a>' in page


def test_formula_version_and_measure_are_chosen_on_both_pages(client, judgment_list, runs):
    freeze_version(judgment_list=judgment_list, at=make.NOW)

    for address in both_pages(judgment_list, runs, run=runs[1].pk, show="lost"):
        page = text_of(client.get(address, follow=True))
        chosen = {"k": "1", "gain": "exp", "version": "1", "runs": f"{runs[0].pk}-{runs[1].pk}"}
        response = client.get(address.split("?")[0], chosen | {"was_k": "10"})

        assert 'aria-label="Choice of formula" novalidate data-whole' in page
        assert '<option value="1"> version 1' in page
        assert f'name="run" value="{runs[1].pk}"' in page
        assert set(response.url.split("?")[1].split("&")) == {f"{a}={b}" for a, b in chosen.items()}
        assert "DCG(gain=&#x27;exp&#x27;)@1" in text_of(client.get(response.url))


def test_a_query_is_told_in_the_further_measures_too(client, judgment_list, runs):
    address = queries_address(judgment_list, runs, key(judgment_list, "won"), measures="RR Judged@1")

    values = text_of(client.get(address)).split("Values of the query")[1]

    # The good document rises from rank 2 to rank 1; judged is each first document, and more of it is not better.
    assert re.search(r">RR</th>.*?>\s*0\.5000<.*?>\s*1\.0000.*?delta-up\">\+0\.5000", values)
    assert re.search(r">Judged@1</th>.*?>\s*1\.0000.*?>\s*1\.0000.*?<span>0\.0000", values)


@pytest.mark.parametrize(("on", "whose"), [("max", "Decided"), ("RR", "In NDCG-max it is decided")])
def test_who_wins_whatever_is_missing_is_said_of_ndcg_max(client, judgment_list, runs, on, whose):
    won = key(judgment_list, "won")

    page = text_of(client.get(queries_address(judgment_list, runs, won, measures="RR", on=on)))

    assert f"{whose} for the run, whatever the missing grades are." in page


def test_where_more_is_not_better_nothing_is_won_or_lost(client, judgment_list, runs):
    page = text_of(client.get(queries_address(judgment_list, runs, on="local")))

    assert "higher is not better here, and nothing is won or lost" in page
    assert "Lowest difference first" in page
    assert "lower with the run" in page
    for word in ("Worst first", "lost by the run", "worst first"):
        assert word not in page


def test_a_list_without_grades_leads_to_the_comparison(client, judgment_list, runs):
    empty = make.make_list(judgment_list.query_set, name="Empty")

    response = client.get(queries_address(empty, runs))

    assert response.url.startswith(reverse("comparison", args=[empty.pk]))


def test_an_address_with_a_default_is_made_canonical(client, judgment_list, runs):
    response = client.get(queries_address(judgment_list, runs, gain="linear"))

    assert response.status_code == 302
    assert "gain" not in response.url


def test_two_rankings_say_what_moved(client, judgment_list, runs):
    page = text_of(client.get(queries_address(judgment_list, runs, key(judgment_list, "lost"))))

    assert "0 in place, 1 moved, 1 new, 1 lost" in page
    assert '<span class="seen-move">lost</span>' in page
    assert '<span class="seen-move">↑1</span>' in page
    assert '<span class="seen-move">new</span>' in page
    assert "Decided for the baseline, whatever the missing grades are." in page


def test_each_document_says_what_it_gained_or_lost(client, judgment_list, runs):
    query = make.make_query(judgment_list.query_set, "moved")
    make_grades(judgment_list, query, {"a": 3, "b": 0, "c": 2})
    for run, names in zip(runs, (["a", "b", "x"], ["b", "c", "a"]), strict=True):
        make_ranking(run, query, names)

    page = client.get(queries_address(judgment_list, runs, query.pk, k="3"))
    two = page.context["two"]
    changes = {seen.external_id: seen.change for side in (two.left, two.right) for seen in side.page}

    # linear gain: a moves from 3/log2(2) to 3/log2(4), c comes in at 2/log2(3)
    assert {name: one.difference.text for name, one in changes.items()} == {
        "a": "−1.5000",
        "b": "0.0000",
        "c": "+1.2619",
        "x": "unknown",
    }
    (dcg,) = (one for one in two.values if one["name"] == "DCG@3")
    assert dcg["difference"] == "−0.2381"
    assert {name: (one.baseline_rank, one.candidate_rank) for name, one in changes.items()} == {
        "a": (1, 3),
        "b": (2, 1),
        "c": (None, 2),
        "x": (3, None),
    }
    assert "<dd>not retrieved → 2</dd>" in text_of(page)


def test_values_of_a_page_without_a_judgment_are_unknown(client, judgment_list, runs):
    query = make.make_query(judgment_list.query_set, "unknown")
    make_grades(judgment_list, query, {"a": 3})
    make_ranking(runs[0], query, ["a"])
    make_ranking(runs[1], query, ["x"])

    values = client.get(queries_address(judgment_list, runs, query.pk, k="1")).context["two"].values

    assert {one["baseline"].text for one in values[2:]} == {"1.0000"}
    assert {one["candidate"].text for one in values} == {"unknown"}
    assert {one["difference"] for one in values} == {"unknown"}
    assert {one["sign"] for one in values} == {0}


def test_documents_from_below_the_cutoff_say_whence_they_came(client, judgment_list, runs):
    query = make.make_query(judgment_list.query_set, "deep")
    make_grades(judgment_list, query, {"a": 3, "b": 0, "c": 2})
    for run, names in zip(runs, (["b", "a", "c"], ["a", "c", "b"]), strict=True):
        make_ranking(run, query, names)

    page = text_of(client.get(queries_address(judgment_list, runs, query.pk, k="1")))

    assert "lost, now at 3" in page
    assert "new, was at 2" in page


def test_what_explains_each_gap_is_listed(client, judgment_list, runs):
    query = make.make_query(judgment_list.query_set, "gaps")
    make_grades(judgment_list, query, {"bad": 0, "fair": 1, "deep": 3, "never": 3})
    make_ranking(runs[0], query, ["bad", "fair", "deep"])
    make_ranking(runs[1], query, ["deep", "never"])

    page = text_of(client.get(queries_address(judgment_list, runs, query.pk, k="2")))
    old, new = page.split('aria-label="Losses of new"')

    # (1 − 0)(1 − 1/log2 3)
    assert re.search(r"rank 1 \(\S+ \S+>Title of bad</span>\) with rank 2 .* gains \+0\.3691 DCG", old)
    assert "Good documents below the cutoff: <ul><li>rank 3:" in old
    assert "Good judged documents that were never retrieved: <ul>" in old
    assert "Nothing to gain: the page is in its best order." in new
    assert "No better document is below the cutoff." in new
    assert "No better judged document was missed." in new
    assert "Enough documents have the top grade." in new


def test_what_is_below_the_recall_depth_was_not_retrieved_within_it(client, judgment_list, runs):
    query = make.make_query(judgment_list.query_set, "gaps")
    make_grades(judgment_list, query, {"bad": 0, "fair": 1, "deep": 3})
    make_ranking(runs[0], query, ["bad", "fair", "deep"])
    make_ranking(runs[1], query, ["deep"])

    page = text_of(client.get(queries_address(judgment_list, runs, query.pk, k="2", depth="2")))

    assert "Good judged documents that were never retrieved within the first 2 ranks: <ul>" in page


def test_the_walk_follows_the_table(client, judgment_list, runs):
    chosen = {"show": "changed", "sort": "-difference"}
    page = text_of(client.get(queries_address(judgment_list, runs, key(judgment_list, "open"), **chosen)))

    assert "2 of 3 in the order of the table" in page
    for rel, name in (("prev", "won"), ("next", "lost")):
        address = queries_address(judgment_list, runs, key(judgment_list, name), **chosen)
        assert f'rel="{rel}" href="{address.replace("&", "&amp;")}"' in page


def test_a_query_outside_the_filter_has_no_neighbors(client, judgment_list, runs):
    page = text_of(client.get(queries_address(judgment_list, runs, key(judgment_list, "tied"), show="won")))

    assert "Previous query" not in page
    assert "Next query" not in page


def test_a_query_that_is_not_compared_says_so(client, judgment_list, runs):
    query = make.make_query(judgment_list.query_set, "ungraded")
    make_ranking(runs[0], query, ["x"])

    page = text_of(client.get(queries_address(judgment_list, runs, query.pk)))

    assert "This query is not among those that the runs are compared on." in page
    assert "This run has no ranking for the query." in page


def test_an_empty_ranking_says_so(client, judgment_list, runs):
    query = make.make_query(judgment_list.query_set, "empty")
    make_grades(judgment_list, query, {"good": 3})
    make_ranking(runs[0], query, [])
    make_ranking(runs[1], query, ["good"])

    page = text_of(client.get(queries_address(judgment_list, runs, query.pk)))

    assert "This run has an empty ranking for the query." in page


def test_a_query_of_another_query_set_is_not_there(client, judgment_list, runs):
    stranger = make.make_query(make.make_query_set(name="Other"))

    assert client.get(queries_address(judgment_list, runs, stranger.pk)).status_code == 404


def test_the_comparison_leads_to_its_queries(client, judgment_list, runs):
    address = reverse("comparison", args=[judgment_list.pk], query={"runs": f"{runs[0].pk}-{runs[1].pk}"})

    page = client.get(address).content.decode().replace("&amp;", "&")

    for show in ("won", "lost", "order", "open"):
        assert queries_address(judgment_list, runs, run=runs[1].pk, show=show) in page
    worst = page.split("Fix first")[1]
    assert queries_address(judgment_list, runs, key(judgment_list, "lost"), run=runs[1].pk) in worst
    assert worst.index("lost words") < worst.index("open words")
