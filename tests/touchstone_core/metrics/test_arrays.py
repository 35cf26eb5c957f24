from typing import Any

import numpy as np
import pytest
from hypothesis import given

from tests.touchstone_core.metrics.refusals import refused
from tests.touchstone_core.metrics.scenes import scenes
from touchstone_core.metrics.arrays import ScaleInfo, condense, join, judged_run, without_hits

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


def test_a_condensed_run_holds_nothing_but_judged_documents_from_grade_0():
    _, run = join(
        {"p": {"a": 0, "b": -1}, "q": {"c": 0.5, "d": 2, "e": 0}, "r": {"f": 1}},
        {"p": ["u", "b", "a"], "q": ["d", "u", "v", "c"], "r": ["w"]},
        SCALE,
    )

    closed = condense(run)

    assert closed.answered.tolist() == [True, True, True]
    assert closed.retrieved.tolist() == [1, 2, 0]
    assert closed.hit_query.tolist() == [0, 1, 1]
    assert closed.hit_rank.tolist() == [1, 1, 2]
    assert closed.hit_grade.tolist() == [0, 2, 0.5]
    assert closed.judged_grade.tolist() == run.judged_grade.tolist()


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
    ("wrong", "sentence"),
    [
        ({"answered": True}, "The queries must be a flat array."),
        ({"retrieved": [5]}, "Every query needs the length of its ranking."),
        ({"hit_rank": [1]}, "Every hit needs query, rank and grade."),
        ({"judged_query": [0]}, "Every judgment needs a query and a grade."),
        ({"hit_query": [1, 0]}, "The hits must be sorted by query, and their queries must exist."),
        ({"hit_query": [0, 2]}, "The hits must be sorted by query, and their queries must exist."),
        (
            {"judged_query": [-1, 0, 1]},
            "The judgments must be sorted by query, and their queries must exist.",
        ),
        ({"retrieved": [-1, 0]}, "The length of a ranking cannot be negative."),
        ({"retrieved": [5, 1]}, "A query that is missing from the run cannot have a ranking."),
        ({"hit_rank": [4, 1]}, "The hits of a query must be sorted by rank, each rank once."),
        ({"hit_rank": [4, 4]}, "The hits of a query must be sorted by rank, each rank once."),
        ({"hit_rank": [0, 4]}, "A hit is outside its ranking."),
        ({"hit_rank": [1, 6]}, "A hit is outside its ranking."),
        (
            {
                "answered": [True, True],
                "retrieved": [5, 5],
                "hit_query": [0, 1, 1],
                "hit_rank": [1, 4, 2],
                "hit_grade": [2, 3, 1],
                "judged_query": [0, 1, 1],
            },
            "The hits of a query must be sorted by rank, each rank once.",
        ),
        ({"judged_query": [0, 1, 1]}, "A query has more hits than judgments."),
        ({"hit_grade": [4, 0]}, "The grade 4 lies above the top of the scale, 3."),
        ({"judged_grade": [2, 0, float("nan")]}, "A grade is not a finite number."),
    ],
)
def test_arrays_that_do_not_fit_together_are_refused(wrong, sentence):
    judged_run(**FITTING, scale=SCALE)

    with refused(sentence):
        judged_run(**FITTING | wrong, scale=SCALE)


def test_the_arrays_are_of_one_kind_whatever_is_handed_in():
    small = {name: np.array(values, dtype=np.uint8) for name, values in FITTING.items()}

    for run in (judged_run(**FITTING, scale=SCALE), judged_run(**small, scale=SCALE)):
        assert run.answered.dtype == np.bool_
        assert {run.hit_grade.dtype, run.judged_grade.dtype} == {np.dtype(np.float64)}
        whole = (run.retrieved, run.hit_query, run.hit_rank, run.judged_query)
        assert {array.dtype for array in whole} == {np.dtype(np.int64)}


def test_a_document_twice_in_a_ranking_is_refused():
    with refused("The ranking of query 'q' holds a document twice."):
        join({"q": {"a": 1}}, {"q": ["a", "b", "a"]}, SCALE)


@pytest.mark.parametrize(
    ("choices", "sentence"),
    [
        (
            {"top_grade": float("inf")},
            "A scale’s top grade, bottom grade and threshold must be finite numbers.",
        ),
        (
            {"top_grade": 3, "threshold": float("nan")},
            "A scale’s top grade, bottom grade and threshold must be finite numbers.",
        ),
        ({"top_grade": 3, "bottom": 4}, "The bottom grade 4 lies above the top grade 3."),
        ({"top_grade": 3, "gains": {}}, "A table of gains needs at least one level."),
        (
            {"top_grade": 3, "gains": {4: 1}},
            "The table gives a gain for 4, which is not a grade of this scale.",
        ),
        ({"top_grade": 3, "gains": {1: -1}}, "The gain of grade 1 is -1; a gain is a number from 0."),
        (
            {"top_grade": 3, "gains": {1: float("inf")}},
            "The gain of grade 1 is inf; a gain is a number from 0.",
        ),
        (
            {"top_grade": 3, "gains": {-1: 0.5}},
            "The gain of grade -1 is 0.5; a negative grade has a gain of 0.",
        ),
    ],
)
def test_a_scale_that_makes_no_sense_is_refused(choices, sentence):
    with refused(sentence):
        ScaleInfo(**choices)


def test_a_run_without_hits_keeps_what_else_is_known_of_it():
    run = judged_run(**FITTING, scale=SCALE)

    rest = without_hits(run)

    assert [rest.hit_query.size, rest.hit_rank.size, rest.hit_grade.size] == [0, 0, 0]
    assert rest.retrieved.tolist() == run.retrieved.tolist()
    assert rest.judged_grade.tolist() == run.judged_grade.tolist()
