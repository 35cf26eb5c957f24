"""Pages shorter than the cutoff."""

import numpy as np
import pytest

from touchstone_core.metrics.arrays import join
from touchstone_core.metrics.formula import Formula
from touchstone_core.metrics.scale import ScaleInfo
from touchstone_core.metrics.short_pages import ShortPages

NAN = np.nan


def test_five_pages_by_hand():
    """Full, short, empty, missing, and short without a value."""
    found = ShortPages.of(
        3,
        answered=np.array([True, True, True, False, True]),
        shown=np.array([3, 1, 0, 0, 2]),
        local=np.array([0.5, 1.0, 0.0, 0.0, NAN]),
        ideal_global=np.array([0.4, 0.2, 0.0, 0.0, NAN]),
    )

    assert found.as_json() == {
        "cutoff": 3, "answered": 4, "short": 3, "empty": 1, "local": 1.0, "global": 0.2
    }  # fmt: skip
    assert found.words == (
        "3 of 4 pages show fewer than 3 documents, 1 of them none. On the 2 others, mean NDCG-local is 1.0000 and mean "
        "NDCG-global 0.2000: local compares a page with its own documents only, so one poor result alone scores 1.0 if it gains anything."
    )


@pytest.mark.parametrize(
    ("shown", "words"),
    [
        ([2, 2], ""),
        ([2, 0], "1 of 2 pages shows fewer than 2 documents, 1 of them none."),
        ([0, 0], "2 of 2 pages show fewer than 2 documents, 2 of them none."),
    ],
)
def test_without_short_pages_nothing_is_said_of_local(shown, words):
    every = np.ones(2)
    found = ShortPages.of(2, every.astype(bool), np.array(shown), every, every)

    assert (found.words, found.local) == (words, None)


@pytest.mark.parametrize(
    ("ranking", "short", "local", "ideal_global"),
    [("ax", 0, None, None), ("a", 1, 1.0, 3 / (3 + 3 / np.log2(3)))],  # two documents of gain 3 are judged
)
def test_pages_of_a_run_by_hand(ranking, short, local, ideal_global):
    _, run = join({"q": {"a": 2.0, "b": 2.0}}, {"q": list(ranking)}, ScaleInfo(top_grade=2.0))

    found = ShortPages.of_run(run, Formula(cutoff=2))

    assert (found.short, found.local) == (short, local)
    assert found.ideal_global == pytest.approx(ideal_global)


def test_the_ndcgs_of_short_pages_are_those_of_the_formula():
    """Exponential gains are 1 and 3, and the better document isn't shown."""
    _, run = join({"q": {"a": 1.0, "b": 2.0}}, {"q": ["a"]}, ScaleInfo(top_grade=2.0))

    found = ShortPages.of_run(run, Formula(gain="exp", cutoff=2))

    assert found.ideal_global == pytest.approx(1 / (3 + 1 / np.log2(3)))


def test_what_is_stored_is_read_back():
    every = np.ones(2)
    found = ShortPages.of(3, every.astype(bool), np.array([2, 3]), every, every / 2)

    assert ShortPages.from_json(found.as_json()) == found
    assert found.ideal_global == 0.5


def test_full_pages_need_no_values():
    _, run = join({"q": {"a": 2.0}}, {"q": list("ab")}, ScaleInfo(top_grade=2.0))

    assert ShortPages.of_run(run, Formula(cutoff=2)).words == ""


@pytest.mark.parametrize(
    ("shown", "begin"),
    [
        ([1, 3], "1 of 2 pages shows fewer than 3 documents."),
        ([1, 2], "2 of 2 pages show fewer than 3 documents."),
    ],
)
def test_short_pages_of_which_none_is_empty(shown, begin):
    every = np.ones(2)

    assert ShortPages.of(3, every.astype(bool), np.array(shown), every, every).words.startswith(begin)
