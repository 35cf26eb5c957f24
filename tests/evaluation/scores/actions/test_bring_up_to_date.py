"""Stored scores are right whenever a page has brought them up to date, and only what changed is computed again."""

import threading
from math import log2

import pytest
from django.db import connection, connections
from django.db.models import F

from evaluation.models import Evaluation, Ranking, Score
from evaluation.scores.actions import rescoring
from evaluation.scores.actions.scores import bring_up_to_date
from evaluation.scores.actions.scoring_request import ScoringRequest
from judgments.models import ListQuery
from tests import factories as make
from tests.evaluation.scored import (
    change_grade,
    evaluate,
    make_best_second,
    make_grades,
    make_ranking,
    make_scale,
    ndcgs,
    score_of,
)
from touchstone_core.metrics.errors import MetricsError
from touchstone_core.metrics.formula import Formula

ZOOLANDER = {"movie": 1.0, "sequel": 0.9, "photo": 0.7, "helicopter": 0.1, "dog": 0.1}
TABLE = {"d1": 3, "d2": 2, "d3": 0, "d4": 1, "d5": 3}
LONG = ["d2", "X", "d4", "d1", "d3", "Y"]

pytestmark = pytest.mark.django_db


def test_zoolander_has_the_numbers_of_the_worked_example(query_set):
    judgment_list = make.make_list(query_set, scale=make_scale(0, 0.1, 0.7, 0.9, 1))
    query = make.make_query(query_set, text="zoolander")
    make_grades(judgment_list, query, ZOOLANDER)
    run = make.make_run(query_set)
    make_ranking(run, query, ["helicopter", "movie", "photo"])

    evaluation = evaluate(run, judgment_list, Formula(discount="reciprocal", cutoff=2))

    score = score_of(evaluation, query)
    assert (score.dcg, score.ideal_local, score.ideal_recall) == pytest.approx((0.6, 1.05, 1.35))
    assert (score.ideal_global, score.ideal_max) == pytest.approx((1.45, 1.5))
    assert ndcgs(evaluation) == pytest.approx([0.571429, 0.444444, 0.413793, 0.4], abs=5e-7)
    assert evaluation.sum_order == pytest.approx(0.45)
    assert evaluation.sum_depth == pytest.approx(0.3)
    assert evaluation.sum_recall == pytest.approx(0.1)
    assert evaluation.sum_content == pytest.approx(0.05)


@pytest.mark.parametrize(
    ("ranking", "cutoff", "gain", "dcg", "expected"),
    [
        (LONG, 3, "exp", 3.5, [0.963940, 0.372626, 0.270971, 0.234639]),
        (LONG, 3, "linear", 2.5, [0.950234, 0.525005, 0.424247, 0.391066]),
        (LONG, 10, "exp", 6.514736, [0.693589, 0.693589, 0.488098, 0.204834]),
        (["d1"], 3, "exp", 7, [1, 1, 0.541942, 0.469279]),
    ],
)
def test_the_printed_table_comes_out_of_the_database(judgment_list, ranking, cutoff, gain, dcg, expected):
    query = make.make_query(judgment_list.query_set)
    make_grades(judgment_list, query, TABLE)
    run = make.make_run(judgment_list.query_set)
    make_ranking(run, query, ranking)

    evaluation = evaluate(run, judgment_list, Formula(gain=gain, cutoff=cutoff))

    assert evaluation.dcg == pytest.approx(dcg, abs=5e-7)
    assert ndcgs(evaluation) == pytest.approx(expected, abs=5e-7)


def test_missing_and_empty_queries_count_as_zero_and_unjudged_ones_stand_apart(judgment_list):
    query_set = judgment_list.query_set
    answered, missing, empty, hopeless = (make.make_query(query_set) for _ in range(4))
    for query in (answered, missing, empty):
        make_grades(judgment_list, query, {"good": 3})
    make_grades(judgment_list, hopeless, {"bad": 0})
    undecided, unknown = make.make_query(query_set), make.make_query(query_set)
    make_grades(judgment_list, undecided, {"good": None})
    run = make.make_run(query_set)
    make_ranking(run, answered, ["good", "X"])
    make_ranking(run, empty, [])
    make_ranking(run, hopeless, ["bad"])
    make_ranking(run, undecided, ["good"])
    make_ranking(run, unknown, ["good"])

    evaluation = evaluate(run, judgment_list)

    counts = (evaluation.judged_queries, evaluation.answered, evaluation.missing, evaluation.empty)
    assert counts == (4, 2, 1, 1)
    assert (evaluation.zero_ideal, evaluation.unjudged_queries, evaluation.holes) == (1, 2, 1)
    assert evaluation.ndcg_global == pytest.approx(1 / 4)
    assert evaluation.judged_at_k == pytest.approx((0.5 + 0 + 0 + 1) / 4)
    assert score_of(evaluation, missing).retrieved is None
    assert score_of(evaluation, empty).retrieved == 0


