"""Every measure on four queries, worked out on paper from its formula in docs/measures.md."""

from math import log

import numpy as np
import pytest

from touchstone_core.metrics.arrays import ScaleInfo, join, judged_run
from touchstone_core.metrics.definitions import DEFINITIONS
from touchstone_core.metrics.measure import parse

SCALE = ScaleInfo(top_grade=3)
RUN = join(
    {
        "mixed": {"a": 3, "b": 2, "c": 1, "d": 0, "e": 2},
        "short": {"f": 1, "g": 2},
        "late": {"h": 1, "i": 0},
        "lost": {"j": 2},
    },
    {"mixed": ["c", "x", "a", "d", "b"], "short": ["g", "f"], "late": ["u", "v", "w", "h"]},
    SCALE,
)[1]

# What is left at ranks 2, 4 and 5 under 1/log2(rank + 1); at 3 it is a half.
TWO, FOUR, FIVE = (log(2) / log(rank + 1) for rank in (2, 4, 5))
# What is left at ranks 4 and 5 under Järvelin and Kekäläinen's discount with base 3.
FOUR_OF_3, FIVE_OF_3 = (log(3) / log(rank) for rank in (4, 5))
TINY = 1e-5  # of infAP

VALUES = {
    "DCG": [2.5 + 2 * FIVE, 2 + TWO, FOUR, 0],
    "DCG@3": [2.5, 2 + TWO, 0, 0],
    "DCG(gain='exp')@3": [4.5, 3 + TWO, 0, 0],
    "DCG(discount='reciprocal')@5": [1 + 3 / 3 + 2 / 5, 2 + 1 / 2, 1 / 4, 0],
    "DCG(discount='jk')@5": [1 + 3 * TWO + 2 * log(2) / log(5), 3, 1 / 2, 0],
    "DCG(base=3, discount='jk')@5": [4 + 2 * FIVE_OF_3, 3, FOUR_OF_3, 0],
    "IDCG@3": [4 + 2 * TWO, 2 + TWO, 1, 2],
    "IDCG(ideal='local')@3": [3 + TWO, 2 + TWO, 0, 0],
    "IDCG(ideal='recall')@3": [3.5 + 2 * TWO, 2 + TWO, 1, 0],
    "IDCG(depth=4, ideal='recall')@3": [3 + TWO, 2 + TWO, 1, 0],
    "IDCG(depth=3, ideal='recall')@3": [3 + TWO, 2 + TWO, 0, 0],
    "IDCG(ideal='max')@3": [4.5 + 3 * TWO] * 4,
    "IDCG(ideal='max', max=4)@3": [6 + 4 * TWO] * 4,
    "IDCG(ideal='global-uncut')@3": [4 + 2 * TWO + FOUR, 2 + TWO, 1, 2],
    "IDCG(ideal='global-hits')@3": [4 + 2 * TWO, 2 + TWO, 1, 0],
    "IDCG(ideal='global-hits')@1": [3, 2, 1, 0],
    "IDCG(base=3, discount='jk')@5": [7 + FOUR_OF_3, 3, 1, 2],
    "nDCG": [(2.5 + 2 * FIVE) / (4 + 2 * TWO + FOUR), 1, FOUR, 0],
    "nDCG@3": [2.5 / (4 + 2 * TWO), 1, 0, 0],
    "nDCG(ideal='local')@3": [2.5 / (3 + TWO), 1, 0, 0],
    "nDCG(ideal='recall')@3": [2.5 / (3.5 + 2 * TWO), 1, 0, 0],
    "nDCG(depth=3, ideal='recall')@3": [2.5 / (3 + TWO), 1, 0, 0],
    "nDCG(base=3, discount='jk')@5": [(4 + 2 * FIVE_OF_3) / (7 + FOUR_OF_3), 1, FOUR_OF_3, 0],
    "CG": [6, 3, 1, 0],
    "CG@4": [4, 3, 1, 0],
    "CG(gain='exp')@3": [8, 4, 0, 0],
    "P@3": [2 / 3, 2 / 3, 0, 0],
    "P(rel=2)@3": [1 / 3, 1 / 3, 0, 0],
    "R@3": [2 / 4, 1, 0, 0],
    "R(rel=2)@5": [2 / 3, 1, 0, 0],
    "Success@3": [1, 1, 0, 0],
    "Success(rel=3)@3": [1, 0, 0, 0],
    "AP": [(1 + 2 / 3 + 3 / 5) / 4, 1, 1 / 4, 0],
    "AP@3": [(1 + 2 / 3) / 4, 1, 0, 0],
    "AP(rel=2)": [(1 / 3 + 2 / 5) / 3, 1, 0, 0],
    "RR": [1, 1, 1 / 4, 0],
    "RR@3": [1, 1, 0, 0],
    "RR(rel=3)": [1 / 3, 0, 0, 0],
    "Rprec": [2 / 4, 1, 0, 0],
    "Rprec(rel=2)": [1 / 3, 1, 0, 0],
    "ERR": [1 / 8 + 7 / 8 * 7 / 8 / 3 + 7 / 8 * 1 / 8 * 3 / 8 / 5, 3 / 8 + 5 / 8 * 1 / 8 / 2, 1 / 8 / 4, 0],
    "ERR@3": [1 / 8 + 7 / 8 * 7 / 8 / 3, 3 / 8 + 5 / 8 * 1 / 8 / 2, 0, 0],
    "ERR(max=4)@1": [1 / 16, 3 / 16, 0, 0],
    "RBP(p=0.5)": [(1 / 3 + 1 / 4 + 2 / 3 / 16) / 2, (2 / 3 + 1 / 3 / 2) / 2, 1 / 3 / 8 / 2, 0],
    "RBP(p=0.5, rel=2)": [(1 / 4 + 1 / 16) / 2, 1 / 2, 0, 0],
    "RBPres(p=0.5)": [1 - (1 + 1 / 4 + 1 / 8 + 1 / 16) / 2, 1 / 4, 1 - 1 / 16, 0],
    "Judged": [4 / 5, 1, 1 / 4, 0],
    "Judged@3": [2 / 3, 1, 0, 0],
    "Holes": [1, 0, 3, 0],
    "Holes@2": [1, 0, 2, 0],
    "Bpref": [(1 + 1 + 0) / 4, 1, 1, 0],
    "infAP": [
        (1 + 1 / 3 + 1 / 3 * (1 + TINY) / (1 + 2 * TINY) + 1 / 5 + 3 / 5 * (2 + TINY) / (3 + 2 * TINY)) / 4,
        (1 + 1 / 2 + 1 / 2 * (1 + TINY) / (1 + 2 * TINY)) / 2,
        1 / 4,
        0,
    ],
}


