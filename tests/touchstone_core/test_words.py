"""Estimated numbers, and names without what nobody sees. What is visible was looked up in the Unicode Character Database and in a browser."""

import pytest

from touchstone_core.words import in_two_digits, is_visible, tidied_name


@pytest.mark.parametrize(
    ("typed", "name"),
    [
        ("  My \t list\u00a0two ", "My list two"),
        ("Outdoor\u200bshop", "Outdoorshop"),
        ("\u202eOut\u00addoor\ufeff", "Outdoor"),
        ("Out\u3164door\u200d", "Outdoor"),
        ("shop\u200dping", "shopping"),
        ("می\u200cخواهم", "می\u200cخواهم"),
        ("می\u200c\u200cخواهم\u200c", "می\u200cخواهم"),
        ("अवन्\u200d", "अवन्\u200d"),
        ("👩\u200d💻 ❤\ufe0f", "👩\u200d💻 ❤\ufe0f"),
        ("\u0600١٢", "\u0600١٢"),
        ("\u200b", ""),
    ],
)
def test_a_name_has_single_blanks_and_nothing_that_nobody_sees(typed, name):
    assert tidied_name(typed) == name
    assert tidied_name(name) == name


@pytest.mark.parametrize(
    "text", ["", " ", "\u200b", "\u202e", "\ufeff", "\u00ad", "\u3164", "\u2800", "\u00a0\ufe0f", "\u200d"]
)
def test_a_text_in_which_nothing_can_be_seen(text):
    assert not is_visible(text)


@pytest.mark.parametrize("text", ["a", "-", "é", "商店", "👩\u200d💻", "\u200ba", "\u0600"])
def test_a_text_in_which_something_can_be_seen(text):
    assert is_visible(text)


@pytest.mark.parametrize(
    ("count", "rounded"),
    [(0, 0), (7, 7), (99, 99), (100, 100), (101, 110), (999, 1000), (1_298_742, 1_300_000)],
)
def test_an_estimated_number_has_two_digits_and_never_promises_too_little(count, rounded):
    assert in_two_digits(count) == rounded
