"""Alpha against published and independent answers, and where it is not defined."""

from itertools import permutations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from judgments.agreement import alpha as arithmetic
from judgments.agreement.figures import Figure
from judgments.agreement.units import Units, coincidences, moments
from tests.judgments.agreement import real

LEVELS = ("nominal", "ordinal", "interval")


def all_alphas(units, scale):
    matrix = coincidences(units, scale).sum(axis=0)
    return {level: float(arithmetic.alpha(matrix, scale, level)) for level in LEVELS}


def test_the_example_of_the_paper():
    matrix = all_alphas(real.krippendorff_units(), real.FIVE)

    assert matrix == pytest.approx({"nominal": 0.743, "ordinal": 0.815, "interval": 0.849}, abs=5e-4)


def test_the_coincidences_of_the_paper():
    matrix = coincidences(real.krippendorff_units(), real.FIVE)[0]

    assert matrix.sum(axis=0) == pytest.approx([9, 13, 10, 5, 3])
    assert matrix[0] == pytest.approx([7, 4 / 3, 1 / 3, 1 / 3, 0])


def test_product_search_with_three_raters():
    known = real.expected_agreement()["chorus_3agents"]

    units = real.chorus_units()

    assert units.judgments == known["labels"]
    assert all_alphas(units, real.FOUR) == pytest.approx(
        {level: known[f"krippendorff_alpha_{level}"] for level in LEVELS}, abs=5e-7
    )


def test_a_crowd_of_445_workers():
    known = real.expected_agreement()["vuurens_votes_first_label_per_worker"]
    by_pair = {}
    for pair, _, label in real.vuurens_labels():
        by_pair.setdefault(pair, []).append(label)

    units = Units.of([(0, grades, 1) for grades in by_pair.values()], queries=1)

    assert units.judgments == known["labels"]
    assert all_alphas(units, real.TWO) == pytest.approx(
        dict.fromkeys(LEVELS, known["krippendorff_alpha_nominal"]), abs=5e-7
    )


def plain_alpha(pairs, distance):
    """Straight from the definition, couple by couple."""
    pairs = [grades for grades in pairs if len(grades) > 1]
    everything = [grade for grades in pairs for grade in grades]
    total = len(everything)
    observed = sum(
        sum(distance(a, b) for a, b in permutations(grades, 2)) / (len(grades) - 1) for grades in pairs
    )
    expected = sum(distance(a, b) for a, b in permutations(everything, 2)) / (total - 1)
    return 1 - observed / expected if expected else None


JUDGED = st.lists(st.lists(st.sampled_from([-1.0, 0.0, 0.5, 2.0]), max_size=5), max_size=12)


@given(JUDGED)
def test_alpha_is_its_definition(pairs):
    scale = np.array([-1.0, 0, 0.5, 1, 2])
    units = Units.of([(0, grades, 1) for grades in pairs], queries=1)
    sums = moments(units, center=0.5, near=0.0).sum(axis=0)

    matrix = all_alphas(units, scale) | {"moments": float(arithmetic.alpha_of_moments(sums))}

    nominal, interval = plain_alpha(pairs, lambda a, b: a != b), plain_alpha(pairs, lambda a, b: (a - b) ** 2)
    if nominal is None:
        assert all(np.isnan(value) for value in matrix.values())
    else:
        assert matrix["nominal"] == pytest.approx(nominal)
        assert matrix["interval"] == pytest.approx(interval)
        assert matrix["moments"] == pytest.approx(interval)


@given(JUDGED)
def test_the_order_of_judgments_and_of_pairs_does_not_matter(pairs):
    scale = np.array([-1.0, 0, 0.5, 1, 2])
    rotation = [list(reversed(grades)) for grades in reversed(pairs)]

    one, other = (
        all_alphas(Units.of([(0, grades, 1) for grades in each], queries=1), scale)
        for each in (pairs, rotation)
    )

    assert one == pytest.approx(other, nan_ok=True)


