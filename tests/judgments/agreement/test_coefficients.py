"""Fleiss' kappa and Gwet's coefficients against published answers and their definitions."""

import numpy as np
import pytest

from judgments.agreement import coefficients
from judgments.agreement.units import Units, counts
from tests.judgments.agreement import real


def test_fleiss_kappa_of_three_raters():
    units = real.chorus_units()
    known = real.expected_agreement()["chorus_3agents"]
    grade_counts = counts(units, real.FOUR)

    assert coefficients.fleiss(grade_counts, units.pairs_of_kinds).value == pytest.approx(
        known["fleiss_kappa"], abs=5e-7
    )
    assert coefficients.all_agree(grade_counts, units.pairs_of_kinds) == pytest.approx(
        known["pct_all_agree"], abs=5e-7
    )


def test_fleiss_example_of_1971():
    """Fleiss 1971, table 1 as it is reprinted everywhere: ten subjects, fourteen raters, five categories; kappa .210."""
    grade_counts = np.array(
        [
            [0, 0, 0, 0, 14],
            [0, 2, 6, 4, 2],
            [0, 0, 3, 5, 6],
            [0, 3, 9, 2, 0],
            [2, 2, 8, 1, 1],
            [7, 7, 0, 0, 0],
            [3, 2, 6, 3, 0],
            [2, 5, 3, 2, 2],
            [6, 5, 2, 1, 0],
            [0, 2, 2, 3, 7],
        ]
    )

    assert coefficients.fleiss(grade_counts, np.ones(10, dtype=int)).value == pytest.approx(0.210, abs=5e-4)


def test_fleiss_kappa_says_when_it_does_not_hold():
    unequal = real.krippendorff_units()
    same = np.array([[2, 0], [2, 0]])

    figure = coefficients.fleiss(counts(unequal, real.FIVE), unequal.pairs_of_kinds)
    assert (figure.value, figure.why) == (None, coefficients.UNEQUAL)
    assert coefficients.fleiss(same, np.ones(2, dtype=int)).why.startswith("All raters gave the same grade")
    assert coefficients.fleiss(same[:0], np.ones(0, dtype=int)).why.startswith("No pair has two judgments")


def test_ac1_of_four_raters_with_gaps():
    """irrCAC on its `cac.raw4raters`, which is the table of Krippendorff 2011: AC1 .77544; unit 12 has one judgment."""
    units = real.krippendorff_units()
    singles = np.array([0, 0, 1, 0, 0])

    figure = coefficients.gwet(counts(units, real.FIVE), units.pairs_of_kinds, singles, np.eye(5))

    assert figure.value == pytest.approx(0.77544, abs=5e-6)


def plain_gwet(units, singles, grades, weight):
    """Gwet 2014, equations of chapter 3, unit by unit."""
    scene = []
    use = {grade: float(count) for grade, count in zip(grades, singles, strict=True)}
    for unit in units:
        size = len(unit)
        couples = [weight(unit[i], unit[j]) for i in range(size) for j in range(size) if i != j]
        scene.append(sum(couples) / (size * (size - 1)))
        for grade in unit:
            use[grade] += 1 / size
    total = len(units) + sum(singles)
    spread = sum(count / total * (1 - count / total) for count in use.values())
    weights = sum(weight(a, b) for a in grades for b in grades)
    chance = weights / (len(grades) * (len(grades) - 1)) * spread
    observed = sum(scene) / len(scene)
    return (observed - chance) / (1 - chance)


def test_ac2_is_its_definition():
    pairs = [[0, 1, 1], [3, 3], [0, 3], [0, 0, 0, 2]]
    units = Units.of([(0, pair, 1) for pair in pairs], queries=1)
    singles = [1, 0, 0, 2]

    figure = coefficients.gwet(
        counts(units, real.FOUR),
        units.pairs_of_kinds,
        np.array(singles),
        coefficients.quadratic_weights(real.FOUR),
    )

    assert figure.value == pytest.approx(
        plain_gwet(pairs, singles, [0, 1, 2, 3], lambda a, b: 1 - ((a - b) / 3) ** 2)
    )


def test_gwet_is_high_where_alpha_suffers_from_one_grade_that_prevails():
    units = Units.of([(0, [0, 0], 95), (0, [0, 1], 5)], queries=1)

    figure = coefficients.gwet(counts(units, real.TWO), units.pairs_of_kinds, np.zeros(2), np.eye(2))

    assert figure.value > 0.9


def test_gwet_is_defined_when_one_grade_only_was_used_of_several():
    units = Units.of([(0, [1, 1], 3)], queries=1)

    assert (
        coefficients.gwet(counts(units, real.TWO), units.pairs_of_kinds, np.zeros(2), np.eye(2)).value == 1.0
    )


def test_gwet_says_when_it_does_not_hold():
    none, one = np.zeros((0, 2), dtype=int), np.array([[2]])

    assert coefficients.gwet(none, np.zeros(0), np.zeros(2), np.eye(2)).why.startswith("No pair")
    assert coefficients.gwet(one, np.ones(1), np.zeros(1), np.eye(1)).why == "The scale has only one grade."


def test_weights_of_a_single_place_are_one():
    assert coefficients.quadratic_weights(np.array([2.0])).tolist() == [[1.0]]
    assert coefficients.quadratic_weights(np.array([])).shape == (0, 0)
    assert coefficients.quadratic_weights(real.FOUR)[0] == pytest.approx([1, 8 / 9, 5 / 9, 0])


def test_nobody_agrees_without_pairs():
    assert np.isnan(coefficients.all_agree(np.zeros((0, 2), dtype=int), np.zeros(0)))
