"""When a run is called better, and when unjudged documents could turn it."""

import numpy as np
import pytest

from touchstone_core.comparison.coverage import Coverage
from touchstone_core.comparison.page_evidence import Evidence, Standing
from touchstone_core.comparison.verdict import verdict
from touchstone_core.impact.pages import Change
from touchstone_core.significance.comparison import compare
from touchstone_core.significance.settings import Settings

QUERIES = 80


def told(difference=0.05):
    """Every query moves by the same, which is more than noise: p = 2 / 2^80, as far as draws show it."""
    (one,) = compare(np.full(QUERIES, 0.5), [np.full(QUERIES, 0.5 + difference)], settings=Settings(seed=1))
    return one.as_json()


def evidence_of(*queries, coverage=(1.0, 1.0), expected=(None, None, None), beyond=False):
    """From the bounds of each query, the same for both measures; whatever is not needed is nothing."""
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
        global_low=low,
        global_high=high,
        any_low=low,
        any_high=high,
    ).counts() | {
        "baseline_coverage": coverage[0],
        "coverage": coverage[1],
        **dict(zip(("expected_value", "expected_low", "expected_high"), expected, strict=True)),
        "expected_beyond": beyond,
    }


def coverage_of(evidence):
    """The same at the depth of the measure as on the pages."""
    if evidence is None:
        return Coverage(1.0, 1.0)
    return Coverage(evidence["baseline_coverage"], evidence["coverage"])


def said(evidence, on="max", difference=0.05):
    found = verdict(told(difference), evidence, 1, coverage_of(evidence), on=on, cutoff=10)
    return found.headline, found.details


def test_the_queries_that_a_small_difference_needs_are_said_as_roughly_as_they_are_known():
    changes = np.tile([0.2, -0.2], 40) + 0.001
    (one,) = compare(np.full(QUERIES, 0.5), [0.5 + changes], settings=Settings(seed=1))

    needed = one.as_json() | {"queries_needed": 1_298_742}

    found = verdict(needed, None, 1, coverage_of(None), on="max", cutoff=10)

    assert "You’d need about 1,300,000 queries to detect a difference this small." in found.details


def test_queries_that_are_all_decided_do_not_decide_the_mean():
    # (60 × .05 − 20 × .9) / 80 = −.1875 and (60 × .5 − 20 × .1) / 80 = +.35
    evidence = evidence_of(*[(0.05, 0.5)] * 60, *[(-0.9, -0.1)] * 20)

    headline, details = said(evidence)

    assert (evidence["for_candidate"], evidence["for_baseline"], evidence["open"]) == (60, 20, 0)
    assert headline == "Better on current judgments"
    assert "the difference of NDCG-max lies between −0.1875 and +0.3500." in details


@pytest.mark.parametrize("on", ["global", "max", "dcg"])
@pytest.mark.parametrize(("difference", "headline"), [(0.05, "Better"), (-0.05, "Worse")])
def test_bounds_on_one_side_of_nothing_settle_it(on, difference, headline):
    sign = 1 if difference > 0 else -1
    evidence = evidence_of(*[tuple(sorted((0.01 * sign, 0.09 * sign)))] * QUERIES)

    assert said(evidence, on, difference)[0] == headline


def test_bounds_of_a_run_that_is_worse_may_reach_above_nothing():
    headline, details = said(evidence_of(*[(-0.15, 0.05)] * QUERIES), difference=-0.05)

    assert headline == "Worse on current judgments"
    assert "Unjudged documents could turn it" in details


def test_where_nothing_is_known_of_unjudged_documents_no_run_is_simply_better():
    headline, details = said(None)

    assert headline == "Better on current judgments"
    assert details.endswith("What unjudged documents could change isn’t known under this formula.")


def test_the_bounds_are_of_the_measure_that_is_compared():
    """Settled in NDCG-max, open in NDCG-global, where documents outside the pages move the ideals too."""
    evidence = evidence_of(*[(0.01, 0.09)] * QUERIES) | {"global_low": -0.02, "global_high": 0.3}

    on_global, on_max = said(evidence, "global"), said(evidence, "max")

    assert on_global[0] == "Better on current judgments"
    assert on_global[1].endswith("the difference of NDCG-global lies between −0.0200 and +0.3000.")
    assert on_max[0] == "Better"
    assert on_max[1].endswith(
        "No unjudged document that these runs retrieved can turn it around: "
        "whatever their grades, the difference of NDCG-max lies between +0.0100 and +0.0900."
    )


def test_of_pages_that_are_judged_whole_nothing_is_said_of_unjudged_documents():
    headline, details = said(evidence_of(*[(0.05, 0.05)] * QUERIES), "global")

    assert headline == "Better"
    assert "unjudged" not in details


OPEN = [(-0.2, 0.3)] * QUERIES


@pytest.mark.parametrize(
    ("expected", "headline"),
    [
        ((0.04, 0.01, 0.07), "Probably better once everything is judged"),
        ((-0.04, -0.07, -0.01), "Probably worse once everything is judged"),
        ((0.04, -0.01, 0.09), "Can’t tell until more is judged"),
        ((0.04, None, None), "Can’t tell until more is judged"),
    ],
)
@pytest.mark.parametrize("on", ["global", "max", "dcg"])
@pytest.mark.parametrize("difference", [-0.05, 0.05])
def test_where_one_run_is_judged_less_zeros_decide_nothing(on, difference, expected, headline):
    evidence = evidence_of(*OPEN, coverage=(0.99, 0.61), expected=expected)

    found = verdict(told(difference), evidence, 1, coverage_of(evidence), on=on, cutoff=10)

    assert (found.kind, found.headline) == ("open", headline)
    assert "61.0 % of this run’s pages are judged, and 99.0 % of the baseline’s." in found.details


