"""Pools and holes, on small rankings by hand and on random ones against their definition."""

from math import log2

import pytest
from hypothesis import given
from hypothesis import strategies as st

from touchstone_core.pooling import differing_documents, holes, pool

RANKING = st.lists(st.sampled_from([f"d{number}" for number in range(12)]), unique=True, max_size=12)
RANKINGS = st.lists(RANKING, max_size=5)
DEPTH = st.integers(min_value=1, max_value=14)


def test_documents_come_by_their_best_rank_and_then_by_the_order_of_the_runs():
    assert pool([["a", "b", "c"], ["b", "d"], ["e"]], 2) == ["a", "b", "e", "d"]


@given(RANKINGS, DEPTH)
def test_a_pool_holds_exactly_the_documents_of_rank_k_or_better(rankings, depth):
    shown = {document for ranking in rankings for rank, document in enumerate(ranking, 1) if rank <= depth}

    pooled = pool(rankings, depth)

    assert set(pooled) == shown
    assert len(pooled) == len(shown)


@given(RANKINGS, DEPTH)
def test_a_pool_is_ordered_by_best_rank_and_grows_with_its_depth_at_its_end(rankings, depth):
    pooled = pool(rankings, depth)
    best = [
        min((ranking.index(document), run) for run, ranking in enumerate(rankings) if document in ranking)
        for document in pooled
    ]

    assert best == sorted(best)
    assert pool(rankings, depth) == pooled
    assert pool(rankings, depth + 1)[: len(pooled)] == pooled


def test_documents_at_the_same_rank_of_all_rankings_differ_in_nothing():
    assert differing_documents([["a", "b", "c"], ["a", "c", "b"]], 3) == ["b", "c"]
    assert differing_documents([["a", "b", "c"], ["a", "c", "b"]], 2) == ["b", "c"]
    assert differing_documents([["a", "b"], ["a", "b", "c"]], 2) == []
    assert differing_documents([["a", "b"], ["a", "b"], []], 2) == ["a", "b"]
    assert differing_documents([["a", "b"]], 2) == []


@given(RANKINGS, DEPTH, st.data())
def test_grades_of_other_documents_change_no_difference_of_dcg(rankings, depth, data):
    apart = differing_documents(rankings, depth)
    shared = [document for document in pool(rankings, depth) if document not in apart]
    grades = st.fixed_dictionaries({document: st.integers(0, 3) for document in shared})
    known = data.draw(st.fixed_dictionaries({document: st.integers(0, 3) for document in apart}))

    def differences(others):
        gains = known | others
        values = [
            sum(gains[document] / log2(rank + 1) for rank, document in enumerate(ranking[:depth], 1))
            for ranking in rankings
        ]
        return [value - values[0] for value in values[1:]]

    assert differences(data.draw(grades)) == pytest.approx(differences(data.draw(grades)))


@given(RANKINGS, DEPTH)
def test_each_of_the_differing_documents_can_change_a_difference(rankings, depth):
    apart = differing_documents(rankings, depth)

    for document in apart:
        places = [
            (ranking[:depth].index(document) if document in ranking[:depth] else None) for ranking in rankings
        ]
        assert len(set(places)) > 1
    assert [document for document in pool(rankings, depth) if document in apart] == apart


@given(RANKING, st.sets(st.sampled_from([f"d{number}" for number in range(12)])), DEPTH)
def test_holes_are_what_is_shown_and_not_known_by_rank(ranking, known, cutoff):
    found = holes(ranking, known, cutoff)

    assert found == [document for document in ranking[:cutoff] if document not in known]
    assert holes(ranking, known | set(found), cutoff) == []


def test_without_a_cutoff_the_whole_ranking_is_looked_at():
    assert holes(["a", "b", "c"], {"b"}) == ["a", "c"]


@pytest.mark.parametrize("depth", [0, -1])
def test_a_depth_below_one_is_refused(depth):
    with pytest.raises(ValueError, match="must be at least 1"):
        pool([["a"]], depth)
    with pytest.raises(ValueError, match="must be at least 1"):
        holes(["a"], set(), depth)
