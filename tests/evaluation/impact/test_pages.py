"""The impact of a change before any judging."""

from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evaluation.impact import page_change
from evaluation.metrics.discount import discounts

DOCUMENTS = "abcdefg"
PAGES = st.permutations(DOCUMENTS).flatmap(lambda all_: st.integers(0, 6).map(lambda size: all_[:size]))
TEN = discounts("log2", 10)


def test_identical_pages_have_no_impact():
    change = page_change(list("abc"), list("abc"), TEN)

    assert not change.changed
    assert (change.ceiling, change.rbo, change.jaccard) == (0, pytest.approx(1), 1)
    assert (change.first, change.top_three) == (False, False)


def test_full_pages_without_a_common_document_have_the_whole_impact():
    change = page_change(list("abc"), list("def"), discounts("log2", 3))

    assert (change.ceiling, change.rbo, change.overlap, change.jaccard) == (1, 0, 0, 0)
    assert change.documents
    assert not change.order_only


def test_an_empty_page_against_a_full_one_changes_everything():
    change = page_change([], list("abc"), discounts("log2", 3))

    assert (change.ceiling, change.jaccard, change.overlap) == (1, 0, 0)
    assert page_change([], [], TEN).jaccard == 1


def test_the_same_documents_in_another_order_are_told_apart_from_others():
    swapped = page_change(list("abcde"), list("abced"), TEN)

    assert swapped.order_only
    assert swapped.changed
    assert (swapped.documents, swapped.first, swapped.top_three) == (False, False, False)
    assert swapped.overlap == 0.5
    assert swapped.jaccard == 1


@given(PAGES, PAGES, st.integers(1, 5))
def test_the_ceiling_is_the_greatest_difference_over_all_grades(baseline, candidate, cutoff):
    discount = discounts("log2", cutoff)

    change = page_change(baseline, candidate, discount)

    def value(page, gains):
        return sum(gains[one] * weight for one, weight in zip(page, discount, strict=False)) / discount.sum()

    greatest = max(
        abs(value(candidate, gains) - value(baseline, gains))
        for grades in product((0, 1), repeat=len(DOCUMENTS))
        for gains in [dict(zip(DOCUMENTS, grades, strict=True))]
    )
    assert change.ceiling == pytest.approx(greatest, abs=1e-12)
    assert change.changed == (list(baseline[:cutoff]) != list(candidate[:cutoff]))
