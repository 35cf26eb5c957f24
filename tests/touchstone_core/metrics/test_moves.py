"""Pages as numbers, and what each change of place weighs, against plain dictionaries."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from touchstone_core.metrics.discount import discounts
from touchstone_core.metrics.moves import common_documents, moves, number_documents

PAGES = st.permutations("abcdefg").flatmap(lambda all_: st.integers(0, 7).map(lambda size: all_[:size]))


def test_documents_are_numbered_within_a_query_and_pages_cut():
    found = number_documents([[list("abc"), ["x"]], [list("cbd"), []]], 2)

    # c stands below the cutoff of the first run, so that it is new in the second one.
    assert found.tolist() == [[[0, 1], [0, -1]], [[2, 1], [-1, -1]]]


def test_runs_of_other_queries_are_refused():
    with pytest.raises(ValueError, match="shorter"):
        number_documents([[["a"], ["b"]], [["a"]]], 1)


def test_shared_documents_stand_by_query_and_rank_of_the_baseline():
    old, new = number_documents(
        [[list("abc"), list("xy"), list("p")], [list("cxa"), list("yx"), list("q")]], 3
    )

    found = common_documents(old, new)

    assert found.query.tolist() == [0, 0, 1, 1]
    assert found.baseline.tolist() == [0, 2, 0, 1]
    assert found.candidate.tolist() == [2, 0, 1, 0]


def test_empty_pages_share_nothing():
    old, new = number_documents([[[], []], [[], []]], 2)

    assert common_documents(old, new).query.size == 0
    assert not moves(old, new, discounts("log2", 2)).any()


def test_no_queries_share_nothing():
    pages = np.empty((0, 2), dtype=np.int64)

    assert common_documents(pages, pages).query.size == 0


def test_a_move_is_told_once_and_a_document_in_its_place_weighs_nothing():
    old, new = number_documents([[list("abc")], [list("bad")]], 3)
    discount = np.array([1.0, 0.5, 0.25])

    # b rises, a falls, d comes in at rank 3; then a and b, told of already, and c, which has left rank 3.
    assert moves(old, new, discount).tolist() == [[0.5, -0.5, 0.25, 0, 0, -0.25]]
    assert not moves(old, old, discount).any()


@given(st.lists(st.tuples(PAGES, PAGES), min_size=1, max_size=4), st.integers(1, 8))
def test_each_document_weighs_the_difference_of_its_discounts(pairs, cutoff):
    discount = discounts("log2", cutoff)
    before, after = zip(*pairs, strict=True)

    found = moves(*number_documents([before, after], cutoff), discount)

    for weights, (old, new) in zip(found, pairs, strict=True):
        marks = [dict(zip(page, discount.tolist(), strict=False)) for page in (old, new)]
        on_page = [marks[1][one] - marks[0].get(one, 0.0) for one in new[:cutoff]]
        left = [0.0 if one in marks[1] else -marks[0][one] for one in old[:cutoff]]
        expected = [*on_page, *[0.0] * (cutoff - len(on_page)), *left, *[0.0] * (cutoff - len(left))]
        assert weights.tolist() == expected
