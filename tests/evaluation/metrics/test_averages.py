import statistics

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from evaluation.metrics.arrays import ScaleInfo, join
from evaluation.metrics.averages import Counts, count, mean, median, weighted_mean
from evaluation.metrics.formula import Formula
from evaluation.metrics.ladder import ladder
from tests.evaluation.metrics.refusals import refused


def test_every_judged_query_is_answered_missing_or_empty():
    _, run = join(
        {
            "good": {"a": 1},
            "missing": {"a": 1},
            "empty": {"a": 1},
            "nothing relevant": {"a": 0},
            "unjudged": {},
        },
        {"good": ["a"], "empty": [], "nothing relevant": ["a"], "unjudged": ["a"], "stranger": ["a"]},
        ScaleInfo(top_grade=1),
    )

    counts = count(run, ladder(run, Formula()))

    assert counts == Counts(judged=4, answered=2, missing=1, empty=1, zero_ideal=1)


def test_a_missing_query_counts_as_0_in_the_mean():
    _, run = join({"found": {"a": 1}, "missing": {"a": 1}}, {"found": ["a"]}, ScaleInfo(top_grade=1))

    assert mean(ladder(run, Formula()).ndcg("global")) == 0.5


def test_the_weighted_mean_counts_a_query_by_its_traffic():
    assert weighted_mean(np.array([1.0, 0.0]), np.array([3.0, 1.0])) == 0.75
    assert weighted_mean(np.array([1.0, 0.0]), np.array([0.375, 0.125])) == 0.75


def test_the_median_of_an_even_number_lies_between_the_middle_two():
    assert median(np.array([0.0, 1.0, 0.25, 0.75])) == 0.5


@given(st.lists(st.floats(0, 100), min_size=1))
def test_the_median_is_that_of_the_standard_library(values):
    assert median(np.array(values)) == statistics.median(values)


def test_nothing_has_no_average():
    nothing = np.array([])

    assert [mean(nothing), median(nothing), weighted_mean(nothing, nothing)] == [None, None, None]
    assert weighted_mean(np.array([1.0]), np.array([0.0])) is None


def test_queries_that_a_policy_leaves_out_are_in_no_average():
    values = np.array([1.0, np.nan, 0.0, 0.5])

    assert mean(values) == 0.5
    assert median(values) == 0.5
    assert weighted_mean(values, np.array([3.0, 100.0, 1.0, 0.0])) == 0.75
    assert [mean(values[1:2]), median(values[1:2]), weighted_mean(values[1:2], np.ones(1))] == [None] * 3


@pytest.mark.parametrize(
    ("weights", "sentence"),
    [
        ([1.0], "There are 1 weights for 2 queries."),
        ([1.0, -1.0], "A query's weight must be a finite number from 0."),
        ([1.0, np.inf], "A query's weight must be a finite number from 0."),
    ],
)
def test_weights_that_cannot_be_are_refused(weights, sentence):
    with refused(sentence):
        weighted_mean(np.array([1.0, 0.0]), np.array(weights))
