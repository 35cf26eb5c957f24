from typing import Any

import pytest
from hypothesis import given

from evaluation.metrics.arrays import ScaleInfo, join, judged_run
from evaluation.metrics.errors import MetricsError
from tests.evaluation.metrics.scenes import scenes

SCALE = ScaleInfo(top_grade=3)
FITTING: dict[str, Any] = {
    "answered": [True, False],
    "retrieved": [5, 0],
    "hit_query": [0, 0],
    "hit_rank": [1, 4],
    "hit_grade": [2, 0],
    "judged_query": [0, 0, 1],
    "judged_grade": [2, 0, 3],
}


def test_a_join_keeps_the_judged_queries_in_order_and_only_the_hits():
    queries, run = join(
        {"b": {"x": 1, "y": 3}, "a": {"z": 2}, "empty": {}, "missing": {"x": 0}},
        {"a": ["u", "z"], "b": ["y", "u", "x"], "stranger": ["x"], "empty": ["x"]},
        SCALE,
    )

    assert queries == ("b", "a", "missing")
    assert run.queries == 3
    assert run.answered.tolist() == [True, True, False]
    assert run.retrieved.tolist() == [3, 2, 0]
    assert list(zip(run.hit_query, run.hit_rank, run.hit_grade, strict=True)) == [
        (0, 1, 3),
        (0, 3, 1),
        (1, 2, 2),
    ]
    assert run.judged_query.tolist() == [0, 0, 1, 2]
    assert run.judged_grade.tolist() == [1, 3, 2, 0]


def test_an_empty_ranking_is_an_answer_of_length_0():
    _, run = join({"q": {"a": 1}}, {"q": []}, SCALE)

    assert (run.answered.tolist(), run.retrieved.tolist()) == ([True], [0])


@given(scenes())
def test_every_hit_carries_the_grade_of_its_document(scene):
    queries, run = scene.join()

    for query, rank, grade in zip(run.hit_query, run.hit_rank, run.hit_grade, strict=True):
        name = queries[query]
        assert scene.judgments[name][scene.rankings[name][rank - 1]] == grade


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"answered": True}, "flat array"),
        ({"retrieved": [5]}, "length of its ranking"),
        ({"hit_rank": [1]}, "Every hit needs"),
        ({"judged_query": [0]}, "Every judgment needs"),
        ({"hit_query": [1, 0]}, "hits must stand by query"),
        ({"hit_query": [0, 2]}, "hits must stand by query"),
        ({"judged_query": [-1, 0, 1]}, "judgments must stand by query"),
        ({"retrieved": [-1, 0]}, "cannot be negative"),
        ({"retrieved": [5, 1]}, "missing from the run cannot have a ranking"),
        ({"hit_rank": [4, 1]}, "stand by rank"),
        ({"hit_rank": [4, 4]}, "each rank once"),
        ({"hit_rank": [0, 4]}, "outside its ranking"),
        ({"hit_rank": [1, 6]}, "outside its ranking"),
        ({"judged_query": [0, 1, 1]}, "more hits than judgments"),
        ({"hit_grade": [4, 0]}, "grade 4 lies above the top of the scale, 3"),
        ({"judged_grade": [2, 0, float("nan")]}, "not a finite number"),
    ],
)
def test_arrays_that_do_not_fit_together_are_refused(wrong, message):
    judged_run(**FITTING, scale=SCALE)

    with pytest.raises(MetricsError, match=message):
        judged_run(**FITTING | wrong, scale=SCALE)


@pytest.mark.parametrize(
    ("choices", "message"),
    [
        ({"top_grade": float("inf")}, "must be finite"),
        ({"top_grade": 3, "threshold": float("nan")}, "must be finite"),
        ({"top_grade": 3, "bottom": 4}, "bottom grade 4 lies above the top grade 3"),
        ({"top_grade": 3, "gains": {}}, "at least one level"),
        ({"top_grade": 3, "gains": {4: 1}}, "gain for 4, which is not a grade of this scale"),
        ({"top_grade": 3, "gains": {1: -1}}, "gain of grade 1 is -1"),
        ({"top_grade": 3, "gains": {1: float("inf")}}, "gain of grade 1 is inf"),
        ({"top_grade": 3, "gains": {-1: 0.5}}, "gain of grade -1 is 0.5; a negative grade has a gain of 0"),
    ],
)
def test_a_scale_that_makes_no_sense_is_refused(choices, message):
    with pytest.raises(MetricsError, match=message):
        ScaleInfo(**choices)
