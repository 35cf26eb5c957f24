"""Parts of a comparison: by tag, by traffic, and what the pool did."""

import numpy as np
import pytest
from django.urls import reverse

from evaluation.comparisons.actions.comparing import Question, compare_runs, settings_of
from evaluation.comparisons.reports.comparison_parts import BEYOND, pool_summary, segment_tables
from judgments.models import Role
from tests import factories as make
from tests.evaluation.scored import change_grade, make_grades, make_ranking, make_scale
from tests.evaluation.two_runs import comparison_address, make_two_runs
from touchstone_core.comparison.segments import MOST_TAGS, traffic_thirds
from touchstone_core.metrics.formula import Formula

FORMULA = Formula(cutoff=2)


def test_head_torso_and_tail_are_thirds_of_the_traffic_not_of_the_queries():
    # Of a traffic of 12: 4, then 3 and 1, then four times 1; the weights come in no order.
    weights = np.array([1.0, 4, 1, 3, 1, 1, 1])

    assert traffic_thirds(weights).tolist() == [1, 0, 2, 1, 2, 2, 2]


def test_a_query_that_crosses_a_border_belongs_to_the_part_it_begins_in():
    assert traffic_thirds(np.array([10.0, 1, 1, 0])).tolist() == [0, 2, 2, 2]


@pytest.fixture
def judgment_list(db):
    return make.make_list(make.make_query_set(), scale=make_scale(0, 1, 2, 3))


def figures_of(judgment_list, formula=FORMULA, on="max", runs=()):
    """Of all runs, the first one the baseline."""
    question = Question(
        judgment_list=judgment_list,
        version=None,
        runs=tuple(runs or judgment_list.query_set.runs.order_by("pk")),
        formula=formula,
        on=on,
        settings=settings_of(judgment_list.query_set),
    )
    return question.runs, compare_runs(question=question, user=None, at=make.NOW).figures


def test_each_tag_has_its_difference_and_its_changed_queries(judgment_list):
    make_two_runs(judgment_list, queries=6, same=2)
    queries = list(judgment_list.query_set.queries.order_by("pk"))
    for place, tags in enumerate([["a"], ["a", "b"], ["b"], ["b"], [], []]):
        queries[place].tags = tags
        queries[place].save(update_fields=["tags"])

    _, figures = figures_of(judgment_list)

    # From 1/log2(3) to 1 where the page changed, by 1 + 1/log2(3).
    gain = (1 - 1 / np.log2(3)) / (1 + 1 / np.log2(3))
    told = {one["name"]: (one["queries"], *one["runs"]) for one in figures["segments"]}
    assert set(told) == {"a", "b"}
    assert (told["a"][0], told["a"][1]["impact"]["changed"], told["a"][1]["mean"]) == (2, 0, 0)
    assert (told["b"][0], told["b"][1]["impact"]["changed"]) == (3, 2)
    assert told["b"][1]["mean"] == pytest.approx(2 / 3 * gain)
    assert told["b"][1]["interval"] is None  # two changed queries are too few


def test_a_part_of_one_query_has_no_interval_and_one_without_bounds_no_changes(judgment_list):
    make_two_runs(judgment_list, queries=2)
    judgment_list.query_set.queries.filter(pk=judgment_list.query_set.queries.earliest("pk").pk).update(
        tags=["a"], weight=3
    )

    runs, figures = figures_of(judgment_list, Formula(cutoff=2, unjudged="condensed"))

    by_tag, by_traffic = segment_tables(runs, figures)
    (row,) = by_tag["differences"].rows
    assert (row.row["name"], row.cells[2].value.low, by_tag["pages"]) == ("a", "–", None)
    assert [row.row["name"] for row in by_traffic["differences"].rows] == ["head", "tail"]
    assert pool_summary((), figures) is None


def test_of_very_many_tags_the_most_frequent_are_told(judgment_list):
    make_two_runs(judgment_list, queries=2)
    first, second = judgment_list.query_set.queries.order_by("pk")
    first.tags = [f"tag {number:02}" for number in range(MOST_TAGS + 5)]
    second.tags = ["tag 34"]
    for query in (first, second):
        query.save(update_fields=["tags"])

    _, figures = figures_of(judgment_list)

    names = [one["name"] for one in figures["segments"]]
    assert len(names) == MOST_TAGS
    assert names[-1] == "tag 34"


def make_pages(judgment_list, *pages, graded="abcde", queries=4):
    """A run for each page, the same for every query; all letters in `graded` have a grade, the earlier the better."""
    runs = [make.make_run(judgment_list.query_set) for _ in pages]
    for nth in range(queries):
        query = make.make_query(judgment_list.query_set)
        make_grades(judgment_list, query, {f"{nth}{name}": max(3 - at, 0) for at, name in enumerate(graded)})
        for run, page in zip(runs, pages, strict=True):
            make_ranking(run, query, [f"{nth}{name}" for name in page])


