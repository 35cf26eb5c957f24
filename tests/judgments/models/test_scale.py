"""What a scale says of an answer."""

from judgments.models import Scale


def test_an_answer_is_right_if_it_is_one_of_the_right_values():
    scale = Scale(minimum=0, maximum=3)

    assert scale.is_right(2, [1, 2])
    assert not scale.is_right(2.1, [1, 2])
    assert not scale.is_right(None, [1, 2])


def test_on_a_continuous_scale_an_answer_is_right_within_a_tenth_of_the_range():
    scale = Scale(minimum=0, maximum=5, continuous=True)

    assert scale.is_right(2.5, [2])
    assert not scale.is_right(2.51, [2])
