"""Two raters: kappa against independent answers, bias and confusion."""

import numpy as np
import pytest

from judgments.agreement import rater_pairs
from tests.judgments.agreement import real


def confusion(one, other, size):
    matrix = np.zeros((size, size))
    np.add.at(matrix, (np.asarray(one, dtype=int), np.asarray(other, dtype=int)), 1)
    return matrix


@pytest.mark.parametrize("couple", [(1, 2), (1, 3), (2, 3)])
@pytest.mark.parametrize(
    ("weighting", "name"), [("none", "kappa"), ("linear", "linear"), ("quadratic", "quadratic")]
)
def test_kappa_of_two_raters(couple, weighting, name):
    known = real.expected_agreement()["chorus_3agents"]
    rows = [grades for _, grades in real.chorus_ratings()]
    one, other = ([grades[rater - 1] for grades in rows] for rater in couple)

    matrix = rater_pairs.kappa(confusion(one, other, 4), real.FOUR, weighting)

    assert matrix == pytest.approx(known[f"cohen_{name}_r{couple[0]}_r{couple[1]}"], abs=5e-7)


def test_kappa_is_not_defined_without_two_grades_or_pairs():
    always = np.diag([0.0, 7.0, 0.0])

    assert np.isnan(rater_pairs.kappa(always, np.arange(3.0), "quadratic"))
    assert np.isnan(rater_pairs.kappa(np.zeros((3, 3)), np.arange(3.0)))
    assert np.isnan(rater_pairs.agreement(np.zeros((3, 3))))
    assert np.isnan(rater_pairs.bias(np.zeros((3, 3)), np.arange(3.0)))


def test_all_couples_at_once():
    many = np.stack([np.eye(3), np.fliplr(np.eye(3))])

    assert rater_pairs.kappa(many, np.arange(3.0), "linear") == pytest.approx([1, -0.5])
    assert rater_pairs.agreement(many) == pytest.approx([1, 1 / 3])


def test_bias_is_how_much_higher_the_one_grades():
    assert rater_pairs.bias(confusion([2, 3, 1], [0, 3, 0], 4), real.FOUR) == pytest.approx(1.0)


def sums_of(one, other):
    one, other = np.asarray(one, dtype=float), np.asarray(other, dtype=float)
    return np.array(
        [len(one), one.sum(), other.sum(), (one**2).sum(), (other**2).sum(), (one * other).sum(), 0]
    )


def test_concordance_is_quadratic_kappa():
    one, other = [0, 1, 3, 3, 2, 0], [0, 2, 3, 1, 2, 1]

    assert rater_pairs.concordance(sums_of(one, other)) == pytest.approx(
        float(rater_pairs.kappa(confusion(one, other, 4), real.FOUR, "quadratic"))
    )
    assert np.isnan(rater_pairs.concordance(sums_of([0.3, 0.3], [0.3, 0.3])))
    assert np.isnan(rater_pairs.concordance(sums_of([], [])))
