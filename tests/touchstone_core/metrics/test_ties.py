from itertools import pairwise, permutations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.touchstone_core.metrics.refusals import refused
from tests.touchstone_core.metrics.scenes import LEVEL, formulas
from touchstone_core.metrics.arrays import join
from touchstone_core.metrics.formula import IDEALS, Formula
from touchstone_core.metrics.ladder import ladder
from touchstone_core.metrics.scale import ScaleInfo
from touchstone_core.metrics.ties import (
    TieGroups,
    TieSpread,
    first_tie,
    ranking_spreads,
    run_spreads,
    tie_groups,
)

SCALE = ScaleInfo(top_grade=4.0, gains={-1.0: 0.0, 0.0: 0.0, 2.0: 0.5, 4.0: 3.0})
SCORE = st.sampled_from([1.0, 2.0, 2.5])
DOCUMENT = st.tuples(SCORE, st.none() | LEVEL)


@given(st.lists(DOCUMENT, min_size=1, max_size=5), formulas())
def test_the_spread_is_that_of_all_orders_of_the_tied(documents, formula):
    dcgs = all_orders(documents, [], formula).dcg

    spread = spread_of(documents, formula)

    assert spread == near(TieSpread(np.mean(dcgs), min(dcgs), max(dcgs)))


@given(st.lists(DOCUMENT, min_size=1, max_size=5), st.lists(LEVEL, max_size=3), formulas())
def test_the_ndcgs_of_all_orders_have_this_spread_where_it_is_defined(documents, unretrieved, formula):
    orders = all_orders(documents, unretrieved, formula)

    (spreads,) = spreads_of([(documents, unretrieved)], formula)

    for ideal in IDEALS:
        totals, ndcgs = orders.ideal(ideal), orders.ndcg(ideal)
        found = spreads.ndcg[ideal].of(0)
        if min(totals) == 0 or max(totals) > min(totals) * (1 + 1e-9):
            assert found is None
            assert min(totals) == 0 or ideal in ("local", "recall")
        else:
            assert found == near(TieSpread(np.mean(ndcgs), min(ndcgs), max(ndcgs)))


@given(
    st.lists(st.tuples(st.lists(DOCUMENT, max_size=8), st.lists(LEVEL, max_size=2)), max_size=5), formulas()
)
def test_many_queries_at_once_have_the_spreads_of_each(queries, formula):
    queries = [(documents, [*unretrieved, 1.0]) for documents, unretrieved in queries]

    together = joined(queries, formula)

    for place, alone in enumerate(spreads_of(queries, formula)):
        assert together.dcg.of(place) == alone.dcg.of(0)
        for ideal in IDEALS:
            assert together.ndcg[ideal].of(place) == alone.ndcg[ideal].of(0)


@pytest.mark.parametrize(
    "formula",
    [
        Formula(cutoff=2),
        Formula(gain="exp", cutoff=3, depth=4),
        Formula(cutoff=2, unjudged="condensed"),
        Formula(gain="table", discount="jk", base=3.0),
    ],
    ids=lambda formula: formula.key,
)
def test_a_thousand_random_queries_have_the_spreads_of_all_their_orders(formula):
    random = np.random.default_rng(7)
    queries = [random_query(random) for _ in range(1000)]

    spreads = joined(queries, formula)

    for place, (documents, unretrieved) in enumerate(queries):
        dcgs = all_orders(documents, unretrieved, formula).dcg
        assert spreads.dcg.of(place) == near(TieSpread(np.mean(dcgs), min(dcgs), max(dcgs)))


def random_query(random):
    size = random.integers(1, 6)
    grades = [None if grade < -1 else float(grade) for grade in random.integers(-2, 5, size)]
    return list(zip(random.integers(0, 3, size).astype(float), grades, strict=True)), []


def all_orders(documents, unretrieved, formula):
    """A ladder with a query for each order that the scores allow."""
    judgments = judged(documents, unretrieved) or {"other": 0.0}
    orders = [
        [f"d{number}" for number in order]
        for order in permutations(range(len(documents)))
        if all(documents[a][0] >= documents[b][0] for a, b in pairwise(order))
    ]
    names = [str(number) for number in range(len(orders))]
    _, run = join(dict.fromkeys(names, judgments), dict(zip(names, orders, strict=True)), SCALE)
    return ladder(run, formula)


def judged(documents, unretrieved):
    grades = {f"d{number}": grade for number, (_, grade) in enumerate(documents) if grade is not None}
    return grades | {f"u{number}": grade for number, grade in enumerate(unretrieved)}


def spreads_of(queries, formula):
    return [joined([query], formula) for query in queries]


def joined(queries, formula):
    judgments, rankings, groups = {}, {}, []
    for number, (documents, unretrieved) in enumerate(queries):
        order = sorted(range(len(documents)), key=lambda place: -documents[place][0])
        judgments[f"q{number}"] = judged(documents, unretrieved) or {"other": 0.0}
        rankings[f"q{number}"] = [f"d{place}" for place in order]
        scores = np.array([documents[place][0] for place in order])
        hits = [rank for rank, place in enumerate(order, 1) if documents[place][1] is not None]
        groups.append(tie_groups(scores, np.array(hits, dtype=np.int64)))
    _, run = join(judgments, rankings, SCALE)
    return run_spreads(run, TieGroups.concatenate(groups), formula)


def spread_of(documents, formula):
    scores = np.array([score for score, _ in documents])
    grades = np.array([np.nan if grade is None else grade for _, grade in documents])
    return ranking_spreads(scores, grades, grades[~np.isnan(grades)], formula, SCALE).dcg.of(0)


