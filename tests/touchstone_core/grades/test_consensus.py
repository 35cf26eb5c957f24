import random
import re
import statistics

import numpy as np
import pytest
import scipy.stats
from hypothesis import given
from hypothesis import strategies as st

from touchstone_core.grades.consensus import (
    BY_DECISION,
    BY_MODEL,
    BY_RULE,
    Consensus,
    Facts,
    ModelGrade,
    consensus,
    explain,
    settle,
    spread,
)
from touchstone_core.grades.rules import ConsensusRule, Rule, Tie

PLAIN_RULES = (Rule.MEDIAN, Rule.MEAN, Rule.TRIMMED, Rule.MAJORITY)
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
            "0, 1, 3: majority between 0, 1 and 3, tie goes to the lower: 0",
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
def test_the_grade_and_how_it_came_to_be(grades: list[float], rule: str, tie: str, value: float, how: str):
    assert consensus(grades, ConsensusRule(Rule(rule), Tie(tie))) == Consensus(value)
    assert explain(Facts(grades), ConsensusRule(Rule(rule), Tie(tie))) == (value, how)


@pytest.mark.parametrize(("rule", "grades"), [("median", [1, 2]), ("majority", [0, 0, 3, 3])])
def test_a_tie_that_waits_for_an_admin_has_no_value(rule: str, grades: list[float]):
    rule_with_admin = ConsensusRule(Rule(rule), Tie.ADJUDICATE)

    value, how = explain(Facts(grades), rule_with_admin)

    assert consensus(grades, rule_with_admin) == (None, True)
    assert value is None
    assert how.endswith("waits for an admin to decide")


@pytest.mark.parametrize("rule", PLAIN_RULES)
def test_no_grades_make_no_grade_and_wait_for_nobody(rule: str):
    assert consensus([], ConsensusRule(Rule(rule))) == Consensus(None, undecided=False)
    assert explain(Facts(), ConsensusRule(Rule(rule))) == (None, "not judged yet")


@pytest.mark.parametrize("rule", PLAIN_RULES)
@pytest.mark.parametrize("tie", Tie)
def test_one_grade_is_the_grade(rule: str, tie: str):
    assert consensus([2], ConsensusRule(Rule(rule), Tie(tie))) == Consensus(2.0)
    assert explain(Facts([2]), ConsensusRule(Rule(rule), Tie(tie))) == (2.0, "2: the only grade")


def test_a_mean_is_exact():
    assert consensus([0.1, 0.1, 0.1], ConsensusRule(Rule.MEAN)).value == 0.1


def test_negative_zero_reads_as_zero():
    assert explain(Facts([-0.0]), ConsensusRule(Rule.MEAN))[1] == "0: the only grade"


@given(GRADES, st.sampled_from(PLAIN_RULES), st.sampled_from(Tie))
def test_the_value_lies_within_the_grades_or_is_undecided(grades: list[float], rule: str, tie: str):
    grade = consensus(grades, ConsensusRule(Rule(rule), Tie(tie)))

    if grade.undecided:
        assert (grade.value, tie) == (None, "adjudicate")
    else:
        assert grade.value is not None
        assert min(grades) <= grade.value <= max(grades)


@given(GRADES, st.sampled_from(PLAIN_RULES), st.sampled_from(Tie), st.integers())
def test_the_order_of_the_grades_does_not_matter(grades: list[float], rule: str, tie: str, seed: int):
    shuffled = random.Random(seed).sample(grades, len(grades))

    assert consensus(shuffled, ConsensusRule(Rule(rule), Tie(tie))) == consensus(
        grades, ConsensusRule(Rule(rule), Tie(tie))
    )


@given(GRADES)
def test_medians_are_those_of_the_standard_library(grades: list[float]):
    assert consensus(grades, ConsensusRule(Rule.MEDIAN, Tie.LOWER)).value == statistics.median_low(grades)
    assert consensus(grades, ConsensusRule(Rule.MEDIAN, Tie.HIGHER)).value == statistics.median_high(grades)
    assert consensus(grades, ConsensusRule(Rule.MEDIAN, Tie.MEAN)).value == pytest.approx(
        statistics.median(grades), abs=1e-12
    )
    if len(grades) % 2:
        assert consensus(grades, ConsensusRule(Rule.MEDIAN, Tie.ADJUDICATE)).value == statistics.median(
            grades
        )


@given(GRADES)
def test_majorities_and_means_are_those_of_the_standard_library(grades: list[float]):
    modes = statistics.multimode(grades)

    assert consensus(grades, ConsensusRule(Rule.MAJORITY, Tie.LOWER)).value == min(modes)
    assert consensus(grades, ConsensusRule(Rule.MAJORITY, Tie.HIGHER)).value == max(modes)
    assert consensus(grades, ConsensusRule(Rule.MAJORITY, Tie.ADJUDICATE)).undecided == (len(modes) > 1)
    assert consensus(grades, ConsensusRule(Rule.MEAN)).value == statistics.mean(map(float, grades))


@given(st.lists(st.sampled_from([-1.0, 0, 0.5, 1, 2, 3, 0.1]), min_size=5, max_size=30))
def test_the_trimmed_mean_is_that_of_scipy(grades: list[float]):
    expected = scipy.stats.trim_mean(grades, 0.2 + 1e-12)

    assert consensus(grades, ConsensusRule(Rule.TRIMMED)).value == pytest.approx(expected, abs=1e-12)


