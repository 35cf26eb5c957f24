"""Bounds of a difference against every grade that the unjudged documents could get."""

from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from touchstone_core.bounds.differences import difference_bounds, global_bounds, weights
from touchstone_core.bounds.tops import Tops
from touchstone_core.metrics.discount import discounts
from touchstone_core.metrics.errors import MetricsError
from touchstone_core.metrics.moves import number_documents

TOP = 3
DOCUMENTS = "abcdef"
PAGES = st.permutations(DOCUMENTS).flatmap(lambda all_: st.integers(0, 4).map(lambda size: all_[:size]))


def dcg(page, gains, cutoff):
    return sum(gains[document] / np.log2(rank + 1) for rank, document in enumerate(page[:cutoff], 1))


def found(baseline, candidate, known, cutoff):
    discount = discounts("log2", cutoff)
    old, new = number_documents([[baseline], [candidate]], cutoff)
    of = weights(old, new, worth(baseline, known, cutoff), worth(candidate, known, cutoff), discount)
    return difference_bounds(of, top=TOP, ideal=TOP * discount.sum())


def worth(page, known, cutoff):
    """The gains at the ranks of a page, of one query."""
    gains = [known.get(document, np.nan) for document in page[:cutoff]]
    return np.array([gains + [np.nan] * (cutoff - len(gains))])


@given(
    PAGES,
    PAGES,
    st.dictionaries(st.sampled_from(DOCUMENTS), st.sampled_from([0.0, 1.0, 2.0, 3.0])),
    st.integers(1, 4),
)
def test_bounds_are_the_extremes_over_every_grade(baseline, candidate, known, cutoff):
    bounds = found(baseline, candidate, known, cutoff)

    unjudged = [document for document in DOCUMENTS if document not in known]
    ideal = TOP * sum(1 / np.log2(rank + 1) for rank in range(1, cutoff + 1))
    differences = []
    for grades in product((0, TOP), repeat=len(unjudged)):  # linear in each gain: the corners are enough
        gains = known | dict(zip(unjudged, grades, strict=True))
        differences.append((dcg(candidate, gains, cutoff) - dcg(baseline, gains, cutoff)) / ideal)
    assert bounds.low[0] == pytest.approx(min(differences), abs=1e-12)
    assert bounds.high[0] == pytest.approx(max(differences), abs=1e-12)
    assert bounds.for_candidate[0] == (min(differences) > 1e-12)
    assert bounds.for_baseline[0] == (max(differences) < -1e-12)
    same = list(baseline[:cutoff]) == list(candidate[:cutoff])
    assert not (same and (bounds.open[0] or bounds.for_candidate[0] or bounds.for_baseline[0]))


def test_a_query_is_open_while_a_grade_could_turn_it():
    known = {"a": 3.0}

    assert found("ab", "ba", known, 2).for_baseline[0] == np.False_
    assert found("ab", "ba", known, 2).open[0]
    assert found("ab", "ba", {"a": 3.0, "b": 0.0}, 2).for_baseline[0]
    assert found("ba", "ab", {"a": 3.0, "b": 0.0}, 2).for_candidate[0]
    assert not found("ab", "ba", {"a": 1.0, "b": 1.0}, 2).open[0]


def test_it_is_narrower_than_the_difference_of_two_intervals():
    baseline, candidate = "abc", "abd"
    bounds = found(baseline, candidate, {}, 3)

    weight = [1 / np.log2(rank + 1) for rank in (1, 2, 3)]
    assert bounds.high[0] == pytest.approx(weight[2] / sum(weight))
    assert bounds.low[0] == -bounds.high[0]


def test_queries_that_do_not_belong_together_are_refused():
    page, gain = np.zeros((1, 1), dtype=int), np.zeros((1, 1))

    with pytest.raises(MetricsError, match="the same queries"):
        weights(page, np.zeros((2, 1), dtype=int), gain, gain, discounts("log2", 1))


