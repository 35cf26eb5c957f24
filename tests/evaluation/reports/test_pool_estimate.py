"""What runs outside the pool are expected to reach: of each as if it were alone, and with the work of one."""

from types import SimpleNamespace

import numpy as np
import pytest

from evaluation.bounds import Pool, PooledPages, expected
from evaluation.metrics.formula import Formula
from evaluation.reports.pool_estimate import pool_estimate

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
    return SimpleNamespace(document=document, gain=gain, formula=Formula(cutoff=RANKS), top=3.0)


def of_first(judged, runs):
    part = {"document": judged.document[:runs], "gain": judged.gain[:runs]}
    return SimpleNamespace(**part, formula=judged.formula, top=judged.top)


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
    told = pool_estimate(judged)["expected"]

    fed = PooledPages(judged.document[:POOLED], judged.gain[:POOLED], judged.formula.discounts(), judged.top)
    assert told[:POOLED] == [None] * POOLED
    for run in range(POOLED, POOLED + 3):
        gain = judged.gain[run]
        alone = expected(np.nan_to_num(gain), np.isnan(gain), Pool(fed))
        assert told[run] == {"zero": alone.zero, "value": alone.value, "low": alone.low, "high": alone.high}


def test_more_runs_outside_cost_no_further_look_through_the_pool(judged, looks):
    pool_estimate(of_first(judged, POOLED + 1))
    with_one = len(looks)
    looks.clear()
    pool_estimate(judged)

    assert len(looks) == with_one == 2 + POOLED


def test_without_runs_outside_the_pool_is_audited_only(judged, looks):
    told = pool_estimate(of_first(judged, POOLED))

    assert (told["expected"], told["why"]) == ([None] * POOLED, "")
    assert looks == [POOLED]
