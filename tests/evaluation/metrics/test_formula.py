import pytest
from hypothesis import given
from hypothesis import strategies as st

from evaluation.metrics.errors import FormulaError
from evaluation.metrics.formula import GREATEST_CUTOFF, IDEALS, Formula
from evaluation.metrics.grammar import read, write
from tests.evaluation.metrics.scenes import formulas


@given(formulas())
def test_a_formula_is_what_its_key_says(formula):
    assert Formula.from_key(formula.key) == formula
    assert Formula.from_key(formula.key).key == formula.key


@given(formulas(), formulas())
def test_two_formulas_share_a_key_only_when_they_are_equal(first, second):
    assert (first.key == second.key) == (first == second)


@given(formulas(), st.sampled_from(IDEALS))
def test_the_text_of_a_measure_reads_back_into_its_parts(formula, ideal):
    text = read(formula.measure(ideal))

    assert text.name == "nDCG"
    assert text.cutoff == formula.cutoff
    assert text.parameters.get("ideal", "global") == ideal
    assert write(text.name, text.parameters, formula.cutoff) == formula.measure(ideal)


@pytest.mark.parametrize(
    ("formula", "ideal", "text"),
    [
        (Formula(), "global", "nDCG@10"),
        (Formula(depth=100), "global", "nDCG@10"),
        (Formula(depth=100, gain="exp"), "recall", "nDCG(depth=100, gain='exp', ideal='recall')@10"),
        (Formula(cutoff=3), "local", "nDCG(ideal='local')@3"),
        (Formula(discount="jk"), "max", "nDCG(discount='jk', ideal='max')@10"),
        (Formula(discount="jk", base=3), "global", "nDCG(base=3, discount='jk')@10"),
        (Formula(discount="jk", base=2.5), "global", "nDCG(base=2.5, discount='jk')@10"),
    ],
)
def test_the_text_of_a_measure_leaves_out_defaults_and_is_alphabetical(formula, ideal, text):
    assert formula.measure(ideal) == text


def test_dcg_knows_no_recall_depth_but_the_key_does():
    formula = Formula(depth=100, gain="exp")

    assert formula.dcg_measure() == "DCG(gain='exp')@10"
    assert formula.key == "DCG(depth=100, gain='exp')@10"


def test_the_default_base_is_the_same_formula_as_none():
    assert Formula(discount="jk") == Formula(discount="jk", base=2)
    assert len({Formula(discount="jk"), Formula(discount="jk", base=2)}) == 1


def test_a_key_may_use_double_quotes_and_other_blanks():
    assert Formula.from_key(' DCG( gain = "exp",depth=20 )@5 ') == Formula(gain="exp", depth=20, cutoff=5)


@pytest.mark.parametrize(
    ("choices", "message"),
    [
        ({"gain": "cubic"}, "gain is 'cubic'; expected one of linear, exp, table"),
        ({"discount": "log10"}, "discount is 'log10'; expected one of log2, jk, reciprocal, none"),
        ({"base": 2}, "base is 2; expected none"),
        ({"discount": "jk", "base": 1}, "base is 1; expected a number above 1"),
        ({"discount": "jk", "base": float("nan")}, "base is nan"),
        ({"discount": "jk", "base": float("inf")}, "base is inf"),
        ({"discount": "jk", "base": True}, "base is True"),
        ({"discount": "jk", "base": "2"}, "base is '2'"),
        ({"cutoff": 0}, "cutoff is 0; expected a whole number from 1"),
        ({"cutoff": 1.5}, r"cutoff is 1\.5"),
        ({"cutoff": True}, "cutoff is True"),
        ({"cutoff": GREATEST_CUTOFF + 1}, "cutoff is 100001"),
        ({"depth": 0}, "recall depth is 0"),
        ({"cutoff": 10, "depth": 9}, "recall depth is 9; expected at least the cutoff, which is 10"),
    ],
)
def test_a_formula_that_makes_no_sense_is_refused_with_what_was_expected(choices, message):
    with pytest.raises(FormulaError, match=message):
        Formula(**choices)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "is not a measure"),
        ("DCG(gain='exp'@10", "is not a measure"),
        ("DCG@ten", "is not a measure"),
        ("DCG@9999999999999999999999", "is not a measure"),
        ("DCG", "is not a formula"),
        ("nDCG@10", "is not a formula"),
        ("DCG(ideal='max')@10", "has the parameter ideal; expected base, depth, discount or gain"),
        ("DCG(gain=exp)@10", "character 10, expected a number or a text in quotes"),
        ("DCG(gain=open('x'))@10", "character 10, expected a number or a text in quotes"),
        ("DCG(gain='exp',)@10", "character 16, expected a parameter"),
        ("DCG(gain='exp', gain='exp')@10", "character 17, the parameter gain stands a second time"),
        ("DCG(depth='20')@10", "recall depth is '20'"),
        ("DCG(depth=20.5)@10", r"recall depth is 20\.5"),
        (f"DCG(depth={'9' * 400})@10", "recall depth is inf"),
        ("DCG(depth=5)@10", "recall depth is 5; expected at least the cutoff"),
    ],
)
def test_a_text_that_is_no_key_is_refused(text, message):
    with pytest.raises(FormulaError, match=message):
        Formula.from_key(text)


@given(st.text(max_size=30) | st.from_regex(r"DCG\([a-z=',0-9 ]*\)@[0-9]+", fullmatch=True))
def test_any_text_is_a_formula_or_refused(text):
    try:
        formula = Formula.from_key(text)
    except FormulaError:
        return
    assert Formula.from_key(formula.key) == formula


def test_the_words_name_gain_discount_cutoff_depth_and_policies():
    assert Formula().words() == (
        "Linear gain (the grade itself), log2 discount 1/log2(rank+1), cutoff 10, ideal of recall over the whole "
        "ranking; an unjudged document keeps its rank and gains nothing; a judged query without an answer counts "
        "as 0, and so does one whose ideal is 0."
    )


@pytest.mark.parametrize(
    ("formula", "words"),
    [
        (Formula(gain="exp"), "Exponential gain (2^grade − 1)"),
        (Formula(gain="table"), "The gain that the scale gives each level"),
        (Formula(discount="jk", base=3), "base 3 (1 before rank 3, then 1/log3(rank))"),
        (Formula(discount="reciprocal"), "reciprocal discount 1/rank"),
        (Formula(discount="none"), "no discount"),
        (Formula(depth=50), "over the first 50 ranks"),
    ],
)
def test_the_words_say_each_choice(formula, words):
    assert words in formula.words()


def test_an_unknown_ideal_has_no_measure():
    with pytest.raises(FormulaError, match="ideal is 'best'"):
        Formula().measure("best")