def test_identical_pages_have_no_weights():
    page, gain = np.array([[0, 1, 2]]), np.full((1, 3), np.nan)

    of = weights(page, page, gain, gain, discounts("log2", 3))

    assert (of.query.size, of.weight.size, of.gain.size, of.queries) == (0, 0, 0, 1)


RANKED = st.permutations(DOCUMENTS[:5]).flatmap(lambda all_: st.integers(0, 5).map(lambda size: all_[:size]))
GRADES = (0.0, 1.0, 3.0)


def global_found(baseline, candidate, known, cutoff, universe, at_zero=0.0):
    discount = discounts("log2", cutoff)
    old, new = number_documents([[baseline], [candidate]], cutoff)
    of = weights(old, new, worth(baseline, known, cutoff), worth(candidate, known, cutoff), discount)
    judged = np.array(list(known.values()))
    tops = Tops.of(np.zeros(len(judged), dtype=int), judged, 1, cutoff)
    return global_bounds(
        of,
        tops=tops,
        unjudged=np.array([len(set(universe) - known.keys())]),
        discount=discount,
        top=TOP,
        at_zero=np.array([at_zero]),
    )


def global_difference(baseline, candidate, gains, cutoff, at_zero):
    best = sum(
        gain / np.log2(rank + 1) for rank, gain in enumerate(sorted(gains.values(), reverse=True)[:cutoff], 1)
    )
    return (dcg(candidate, gains, cutoff) - dcg(baseline, gains, cutoff)) / best if best else at_zero


@given(
    RANKED,
    RANKED,
    st.dictionaries(st.sampled_from(DOCUMENTS[:5]), st.sampled_from(GRADES)),
    st.integers(1, 3),
    st.sampled_from([-1.0, 0.0]),
)
def test_bounds_of_global_are_the_extremes_over_every_grade(baseline, candidate, known, cutoff, at_zero):
    """With unjudged documents on both pages, at the same rank of both, on one of them, and below both."""
    universe = sorted({*baseline, *candidate})
    unjudged = [document for document in universe if document not in known]

    found = global_found(baseline, candidate, known, cutoff, universe, at_zero)

    differences = [
        global_difference(
            baseline, candidate, known | dict(zip(unjudged, grades, strict=True)), cutoff, at_zero
        )
        for grades in product(GRADES, repeat=len(unjudged))
    ]
    assert found.low[0] == pytest.approx(min(differences), abs=1e-12)
    assert found.high[0] == pytest.approx(max(differences), abs=1e-12)
    # As many others as fill a page are as good as any number.
    others = [f"other {number}" for number in range(cutoff)]
    anything = global_found(baseline, candidate, known, cutoff, [*universe, *others], at_zero)
    assert (found.any_low[0], found.any_high[0]) == pytest.approx(
        (anything.low[0], anything.high[0]), abs=1e-12
    )


def test_what_ndcg_max_settles_ndcg_global_may_leave_open():
    """Of issue 11: g = 1 and z = 0 are judged, u is not. 22 queries go from [u, z] to [u, g], and 20 the other way round."""
    known, universe = {"g": 1.0, "z": 0.0}, "guz"
    won, lost = (global_found(*pages, known, 2, universe) for pages in (("uz", "ug"), ("ug", "uz")))
    certain = [found(*pages, known, 2) for pages in (("uz", "ug"), ("ug", "uz"))]

    low, high = (22 * ours + 20 * theirs for ours, theirs in ((won.low, lost.low), (won.high, lost.high)))

    assert 22 * certain[0].low + 20 * certain[1].low > 0
    assert low < 0 < high
    # By hand: u is worth 0, or 3, in front of g: (1 / log2 3) / 1 and (1 / log2 3) / (3 + 1 / log2 3).
    discount = 1 / np.log2(3)
    assert won.high[0] == pytest.approx(discount)
    assert won.low[0] == pytest.approx(discount / (3 + discount))
