"""A formula with further measures, as the pages choose it."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.touchstone_core.metrics.measures import measures as any_measure
from tests.touchstone_core.metrics.refusals import refused
from touchstone_core.metrics.errors import TextError
from touchstone_core.metrics.formula import IDEALS, Formula
from touchstone_core.metrics.measure import Measure, parse
from touchstone_core.metrics.presets import PRESETS
from touchstone_core.metrics.rounding import RoundedMeasure
from touchstone_core.metrics.selection import (
    MOST_MEASURES,
    Selection,
    formula_of,
    ideal_of,
    is_measure,
    read_measures,
    write_measures,
)


@given(
    st.lists(
        st.builds(RoundedMeasure, any_measure(), st.none() | st.integers(0, 15)),
        max_size=MOST_MEASURES,
        unique=True,
    )
)
def test_measures_are_read_back_from_their_text(measures):
    assert read_measures(write_measures(measures)) == tuple(measures)


def test_a_measure_stands_once_and_in_its_canonical_text():
    found = read_measures("ap  nDCG(dcg='exp-log2')@10 AP nDCG(gain='exp')@10~2")

    assert write_measures(found) == "AP nDCG(gain='exp')@10 nDCG(gain='exp')@10~2"
    assert found[2] == (parse("nDCG(gain='exp')@10"), 2)


@pytest.mark.parametrize(
    ("text", "character", "sentence"),
    [
        ("AP RR@@10", 7, "expected a cutoff such as 10"),
        ("AP nDCG@10~99", 12, "expected at most 15 decimals"),
        ("AP nDCG@10~", 11, "expected the end"),
        (
            " ".join(f"P@{k}" for k in range(1, 14)),
            52,
            "there are too many measures. Use at most 12",
        ),
    ],
)
def test_what_is_wrong_is_pointed_at(text, character, sentence):
    with refused(f"“{text}” can’t be read as a measure. At character {character}: {sentence}.", TextError):
        read_measures(text)


@pytest.mark.parametrize("cutoff", [1, 10, 77])
@pytest.mark.parametrize("preset", PRESETS.values(), ids=lambda preset: preset.key)
def test_every_preset_is_shown_by_what_is_chosen_for_it(preset, cutoff):
    chosen = Selection.of_preset(preset, cutoff)

    shown = chosen.shows(preset.measure(cutoff), preset.digits)
    assert shown
    if shown in IDEALS:
        assert chosen.measures == ()
        assert chosen.formula.measure(shown) == str(preset.measure(cutoff))
    else:
        assert chosen.measures == ((preset.measure(cutoff), preset.digits),)


@pytest.mark.parametrize(
    ("key", "formula", "measures"),
    [
        ("trec-eval", Formula(), ""),
        ("scikit-learn", Formula(), ""),
        ("lightgbm", Formula(gain="exp", zero=1), ""),
        ("quepid", Formula(gain="exp"), "nDCG(gain='exp', ideal='global-uncut')@10"),
        ("elasticsearch", Formula(gain="exp"), "nDCG(gain='exp', ideal='global-hits')@10"),
        ("opensearch", Formula(gain="exp"), "nDCG(gain='exp')@10~2"),
        ("jarvelin-kekalainen", Formula(discount="jk"), ""),
        ("ms-marco", Formula(), "RR@10"),
    ],
)
def test_a_preset_sets_the_formula_and_adds_a_measure_only_where_it_must(key, formula, measures):
    chosen = Selection.of_preset(PRESETS[key], 10)

    assert (chosen.formula, write_measures(chosen.measures)) == (formula, measures)


@pytest.mark.parametrize(
    ("text", "formula", "beside"),
    [
        ("nDCG(depth=50, ideal='recall', missing='skip')@5", Formula(cutoff=5, depth=50, missing="skip"), ""),
        ("nDCG(base=3, discount='jk')@5", Formula(cutoff=5, discount="jk", base=3), ""),
        ("nDCG(ideal='max', max=4)@5", Formula(cutoff=5), "nDCG(ideal='max', max=4)@5"),
        ("nDCG(gain='exp')", Formula(), "nDCG(gain='exp')"),
        ("AP", Formula(), "AP"),
        ("P@3", Formula(cutoff=3), "P@3"),
    ],
)
def test_a_measure_is_one_of_the_four_or_stands_beside(text, formula, beside):
    chosen = Selection.of(parse(text))

    assert (chosen.formula, write_measures(chosen.measures)) == (formula, beside)


def test_what_is_not_chosen_is_shown_nowhere():
    assert Selection(Formula()).shows(Measure.of("AP")) == ""
    assert Selection(Formula()).shows(Measure.of("nDCG", 10), digits=2) == ""


def test_what_is_chosen_is_shown_under_its_ideal_or_its_text():
    chosen = Selection(Formula(), read_measures("AP nDCG@10~2"))

    assert chosen.shows(Measure.of("AP")) == "AP"
    assert chosen.shows(Measure.of("nDCG", 10), digits=2) == "nDCG@10~2"
    assert chosen.shows(Measure.of("nDCG", 10, ideal="max")) == "max"
    assert ideal_of(Formula(), RoundedMeasure(Measure.of("AP"))) == ""


def test_measures_at_the_cutoff_go_with_it_and_the_depth_is_never_below():
    chosen = Selection(
        Formula(cutoff=5, depth=10), read_measures("P@5 P@3 AP~2 nDCG(depth=7, ideal='recall')@5 R@5~1 P@20")
    )

    moved = chosen.at(20)

    assert moved.formula == Formula(cutoff=20, depth=20)
    assert write_measures(moved.measures) == "P@20 P@3 AP~2 nDCG(depth=20, ideal='recall')@20 R@20~1"
    assert Selection(Formula()).at(3).formula == Formula(cutoff=3)


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("nDCG@10", True),
        ("AP", True),
        ("AP RR", False),
        ("", False),
        ("bogus", False),
        ("nDCG(gain='x')", False),
    ],
)
def test_one_measure_is_told_from_other_texts(text, found):
    assert is_measure(text) is found


@pytest.mark.parametrize(
    ("measures", "cutoff", "formula"),
    [
        ("", None, Formula()),
        ("AP RR@5", None, Formula()),
        ("AP nDCG(gain='exp')@5 nDCG@20", None, Formula(gain="exp", cutoff=5)),
        ("nDCG(gain='exp')@5", 7, Formula(gain="exp", cutoff=7)),
        ("AP", 7, Formula(cutoff=7)),
    ],
)
def test_the_first_ndcg_gives_the_formula(measures, cutoff, formula):
    assert formula_of(read_measures(measures), cutoff) == formula
