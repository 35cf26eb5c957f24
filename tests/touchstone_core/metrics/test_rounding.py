import numpy as np
import pytest

from tests.touchstone_core.metrics.refusals import refused
from touchstone_core.metrics.arrays import ScaleInfo, join
from touchstone_core.metrics.averages import round_half_up
from touchstone_core.metrics.errors import TextError
from touchstone_core.metrics.measure import parse
from touchstone_core.metrics.presets import PRESETS
from touchstone_core.metrics.rounding import RoundedMeasure, read_rounded

RUN = join({"q": {"a": 1, "b": 1}}, {"q": ["x", "y", "a"]}, ScaleInfo(top_grade=1))[1]


@pytest.mark.parametrize(
    ("value", "digits", "expected"),
    [(0.125, 2, 0.13), (0.1249, 2, 0.12), (0.375, 2, 0.38), (0.5, 0, 1), (1.5, 0, 2), (2 / 3, 5, 0.66667)],
)
def test_a_half_goes_up(value, digits, expected):
    assert round_half_up(np.array([value]), digits).tolist() == [pytest.approx(expected, abs=1e-15)]


def test_what_a_policy_leaves_out_stays_out():
    assert np.isnan(round_half_up(np.array([np.nan]), 2)).all()


def test_every_query_is_rounded_and_only_where_it_is_said():
    assert RoundedMeasure(parse("RR")).values(RUN).tolist() == [1 / 3]
    assert RoundedMeasure(parse("RR"), 2).values(RUN).tolist() == [0.33]
    assert RoundedMeasure(parse("RR"), 0).values(RUN).tolist() == [0]


def test_a_preset_rounds_as_its_tool_does():
    # nDCG is (1/2) / (1 + 1/log2(3)) = .30657…
    assert PRESETS["opensearch"].values(RUN, 10).tolist() == [0.31]
    assert PRESETS["gdeval"].values(RUN, 10).tolist() == [0.30657]
    assert PRESETS["ranklib-qrel"].values(RUN, 10)[0] == pytest.approx(0.3065735964, abs=1e-10)


def test_measures_are_read_with_their_places():
    found = list(read_rounded("AP~0  nDCG(gain='exp')@10~15 P@5"))

    assert [(place, str(measure)) for place, measure in found] == [
        (0, "AP~0"),
        (6, "nDCG(gain='exp')@10~15"),
        (29, "P@5"),
    ]
    assert [measure.digits for _, measure in found] == [0, 15, None]


@pytest.mark.parametrize(
    ("text", "character", "sentence"),
    [
        ("AP nDCG@10~16", 12, "expected at most 15 decimals"),
        ("AP nDCG@10~100", 11, "expected the end"),
        ("AP nDCG@x~2", 9, "expected a cutoff such as 10"),
    ],
)
def test_what_is_wrong_is_pointed_at(text, character, sentence):
    with refused(f"“{text}” can’t be read as a measure. At character {character}: {sentence}.", TextError):
        list(read_rounded(text))


def test_a_comparison_counts_a_query_that_a_run_does_not_answer():
    measures = [one.counting_missing for _, one in read_rounded("AP(missing='skip',rel=2)~2 AP(rel=2)~2")]

    assert [str(one) for one in measures] == ["AP(rel=2)~2"] * 2
