import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.touchstone_core.metrics.refusals import refused
from tests.touchstone_core.metrics.scenes import formulas
from touchstone_core.metrics.errors import FormulaError
from touchstone_core.metrics.formula import GREATEST_CUTOFF, IDEALS, Formula
from touchstone_core.metrics.grammar import read, write


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


def test_the_policies_stand_in_every_text_that_they_bear_on():
    formula = Formula(unjudged="condensed", zero="skip", missing="skip")

    assert formula.key == "DCG(missing='skip', unjudged='condensed', zero='skip')@10"
    assert formula.measure("global") == "nDCG(missing='skip', unjudged='condensed', zero='skip')@10"
    assert formula.dcg_measure() == "DCG(missing='skip', unjudged='condensed')@10"
    assert formula.judged_measure() == "Judged(missing='skip')@10"
    assert formula.holes_measure() == "Holes(missing='skip')@10"
    assert (Formula().judged_measure(), Formula().holes_measure()) == ("Judged@10", "Holes@10")


def test_the_cutoff_and_the_depth_may_be_as_great_as_the_greatest():
    formula = Formula(cutoff=GREATEST_CUTOFF, depth=GREATEST_CUTOFF)

    assert formula.key == "DCG(depth=100000)@100000"


def test_equal_numbers_are_one_policy():
    assert Formula(zero=1.0).key == Formula(zero=1).key == "DCG(zero=1)@10"
    assert Formula.from_key("DCG(missing=0, unjudged='zero', zero=0)@10") == Formula()


def test_the_default_base_is_the_same_formula_as_none():
    assert Formula(discount="jk") == Formula(discount="jk", base=2)
    assert len({Formula(discount="jk"), Formula(discount="jk", base=2)}) == 1


def test_a_key_may_use_double_quotes_and_other_blanks():
    assert Formula.from_key(' DCG( gain = "exp",depth=20 )@5 ') == Formula(gain="exp", depth=20, cutoff=5)


@pytest.mark.parametrize(
    ("choices", "sentence"),
    [
        ({"gain": "cubic"}, "The gain can’t be 'cubic'. Use one of linear, exp, table."),
        ({"discount": "log10"}, "The discount can’t be 'log10'. Use one of log2, jk, reciprocal, none."),
        ({"base": 2}, "The base can’t be 2. Leave it out, because only the discount 'jk' has one."),
        ({"discount": "jk", "base": 1}, "The base can’t be 1. Use a number above 1."),
        ({"discount": "jk", "base": float("nan")}, "The base can’t be nan. Use a number above 1."),
        ({"discount": "jk", "base": float("inf")}, "The base can’t be inf. Use a number above 1."),
        ({"discount": "jk", "base": True}, "The base can’t be True. Use a number above 1."),
        ({"discount": "jk", "base": "2"}, "The base can’t be '2'. Use a number above 1."),
        ({"cutoff": 0}, "The cutoff can’t be 0. Use a whole number from 1 to 100000."),
        ({"cutoff": 1.5}, "The cutoff can’t be 1.5. Use a whole number from 1 to 100000."),
        ({"cutoff": True}, "The cutoff can’t be True. Use a whole number from 1 to 100000."),
        ({"cutoff": GREATEST_CUTOFF + 1}, "The cutoff can’t be 100001. Use a whole number from 1 to 100000."),
        ({"unjudged": "none"}, "The unjudged can’t be 'none'. Use one of zero, condensed."),
        ({"zero": 2}, "The zero can’t be 2. Use one of 0, 1, skip."),
        ({"zero": True}, "The zero can’t be True. Use one of 0, 1, skip."),
        ({"missing": 1}, "The missing can’t be 1. Use one of 0, skip."),
        ({"depth": 0}, "The recall depth can’t be 0. Use a whole number from 1 to 100000."),
        ({"cutoff": 10, "depth": 9}, "The recall depth can’t be 9. Use at least the cutoff, which is 10."),
    ],
)
def test_a_formula_that_makes_no_sense_is_refused_with_what_was_expected(choices, sentence):
    with refused(sentence, FormulaError):
        Formula(**choices)


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        (
            "",
            "“{}” can’t be read as a measure. At character 1: the text ends too early, expected the name of a measure such as nDCG.",
        ),
        (
            "DCG(gain='exp'@10",
            "“{}” can’t be read as a measure. At character 15: expected a comma or a closing bracket.",
        ),
        ("DCG@ten", "“{}” can’t be read as a measure. At character 5: expected a cutoff such as 10."),
        (
            "DCG@9999999999999999999999",
            "“{}” can’t be read as a measure. At character 5: expected a cutoff such as 10.",
        ),
        ("DCG", "'{}' can’t be read as a formula. Write a text such as DCG(gain='exp')@10."),
        ("nDCG@10", "'{}' can’t be read as a formula. Write a text such as DCG(gain='exp')@10."),
        (
            "DCG(max=4, ideal='max')@10",
            "'{}' has the parameter ideal. Use one of base, depth, discount, gain, missing, unjudged, zero.",
        ),
        (
            "DCG(gain=exp)@10",
            "“{}” can’t be read as a measure. At character 10: expected a number or a text in quotes.",
        ),
        (
            "DCG(gain=open('x'))@10",
            "“{}” can’t be read as a measure. At character 10: expected a number or a text in quotes.",
        ),
        (
            "DCG(gain='exp',)@10",
            "“{}” can’t be read as a measure. At character 16: expected a parameter such as gain='exp'.",
        ),
        (
            "DCG(gain='exp', gain='exp')@10",
            "“{}” can’t be read as a measure. At character 17: the parameter gain is repeated.",
        ),
        ("DCG(depth='20')@10", "The recall depth can’t be '20'. Use a whole number from 1 to 100000."),
        ("DCG(depth=20.5)@10", "The recall depth can’t be 20.5. Use a whole number from 1 to 100000."),
        (f"DCG(depth={'9' * 400})@10", "The recall depth can’t be inf. Use a whole number from 1 to 100000."),
        ("DCG(depth=5)@10", "The recall depth can’t be 5. Use at least the cutoff, which is 10."),
    ],
)
def test_a_text_that_is_no_key_is_refused(text, sentence):
    with refused(sentence.format(text), FormulaError):
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
        (
            Formula(unjudged="condensed"),
            "unjudged documents are removed before anything else, and the ranks close up",
        ),
        (Formula(missing="skip"), "without an answer is left out, and one whose ideal is 0 counts as 0"),
        (Formula(zero=1), "counts as 0, and an answered one whose ideal is 0 counts as 1"),
        (Formula(zero="skip"), "counts as 0, and one whose ideal is 0 is left out"),
        (Formula(zero=1, missing="skip"), "is left out, and one whose ideal is 0 counts as 1"),
        (Formula(zero="skip", missing="skip"), "is left out, and so is one whose ideal is 0"),
    ],
)
def test_the_words_say_each_choice(formula, words):
    assert words in formula.words()


def test_an_unknown_ideal_has_no_measure():
    with refused("The ideal can’t be 'best'. Use one of local, recall, global, max.", FormulaError):
        Formula().measure("best")


def test_a_comparison_counts_a_query_that_a_run_does_not_answer():
    assert Formula(missing="skip", zero="skip", cutoff=3).counting_missing == Formula(zero="skip", cutoff=3)