def test_queries_add_up_and_alike_pairs_count_as_often_as_they_are():
    apart = Units.of([(0, [1, 2], 1), (0, [2, 1], 1), (2, [3, 3, 1], 1)], queries=3)
    together = Units.of([(0, [1, 2], 2), (2, [1, 3, 3], 1)], queries=3)

    matrix = coincidences(apart, real.FIVE)

    assert matrix.tolist() == coincidences(together, real.FIVE).tolist()
    assert matrix[1].sum() == 0
    assert matrix.sum(axis=(1, 2)).tolist() == pytest.approx([4, 0, 3])
    assert (
        moments(apart, center=0, near=1).tolist()
        == moments(together, center=0, near=1).tolist()
        == [[4, 6, 10, 4, 4, 4], [0] * 6, [3, 7, 19, 8, 4, 1]]
    )


@pytest.mark.parametrize(
    "pairs",
    [[], [[1.0]], [[1.0], [2.0], []], [[2.0, 2.0]], [[2.0, 2.0], [2.0, 2.0, 2.0], [3.0]]],
    ids=["nothing", "one judgment", "one rater", "one pair, one grade", "one grade only"],
)
def test_alpha_is_not_defined_without_two_grades_on_pairs_with_two_judgments(pairs):
    units = Units.of([(0, grades, 1) for grades in pairs], queries=1)
    sums = moments(units, center=0.0, near=0.0).sum(axis=0)

    matrix = all_alphas(units, real.FIVE)

    assert all(np.isnan(value) for value in matrix.values())
    assert np.isnan(arithmetic.alpha_of_moments(sums))
    assert Figure.of(matrix["nominal"], "Only one grade.") == Figure(None, "Only one grade.")


def test_one_pair_with_different_grades_is_no_better_than_chance():
    matrix = all_alphas(Units.of([(0, [1, 3], 1)], queries=1), real.FIVE)

    assert matrix == pytest.approx(dict.fromkeys(LEVELS, 0.0))
    assert Figure.of(matrix["nominal"], "unused") == Figure(0.0)


def test_a_scale_without_grades_in_use_gives_empty_matrices():
    units = Units.of([], queries=2)

    matrix = coincidences(units, np.array([]))

    assert matrix.shape == (2, 0, 0)
    assert np.isnan(arithmetic.alpha(matrix, np.array([]), "ordinal")).all()


def test_percent_agreement_and_chance_make_nominal_alpha():
    matrix = coincidences(real.chorus_units(), real.FOUR).sum(axis=0)

    observed, chance = arithmetic.observed_agreement(matrix), arithmetic.expected_agreement(matrix)

    assert 1 - (1 - observed) / (1 - chance) == pytest.approx(0.642597, abs=5e-7)
    assert np.isnan(arithmetic.observed_agreement(np.zeros((2, 2))))
    assert np.isnan(arithmetic.expected_agreement(np.zeros((2, 2))))


def test_near_misses_and_distances():
    units = Units.of([(0, [0, 1], 1), (0, [0, 3], 1), (0, [2, 2], 1)], queries=1)
    matrix = coincidences(units, real.FOUR).sum(axis=0)
    sums = moments(units, center=2.0, near=1.0).sum(axis=0)

    assert arithmetic.within_one(matrix, np.arange(4)) == pytest.approx(2 / 3)
    assert arithmetic.mean_distance(matrix, real.FOUR) == pytest.approx(4 / 3)
    assert arithmetic.near_share_of_moments(sums) == pytest.approx(2 / 3)
    assert arithmetic.mean_distance_of_moments(sums) == pytest.approx(4 / 3)


def test_grades_of_a_slider_are_near_within_their_tolerance_in_spite_of_rounding():
    units = Units.of([(0, [0.1, 0.2], 1), (0, [0.7, 0.8], 1), (0, [0.1, 0.21], 1)], queries=1)

    assert moments(units, center=0.0, near=0.1)[0, 5] == 4


def test_moments_hold_far_from_zero():
    near = Units.of([(0, [0.0, 0.1], 1), (0, [0.2, 0.1], 1), (0, [0.3, 0.3], 1)], queries=1)
    far = Units.of([(0, [90.0, 90.1], 1), (0, [90.2, 90.1], 1), (0, [90.3, 90.3], 1)], queries=1)

    one, other = (
        arithmetic.alpha_of_moments(moments(units, center=50.0, near=0)[0]) for units in (near, far)
    )

    assert one == pytest.approx(float(other), abs=1e-6)
    constant = Units.of([(0, [90.1, 90.1, 90.1], 7)], queries=1)
    assert np.isnan(arithmetic.alpha_of_moments(moments(constant, center=50.0, near=0)[0]))