@pytest.mark.parametrize(
    ("grades", "how"),
    [([3, 0], "0, 3: adjudicated 2 (a slip)"), ([], "adjudicated 2 (a slip)")],
)
def test_what_an_admin_decided_stands_beside_the_grades(grades: list[float], how: str):
    facts = Facts(grades, decided=2, cause="a slip", model=ModelGrade(1, 1, 0.9, 1))

    assert explain(facts, ConsensusRule()) == explain(facts, ConsensusRule(Rule.DS_NOMINAL)) == (2.0, how)


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
    assert spread([*grades, *[None] * cannot], kinds=kinds) == apart


@pytest.mark.parametrize(
    ("rule", "model", "value", "how"),
    [
        ("ds-nominal", ModelGrade(3, 3, 0.94, 3), 3, "2, 3, 3: Dawid–Skene 3, 94 % sure"),
        ("ds-ordinal", ModelGrade(2.97, 3, 0.97, 3), 2.97, "2, 3, 3: Dawid–Skene 2.97, 97 % sure of 3"),
        ("ds-ordinal", ModelGrade(3, 3, 0.9999, 3), 3, "2, 3, 3: Dawid–Skene 3, over 99 % sure"),
        (
            "ds-nominal",
            ModelGrade(3, 3, 0.5, 2),
            3,
            "2, 3, 3: Dawid–Skene 3, 50 % sure; 1 grade not in the model",
        ),
        (
            "ds-nominal",
            ModelGrade(2, 2, 0.5, 1),
            2,
            "2, 3, 3: Dawid–Skene 2, 50 % sure; 2 grades not in the model",
        ),
        ("ds-nominal", ModelGrade(2, 2, 0.5, 4), 2, "2, 3, 3: Dawid–Skene 2, 50 % sure"),
        ("ds-nominal", None, 3, "2, 3, 3: majority 3; not in the model"),
        ("ds-ordinal", None, 3, "2, 3, 3: median 3; not in the model"),
    ],
)
def test_what_a_model_says_is_told_as_such(rule: str, model: ModelGrade | None, value: float, how: str):
    assert explain(Facts([3, 2, 3], model=model), ConsensusRule(Rule(rule))) == (value, how)


def test_a_pair_that_is_new_to_the_model_may_wait_for_an_admin():
    assert consensus([2, 3], ConsensusRule(Rule.DS_ORDINAL, Tie.ADJUDICATE)) == (None, True)


def test_a_pair_without_grades_has_none_whatever_the_model():
    facts = Facts([None], model=ModelGrade(3, 3, 0.9, 1))

    assert explain(facts, ConsensusRule(Rule.DS_NOMINAL)) == (None, "only “cannot judge”")


@pytest.mark.parametrize(
    ("facts", "how"),
    [
        (Facts([0], left_out=1), "0: the only grade; without 1 judgment of excluded raters"),
        (Facts([1, 1], left_out=2), "1, 1: median 1; without 2 judgments of excluded raters"),
        (Facts(left_out=1), "no grade: only excluded raters judged it"),
        (Facts([None], left_out=1), "only “cannot judge”"),
    ],
)
def test_judgments_of_excluded_raters_are_told(facts: Facts, how: str):
    assert explain(facts, ConsensusRule())[1] == how


def test_an_explanation_of_many_grades_keeps_its_end():
    value, how = explain(Facts([grade / 7 for grade in range(100)]), ConsensusRule())

    assert len(how) == 300
    assert how.startswith("…")
    assert how.endswith(f" {value:g}")


def test_a_decision_comes_before_the_model_and_the_model_before_the_rule():
    groups, sizes = [(2, 2, None), (None,), (), (1, 3)], [3, 2, 2, 2]
    nothing = float("nan")
    model = np.array([nothing, 1, 1, 3, nothing, 3, nothing, 2, nothing])
    decisions = np.array([nothing, nothing, 0, nothing, 0, nothing, 0, nothing, 0])

    result = settle(
        groups, sizes, ConsensusRule(Rule.DS_ORDINAL, Tie.ADJUDICATE), model=model, decided=decisions
    )

    expected = [2, 1, 0, nothing, 0, nothing, 0, 2, 0]
    assert np.array_equal(result.values, expected, equal_nan=True)
    assert not result.undecided.any()
    sources = [BY_RULE, BY_MODEL, *[BY_DECISION, BY_RULE] * 2, BY_DECISION, BY_MODEL, BY_DECISION]
    assert result.source.tolist() == sources
    without = settle(
        groups,
        sizes,
        ConsensusRule(Rule.MEDIAN, Tie.ADJUDICATE),
        model=model * nothing,
        decided=model * nothing,
    )
    assert without.undecided.tolist() == [False] * 7 + [True] * 2


@given(
    st.lists(st.sampled_from([None, 0, 1, 2.5, 3]), max_size=6),
    st.sampled_from(Rule),
    st.sampled_from(Tie),
    st.none() | st.sampled_from([0, 1.5]),
    st.none() | st.sampled_from([0.25, 3]),
)
def test_the_explanation_ends_in_the_grade(
    answers: list[float | None], rule: str, tie: str, decided: float | None, model: float | None
):
    model_grade = (
        ModelGrade(model, 3, 0.5, len(answers)) if model is not None and rule.startswith("ds-") else None
    )

    value, how = explain(
        Facts(answers, decided=decided, cause="a slip", model=model_grade),
        ConsensusRule(Rule(rule), Tie(tie)),
    )

    if value is None:
        assert how in {"not judged yet", "only “cannot judge”"} or "waits for an admin" in how
    else:
        assert f"{round(value, 4):g}" in re.findall(r"[\d.]+", how)


@pytest.mark.parametrize(("rule", "tie"), [("mode", "lower"), ("median", "none")])
def test_a_rule_that_there_is_not_is_refused(rule: str, tie: str):
    with pytest.raises(ValueError, match="is not a valid"):
        ConsensusRule(Rule(rule), Tie(tie))
