import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import rankdata

from tests.touchstone_core.significance import oracles
from touchstone_core.significance.differences import differences, outcomes
from touchstone_core.significance.errors import SignificanceError


def test_differences_are_run_minus_baseline():
    assert differences([0.5, 0.25], [0.25, 1.0]).tolist() == [-0.25, 0.75]


def test_what_is_within_the_tolerance_is_a_tie():
    assert differences([0.3, 0.5, 0.5], [0.1 + 0.2, 0.51, 0.6], tolerance=0.02).tolist() == [0, 0, 0.6 - 0.5]
    assert differences([0.3], [0.1 + 0.2]).tolist() == [0]
    assert differences([0.3], [0.1 + 0.2], tolerance=0)[0] > 0


@pytest.mark.parametrize("missing", [None, float("nan"), float("inf")])
def test_a_missing_score_is_refused_and_named(missing):
    with pytest.raises(SignificanceError, match=r"Number 2 of the run’s scores is missing"):
        differences([0.1, 0.2], [0.1, missing])


@pytest.mark.parametrize("scores", [0.5, [[0.5]], ["good"], [[0.5], [0.1, 0.2]], [object()]])
def test_what_is_not_one_number_for_each_query_is_refused(scores):
    with pytest.raises(SignificanceError, match="The run’s scores must be one number for each query"):
        differences([0.5], scores)


def test_no_query_is_refused():
    with pytest.raises(SignificanceError, match="no query"):
        differences([], [])


def test_scores_of_different_queries_are_refused():
    with pytest.raises(SignificanceError, match="The baseline has 2 scores and the run 1"):
        differences([0.1, 0.2], [0.1])


@pytest.mark.parametrize("tolerance", [-0.1, float("inf"), float("nan")])
def test_a_tolerance_is_a_finite_number_from_0(tolerance):
    with pytest.raises(SignificanceError, match="tolerance"):
        differences([0.1], [0.2], tolerance=tolerance)


def test_wins_losses_and_ties_are_counted_and_clear_changes_shared():
    found = outcomes(np.array([0.2, 0.01, -0.3, 0.0]))

    assert (found.wins, found.losses, found.ties, found.changed) == (2, 1, 1, 3)
    assert (found.better, found.worse) == (0.25, 0.25)


def test_a_change_of_just_the_limit_is_not_clear():
    found = outcomes(differences([0.70, 0.75], [0.75, 0.70]))

    assert (found.better, found.worse) == (0, 0)


def test_outcomes_of_28_pairs_of_runs_are_as_published():
    scores, expected = oracles.esci_scores(), oracles.esci_pairs()

    found = [outcomes(differences(scores[row["run_a"]], scores[row["run_b"]])) for row in expected]

    assert len(found) == 28
    assert [(one.wins, one.losses, one.ties) for one in found] == [
        tuple(int(row[name]) for name in ("wins_b", "losses_b", "ties")) for row in expected
    ]


def test_the_rank_biserial_correlation_is_the_published_one():
    """The example of https://en.wikipedia.org/wiki/Wilcoxon_signed-rank_test: T = 9 of 45, r = 0.20. One pair is a tie."""
    first = [125, 115, 130, 140, 140, 115, 140, 125, 140, 135]
    second = [110, 122, 125, 120, 140, 124, 123, 137, 135, 145]

    assert outcomes(differences(second, first)).rank_biserial == pytest.approx(9 / 45)


@given(st.lists(st.integers(-5, 5), min_size=1, max_size=30))
def test_the_rank_biserial_correlation_follows_its_definition(tenths):
    """Kerby 2014, with ranks by scipy. Tenths are no exact binary numbers, but equal changes still share their rank."""
    changes = [each for each in tenths if each]
    ranks = rankdata(np.abs(changes))
    wins, losses = ranks[np.array(changes) > 0].sum(), ranks[np.array(changes) < 0].sum()

    found = outcomes(differences([0.3] * len(tenths), [0.3 + each / 10 for each in tenths])).rank_biserial

    assert found == (pytest.approx((wins - losses) / ranks.sum()) if changes else None)


def test_only_wins_or_only_losses_are_the_ends_of_the_rank_biserial_correlation():
    assert outcomes(np.array([0.1, 0.9, 0.0])).rank_biserial == 1
    assert outcomes(np.array([-0.1, -0.9, -0.9])).rank_biserial == -1
    assert outcomes(np.zeros(3)).rank_biserial is None
