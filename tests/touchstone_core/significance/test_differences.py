import numpy as np
import pytest

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
    with pytest.raises(SignificanceError, match=r"Number 2 of the run's scores is missing"):
        differences([0.1, 0.2], [0.1, missing])


@pytest.mark.parametrize("scores", [0.5, [[0.5]], ["good"], [[0.5], [0.1, 0.2]], [object()]])
def test_what_is_not_one_number_for_each_query_is_refused(scores):
    with pytest.raises(SignificanceError, match="The run's scores must be one number for each query"):
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
