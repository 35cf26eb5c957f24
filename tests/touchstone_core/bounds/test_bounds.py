"""Bounds against every grade that the unjudged documents could get."""

from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from touchstone_core.bounds.values import GREATEST_CUTOFF, bounds, has_bounds
from touchstone_core.metrics.arrays import judged_run
from touchstone_core.metrics.errors import MetricsError
from touchstone_core.metrics.formula import Formula
from touchstone_core.metrics.scale import ScaleInfo

GRADES = (0, 1, 2, 3)
TOP = 3
SCALE = ScaleInfo(top_grade=TOP)


def one_query(ranking, known, scale=SCALE):
    """A run of one query. `ranking` holds a grade or None for each document, `known` the judged ones it lacks."""
    hits = [(rank, grade) for rank, grade in enumerate(ranking, 1) if grade is not None]
    judged = [grade for _, grade in hits] + list(known)
    return judged_run(
        answered=[True],
        retrieved=[len(ranking)],
        hit_query=[0] * len(hits),
        hit_rank=[rank for rank, _ in hits],
        hit_grade=[grade for _, grade in hits],
        judged_query=[0] * len(judged),
        judged_grade=judged,
        scale=scale,
    )


def dcg(gains):
    return sum(gain / np.log2(rank + 1) for rank, gain in enumerate(gains, 1))


def ratio(page, pool, cutoff):
    best = dcg(sorted(pool, reverse=True)[:cutoff])
    return dcg(page) / best if best else 0.0  # zero=0, the formula's policy


def unjudged_in(ranking, others=0):
    """The size of the universe: what the run retrieved, and so many others."""
    return np.array([ranking.count(None) + others])


def enumerated(ranking, known, outside, cutoff, depth):
    """Least and greatest value of each NDCG over all grades of every unjudged document, by definition."""
    unjudged = [at for at, grade in enumerate(ranking) if grade is None]
    low, high = {}, {}
    for grades in product(GRADES, repeat=len(unjudged) + outside):
        full = list(ranking)
        for at, grade in zip(unjudged, grades, strict=False):
            full[at] = grade
        page = full[:cutoff]
        values = {
            "local": ratio(page, page, cutoff),
            "recall": ratio(page, full[:depth], cutoff),
            "global": ratio(page, full + list(known) + list(grades[len(unjudged) :]), cutoff),
            "max": dcg(page) / dcg([TOP] * cutoff),
        }
        assert values["recall"] >= values["global"] - 1e-12
        for ideal, value in values.items():
            low[ideal] = min(value, low.get(ideal, value))
            high[ideal] = max(value, high.get(ideal, value))
    return low, high


@given(
    ranking=st.lists(st.none() | st.sampled_from(GRADES), max_size=5),
    known=st.lists(st.sampled_from(GRADES), max_size=3),
    outside=st.integers(0, 2),
    cutoff=st.integers(1, 4),
    deeper=st.integers(0, 2),
)
def test_bounds_are_the_extremes_over_every_grade(ranking, known, outside, cutoff, deeper):
    depth = cutoff + deeper
    formula = Formula(cutoff=cutoff, depth=depth)

    found = bounds(one_query(ranking, known), formula, unjudged_in(ranking, outside))

    low, high = enumerated(ranking, known, outside, cutoff, depth)
    for ideal in ("local", "recall", "global", "max"):
        assert found.low[ideal][0] == pytest.approx(low[ideal], abs=1e-12), ideal
        assert found.high[ideal][0] == pytest.approx(high[ideal], abs=1e-12), ideal
    for ends in (found.low, found.high):
        assert ends["local"][0] >= ends["recall"][0] - 1e-12
        assert ends["recall"][0] >= ends["global"][0] - 1e-12
        assert ends["global"][0] >= ends["max"][0] - 1e-12


@given(st.lists(st.lists(st.none() | st.sampled_from(GRADES), max_size=12), min_size=1, max_size=6))
def test_many_queries_at_once_have_the_bounds_that_each_has_alone(rankings):
    hits = [
        (query, rank, grade)
        for query, ranking in enumerate(rankings)
        for rank, grade in enumerate(ranking, 1)
        if grade is not None
    ]
    run = judged_run(
        answered=[True] * len(rankings),
        retrieved=[len(ranking) for ranking in rankings],
        hit_query=[hit[0] for hit in hits],
        hit_rank=[hit[1] for hit in hits],
        hit_grade=[hit[2] for hit in hits],
        judged_query=[hit[0] for hit in hits],
        judged_grade=[hit[2] for hit in hits],
        scale=SCALE,
    )

    unjudged = np.array([ranking.count(None) for ranking in rankings])
    together = bounds(run, Formula(), unjudged)

    for query, ranking in enumerate(rankings):
        alone = bounds(one_query(ranking, []), Formula(), unjudged_in(ranking))
        assert together.coverage[query] == pytest.approx(alone.coverage[0], abs=1e-12)
        for ideal in together.low:
            assert together.low[ideal][query] == pytest.approx(alone.low[ideal][0], abs=1e-12)
            assert together.high[ideal][query] == pytest.approx(alone.high[ideal][0], abs=1e-12)


def test_the_published_example():
    """A page [unjudged, 3], N = 2, G = 3: zero-fill is .6309, and yet global cannot lie below it."""
    found = bounds(one_query([None, 3], []), Formula(cutoff=2), unjudged_in([None]))

    assert (found.low["max"][0], found.high["max"][0]) == (pytest.approx(0.3869, abs=5e-5), 1)
    assert (found.low["global"][0], found.high["global"][0]) == (pytest.approx(0.6309, abs=5e-5), 1)


