"""The impact of a change before any judging."""

from dataclasses import fields
from itertools import product
from types import SimpleNamespace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from touchstone_core.impact.pages import Change, impact
from touchstone_core.metrics.discount import discounts
from touchstone_core.metrics.moves import number_documents

DOCUMENTS = "abcdefg"
PAGES = st.permutations(DOCUMENTS).flatmap(lambda all_: st.integers(0, 6).map(lambda size: all_[:size]))
TEN = discounts("log2", 10)


def page_change(baseline, candidate, discount):
    """Of one query, as plain numbers."""
    found = impact(*number_documents([[list(baseline)], [list(candidate)]], len(discount)), discount)
    return SimpleNamespace(**{field.name: getattr(found, field.name)[0] for field in fields(found)})


def test_identical_pages_have_no_impact():
    change = page_change(list("abc"), list("abc"), TEN)

    assert change.change == Change.NONE
    assert (change.ceiling, change.rbo, change.first) == (0, pytest.approx(1), False)


def test_full_pages_without_a_common_document_have_the_whole_impact():
    change = page_change(list("abc"), list("def"), discounts("log2", 3))

    assert (change.ceiling, change.rbo, change.overlap) == (1, 0, 0)
    assert change.change == Change.DOCUMENTS


def test_an_empty_page_against_a_full_one_changes_everything():
    change = page_change([], list("abc"), discounts("log2", 3))

    assert (change.ceiling, change.overlap, change.first) == (1, 0, True)
    assert page_change([], [], TEN).change == Change.NONE
    assert page_change([], [], TEN).overlap == 1
    assert page_change(list("ab"), list("bcde"), TEN).overlap == 0.25


def test_the_same_documents_in_another_order_are_told_apart_from_others():
    swapped = page_change(list("abcde"), list("abced"), TEN)

    assert swapped.change == Change.ORDER
    assert not swapped.first
    assert swapped.overlap == 1


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
    assert (change.change != Change.NONE) == (list(baseline[:cutoff]) != list(candidate[:cutoff]))


@given(st.lists(st.tuples(PAGES, PAGES), min_size=1, max_size=5), st.integers(1, 8))
def test_each_query_is_told_apart_from_the_others(pairs, cutoff):
    old, new = zip(*pairs, strict=True)
    discount = discounts("log2", cutoff)

    together = impact(*number_documents([old, new], cutoff), discount)

    for query, (baseline, candidate) in enumerate(pairs):
        alone = page_change(baseline, candidate, discount)
        shown, others = set(baseline[:cutoff]), set(candidate[:cutoff])
        longer = max(len(shown), len(others))
        assert together.overlap[query] == alone.overlap == (len(shown & others) / longer if longer else 1)
        assert together.change[query] == alone.change
        assert (alone.change == Change.DOCUMENTS) == (shown != others)
        assert together.first[query] == alone.first == (baseline[:1] != candidate[:1])
        assert together.ceiling[query] == pytest.approx(alone.ceiling, abs=1e-12)
        assert together.rbo[query] == pytest.approx(alone.rbo, abs=1e-12)


def test_the_whole_counts_changes_and_averages_figures():
    """The same page, another order, and other documents with another first one."""
    baseline, candidate = [list("abc"), list("abc"), list("abc")], [list("abc"), list("acb"), list("dbe")]
    found = impact(*number_documents([baseline, candidate], 3), discounts("log2", 3))

    whole = found.impact()

    assert {name: whole[name] for name in ("changed", "new_order", "new_documents", "first")} == {
        "changed": 2, "new_order": 1, "new_documents": 1, "first": 1
    }  # fmt: skip
    assert whole["overlap"] == pytest.approx((1 + 1 + 1 / 3) / 3)
    assert whole["rbo"] == pytest.approx(found.rbo.sum() / 3)
    assert whole["ceiling"] == pytest.approx(found.ceiling.sum() / 3)
    assert found.of(found.change == Change.ORDER).impact()["overlap"] == 1
