import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from touchstone_core.formats import cells


@pytest.mark.parametrize("value", ["q1", "a b", "é", "東京", "no\xa0break", "x" * 512, "a-b_c/d"])
def test_ids_may_hold_anything_that_can_be_seen(value: str):
    assert cells.id_fault(value) is None


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ("", "an ID"),
        ("x" * 513, "an ID of at most 512 characters"),
        *((c, "an ID that can be seen") for c in (" ", "\u200b", "\u00ad", "\u3164", "\u00a0\ufeff")),
        *(
            (f"a{c}b", "an ID without line breaks or control characters")
            for c in "\0\n\t\x1c\x85\u2028\ud800"
        ),
    ],
)
def test_other_ids_are_refused(value: str, expected: str):
    assert cells.id_fault(value) == expected


@pytest.mark.parametrize(("value", "good"), [("a\nb\t", True), ("a\0", False), ("\udfff", False)])
def test_texts_may_hold_all_that_postgresql_can_store(value: str, good: bool):
    assert (cells.text_fault(value) is None) == good


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("red shoes", None),
        ("", "a text"),
        ("\u200b", "a text that can be seen"),
        ("a\0", "text without NUL or broken characters"),
    ],
)
def test_the_text_of_a_query_can_be_seen(text, expected):
    assert cells.query_fault(text) == expected


@pytest.mark.parametrize("value", ["", "abc", "nan", "inf", "-Infinity", "1e999", "1_000", "１", "1,5"])
def test_what_is_no_finite_number_is_none(value: str):
    assert cells.number(value) is None


@given(st.floats(allow_nan=False, allow_infinity=False))
def test_numbers_are_read_exactly(value: float):
    number = cells.number(repr(value))

    assert number == value
    assert math.copysign(1, number) == math.copysign(1, value)


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ("", ()),
        ("a; b;a", ("a", "b")),
        ("a, b", ("a", "b")),
        ('["a, b", "c", " "]', ("a, b", "c")),
        ("[1]", None),
        ("[a", None),
    ],
)
def test_tags_come_from_lists_of_either_kind(value: str, expected: tuple[str, ...] | None):
    assert cells.tags(value) == expected
