from itertools import pairwise, permutations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from evaluation.metrics.errors import MetricsError
from evaluation.metrics.formula import Formula
from evaluation.metrics.scale import ScaleInfo
from evaluation.metrics.ties import TieSpread, tie_spread
from tests.evaluation.metrics.scenes import LEVEL, formulas, score

SCALE = ScaleInfo(top_grade=4.0, gains={-1.0: 0.0, 0.0: 0.0, 2.0: 0.5, 4.0: 3.0})
DOCUMENT = st.tuples(st.sampled_from([1.0, 2.0, 2.5]), st.none() | LEVEL)


@given(st.lists(DOCUMENT, min_size=1, max_size=6), formulas())
def test_the_spread_is_that_of_all_orders_of_the_tied(documents, formula):
    judgments = {f"d{number}": grade for number, (_, grade) in enumerate(documents) if grade is not None}
    dcgs = [
        score(judgments, [f"d{number}" for number in order], formula, SCALE).dcg[0] if judgments else 0.0
        for order in permutations(range(len(documents)))
        if all(documents[a][0] >= documents[b][0] for a, b in pairwise(order))
    ]

    spread = spread_of(documents, formula)

    assert spread.expected == pytest.approx(np.mean(dcgs), rel=1e-9, abs=1e-9)
    assert spread.least == pytest.approx(min(dcgs), rel=1e-9, abs=1e-9)
    assert spread.greatest == pytest.approx(max(dcgs), rel=1e-9, abs=1e-9)


def spread_of(documents, formula):
    scores = np.array([score for score, _ in documents])
    grades = np.array([np.nan if grade is None else grade for _, grade in documents])
    return tie_spread(scores, grades, formula, SCALE)


def test_a_tie_across_the_cutoff_is_counted_by_the_share_that_is_shown():
    spread = spread_of([(2.0, 4.0), (1.0, 2.0), (1.0, None)], Formula(cutoff=2, discount="none"))

    assert spread == TieSpread(expected=5, least=4, greatest=6)


def test_a_tie_below_the_cutoff_changes_nothing():
    spread = spread_of([(2.0, 4.0), (1.0, 2.0), (1.0, 0.0)], Formula(cutoff=1))

    assert spread == TieSpread(expected=4, least=4, greatest=4)


def test_an_empty_ranking_has_no_spread():
    assert tie_spread(np.array([]), np.array([]), Formula(), SCALE) == TieSpread(0, 0, 0)


@pytest.mark.parametrize(
    ("scores", "message"), [([1.0], "1 scores for 2 documents"), ([1.0, np.nan], "not a number")]
)
def test_scores_that_make_no_order_are_refused(scores, message):
    with pytest.raises(MetricsError, match=message):
        tie_spread(np.array(scores), np.array([1.0, 2.0]), Formula(), SCALE)
