import pytest

from tests.touchstone_core.metrics.refusals import refused
from touchstone_core.metrics.errors import ChoiceError
from touchstone_core.metrics.parameters import choice, number


def test_one_of_several_is_the_first_unless_another_is_said():
    size = choice("size", ("small", 2, "large"), "how big it is")

    assert (size.name, size.words, size.expected) == ("size", "how big it is", "one of small, 2, large")
    assert size.default == "small"
    assert [size.canonical(value) for value in ("small", 2, 2.0, "large")] == ["small", 2, 2, "large"]
    with refused("size can’t be 'huge'. Use one of small, 2, large", ChoiceError):
        size.canonical("huge")


@pytest.mark.parametrize("wrong", [0.75, float("-inf"), float("nan"), "0.5", True])
def test_a_number_must_be_finite_and_fit(wrong):
    share = number("share", "how much", "a number up to 0.5", lambda value: value <= 0.5, 0.25)

    assert (share.name, share.words, share.expected) == ("share", "how much", "a number up to 0.5")
    assert share.default == 0.25
    assert [share.canonical(value) for value in (0.5, -3.0, 0)] == [0.5, -3, 0]
    with refused(f"share can’t be {wrong!r}. Use a number up to 0.5", ChoiceError):
        share.canonical(wrong)


def test_the_part_at_fault_is_the_parameter():
    with pytest.raises(ChoiceError) as raised:
        number("share", "how much", "a number up to 1", lambda value: value <= 1).canonical(2)

    assert raised.value.part == "share"


def test_a_number_need_not_have_a_default():
    assert number("rank", "where", "a number", lambda value: True).default is None


def test_numbers_that_are_equal_are_one_value_as_far_as_whole_numbers_are_exact():
    anything = number("rel", "what", "a number", lambda value: True)

    assert [repr(anything.canonical(value)) for value in (2.0, 999_999_999_999_999.0, 1e15, 2.5)] == [
        "2",
        "999999999999999",
        "1000000000000000.0",
        "2.5",
    ]