def test_without_judgments_there_are_no_numbers(judgment_list):
    run = make.make_run(judgment_list.query_set)
    make_ranking(run, make.make_query(judgment_list.query_set), ["a"])

    evaluation = evaluate(run, judgment_list)

    assert (evaluation.judged_queries, evaluation.unjudged_queries) == (0, 1)
    assert ndcgs(evaluation) == [None] * 4
    assert evaluation.revision >= 0


def test_a_changed_grade_is_right_at_the_next_view_and_only_its_query_is_scored_again(judgment_list):
    run, (first, second) = make_best_second(judgment_list)
    before = evaluate(run, judgment_list)
    assert before.ndcg_max == pytest.approx(score_of(before, first).dcg / score_of(before, first).ideal_max)
    Score.objects.filter(query=second).update(shown=7)  # would be put right if it were computed again

    change_grade(judgment_list, first, f"{first.external_id}-a", 2)
    after = evaluate(run, judgment_list)

    assert score_of(after, first).dcg == pytest.approx(score_of(before, second).dcg * 2 / 3)
    assert score_of(after, first).revision == ListQuery.objects.get(query=first).revision
    assert score_of(after, second).shown == 7
    assert after.holes == before.holes  # not read, either
    assert after.dcg == pytest.approx((score_of(after, first).dcg + score_of(after, second).dcg) / 2)


def test_a_pair_that_comes_later_for_a_retrieved_document_becomes_a_hit(judgment_list):
    run, (query, _) = make_best_second(judgment_list)
    before = evaluate(run, judgment_list)
    assert score_of(before, query).judged == 1

    make_grades(judgment_list, query, {"X": 3})
    after = evaluate(run, judgment_list)

    assert score_of(after, query).judged == 2
    assert Ranking.objects.get(run=run, query=query).hit_ranks == [1, 2]
    assert after.holes == before.holes - 1


def test_hits_of_other_lists_do_not_count(judgment_list):
    run, (query, _) = make_best_second(judgment_list)
    other = make.make_list(judgment_list.query_set)
    make_grades(other, query, {"X": 3})

    here, there = evaluate(run, judgment_list), evaluate(run, other)

    assert score_of(here, query).judged == 1
    assert (there.judged_queries, there.ndcg_local) == (1, 1.0)


def test_a_query_that_loses_its_last_grade_loses_its_score(judgment_list):
    run, (first, second) = make_best_second(judgment_list)
    evaluate(run, judgment_list)

    for name in ("a", "b"):
        change_grade(judgment_list, first, f"{first.external_id}-{name}", None)
    after = evaluate(run, judgment_list)

    assert (after.judged_queries, after.unjudged_queries) == (1, 1)
    assert list(after.scores.values_list("query", flat=True)) == [second.pk]


def test_a_deleted_query_leaves_the_means_even_if_another_one_changes_as_often(judgment_list):
    run, (first, second) = make_best_second(judgment_list)
    evaluate(run, judgment_list)
    gone = ListQuery.objects.get(query=first).revision

    first.delete()
    change_grade(judgment_list, second, f"{second.external_id}-a", 1)
    ListQuery.objects.filter(query=second).update(revision=F("revision") + gone - 1)
    after = evaluate(run, judgment_list)

    assert after.judged_queries == 1
    assert after.dcg == pytest.approx(score_of(after, second).dcg)
    assert after.dcg == pytest.approx(1 / 1.584962500721156)


def test_a_query_that_leaves_the_list_leaves_the_scores(judgment_list):
    run, (first, _) = make_best_second(judgment_list)
    evaluate(run, judgment_list)

    judgment_list.pairs.filter(query=first).delete()
    judgment_list.list_queries.filter(query=first).delete()

    assert evaluate(run, judgment_list).judged_queries == 1


def test_runs_and_lists_take_their_scores_along(judgment_list):
    run, _ = make_best_second(judgment_list)
    other, _ = make_best_second(judgment_list)
    evaluate(run, judgment_list)
    evaluate(other, judgment_list)

    run.delete()
    assert Evaluation.objects.count() == 1

    judgment_list.delete()
    assert not Evaluation.objects.exists()
    assert not Score.objects.exists()
    assert Ranking.objects.exists()


def test_runs_scored_at_different_times_are_brought_to_one_state(judgment_list):
    early, (query, _) = make_best_second(judgment_list)
    evaluate(early, judgment_list)
    change_grade(judgment_list, query, f"{query.external_id}-b", 3)
    late = make.make_run(judgment_list.query_set)
    make_ranking(late, query, [f"{query.external_id}-b"])
    evaluate(late, judgment_list)
    change_grade(judgment_list, query, f"{query.external_id}-a", 1)
    fresh = make.make_run(judgment_list.query_set)

    bring_up_to_date(ScoringRequest(judgment_list, [early, late, fresh], Formula()))

    rows = {row.run_id: row for row in Evaluation.objects.all()}
    assert len({row.revision for row in rows.values()}) == 1
    assert rows[early.pk].missing == 0
    assert rows[late.pk].missing == 1
    assert rows[fresh.pk].missing == 2
    assert score_of(rows[late.pk], query).dcg == pytest.approx(3)
    assert score_of(rows[early.pk], query).dcg == pytest.approx(1 / 1.584962500721156)


