"""What runs outside the pool are expected to reach: of each as if it were alone, and with the work of one."""

from dataclasses import asdict

import numpy as np
import pytest

from touchstone_core.bounds.estimates import Pool, PooledPages, estimate
from touchstone_core.comparison.pool_estimate import pool_estimate
from touchstone_core.metrics.formula import Formula

QUERIES, POOLED, RANKS = 30, 4, 5


@pytest.fixture
def judged():
    """Four runs whose pages of twelve documents are judged, and three of whose pages half is not."""
    draw = np.random.default_rng(7)
    pages = [[draw.permutation(12)[:RANKS] for _ in range(QUERIES)] for _ in range(POOLED + 3)]
    document = np.array(pages)
    worth = draw.integers(0, 4, (QUERIES, 12)).astype(float)
    gain = worth[np.arange(QUERIES)[:, None], document]
    gain[POOLED:, :, ::2] = np.nan
    return PooledPages(document, gain, Formula(cutoff=RANKS).discounts(), 3.0)


def of(judged, *runs):
    return PooledPages(judged.document[list(runs)], judged.gain[list(runs)], judged.discount, judged.top)


@pytest.fixture
def looks(monkeypatch):
    """One entry for each look through the pages for documents of one run only, which is where the time goes."""
    found, alone = [], PooledPages.alone

    def counted(pages):
        found.append(len(pages.document))
        return alone(pages)

    monkeypatch.setattr(PooledPages, "alone", counted)
    return found


def test_each_run_outside_is_told_what_it_would_be_told_alone(judged):
    told = pool_estimate(judged, POOLED + 3)["expected"]

    fed = of(judged, *range(POOLED))
    assert told[:POOLED] == [None] * POOLED
    for run in range(POOLED, POOLED + 3):
        gain = judged.gain[run]
        pool = Pool(fed)
        alone = estimate(np.nan_to_num(gain), np.isnan(gain), pool, own=pool.own(judged.document[run]))
        assert told[run] == asdict(alone)


def test_more_runs_outside_cost_no_further_look_through_the_pool(judged, looks):
    pool_estimate(of(judged, *range(POOLED + 1)), POOLED + 1)
    with_one = len(looks)
    looks.clear()
    pool_estimate(judged, POOLED + 3)

    assert len(looks) == with_one == 2


def test_without_runs_outside_nothing_is_expected(judged):
    told = pool_estimate(of(judged, *range(POOLED)), POOLED)

    assert (told["expected"], told["why"]) == ([None] * POOLED, "")
    assert (told["runs"], told["fed"]) == (POOLED, POOLED)


def test_runs_that_are_not_compared_feed_the_pool_too(judged):
    """Two of the runs are compared; the audit and what is expected are as if all were."""
    all_, two = pool_estimate(judged, POOLED + 3), pool_estimate(of(judged, 1, 5, 0, 2, 3, 4, 6), 2)

    assert two["pooled"] == [True, False]
    assert (two["runs"], two["fed"]) == (POOLED + 3, POOLED)
    assert two["audit"]["loss"] == [pytest.approx(all_["audit"]["loss"][1]), None]
    assert two["audit"]["only"] == [all_["audit"]["only"][1], None]
    assert two["audit"]["mean"] == pytest.approx(all_["audit"]["mean"])
    assert two["expected"][1] == pytest.approx(all_["expected"][5])


def test_bands_of_several_differences_are_wider(judged):
    # The fifth run lacks its last document only: not more than the pooled ones bring alone.
    judged.gain[5, :, :4] = 1.0
    one, three = pool_estimate(of(judged, 0, 5, 1, 2, 3), 2), pool_estimate(of(judged, 0, 5, 1, 2, 3), 4)

    assert one["differences"][0]["value"] == three["differences"][0]["value"]
    assert three["differences"][0]["low"] < one["differences"][0]["low"]
    assert three["differences"][0]["high"] > one["differences"][0]["high"]
