"""What to expect of two runs' difference, against plain Python and from paper."""

from math import inf, log2

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.touchstone_core.deciding.by_hand import ByHand
from touchstone_core.deciding.difference import difference, most_valuable
from touchstone_core.deciding.documents import Documents
from touchstone_core.deciding.prior import fit_prior
from touchstone_core.metrics.errors import MetricsError

TOP = 3.0
DISCOUNT = [1 / log2(rank + 2) for rank in range(3)]
PAGES = [[[0, 1, 2], [3, 4, 5]], [[1, 0, 6], [3, 7]]]
GAINS = {(0, 0): 3.0, (0, 2): 1.0, (1, 3): 2.0}


def documents(pages, gains, top=TOP, discount=DISCOUNT):
    shape = len(pages), len(pages[0]), len(discount)
    document, gain = np.full(shape, -1), np.full(shape, np.nan)
    for run, of_run in enumerate(pages):
        for query, page in enumerate(of_run):
            for rank, one in enumerate(page):
                document[run, query, rank] = one
                gain[run, query, rank] = gains.get((query, one), np.nan)
    return Documents.of_pages(document, gain, np.array(discount), top)


def keys_of(found):
    return list(zip(found.query.tolist(), found.number.tolist(), strict=True))


page = st.permutations(range(6)).map(lambda order: order[:3])
short = st.tuples(page, st.integers(0, 3)).map(lambda one: list(one[0])[: one[1]])
two_runs = st.integers(1, 4).flatmap(
    lambda queries: st.lists(st.lists(short, min_size=queries, max_size=queries), min_size=2, max_size=3)
)
all_gains = st.dictionaries(
    st.tuples(st.integers(0, 3), st.integers(0, 5)), st.sampled_from([0.0, 1.0, 2.0, 3.0]), max_size=24
)


@given(pages=two_runs, gains=all_gains)
def test_expected_gains_and_the_difference_agree_with_plain_python(pages, gains):
    found = documents(pages, gains)
    if not len(found.query):
        return
    by_hand, prior, told = ByHand(pages, gains, DISCOUNT, TOP), fit_prior(found), difference(found)

    keys = keys_of(found)
    assert keys == by_hand.documents
    assert prior.mean == pytest.approx([by_hand.mean(key) for key in keys])
    assert prior.variance == pytest.approx([by_hand.variance(key) for key in keys])
    assert told.expected == pytest.approx(by_hand.expected())
    assert told.variance == pytest.approx(by_hand.of_difference(), abs=1e-15)
    assert told.value == pytest.approx([by_hand.value(key) for key in keys])


def test_the_judgments_left_agree_with_plain_python():
    found, by_hand = difference(documents(PAGES, GAINS)), ByHand(PAGES, GAINS, DISCOUNT, TOP)

    assert found.judgments_left == by_hand.judgments_left() > 0


def test_documents_at_the_same_rank_are_worth_nothing():
    found = documents(PAGES, {})

    values = dict(zip(keys_of(found), difference(found).value.tolist(), strict=True))
    assert values[1, 3] == 0
    assert all(value > 0 for key, value in values.items() if key != (1, 3))


def test_all_that_can_decide_is_judged():
    """Document 3 is at rank 1 in both runs, and nobody needs its grade."""
    gains = {(0, 0): 3.0, (0, 1): 0.0, (0, 2): 1.0, (0, 6): 2.0, (1, 4): 0.0, (1, 5): 0.0, (1, 7): 0.0}

    found = difference(documents(PAGES, gains))

    d1, d2, d3 = DISCOUNT
    by_paper = (3 * (d2 - d1) + (2 - 1) * d3) / (TOP * (d1 + d2 + d3)) / 2
    assert found.expected == found.low == found.high == pytest.approx(by_paper)
    assert (found.variance, found.judgments_left, found.value.any()) == (0, 0, False)
    assert found.z == -inf


def test_no_missing_grade_can_turn_it():
    """The first run has the best document first and the second one not at all; what is missing is below."""
    found = difference(documents([[[0, 1, 2]], [[3, 1, 4]]], {(0, 0): 3.0, (0, 3): 0.0}))

    d1, _, d3 = DISCOUNT
    assert found.low == pytest.approx(-TOP * (d1 + d3) / (TOP * sum(DISCOUNT)))
    assert found.high == pytest.approx(-TOP * (d1 - d3) / (TOP * sum(DISCOUNT)))
    assert found.z == -inf


@pytest.mark.parametrize("gains", [{}, {(0, 0): 3.0}])
def test_the_same_runs_are_even(gains):
    found = difference(documents([PAGES[0], PAGES[0]], gains))

    assert (found.expected, found.variance, found.z) == (0, 0, 0)
    assert found.judgments_left == len(most_valuable(found.value)) == 0


@pytest.mark.parametrize("pages", [[[[]], [[]]], [[], []]])
def test_runs_without_results_are_even(pages):
    found = difference(documents(pages, {}))

    assert (found.expected, found.z, found.judgments_left) == (0, 0, 0)


def test_with_nothing_judged_nothing_is_told():
    found = difference(documents([[[0, 1, 2]], [[3, 4, 5]]], {}))

    assert (found.expected, found.z) == (pytest.approx(0), pytest.approx(0))
    assert found.judgments_left == 6


def test_swapping_the_runs_swaps_the_sign():
    one, other = difference(documents(PAGES, GAINS)), difference(documents(PAGES[::-1], GAINS))

    assert (one.expected, one.z) == (pytest.approx(-other.expected), pytest.approx(-other.z))
    assert one.judgments_left == other.judgments_left


def test_one_run_or_a_scale_without_gain_tells_nothing():
    with pytest.raises(MetricsError):
        documents(PAGES[:1], {})
    with pytest.raises(MetricsError):
        documents(PAGES, {}, top=0.0)
