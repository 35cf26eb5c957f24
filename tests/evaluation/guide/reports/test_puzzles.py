"""The numbers of the puzzles, each from a published source or from paper."""

import pytest

from evaluation.guide.reports.puzzles import puzzles

# The third: metrics with grades h 2, m 1, n 0; the second: one relevant document at rank 2. The others by hand.
FIGURES = [
    ("0.1 / 0.1 = 1.0000", "0.1 / 1.45 = 0.0690"),
    ("0.6309", "1.0000"),
    ("0.8597", "0.7602", "0.7967", "0.8262"),
    ("0.7000", "0.3500"),
    ("0.3448", "0.8621", "1.0000", "0.8333"),
]


@pytest.mark.parametrize(
    ("puzzle", "figures"),
    list(zip(puzzles(), FIGURES, strict=True)),
    ids=lambda one: getattr(one, "title", ""),
)
def test_the_worked_sums_have_the_known_values(puzzle, figures):
    worked = " ".join(text for _, text in puzzle.sums)

    for figure in figures:
        assert figure.rsplit(" = ", 1)[-1] in worked


@pytest.mark.parametrize("puzzle", puzzles(), ids=lambda one: one.title)
def test_each_has_three_choices_and_the_right_one_among_them(puzzle):
    assert [key for key, _ in puzzle.choices] == ["a", "b", "c"]
    assert puzzle.right in dict(puzzle.choices)


def test_the_right_answers_are_not_all_in_one_place():
    assert {puzzle.right for puzzle in puzzles()} == {"a", "b", "c"}
