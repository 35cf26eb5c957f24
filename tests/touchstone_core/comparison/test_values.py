import itertools

import pytest

from touchstone_core.comparison.values import fixed, heat, kept_shares, p_text, segments, short, signed, value


def test_a_value_keeps_every_digit_behind_four():
    shown = value(2 / 3, share=2 / 3)

    assert (shown.text, shown.exact, shown.heat) == ("0.6667", "0.6666666666666666", 6)


@pytest.mark.parametrize("number", [-0.0, -1e-9])
def test_nothing_has_no_minus(number):
    assert fixed(number) == "0.0000"
    assert signed(-0.0) == "0.0000"


@pytest.mark.parametrize(
    ("number", "text"),
    [(-4.8e-5, "−0.000048"), (1e-6, "+0.000001"), (-3e-9, "−3.0e−09"), (5e-5, "+0.0001"), (-0.25, "−0.2500")],
)
def test_a_small_difference_is_a_decimal_that_people_can_read(number, text):
    """By paper: rounded to four decimals, to six where four show nothing, and powers of ten below that."""
    assert signed(number) == text


def test_no_value_is_a_dash_without_a_tint():
    shown = value(None, share=0.5)

    assert (shown.text, shown.exact, shown.heat) == ("–", "", None)


def test_a_value_too_large_for_decimals_is_short():
    assert value(2.0**100 - 1).text == "1.26765e+30"
    assert short(2.0**100 - 1) == "1.26765e+30"


@pytest.mark.parametrize(
    ("number", "text"), [(3.0, "3"), (0.1, "0.1"), (0.0, "0"), (100.0, "100"), (1 / 3, "0.3333")]
)
def test_a_gain_has_no_needless_zeros(number, text):
    assert short(number) == text


@pytest.mark.parametrize(
    ("share", "step"), [(0, 0), (0.0999, 0), (0.3, 3), (0.1 + 0.2, 3), (0.7, 7), (1, 10), (1.2, 10), (-1, 0)]
)
def test_the_tint_grows_in_tenths(share, step):
    assert heat(share) == step


def test_the_ladder_stacks_to_the_whole():
    parts = segments(0.6, 0.45, 0.3, 0.1, 0.05)

    assert [part.key for part in parts] == ["dcg", "order", "depth", "recall", "content"]
    assert [part.start for part in parts] == pytest.approx([0, 40, 70, 90, 96.6666667])
    assert parts[-1].start + parts[-1].width == pytest.approx(100)
    assert sum(part.value for part in parts) == pytest.approx(1.5)


def test_each_step_keeps_a_share_of_the_ideal_above_it():
    """Exponential gain, k = 3, one ranking: the design gives its DCG and its four NDCGs."""
    dcg, local, recall, global_, max_ = 3.5, 0.963940, 0.372626, 0.270971, 0.234639
    ideals = [dcg, *(dcg / ndcg for ndcg in (local, recall, global_, max_))]

    found = kept_shares(segments(dcg, *(above - below for below, above in itertools.pairwise(ideals))))

    assert found == {
        "order": pytest.approx(local),
        "depth": pytest.approx(recall / local),
        "recall": pytest.approx(global_ / recall),
        "content": pytest.approx(max_ / global_),
    }


def test_a_step_whose_ideal_is_0_keeps_nothing_that_can_be_told():
    assert kept_shares(segments(0, 0, 0, 0, 2)) == {
        "order": None,
        "depth": None,
        "recall": None,
        "content": 0,
    }
    assert [one.kept_text for one in segments(0, 0, 0, 1, 3)] == ["–", "–", "–", "0.0 %", "25.0 %"]


def test_a_loss_that_rounding_made_negative_is_none():
    assert segments(1.0, -1e-17, 0, 0, 1.0)[1].width == 0


def test_without_an_ideal_there_is_no_ladder():
    assert segments(0, 0, 0, 0, 0) == []


def test_every_number_has_a_real_minus_sign():
    assert (fixed(-0.25), short(-0.25), signed(-0.25)) == ("−0.2500", "−0.25", "−0.2500")


@pytest.mark.parametrize(
    ("p", "text"), [(0.04712, "0.047"), (0.0009, "< 0.001"), (1.0, "1.000"), (0.001, "0.001"), (None, "–")]
)
def test_a_p_value_has_a_leading_zero_and_is_never_zero(p, text):
    assert p_text(p) == text