@pytest.mark.parametrize("at_once", [1, 5, rescoring.AT_ONCE])
def test_runs_that_are_scored_at_once_keep_their_own_values(judgment_list, monkeypatch, at_once):
    """The best document stands at another rank of each: 1, 2 and 3, whose discounts are 1, .6309 and .5."""
    monkeypatch.setattr(rescoring, "AT_ONCE", at_once)
    query, bare = (make.make_query(judgment_list.query_set) for _ in range(2))
    make_grades(judgment_list, query, {"best": 3})
    make_grades(judgment_list, bare, {"other": 0})
    rankings = [["best"], ["X", "best"], ["X", "Y", "best"], []]
    runs = [make.make_run(judgment_list.query_set) for _ in rankings]
    for run, ranking in zip(runs, rankings, strict=True):
        make_ranking(run, query, ranking)

    bring_up_to_date(ScoringRequest(judgment_list, runs, Formula()))

    found = Score.objects.filter(query=query).order_by("evaluation__run_id")
    first, *others = found.values_list("dcg", flat=True)
    assert [dcg / first for dcg in others] == pytest.approx([1 / log2(3), 1 / 2, 0])
    assert list(found.values_list("retrieved", flat=True)) == [1, 2, 3, 0]
    assert set(Score.objects.filter(query=bare).values_list("dcg", flat=True)) == {0}


def statements(action):
    from django.test.utils import CaptureQueriesContext

    with CaptureQueriesContext(
        connection,
    ) as captured:
        action()
    return len(captured)


def test_the_number_of_statements_does_not_grow(judgment_list):
    few = [make_best_second(judgment_list, queries=2)[0] for _ in range(2)]
    first = statements(lambda: bring_up_to_date(ScoringRequest(judgment_list, few, Formula())))
    many = [*few, *(make_best_second(judgment_list, queries=5)[0] for _ in range(8))]

    second = statements(lambda: bring_up_to_date(ScoringRequest(judgment_list, many, Formula())))
    third = statements(lambda: bring_up_to_date(ScoringRequest(judgment_list, many, Formula())))

    assert max(first, second) <= 19
    assert third == 1


@pytest.mark.parametrize("runs", [1, 4])
def test_one_changed_grade_takes_few_statements(judgment_list, runs):
    """A look; in a savepoint: the lock, what has changed, grades, those of the scale, hits, and one statement that stores all."""
    made = [make_best_second(judgment_list) for _ in range(runs)]
    scoring = ScoringRequest(judgment_list, [run for run, _ in made], Formula())
    bring_up_to_date(scoring)
    (query, *_) = made[0][1]
    change_grade(judgment_list, query, f"{query.external_id}-a", 2)

    assert statements(lambda: bring_up_to_date(scoring)) == 9


def test_the_table_gain_comes_from_the_scale(query_set):
    judgment_list = make.make_list(query_set, scale=make_scale(0, 1, 2, gains=[0, 0.1, 1]))
    query = make.make_query(query_set)
    make_grades(judgment_list, query, {"a": 1, "b": 2})
    run = make.make_run(query_set)
    make_ranking(run, query, ["a"])

    assert evaluate(run, judgment_list, Formula(gain="table")).dcg == pytest.approx(0.1)


def test_a_gain_that_the_scale_does_not_have_is_refused(query_set):
    scale = make_scale()
    scale.continuous, scale.maximum = True, 1.0
    scale.save()
    judgment_list = make.make_list(query_set, scale=scale)
    query = make.make_query(query_set)
    make_grades(judgment_list, query, {"a": 0.5})
    run = make.make_run(query_set)

    with pytest.raises(MetricsError, match="table"):
        evaluate(run, judgment_list, Formula(gain="table"))
    assert evaluate(run, judgment_list).judged_queries == 1


@pytest.mark.django_db(transaction=True)
def test_views_at_the_same_time_agree(judgment_list):
    runs = [make_best_second(judgment_list)[0] for _ in range(3)]
    other = make.make_list(judgment_list.query_set)
    make_grades(other, ListQuery.objects.first().query, {"X": 2})
    problems = []
    start = threading.Barrier(6)

    def view(place):
        try:
            start.wait()
            bring_up_to_date(
                ScoringRequest(
                    judgment_list if place % 3 else other, runs[:: -1 if place % 2 else 1], Formula()
                )
            )
        except Exception as problem:
            problems.append(problem)
        finally:
            connections.close_all()

    threads = [threading.Thread(target=view, args=(place,)) for place in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert problems == []
    assert Evaluation.objects.count() == 6
    assert Score.objects.filter(evaluation__judgment_list=judgment_list).count() == 3 * 6
