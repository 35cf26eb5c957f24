"""Rank-biased overlap against its definition as an infinite sum, and against published figures."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from touchstone_core.impact.rbo import persistence, weight_of_top
from touchstone_core.impact.rbo import rbo as rbo_of

RANKINGS = st.permutations("abcdefgh").flatmap(lambda all_: st.integers(1, 8).map(lambda size: all_[:size]))
P = st.floats(0.05, 0.95)


def rbo(first, second, p):
    """Of one query."""
    depths = range(1, max(len(first), len(second), 1) + 1)
    common = np.array([[overlap(first, second, depth) for depth in depths]])
    return rbo_of(common, np.array([len(first)]), np.array([len(second)]), p)[0]


def overlap(first, second, depth):
    return len(set(first[:depth]) & set(second[:depth]))


@given(st.permutations("abcdefgh"), st.permutations("cdefghij"), st.integers(1, 8), P)
def test_equal_lengths_extrapolate_the_last_agreement(first, second, size, p):
    first, second = first[:size], second[:size]

    value = rbo(first, second, p)

    last = overlap(first, second, size) / size
    agreement = [overlap(first, second, depth) / depth if depth <= size else last for depth in range(1, 2000)]
    assert value == pytest.approx((1 - p) * sum(a * p**d for d, a in enumerate(agreement)), abs=1e-9)


@given(RANKINGS, RANKINGS, P)
def test_unequal_lengths_assume_that_the_shorter_goes_on_as_it_was(first, second, p):
    short, long = sorted((first, second), key=len)

    value = rbo(first, second, p)

    # Webber et al. 2010, 4.3: beyond s the overlap grows by the agreement at s, beyond l the agreement stays.
    rate = overlap(short, long, len(short)) / len(short)
    assumed = []
    for depth in range(1, 2000):
        if depth <= len(long):
            agreement = (overlap(short, long, depth) + rate * max(0, depth - len(short))) / depth
        assumed.append(agreement)
    assert value == pytest.approx((1 - p) * sum(a * p**d for d, a in enumerate(assumed)), abs=1e-9)
    assert value == rbo(second, first, p)


def test_what_lies_below_both_rankings_says_nothing():
    short, deep = np.array([[1, 1]]), np.array([[1, 1, 1, 1, 1]])

    assert rbo_of(short, np.array([1]), np.array([2]), 0.9) == rbo_of(deep, np.array([1]), np.array([2]), 0.9)


@pytest.mark.parametrize("p", [0.5, 0.876, 0.98])
def test_identical_rankings_overlap_wholly(p):
    assert rbo("abcdef", "abcdef", p) == pytest.approx(1, abs=1e-15)
    assert rbo("", "", p) == 1


def test_rankings_without_a_common_document_do_not_overlap():
    assert rbo("abc", "def", 0.9) == 0
    assert rbo("", "abc", 0.9) == 0


def test_a_swap_of_the_first_two_costs_a_tenth_at_p_nine_tenths():
    assert rbo("abcdefghij", "bacdefghij", 0.9) == pytest.approx(0.9)


def test_the_weight_of_the_top_ranks_is_as_published():
    assert weight_of_top(10, 0.9) == pytest.approx(0.855585, abs=5e-7)


@pytest.mark.parametrize(("n", "p"), [(5, 0.761), (10, 0.876), (20, 0.937), (50, 0.975)])
def test_the_persistence_gives_the_page_nine_tenths_of_the_weight(n, p):
    assert persistence(n) == pytest.approx(p, abs=5e-4)
    assert weight_of_top(n, persistence(n)) == pytest.approx(0.9)


def test_a_page_of_one_has_a_persistence_too():
    assert weight_of_top(1, persistence(1)) == pytest.approx(0.9)


@pytest.mark.parametrize("p", [0, 1, -0.1, 1.5])
def test_a_persistence_outside_zero_and_one_is_refused(p):
    with pytest.raises(ValueError, match="must lie between 0 and 1"):
        rbo("a", "a", p)
