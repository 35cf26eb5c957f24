import statistics

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from touchstone_core.metrics.arrays import ScaleInfo, join
from touchstone_core.metrics.averages import mean, median
from touchstone_core.metrics.formula import Formula
from touchstone_core.metrics.ladder import ladder


def test_a_missing_query_counts_as_0_in_the_mean():
    _, run = join({"found": {"a": 1}, "missing": {"a": 1}}, {"found": ["a"]}, ScaleInfo(top_grade=1))

    assert mean(ladder(run, Formula()).ndcg("global")) == 0.5


def test_the_median_of_an_even_number_lies_between_the_middle_two():
    assert median(np.array([0.0, 1.0, 0.25, 0.75])) == 0.5


@given(st.lists(st.floats(0, 100), min_size=1))
def test_the_median_is_that_of_the_standard_library(values):
    assert median(np.array(values)) == statistics.median(values)


def test_nothing_has_no_average():
    nothing = np.array([])

    assert [mean(nothing), median(nothing)] == [None, None]


def test_queries_that_a_policy_leaves_out_are_in_no_average():
    values = np.array([1.0, np.nan, 0.0, 0.5])

    assert mean(values) == 0.5
    assert median(values) == 0.5
    assert [mean(values[1:2]), median(values[1:2])] == [None, None]
