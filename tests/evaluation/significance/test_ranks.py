import numpy as np
import pytest

from evaluation.significance.differences import differences
from evaluation.significance.ranks import rank_tests
from tests.evaluation.significance import oracles


def test_wilcoxon_of_28_pairs_of_runs_is_as_published():
    scores, expected = oracles.esci_scores(), oracles.esci_pairs()

    found = [rank_tests(differences(scores[row["run_a"]], scores[row["run_b"]])) for row in expected]

    # Ranks of scores that were rounded to six decimals after they were compared differ a little.
    assert [one.wilcoxon for one in found] == pytest.approx(
        [float(row["wilcoxon_p"]) for row in expected], rel=0.02
    )


def test_the_sign_test_asks_the_binomial_distribution():
    found = rank_tests(np.array([0.1] * 9 + [-0.5] + [0.0] * 7))

    assert found.sign == pytest.approx(2 * (1 + 10) / 2**10)


def test_identical_runs_have_the_p_value_1_and_the_warning_goes_along():
    found = rank_tests(np.zeros(5))

    assert (found.wilcoxon, found.sign) == (1, 1)
    assert "skewed" in found.warning


def test_the_warning_is_true():
    # Means do not differ: 15 % of the queries win much, 85 % lose little.
    skewed = np.where(np.arange(200) < 30, 0.85, -0.15)
    skewed = skewed + np.random.default_rng(1).normal(0, 0.01, 200)

    found = rank_tests(skewed - skewed.mean())

    assert max(found.wilcoxon, found.sign) < 1e-6
