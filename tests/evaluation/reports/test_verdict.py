"""When a run is called better, and when unjudged documents could turn it."""

import numpy as np
import pytest

from evaluation.reports.page_evidence import Change, Evidence, Standing
from evaluation.reports.verdict import verdict
from evaluation.significance.comparison import compare
from evaluation.significance.settings import Settings

QUERIES = 80


def told(difference=0.05):
    """Every query moves by the same, which is more than noise: p = 2 / 2^80, as far as draws show it."""
    (one,) = compare(np.full(QUERIES, 0.5), [np.full(QUERIES, 0.5 + difference)], settings=Settings(seed=1))
    return one.as_json()


def evidence_of(*queries):
    """From the bounds of each query; whatever is not needed is nothing."""
    low, high = (np.array(ends, dtype=float) for ends in zip(*queries, strict=True))
    nothing = np.zeros(len(low))
    standing = np.where(low > 0, Standing.CANDIDATE, np.where(high < 0, Standing.BASELINE, Standing.OPEN))
    return Evidence(
        change=np.full(len(low), Change.DOCUMENTS),
        standing=standing,
        first=nothing > 0,
        overlap=nothing,
        rbo=nothing,
        ceiling=nothing,
        low=low,
        high=high,
    ).counts()


def said(evidence, on="max", difference=0.05):
    found = verdict(told(difference), evidence, 1, on=on, cutoff=10)
    return found.headline, found.details


def test_queries_that_are_all_decided_do_not_decide_the_mean():
    # (60 × .05 − 20 × .9) / 80 = −.1875 and (60 × .5 − 20 × .1) / 80 = +.35
    evidence = evidence_of(*[(0.05, 0.5)] * 60, *[(-0.9, -0.1)] * 20)

    headline, details = said(evidence)

    assert (evidence["for_candidate"], evidence["for_baseline"], evidence["open"]) == (60, 20, 0)
    assert headline == "Better as far as it is judged"
    assert "the difference of NDCG-max lies between −0.1875 and +0.3500." in details


@pytest.mark.parametrize("on", ["global", "max", "dcg"])
@pytest.mark.parametrize(("difference", "headline"), [(0.05, "Better"), (-0.05, "Worse")])
def test_bounds_on_one_side_of_nothing_settle_it(on, difference, headline):
    sign = 1 if difference > 0 else -1
    evidence = evidence_of(*[tuple(sorted((0.01 * sign, 0.09 * sign)))] * QUERIES)

    assert said(evidence, on, difference)[0] == headline


def test_bounds_of_a_run_that_is_worse_may_reach_above_nothing():
    headline, details = said(evidence_of(*[(-0.15, 0.05)] * QUERIES), difference=-0.05)

    assert headline == "Worse as far as it is judged"
    assert "Unjudged documents could turn it" in details


def test_where_nothing_is_known_of_unjudged_documents_no_run_is_simply_better():
    headline, details = said(None)

    assert headline == "Better as far as it is judged"
    assert details.endswith("What unjudged documents could change is not known under this formula.")


def test_on_ndcg_global_it_says_which_measure_the_bounds_are_of():
    _, on_global = said(evidence_of(*[(0.01, 0.09)] * QUERIES), "global")
    _, on_max = said(evidence_of(*[(0.01, 0.09)] * QUERIES), "max")

    assert on_global.endswith(
        "In NDCG-max no unjudged document can turn it: "
        "whatever their grades, the difference lies between +0.0100 and +0.0900."
    )
    assert "NDCG-max" not in on_max


def test_pages_that_are_judged_whole_can_be_told_apart_by_their_ideals_only():
    # Won where the list knows little, lost where it knows much: NDCG-global gains, NDCG-max loses.
    headline, details = said(evidence_of(*[(-0.02, -0.02)] * QUERIES), "global")

    assert headline == "Better as far as it is judged"
    assert details.endswith("whatever their grades, the difference of NDCG-max is −0.0200.")
