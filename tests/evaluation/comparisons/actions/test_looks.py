"""Looks at the same pair of runs are counted, and decide by which p-value the page speaks."""

import pytest

from evaluation.models import ComparisonLook
from tests import factories as make
from tests.evaluation.scored import change_grade, make_grades, make_ranking
from tests.evaluation.two_runs import comparison_address, make_two_runs

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("engineer")]


@pytest.fixture
def verdict(client, judgment_list):
    """What the page says of the second run beside the first."""

    def read(*runs, **others):
        page = client.get(comparison_address(judgment_list, *runs, **others)).context["comparison"]
        return page.candidates[0].beside

    return read


def add_queries(judgment_list, runs, count):
    for _ in range(count):
        query = make.make_query(judgment_list.query_set)
        make_grades(judgment_list, query, {"good": 3, "bad": 0})
        for run, page in zip(runs, (["bad", "good"], ["good", "bad"]), strict=True):
            make_ranking(run, query, page)


def looks():
    return list(ComparisonLook.objects.order_by("pk").values_list("queries", flat=True))


def test_a_page_that_is_opened_again_is_the_same_look(judgment_list, verdict):
    runs = make_two_runs(judgment_list)

    first, again, turned = verdict(*runs), verdict(*runs), verdict(*runs[::-1])

    assert looks() == [20]
    assert first.verdict == again.verdict
    assert "look" not in first.verdict.details + turned.verdict.details


def test_beside_another_run_the_same_values_are_the_same_look(judgment_list, verdict):
    runs = make_two_runs(judgment_list)
    third = make.make_run(judgment_list.query_set)

    verdict(*runs)
    verdict(*runs, third)

    assert ComparisonLook.objects.filter(first=runs[0], second=runs[1]).count() == 1


def test_where_grades_changed_the_number_of_looks_is_told_with_what_it_does(judgment_list, verdict):
    runs = make_two_runs(judgment_list)
    verdict(*runs)
    for place, query in enumerate(judgment_list.query_set.queries.order_by("pk")[:2]):
        change_grade(judgment_list, query, f"{place}-bad", 1)
        told = verdict(*runs)

    assert looks() == [20, 20, 20]
    assert told.verdict.headline == "Better"
    assert (
        "These runs were looked at 3 times while grades changed: where nothing differs, one of 3 looks is significant "
        "in up to 15 % of cases instead of 5 %."
    ) in told.verdict.details


def test_where_queries_were_added_the_always_valid_p_value_decides(judgment_list, verdict):
    runs = make_two_runs(judgment_list, queries=15)
    before = verdict(*runs)
    add_queries(judgment_list, runs, 1)

    after = verdict(*runs)
    add_queries(judgment_list, runs, 30)
    at_last = verdict(*runs)

    # Wins of 1 − 1/log2(3) each: on average over all stakes, ∫ (1 + .369 c)ⁿ dc = 33 for 16 of them, and 40 are needed.
    assert (before.verdict.headline, after.verdict.headline) == ("Better", "Too close to call")
    assert "always-valid p = 0.0" in after.verdict.details
    assert (
        "since queries were added between 2 looks at these runs; the p-value for a single look < 0.001"
        in (after.verdict.details)
    )
    assert (after.difference.sign, after.record["posterior"]) == (0, None)
    assert (at_last.verdict.headline, at_last.difference.sign) == ("Better", 1)


def test_no_test_of_a_measure_without_an_end_holds_where_queries_were_added(judgment_list, verdict):
    runs = make_two_runs(judgment_list)
    further = {"measures": "CG@10", "on": "CG@10"}
    verdict(*runs, **further)
    add_queries(judgment_list, runs, 1)

    told = verdict(*runs, **further)

    assert (told.verdict.rule.p, told.difference.low) == (None, "–")
