import random
import statistics

import pytest
import scipy.stats
from hypothesis import given
from hypothesis import strategies as st

from judgments.consensus import Consensus, Modelled, Rule, Tie, adjudicated, consensus, spread

RULES: tuple[Rule, ...] = ("median", "mean", "trimmed", "majority")
TIES: tuple[Tie, ...] = ("lower", "higher", "mean", "adjudicate")
GRADES = st.lists(st.sampled_from([-1, 0, 0.5, 1, 2, 3, 0.1]) | st.floats(-100, 100), min_size=1, max_size=9)


@pytest.mark.parametrize(
    ("grades", "rule", "tie", "value", "how"),
    [
        ([3, 2, 3], "median", "lower", 3, "2, 3, 3: median 3"),
        ([2, 1], "median", "lower", 1, "1, 2: median between 1 and 2, tie goes to the lower: 1"),
        ([2, 1], "median", "higher", 2, "1, 2: median between 1 and 2, tie goes to the higher: 2"),
        ([2, 1], "median", "mean", 1.5, "1, 2: median between 1 and 2, tie goes to their mean: 1.5"),
        ([0, 2, 2, 3], "median", "lower", 2, "0, 2, 2, 3: median 2"),
        ([1, 3, 3], "majority", "lower", 3, "1, 3, 3: majority 3"),
        (
            [3, 1, 0],
            "majority",
            "lower",
            0,
            "0, 1, 3: majority between 0 and 1 and 3, tie goes to the lower: 0",
        ),
        (
            [3, 1, 1, 3, 0],
            "majority",
            "higher",
            3,
            "0, 1, 1, 3, 3: majority between 1 and 3, tie goes to the higher: 3",
        ),
        ([3, 1], "majority", "mean", 2, "1, 3: majority between 1 and 3, tie goes to their mean: 2"),
        ([1, 2, 2], "mean", "lower", 5 / 3, "1, 2, 2: mean 1.6667"),
        (
            [0, 3, 3],
            "trimmed",
            "lower",
            2,
            "0, 3, 3: trimmed mean 2 (nothing left out of fewer than 4)",
        ),
        ([3, 0, 3, 2], "trimmed", "adjudicate", 2.5, "0, 2, 3, 3: trimmed mean 2.5 (without 0, 3)"),
    ],
)
def test_the_grade_and_how_it_came_to_be(grades: list[float], rule: Rule, tie: Tie, value: float, how: str):
    assert consensus(grades, rule=rule, tie=tie) == Consensus(value, how)


@pytest.mark.parametrize(("rule", "grades"), [("median", [1, 2]), ("majority", [0, 0, 3, 3])])
def test_a_tie_that_waits_for_an_admin_has_no_value(rule: Rule, grades: list[float]):
    found = consensus(grades, rule=rule, tie="adjudicate")

    assert (found.value, found.undecided) == (None, True)
    assert found.how.endswith("waits for an admin to decide")


@pytest.mark.parametrize("rule", RULES)
def test_no_grades_make_no_grade_and_wait_for_nobody(rule: Rule):
    assert consensus([], rule=rule) == Consensus(None, "no grades yet", undecided=False)


@pytest.mark.parametrize("rule", RULES)
@pytest.mark.parametrize("tie", TIES)
def test_one_grade_is_the_grade(rule: Rule, tie: Tie):
    assert consensus([2], rule=rule, tie=tie) == Consensus(2.0, "2: the only grade")


def test_a_mean_is_exact():
    assert consensus([0.1, 0.1, 0.1], rule="mean").value == 0.1


def test_negative_zero_reads_as_zero():
    assert consensus([-0.0], rule="mean").how == "0: the only grade"


@given(GRADES, st.sampled_from(RULES), st.sampled_from(TIES))
def test_the_value_lies_within_the_grades_or_is_undecided(grades: list[float], rule: Rule, tie: Tie):
    found = consensus(grades, rule=rule, tie=tie)

    if found.undecided:
        assert (found.value, tie) == (None, "adjudicate")
    else:
        assert found.value is not None
        assert min(grades) <= found.value <= max(grades)


@given(GRADES, st.sampled_from(RULES), st.sampled_from(TIES), st.integers())
def test_the_order_of_the_grades_does_not_matter(grades: list[float], rule: Rule, tie: Tie, seed: int):
    shuffled = random.Random(seed).sample(grades, len(grades))

    assert consensus(shuffled, rule=rule, tie=tie) == consensus(grades, rule=rule, tie=tie)