class near:
    """Equal to a spread within a tolerance."""

    def __init__(self, spread, tolerance=1e-9):
        numbers = [spread.expected, spread.least, spread.greatest]
        self.numbers = pytest.approx(numbers, rel=tolerance, abs=tolerance)

    def __eq__(self, other):
        return [other.expected, other.least, other.greatest] == self.numbers


def test_a_published_example_of_ties_comes_out():
    """Tie a(3), c(1) with equal scores, cutoff 2, d(2) judged and not retrieved (ideal 3 + 2/log2(3))."""
    spreads = joined([([(1.0, 3.0), (1.0, 1.0)], [2.0])], Formula(cutoff=2))

    assert spreads.ndcg["global"].of(0) == near(TieSpread(0.765361, 0.678762, 0.851959), 1e-6)


def test_a_tie_across_the_cutoff_is_counted_by_the_share_that_is_shown():
    spread = spread_of([(2.0, 4.0), (1.0, 2.0), (1.0, None)], Formula(cutoff=2, discount="none"))

    assert spread == TieSpread(expected=5, least=4, greatest=6)


@pytest.mark.parametrize("discount", ["log2", "jk", "reciprocal"])
def test_where_no_order_changes_the_value_the_spread_is_one_number(discount):
    """Without this the mean, which is added up in another way, would stand outside by a last digit."""
    for size in range(1, 40):
        for cutoff in (1, 3, 10, 100):
            spread = spread_of([(1.0, 0.7)] * size, Formula(cutoff=cutoff, discount=discount))
            assert spread.least == spread.expected == spread.greatest


def test_a_tie_below_the_cutoff_changes_nothing():
    spread = spread_of([(2.0, 4.0), (1.0, 2.0), (1.0, 0.0)], Formula(cutoff=1))

    assert spread == TieSpread(expected=4, least=4, greatest=4)


def test_a_tie_across_the_cutoff_leaves_the_ideal_local_undefined():
    spreads = joined([([(2.0, 4.0), (1.0, 2.0), (1.0, 1.0)], [])], Formula(cutoff=2))

    assert spreads.ndcg["local"].of(0) is None
    assert spreads.ndcg["recall"].of(0) is not None


def test_an_empty_ranking_has_no_spread():
    assert spread_of([], Formula()) == TieSpread(0, 0, 0)


def test_a_run_without_hits_has_no_groups():
    groups = TieGroups.concatenate([])
    _, run = join({}, {}, SCALE)

    assert (groups.start.size, groups.size.size) == (0, 0)
    assert run_spreads(run, groups, Formula()).dcg.least.size == 0


def test_without_ties_every_document_is_a_group():
    groups = TieGroups.none(np.array([1, 4]))

    assert (groups.start.tolist(), groups.size.tolist()) == ([1, 4], [1, 1])


@pytest.mark.parametrize(
    ("scores", "sentence"),
    [
        ([1.0], "There are 1 scores for 2 documents."),
        ([1.0, np.nan], "A retrieval score is not a number, so the ranking has no order."),
    ],
)
def test_scores_that_make_no_order_are_refused(scores, sentence):
    with refused(sentence):
        ranking_spreads(np.array(scores), np.array([1.0, 2.0]), [1.0, 2.0], Formula(), SCALE)


@pytest.mark.parametrize(
    ("scores", "rank"),
    [([], None), ([1.0], None), ([3, 2, 1], None), ([3, 2, 2], 2), ([3, 3, 2, 2], 1), ([0.0, -0.0], 1)],
)
def test_the_first_tie_is_the_rank_where_equal_scores_begin(scores, rank):
    assert first_tie(np.array(scores, dtype=np.float64)) == rank


@given(st.lists(SCORE, max_size=8), st.integers(1, 10))
def test_the_first_tie_tells_for_every_cutoff_whether_a_tie_matters(scores, cutoff):
    ordered = np.array(sorted(scores, reverse=True))
    first = first_tie(ordered)

    shown = ordered[: cutoff + 1].tolist()
    assert (len(set(shown)) < len(shown)) == (first is not None and first <= cutoff)


def test_groups_are_found_at_any_ranks():
    groups = tie_groups(np.array([5.0, 4, 4, 4, 1, 1]), np.array([1, 3, 4, 6]))

    assert (groups.start.tolist(), groups.size.tolist()) == ([1, 2, 2, 5], [1, 3, 3, 2])


@pytest.mark.parametrize("cutoff", [1, 3, 10])
def test_scikit_learn_which_averages_over_ties_gives_the_expected_values(cutoff):
    metrics = pytest.importorskip(
        "sklearn.metrics", reason="scikit-learn comes with benchmarks/requirements.txt"
    )
    random = np.random.default_rng(11)
    grades = random.integers(0, 5, (300, 12)).astype(float)
    scores = random.integers(0, 6, (300, 12)).astype(float)
    queries = [
        (list(zip(*rows, strict=True)), []) for rows in zip(scores.tolist(), grades.tolist(), strict=True)
    ]

    spreads = joined(queries, Formula(cutoff=cutoff))

    for place in range(len(queries)):
        row = slice(place, place + 1)
        assert spreads.dcg.expected[place] == pytest.approx(
            metrics.dcg_score(grades[row], scores[row], k=cutoff), abs=1e-9
        )
        assert spreads.ndcg["global"].expected[place] == pytest.approx(
            metrics.ndcg_score(grades[row], scores[row], k=cutoff), abs=1e-9
        )
