"""What missing grades could make of a mean that leaves queries out, against every way to grade them."""

from itertools import chain, combinations, product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from touchstone_core.metrics.arrays import ScaleInfo, join
from touchstone_core.metrics.left_out import (
    LeftOut,
    greatest_mean,
    least_mean,
    left_out_of_difference,
    no_gain_words,
    skips_missing,
    skips_zero,
)
from touchstone_core.metrics.measure import parse
from touchstone_core.metrics.rounding import read_rounded

VALUES = st.lists(st.floats(-1, 1, width=16), max_size=4)


@given(VALUES, VALUES)
def test_extreme_means_are_those_over_every_choice_of_the_optional_values(values, optional):
    chosen = chain.from_iterable(combinations(optional, size) for size in range(len(optional) + 1))
    means = [np.mean([*values, *some]) for some in chosen if values or some]

    found = [extreme(np.array(values), np.array(optional)) for extreme in (least_mean, greatest_mean)]

    assert found == (
        pytest.approx([min(means), max(means)], abs=1e-12)
        if means
        else [pytest.approx(np.nan, nan_ok=True)] * 2
    )


def test_a_mean_that_is_zero_but_for_rounding_is_zero():
    assert least_mean(np.array([0.1, 0.2, -0.3]), np.zeros(0)) == 0


def test_no_grades_of_the_queries_left_out_lead_beyond_the_range():
    """Two queries count; in two others the only judged document is worth nothing. Each has one without a grade."""
    measure = parse("nDCG(zero='skip')@2")
    judged = {"a": {"x": 2, "y": 3}, "b": {"x": 3}, "c": {"x": 0}, "d": {"x": 0}}
    pages = {"a": ["x", "y"], "b": ["x"], "c": ["u", "x"], "d": ["x", "v"]}

    def mean(further):
        grades = {query: known | further.get(query, {}) for query, known in judged.items()}
        return measure.mean(measure.values(join(grades, pages, ScaleInfo(top_grade=3))[1]))

    found = LeftOut.of(mean({}), 2, 2)

    # A grade for what is shown, and for what isn't.
    means = [
        mean({"c": {"u": u, "other": more}, "d": {"v": v, "other": more}})
        for u, v, more in product((0, 1, 3), repeat=3)
    ]
    assert found.low <= min(means)
    assert max(means) <= found.high
    assert (found.low, found.high) == pytest.approx((mean({}) / 2, (mean({}) + 1) / 2))
    assert min(means) == pytest.approx(found.low)


def test_without_a_query_left_out_nothing_is_said():
    assert LeftOut.of(0.5, 4, 0) is None


def test_where_every_query_is_left_out_anything_is_possible():
    found = LeftOut.of(None, 0, 3)

    assert (found.low, found.high, found.shift) == (0, 1, 1)


@pytest.mark.parametrize(
    ("queries", "words"),
    [
        (1, "1 of 4 queries is left out, because its ideal is 0 so far. If missing grades bring them in, "),
        (
            12,
            "12 of 15 queries are left out, because their ideal is 0 so far. If missing grades bring them in, ",
        ),
    ],
)
def test_the_words_say_how_many_and_why(queries, words):
    found = LeftOut.of(0.5, 3, queries)

    assert found.words == f"{words}the mean lies between {found.low:.4f} and {found.high:.4f}."


def test_a_difference_moves_by_what_the_queries_left_out_could_be_at_most():
    before, out, counted = 0.2, 5, 15
    lowest, highest = ((before * counted + sign * out) / (counted + out) for sign in (-1, 1))

    words = left_out_of_difference(out, counted, [0.1, before])

    assert words.endswith(f"moves by up to {max(before - lowest, highest - before):.4f}.")


def test_what_is_left_out_says_how_far_the_mean_can_go():
    """Of four queries of mean .5, and one more that may get any value between 0 and 1: between 2 / 5 and 3 / 5."""
    found = LeftOut.of(0.5, in_mean=4, queries=1)

    assert (found.low, found.high, found.shift) == pytest.approx((0.4, 0.6, 0.2))
    assert found.range == "0.4000 to 0.6000"
    assert found.as_json() == {"queries": 1, "low_if_graded": found.low, "high_if_graded": found.high}
    assert LeftOut.of(0.5, in_mean=4, queries=0) is None
    assert LeftOut.of(None, in_mean=0, queries=2).range == "0.0000 to 1.0000"


@pytest.mark.parametrize(
    ("zero", "sentence"),
    [
        (None, "leaves such queries out, so NDCG-local, NDCG-recall and NDCG-global have no value."),
        (0.0, "NDCG-global count as 0 then."),
        (1.0, "NDCG-global count as 1 then."),
    ],
)
def test_where_no_judged_document_has_a_gain_the_policy_says_what_ndcgs_are(zero, sentence):
    assert sentence in no_gain_words(zero)


@pytest.mark.parametrize(
    ("text", "zero", "missing"),
    [
        ("nDCG@5", False, False),
        ("nDCG(zero='skip')@5", True, False),
        ("nDCG(missing='skip')@5", False, True),
        ("nDCG(missing='skip', zero='skip')@5", True, True),
    ],
)
def test_a_measure_says_which_queries_it_leaves_out(text, zero, missing):
    ((_, one),) = read_rounded(text)

    assert (skips_zero(one), skips_missing(one)) == (zero, missing)