def test_coverage_is_one_minus_the_width_of_max():
    found = bounds(one_query([3, None, 1, None], [2]), Formula(cutoff=5), np.array([2]))

    width = found.high["max"][0] - found.low["max"][0]
    assert found.coverage[0] == pytest.approx(1 - width)
    weight = [1 / np.log2(rank + 1) for rank in range(1, 6)]
    assert found.coverage[0] == pytest.approx(1 - (weight[1] + weight[3]) / sum(weight))


@pytest.mark.parametrize("cutoff", range(1, GREATEST_CUTOFF + 1))
def test_a_page_without_judgments_is_covered_by_nothing_to_the_last_bit(cutoff):
    found = bounds(one_query([None] * cutoff, [1]), Formula(cutoff=cutoff), np.array([cutoff]))

    assert (found.coverage[0], found.low["max"][0], found.high["max"][0]) == (0, 0, 1)


def test_what_is_judged_whole_has_no_interval():
    found = bounds(one_query([3, 0, 1], [2]), Formula(cutoff=3), np.array([0]))

    assert found.coverage[0] == 1
    for ideal in ("local", "recall", "global", "max"):
        assert found.low[ideal][0] == found.high[ideal][0]


@pytest.mark.parametrize(("zero", "low", "high"), [(0, 0, 1), (1, 1, 1)])
def test_a_query_whose_ideal_may_be_zero_reaches_the_policys_value(zero, low, high):
    found = bounds(one_query([None], []), Formula(cutoff=1, zero=zero), np.array([1]))

    assert (found.low["global"][0], found.high["global"][0]) == (low, high)


def test_a_query_that_only_a_zero_ideal_would_leave_out_has_the_bounds_of_the_rest():
    found = bounds(one_query([None], []), Formula(cutoff=1, zero="skip"), np.array([1]))

    assert (found.low["global"][0], found.high["global"][0]) == (1, 1)
    assert np.isnan(bounds(one_query([0], []), Formula(zero="skip"), np.array([0])).low["global"][0])


@pytest.mark.parametrize(("missing", "value"), [(0, 0), ("skip", np.nan)])
def test_a_missing_query_is_what_its_policy_says(missing, value):
    run = judged_run(
        answered=[False],
        retrieved=[0],
        hit_query=[],
        hit_rank=[],
        hit_grade=[],
        judged_query=[0],
        judged_grade=[2],
        scale=SCALE,
    )

    found = bounds(run, Formula(missing=missing, zero=1), np.array([0]))

    for ideal in ("local", "recall", "global", "max"):
        np.testing.assert_equal((found.low[ideal][0], found.high[ideal][0]), (value, value))


def test_a_cutoff_that_is_too_great_is_refused():
    with pytest.raises(MetricsError, match=f"The cutoff is 101; bounds are computed up to {GREATEST_CUTOFF}"):
        bounds(one_query([1], []), Formula(cutoff=101), np.array([0]))


def test_a_formula_that_takes_unjudged_documents_out_is_refused():
    with pytest.raises(MetricsError, match="this formula removes them"):
        bounds(one_query([1], []), Formula(unjudged="condensed"), np.array([0]))


def test_the_whole_ranking_is_the_depth_where_none_is_said():
    ranking = [3, None, 0, None, 2, None]

    whole = bounds(one_query(ranking, []), Formula(cutoff=2), unjudged_in(ranking))

    said = bounds(one_query(ranking, []), Formula(cutoff=2, depth=6), unjudged_in(ranking))
    assert whole.low["recall"][0] == said.low["recall"][0]
    assert whole.high["recall"][0] == said.high["recall"][0]


def test_a_document_that_only_another_run_shows_lowers_what_is_certain():
    """Of issue 11: d1 = 1 and d0 = 0 are judged. b shows d1 first, a shows d2 below: b is 1 / 3 where d2 is worth 3."""
    run = one_query([1, None], [0])
    formula = Formula(cutoff=1)

    found = bounds(run, formula, np.array([1]))

    assert (found.low["global"][0], found.high["global"][0]) == (pytest.approx(1 / 3), 1)
    assert found.low["recall"][0] == pytest.approx(1 / 3)


def test_if_anything_may_exist_global_falls_to_what_max_is():
    ranking = [2, None, 1]

    found = bounds(one_query(ranking, [3]), Formula(cutoff=3), np.array([1000]))

    assert found.low["global"][0] == pytest.approx(found.low["max"][0])
    assert (
        found.high["global"][0]
        == bounds(one_query(ranking, [3]), Formula(cutoff=3), unjudged_in(ranking)).high["global"][0]
    )


@pytest.mark.parametrize(
    ("formula", "some"),
    [
        (Formula(cutoff=GREATEST_CUTOFF), True),
        (Formula(cutoff=GREATEST_CUTOFF + 1), False),
        (Formula(unjudged="condensed"), False),
    ],
)
def test_long_pages_and_condensed_ones_have_no_bounds(formula, some):
    assert has_bounds(formula) is some


def test_bounds_of_some_queries_are_those_of_the_whole():
    run = judged_run(
        answered=[True] * 3,
        retrieved=[2, 2, 1],
        hit_query=[0, 1, 2],
        hit_rank=[1, 2, 1],
        hit_grade=[3, 1, 2],
        judged_query=[0, 1, 2],
        judged_grade=[3, 1, 2],
        scale=SCALE,
    )
    whole = bounds(run, Formula(cutoff=2), np.array([1, 1, 0]))

    some = whole.of(np.array([True, False, True]))

    assert some.coverage.tolist() == whole.coverage[[0, 2]].tolist()
    for ends, of_whole in ((some.low, whole.low), (some.high, whole.high)):
        assert {name: end.tolist() for name, end in ends.items()} == {
            name: end[[0, 2]].tolist() for name, end in of_whole.items()
        }