@given(GRADES)
def test_medians_are_those_of_the_standard_library(grades: list[float]):
    assert consensus(grades, rule="median", tie="lower").value == statistics.median_low(grades)
    assert consensus(grades, rule="median", tie="higher").value == statistics.median_high(grades)
    assert consensus(grades, rule="median", tie="mean").value == pytest.approx(
        statistics.median(grades), abs=1e-12
    )
    if len(grades) % 2:
        assert consensus(grades, rule="median", tie="adjudicate").value == statistics.median(grades)


@given(GRADES)
def test_majorities_and_means_are_those_of_the_standard_library(grades: list[float]):
    modes = statistics.multimode(grades)

    assert consensus(grades, rule="majority", tie="lower").value == min(modes)
    assert consensus(grades, rule="majority", tie="higher").value == max(modes)
    assert consensus(grades, rule="majority", tie="adjudicate").undecided == (len(modes) > 1)
    assert consensus(grades, rule="mean").value == statistics.mean(map(float, grades))


@given(st.lists(st.sampled_from([-1.0, 0, 0.5, 1, 2, 3, 0.1]), min_size=5, max_size=30))
def test_the_trimmed_mean_is_that_of_scipy(grades: list[float]):
    expected = scipy.stats.trim_mean(grades, 0.2 + 1e-12)

    assert consensus(grades, rule="trimmed").value == pytest.approx(expected, abs=1e-12)


@pytest.mark.parametrize(
    ("grades", "how"),
    [([3, 0], "0, 3: adjudicated 2 (a slip)"), ([], "adjudicated 2 (a slip)")],
)
def test_what_an_admin_decided_stands_beside_the_grades(grades: list[float], how: str):
    assert adjudicated(grades, 2, "a slip") == Consensus(2.0, how)


@pytest.mark.parametrize(
    ("grades", "cannot", "kinds", "apart"),
    [
        ([], 0, False, None),
        ([], 2, False, None),
        ([2], 0, False, None),
        ([2, 2], 0, True, None),
        ([2], 1, False, 0),
        ([3, 0, 2], 0, False, 3),
        ([0.25, 1, 1], 1, False, 0.75),
        ([3, 0, 2, 3], 1, True, 0.5),
        ([0, 1], 0, True, 0.5),
    ],
)
def test_how_far_answers_lie_apart(grades, cannot, kinds, apart):
    assert spread(grades, cannot=cannot, kinds=kinds) == apart


@pytest.mark.parametrize(
    ("rule", "model", "value", "how"),
    [
        ("ds-nominal", Modelled(3, 3, 0.94, 3), 3, "2, 3, 3: Dawid–Skene 3, 94 % sure"),
        ("ds-ordinal", Modelled(2.97, 3, 0.97, 3), 2.97, "2, 3, 3: Dawid–Skene 2.97, 97 % sure of 3"),
        ("ds-ordinal", Modelled(3, 3, 0.9999, 3), 3, "2, 3, 3: Dawid–Skene 3, over 99 % sure"),
        (
            "ds-nominal",
            Modelled(3, 3, 0.5, 2),
            3,
            "2, 3, 3: Dawid–Skene 3, 50 % sure; 1 grade not in the model",
        ),
        (
            "ds-nominal",
            Modelled(2, 2, 0.5, 1),
            2,
            "2, 3, 3: Dawid–Skene 2, 50 % sure; 2 grades not in the model",
        ),
        ("ds-nominal", Modelled(2, 2, 0.5, 4), 2, "2, 3, 3: Dawid–Skene 2, 50 % sure"),
        ("ds-nominal", None, 3, "2, 3, 3: majority 3; not in the model"),
        ("ds-ordinal", None, 3, "2, 3, 3: median 3; not in the model"),
    ],
)
def test_what_a_model_says_is_told_as_such(rule: Rule, model: Modelled | None, value: float, how: str):
    assert consensus([3, 2, 3], rule=rule, model=model) == Consensus(value, how)


def test_a_pair_that_is_new_to_the_model_may_wait_for_an_admin():
    found = consensus([2, 3], rule="ds-ordinal", tie="adjudicate")

    assert (found.value, found.undecided) == (None, True)


def test_a_pair_without_grades_has_none_whatever_the_model():
    assert consensus([], rule="ds-nominal") == Consensus(None, "no grades yet")