@pytest.mark.parametrize(
    ("beyond", "why"),
    [(True, "one of the two runs is too unlike the pool"), (False, "that takes three runs")],
)
def test_the_verdict_says_why_nothing_is_expected(beyond, why):
    evidence = evidence_of(*OPEN, coverage=(0.99, 0.61), expected=(0.01, None, None), beyond=beyond)

    found = verdict(told(0.05), evidence, 1, coverage_of(evidence), on="global", cutoff=10)

    assert found.headline == "Can’t tell until more is judged"
    assert why in found.details


def test_zeros_that_hide_a_difference_say_no_more_than_zeros_that_show_one():
    """By zeros for the unjudged there is no difference that could be shown; expected is one."""
    draw = np.random.default_rng(1).normal(0, 0.1, QUERIES)
    (one,) = compare(np.full(QUERIES, 0.5), [0.5 + draw], settings=Settings(seed=1))
    evidence = evidence_of(*OPEN, coverage=(0.99, 0.61), expected=(0.06, 0.02, 0.1))

    found = verdict(one.as_json(), evidence, 1, coverage_of(evidence), on="max", cutoff=10)

    assert found.headline == "Probably better once everything is judged"
    assert found.details.endswith(
        "the difference of NDCG-max is expected to be +0.0600. Its 95 % band, +0.0200 to +0.1000, allows for other queries, too."
    )


def test_of_other_measures_a_run_that_is_judged_less_is_called_neither_better_nor_worse():
    evidence = evidence_of(*OPEN, coverage=(0.99, 0.61), expected=(0.04, 0.01, 0.07))

    assert said(evidence, "AP")[0] == "Can’t tell until more is judged"
    assert said(evidence_of(*OPEN), "AP")[0] == "Better on current judgments"


def test_bounds_settle_it_however_much_less_one_run_is_judged():
    evidence = evidence_of(*[(0.01, 0.3)] * QUERIES, coverage=(0.99, 0.61), expected=(0.1, -0.1, 0.3))

    assert said(evidence)[0] == "Better"


def targeted(expected, low, high, z, *, bounds=(-0.1, 0.2), judged=100):
    """Pages of which as much is judged in both runs, where documents were chosen for what they decide."""
    evidence = evidence_of(*[bounds] * QUERIES, coverage=(0.6, 0.6))
    evidence["outlook"] = {
        **{"expected": expected, "low": low, "high": high, "z": z},
        **{"judgments_left": 40, "judged": judged, "open": 80, "pool": 400},
    }
    coverage = Coverage(0.6, 0.6, targeted=True)
    found = verdict(told(), evidence, 1, coverage, on="max", cutoff=10)
    return found.headline, found


def test_judgments_chosen_for_what_they_decide_say_what_is_expected_not_what_zeros_say():
    """The zeros are in favor of the run, and p is far below 0.05."""
    headline, found = targeted(-0.03, -0.05, -0.01, -4.0)

    assert headline == "Probably worse once everything is judged"
    assert "Documents were judged for what they decide between two runs." in found.details
    assert "is expected to be −0.0300. Its 95 % band, −0.0500 to −0.0100," in found.details
    assert (found.rule.p, found.rule.interval, found.needs_judging) == (None, None, True)


@pytest.mark.parametrize(
    ("expected", "low", "high", "z", "headline"),
    [
        (0.03, 0.01, 0.05, 4.0, "Probably better once everything is judged"),
        (0.01, -0.01, 0.03, 2.5, "Probably better on these queries only"),
        (-0.01, -0.03, 0.01, -2.5, "Probably worse on these queries only"),
        (0.01, None, None, 2.5, "Probably better on these queries only"),
        (0.01, -0.01, 0.03, 2.3, "Can’t tell until more is judged"),
        (0.01, None, None, 1.0, "Can’t tell until more is judged"),
    ],
)
def test_what_is_expected_of_targeted_judgments_is_told_as_far_as_it_is_known(
    expected, low, high, z, headline
):
    found, verdict_found = targeted(expected, low, high, z)

    assert found == headline
    assert not verdict_found.backs_figures


def test_early_judgments_tell_nothing_however_clear_they_look():
    headline, found = targeted(0.03, 0.01, 0.05, 4.0, judged=19)

    assert headline == "Can’t tell until more is judged"
    assert found.details.endswith("Too little is judged to say what to expect. Judge what decides first.")


def test_targeted_judgments_that_no_grade_can_turn_decide_as_any_others():
    assert targeted(0.05, 0.01, 0.09, None, bounds=(0.01, 0.09))[0] == "Better"


def test_further_measures_of_targeted_judgments_tell_nothing():
    coverage = Coverage(0.6, 0.6, targeted=True)
    found = verdict(told(), evidence_of(*[(0.0, 0.2)] * QUERIES), 1, coverage, on="AP", cutoff=10)

    assert found.headline == "Can’t tell until more is judged"


def test_where_everything_is_judged_it_does_not_matter_how_it_was_chosen():
    coverage = Coverage(1.0, 1.0, everything=True, targeted=True)
    found = verdict(told(), evidence_of(*[(0.05, 0.05)] * QUERIES), 1, coverage, on="AP", cutoff=10)

    assert found.headline == "Better"
