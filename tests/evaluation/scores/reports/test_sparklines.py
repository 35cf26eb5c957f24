"""Trends of several lists at a glance."""

from datetime import timedelta

import pytest

from evaluation.models import Run
from evaluation.scores.reports.sparklines import sparklines
from judgments.models import JudgmentList
from tests import factories as make
from tests.evaluation.scored import change_grade, evaluate, make_grades, make_ranking, make_scale
from touchstone_core.metrics.formula import Formula

pytestmark = pytest.mark.django_db

SECOND = 1 / 1.584962500721156  # the discount of rank 2


def make_runs(judgment_list, *tags):
    """A run a day with these tags. Of one query, the first has the document at rank 2, the others at rank 1."""
    query_set = judgment_list.query_set
    query = query_set.queries.first() or make.make_query(query_set)
    if not judgment_list.pairs.exists():
        make_grades(judgment_list, query, {"a": 3, "b": 0})
    runs = [make.make_run(query_set, tags=list(own)) for own in tags]
    for day, run in enumerate(runs):
        Run.objects.filter(pk=run.pk).update(created_at=make.NOW + timedelta(days=day))
        make_ranking(run, query, ["a"] if day else ["b", "a"])
    return runs


def trend_of(judgment_list):
    return sparklines([JudgmentList.objects.select_related("scale").get(pk=judgment_list.pk)]).get(
        judgment_list.pk
    )


def test_the_tag_that_most_runs_have_makes_the_trend_from_the_oldest_run_to_the_newest(judgment_list):
    for run in make_runs(judgment_list, ["nightly"], ["nightly", "x"], ["x"], ["nightly"]):
        evaluate(run, judgment_list)

    trend = trend_of(judgment_list)

    assert trend.tag == "nightly"
    assert [mean.value for mean in trend.means] == pytest.approx([SECOND, 1, 1])
    assert trend.sentence == (
        "NDCG-global@10 of 3 runs tagged nightly, the oldest first: from 0.6309 to 1.0000, between 0.6309 and 1.0000"
    )
    assert len(trend.picture.dots) == 3


def test_without_a_tag_that_two_runs_share_all_runs_are_in_it(judgment_list):
    runs = make_runs(judgment_list, ["x"], [], ["y"])
    for run in runs:
        evaluate(run, judgment_list)

    trend = trend_of(judgment_list)

    assert trend.tag == ""
    assert [mean.run_id for mean in trend.means] == [run.pk for run in runs]


def test_one_run_has_a_value_and_no_picture_and_none_has_neither(judgment_list):
    assert trend_of(judgment_list) is None
    [run] = make_runs(judgment_list, [])
    assert trend_of(judgment_list) is None

    evaluate(run, judgment_list)

    trend = trend_of(judgment_list)
    assert (trend.picture, trend.last) == (None, "0.6309")
    assert trend.sentence == "NDCG-global@10 of 1 run: 0.6309"


def test_values_of_an_older_state_of_the_judgments_are_left_out(judgment_list):
    old, *others = make_runs(judgment_list, [], [], [])
    evaluate(old, judgment_list)
    change_grade(judgment_list, judgment_list.query_set.queries.get(), "a", 2)
    for run in others:
        evaluate(run, judgment_list)

    assert [mean.run_id for mean in trend_of(judgment_list).means] == [run.pk for run in others]


def test_the_formula_is_the_one_that_the_trend_page_begins_with(judgment_list):
    [run] = make_runs(judgment_list, [])
    evaluate(run, judgment_list)
    top = Formula(cutoff=1)
    make.make_saved_formula(judgment_list.query_set, formula=top.key, is_default=True)
    assert trend_of(judgment_list) is None

    evaluate(run, judgment_list, top)

    assert (trend_of(judgment_list).measure, trend_of(judgment_list).last) == ("NDCG-global@1", "0.0000")


def test_a_default_with_a_table_of_gains_is_not_for_a_scale_without_one(judgment_list):
    by_table = Formula(gain="table")
    make.make_saved_formula(judgment_list.query_set, formula=by_table.key, is_default=True)
    continuous = make_scale()
    continuous.continuous, continuous.minimum, continuous.maximum = True, 0, 3
    continuous.save()
    other = make.make_list(judgment_list.query_set, scale=continuous)
    [run] = make_runs(other, [])
    evaluate(run, other)

    assert trend_of(other).formula == Formula()


def test_only_the_newest_sixty_runs_count_and_two_lists_cost_as_much_as_one(
    judgment_list, django_assert_num_queries
):
    for run in make_runs(judgment_list, *([] for _ in range(62))):
        evaluate(run, judgment_list)
    other = make.make_list(judgment_list.query_set)
    evaluate(judgment_list.query_set.runs.first(), other)
    lists = list(JudgmentList.objects.select_related("scale"))

    with django_assert_num_queries(2):
        trends = sparklines(lists)

    assert {mean.value for mean in trends[judgment_list.pk].means} == {1.0}
    assert len(trends[judgment_list.pk].means) == 60
