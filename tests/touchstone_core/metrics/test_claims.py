"""The wrong claims, refuted with the same data that the page of formulas shows."""

import pytest

from touchstone_core.metrics.claims import CLAIMS

COUNTEREXAMPLES = [example for claim in CLAIMS for example in claim.counterexamples]
BINARY, MIDDLE_OR_ENDS, GAIN = COUNTEREXAMPLES


def test_for_binary_grades_the_discounts_give_different_values():
    assert BINARY.grades("0 1") == (0, 1)
    assert BINARY.value("nDCG(discount='jk')@2", "0 1") == 1.0
    assert BINARY.value("nDCG@2", "0 1") == pytest.approx(0.6309, abs=5e-5)


def test_for_binary_grades_the_discounts_even_choose_different_winners():
    assert MIDDLE_OR_ENDS.grades("0 1 1 0") == (0, 1, 1, 0)
    assert MIDDLE_OR_ENDS.grades("1 0 0 1") == (1, 0, 0, 1)
    values = [
        MIDDLE_OR_ENDS.value(measure, ranking)
        for measure in MIDDLE_OR_ENDS.measures
        for ranking in MIDDLE_OR_ENDS.rankings
    ]

    assert values == pytest.approx([1.6309, 1.5, 1.1309, 1.4307], abs=5e-5)
    assert [MIDDLE_OR_ENDS.winner(measure) for measure in MIDDLE_OR_ENDS.measures] == ["0 1 1 0", "1 0 0 1"]


def test_the_gain_changes_which_ranking_wins():
    values = [GAIN.value(measure, ranking) for measure in GAIN.measures for ranking in GAIN.rankings]

    assert values == pytest.approx([0.8597, 0.7602, 0.7967, 0.8262], abs=5e-5)
    assert [GAIN.winner(measure) for measure in GAIN.measures] == ["1 2", "2 0"]


@pytest.mark.parametrize("claim", CLAIMS, ids=lambda claim: claim.claim)
def test_every_claim_is_answered_and_every_counterexample_says_what_it_shows(claim):
    assert claim.truth
    assert all(example.shows for example in claim.counterexamples)
    assert claim.counterexamples