def test_a_run_outside_the_pool_is_expected_to_find_what_only_one_pooled_run_found(judgment_list):
    make_pages(judgment_list, "ab", "ac", "ad", "ax")

    runs, figures = figures_of(judgment_list)

    told = pool_summary(runs, figures)
    # Only one pooled run has b (2), c (1) or d (0) at rank 2, on each of four queries: their mean is 1.
    discount = 1 / np.log2(3)
    zero = 3 / (3 * (1 + discount))
    found = figures["pool"]["expected"][3]
    assert [row.pooled for row in told.rows] == [True, True, True, False]
    assert found["zero"] == pytest.approx(zero)
    assert found["value"] == pytest.approx(zero + discount / (3 * (1 + discount)))
    assert found["low"] < found["value"] < found["high"]
    # Without its own judgments the first run loses b, the second one c, the third one nothing.
    assert figures["pool"]["audit"]["loss"] == pytest.approx(
        [2 * discount / (3 * (1 + discount)), discount / (3 * (1 + discount)), 0, None]
    )
    assert [row.only for row in told.rows] == [4, 4, 4, None]
    assert told.unfair


def test_a_run_that_shows_more_of_its_own_than_pooled_runs_do_has_no_band(judgment_list):
    """A pooled run's own document is at rank 2; all that the last one shows is its own."""
    make_pages(judgment_list, "ab", "ac", "ad", "xy")

    told = pool_summary(*figures_of(judgment_list))

    assert told.rows[3].band == BEYOND
    assert told.rows[3].value != "–"
    assert told.beyond


def test_the_runs_of_the_pool_are_named_also_those_that_are_not_compared(judgment_list):
    make_pages(judgment_list, "ab", "ac", "ad", "ax")
    first, second, third, outside = judgment_list.query_set.runs.order_by("pk")

    told = pool_summary(*figures_of(judgment_list, runs=(outside, second)))

    assert told.names == [second.name, third.name, first.name]
    assert (told.fed, told.unnamed) == (3, 0)


def test_of_a_large_pool_twenty_runs_are_named(judgment_list):
    make_pages(judgment_list, *(["ab", "ac"] * 11), queries=1)

    told = pool_summary(*figures_of(judgment_list))

    assert (told.fed, len(told.names), told.unnamed) == (22, 20, 2)


def test_two_pooled_runs_give_a_value_without_a_band(judgment_list):
    make_pages(judgment_list, "ab", "ac", "ax")

    runs, figures = figures_of(judgment_list)

    row = pool_summary(runs, figures).rows[2]
    assert (row.band, row.loss, row.only) == ("–", "–", None)
    assert row.value != "–"


def test_one_pooled_run_says_nothing_of_the_others(judgment_list):
    make_pages(judgment_list, "ab", "ax", "xy")

    told = pool_summary(*figures_of(judgment_list))

    assert told.why.startswith("Fewer than two runs are judged")
    assert told.outside
    assert {row.value for row in told.rows} == {"–"}


def test_pooled_runs_that_show_the_same_say_nothing_of_the_others(judgment_list):
    make_pages(judgment_list, "ab", "ba", "ax")

    told = pool_summary(*figures_of(judgment_list))

    assert told.why.startswith("No judged document was found by one run only")
    assert not told.unfair


def test_a_run_that_shows_nothing_did_not_feed_the_pool(judgment_list):
    make_pages(judgment_list, "ab", "ac", "")

    told = pool_summary(*figures_of(judgment_list))

    assert [row.pooled for row in told.rows] == [True, True, False]


def test_the_share_of_judged_documents_is_of_what_is_shown(judgment_list):
    """The third run answers one of forty queries, with a document that nobody judged."""
    make_pages(judgment_list, "ab", "ac", "", queries=40)
    query = judgment_list.query_set.queries.earliest("pk")
    last = judgment_list.query_set.runs.latest("pk")
    last.rankings.filter(query=query).delete()
    make_ranking(last, query, ["unknown"])

    told = pool_summary(*figures_of(judgment_list))

    assert [row.pooled for row in told.rows] == [True, True, False]


def test_a_formula_that_gives_some_runs_no_value_tells_of_the_pool(judgment_list):
    make_pages(judgment_list, "ab", "ax", "xy", graded="abcde")
    for query in judgment_list.query_set.queries.all():
        for pair in judgment_list.pairs.filter(query=query):
            change_grade(judgment_list, query, pair.document.external_id, 0)

    told = pool_summary(*figures_of(judgment_list, Formula(cutoff=2, zero="skip"), on="dcg"))

    assert {row.zero for row in told.rows} == {"0.0000"}


def test_the_page_shows_both_parts(client, judgment_list):
    make_pages(judgment_list, "ab", "ac", "ad", "ax")
    judgment_list.query_set.queries.update(tags=["brand"])
    client.force_login(make.make_member(judgment_list.query_set, Role.ENGINEER))
    runs = judgment_list.query_set.runs.order_by("pk")

    page = client.get(comparison_address(judgment_list, *runs, k=2)).content.decode()

    assert "Pooling bias" in page
    names = ", ".join(run.name for run in runs[:3])
    assert f"<summary>Runs in the pool</summary> <p>{names}</p>" in " ".join(page.split())
    assert "judge its documents before you compare it with these" in page
    queries = reverse("compared-queries", args=[judgment_list.pk])
    chosen = f"runs={'-'.join(str(run.pk) for run in runs)}&amp;k=2&amp;run={runs[1].pk}"
    assert f'<a href="{queries}?{chosen}&amp;tag=brand">brand</a>' in page
    assert f'<a href="{queries}?{chosen}&amp;show=changed&amp;tag=brand" >4</a>' in " ".join(page.split())
    assert reverse("comparison-report", args=[judgment_list.pk]) in page