@pytest.mark.parametrize("text", VALUES)
def test_a_measure_gives_what_its_formula_says(text):
    values = parse(text).values(RUN)

    assert values.tolist() == pytest.approx(VALUES[text], abs=1e-12)
    assert values.dtype == np.float64


def test_no_measure_is_left_out_here():
    without = DEFINITIONS.keys() - {parse(text).name for text in VALUES}

    assert without == set(), "give VALUES what each of these is of RUN, worked out by hand"


@pytest.mark.parametrize("name", DEFINITIONS)
def test_a_run_without_a_hit_and_without_a_query_has_numbers_with_decimals(name):
    text = f"{name}@1" if DEFINITIONS[name].cutoff == "required" else name
    empty = join({}, {}, SCALE)[1]
    nothing = join({"q": {"a": 1}}, {"q": ["x"]}, SCALE)[1]

    assert parse(text).values(empty).dtype == parse(text).values(nothing).dtype == np.float64


def test_a_query_without_any_judgment_is_left_out_for_its_ideal():
    run = judged_run(
        answered=[True, False],
        retrieved=[1, 0],
        hit_query=[0],
        hit_rank=[1],
        hit_grade=[1],
        judged_query=[0],
        judged_grade=[1],
        scale=SCALE,
    )

    assert parse("nDCG(zero='skip')").values(run).tolist() == pytest.approx([1, np.nan], nan_ok=True)
    assert parse("nDCG").values(run).tolist() == [1, 0]
