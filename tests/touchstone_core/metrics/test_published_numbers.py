"""The worked examples that the documentation of the formulas prints."""

import pytest

from tests.touchstone_core.metrics.scenes import score
from touchstone_core.metrics.arrays import ScaleInfo
from touchstone_core.metrics.formula import IDEALS, Formula

ZOOLANDER = {"movie": 1.0, "sequel": 0.9, "photo": 0.7, "helicopter": 0.1, "dog": 0.1}
TABLE = {"d1": 3, "d2": 2, "d3": 0, "d4": 1, "d5": 3}
LONG = ["d2", "X", "d4", "d1", "d3", "Y"]


def graded(grades):
    return {f"d{rank}": grade for rank, grade in enumerate(grades)}


def test_zoolander_has_the_four_ideals_of_the_worked_example():
    formula = Formula(discount="reciprocal", cutoff=2)

    scored = score(ZOOLANDER, ["helicopter", "movie", "photo"], formula, ScaleInfo(top_grade=1.0))

    assert scored.dcg[0] == pytest.approx(0.6, abs=1e-12)
    assert [scored.ideal(name)[0] for name in IDEALS] == pytest.approx([1.05, 1.35, 1.45, 1.5], abs=1e-12)
    assert [scored.ndcg(name)[0] for name in IDEALS] == pytest.approx(
        [0.571429, 0.444444, 0.413793, 0.4], abs=5e-7
    )


@pytest.mark.parametrize(
    ("ranking", "cutoff", "gain", "dcg", "ndcg"),
    [
        (LONG, 3, "exp", 3.5, [0.963940, 0.372626, 0.270971, 0.234639]),
        (LONG, 3, "linear", 2.5, [0.950234, 0.525005, 0.424247, 0.391066]),
        (LONG, 10, "exp", 6.514736, [0.693589, 0.693589, 0.488098, 0.204834]),
        (["d1"], 3, "exp", 7, [1, 1, 0.541942, 0.469279]),
    ],
)
def test_the_four_ndcgs_agree_with_the_printed_table(ranking, cutoff, gain, dcg, ndcg):
    scored = score(TABLE, ranking, Formula(gain=gain, cutoff=cutoff), ScaleInfo(top_grade=3))

    assert scored.dcg[0] == pytest.approx(dcg, abs=5e-7)
    assert [scored.ndcg(name)[0] for name in IDEALS] == pytest.approx(ndcg, abs=5e-7)


def test_five_grades_have_the_printed_dcg_and_ndcg():
    grades = graded([3, 2, 3, 0, 1])

    assert score(grades, list(grades), Formula(gain="exp", cutoff=5)).dcg[0] == pytest.approx(
        12.779642, abs=5e-7
    )
    assert score(grades, list(grades), Formula(cutoff=5)).ndcg("local")[0] == pytest.approx(
        0.972364, abs=5e-7
    )


@pytest.mark.parametrize(
    ("formula", "ndcg"),
    [
        (Formula(cutoff=6), 0.9608),
        (Formula(gain="exp", cutoff=6), 0.9488),
        (Formula(discount="jk", base=2, cutoff=6), 0.9315),
    ],
)
def test_six_grades_have_the_ndcg_of_each_flavor(formula, ndcg):
    grades = graded([3, 2, 3, 0, 1, 2])

    assert score(grades, list(grades), formula).ndcg("global")[0] == pytest.approx(ndcg, abs=5e-5)


def test_binary_grades_do_not_make_the_discounts_equal():
    second = {"a": 0, "b": 1}

    assert score(second, ["a", "b"], Formula(discount="jk")).ndcg("global")[0] == 1.0
    assert score(second, ["a", "b"], Formula()).ndcg("global")[0] == pytest.approx(0.6309, abs=5e-5)


def test_the_discount_can_change_the_winner():
    middle, ends = graded([0, 1, 1, 0]), graded([1, 0, 0, 1])

    def dcg(grades, discount):
        return score(grades, list(grades), Formula(discount=discount)).dcg[0]

    assert dcg(middle, "jk") == pytest.approx(1.6309, abs=5e-5)
    assert dcg(ends, "jk") == pytest.approx(1.5, abs=5e-5)
    assert dcg(middle, "log2") == pytest.approx(1.1309, abs=5e-5)
    assert dcg(ends, "log2") == pytest.approx(1.4307, abs=5e-5)


@pytest.mark.parametrize(("gain", "first", "second"), [("linear", 0.8597, 0.7602), ("exp", 0.7967, 0.8262)])
def test_the_gain_can_change_the_winner(gain, first, second):
    grades, formula = {"h": 2, "m": 1, "n": 0}, Formula(gain=gain, cutoff=2)

    assert score(grades, ["m", "h"], formula).ndcg("global")[0] == pytest.approx(first, abs=5e-5)
    assert score(grades, ["h", "n"], formula).ndcg("global")[0] == pytest.approx(second, abs=5e-5)


def test_esci_gains_come_from_the_table_of_the_scale():
    esci = ScaleInfo(top_grade=3, gains={0: 0.0, 1: 0.01, 2: 0.1, 3: 1.0})

    scored = score(
        {"E": 3, "S": 2, "C": 1, "I": 0}, ["I", "C", "S", "E"], Formula(gain="table", discount="none"), esci
    )

    assert scored.dcg[0] == pytest.approx(1.11)
    assert scored.ideal_max[0] == pytest.approx(10)
