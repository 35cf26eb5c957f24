"""What explains each gap of a query, against the gaps themselves."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from touchstone_core.metrics.formula import Formula
from touchstone_core.metrics.gaps import (
    Short,
    Swap,
    below_the_cutoff,
    best_swap,
    never_retrieved,
    short_of_the_top,
)
from touchstone_core.metrics.scale import ScaleInfo
from touchstone_core.metrics.worked_query import work_out

SCALE = ScaleInfo(top_grade=3)
AT_TWO = Formula(cutoff=2, discount="reciprocal")


def test_the_best_swap_is_the_one_that_gains_most():
    worked = work_out([1, 0, 3, 2], [0, 1, 2, 3], Formula(cutoff=4, discount="reciprocal"), SCALE)

    swap = best_swap(worked)

    # Ranks 1 and 3: (3 − 1)(1 − 1/3).
    assert swap == Swap(1, 3, pytest.approx(4 / 3))


def test_a_page_in_its_best_order_has_no_swap():
    assert best_swap(work_out([3, 2, 2, 0], [3, 2, 2, 0], Formula(cutoff=4), SCALE)) is None
    assert best_swap(work_out([0, 0], [3], Formula(cutoff=4), SCALE)) is None
    assert best_swap(work_out([], [3], Formula(cutoff=4), SCALE, answered=False)) is None


def test_a_better_document_below_the_cutoff_is_named_by_its_place():
    worked = work_out([1, 0, 0, 3], [0, 0, 1, 3], AT_TWO, SCALE)

    assert [row.source for row in below_the_cutoff(worked, AT_TWO)] == [3]


def test_a_document_as_good_as_the_last_of_the_page_explains_nothing():
    worked = work_out([3, 2, 2], [2, 2, 3], AT_TWO, SCALE)

    assert below_the_cutoff(worked, AT_TWO) == []


def test_a_document_that_is_worth_nothing_explains_nothing_below_the_cutoff():
    worked = work_out([None, None, 0], [0], AT_TWO, SCALE)

    assert worked.ideals["recall"].rows[0].source == 2
    assert below_the_cutoff(worked, AT_TWO) == []


def test_a_judged_document_as_good_as_what_was_retrieved_explains_nothing():
    worked = work_out([3, 2], [2, 3, 2], AT_TWO, SCALE)

    assert [row.source for row in worked.ideals["global"].rows] == [1, 0]
    assert never_retrieved(worked, AT_TWO, {1, 2}) == []


def test_a_good_judged_document_that_was_not_retrieved_is_named_by_its_place():
    worked = work_out([1, None], [3, 1], AT_TWO, SCALE)

    assert [row.source for row in never_retrieved(worked, AT_TWO, {1})] == [0]


def test_ranks_short_of_the_top_are_counted_by_what_stands_there():
    formula = Formula(cutoff=4)

    assert short_of_the_top(work_out([3], [3, 2], formula, SCALE)) == Short(lower=1, empty=2)
    assert short_of_the_top(work_out([3], [3] * 4, formula, SCALE)) == Short(lower=0, empty=0)


@given(
    ranking=st.lists(st.none() | st.integers(0, 3).map(float), max_size=9),
    others=st.lists(st.integers(0, 3).map(float), max_size=6),
    cutoff=st.integers(1, 5),
    deeper=st.none() | st.integers(0, 4),
)
def test_what_explains_a_gap_is_there_exactly_where_the_gap_is(ranking, others, cutoff, deeper):
    formula = Formula(cutoff=cutoff, depth=None if deeper is None else cutoff + deeper)
    hits = [grade for grade in ranking if grade is not None]
    reached = ranking if formula.depth is None else ranking[: formula.depth]
    retrieved = set(range(sum(grade is not None for grade in reached)))

    worked = work_out(ranking, [*hits, *others], formula, SCALE)

    short = short_of_the_top(worked)
    explained = {
        "order": best_swap(worked) is not None,
        "depth": bool(below_the_cutoff(worked, formula)),
        "recall": bool(never_retrieved(worked, formula, retrieved)),
        "content": short.lower + short.empty > 0,
    }
    assert explained == {loss: points > 1e-9 for loss, points in worked.losses.items()}
