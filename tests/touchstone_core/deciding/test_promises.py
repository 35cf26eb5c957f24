"""“Enough is judged” by simulation: how often the sign is that of the pages judged in full, and how much was judged for it.

The truth of real runs is known because their unjudged documents are left out. `make test-thorough` takes more cases.
"""

from itertools import permutations
from math import sqrt
from statistics import fmean

import numpy as np
import pytest

from tests.evaluation.real_files import ESCI_RUNS, read_qrels, read_run
from tests.shared_data import shared_data
from tests.touchstone_core.deciding.simulation import judge, judge_part, known_pages, synthetic
from touchstone_core.deciding.difference import difference
from touchstone_core.deciding.outlook import Outlook

pytestmark = pytest.mark.sampled

TOP = 7.0  # grades 0 to 3, exponential gain
PAIRS = list(permutations(range(len(ESCI_RUNS)), 2))
KINDS = {
    "alike": {},
    "worse": {"noise": (1, 1.5)},
    "better": {"noise": (1.5, 1)},
    "unlike": {"noise": (0.3, 3)},
    "few changed": {"changed": 0.3},
    "few queries": {"queries": 10},
    "little relevant": {"grades": (0.95, 0.02, 0.02)},
}


@pytest.fixture(scope="module")
def esci():
    judgments = read_qrels(shared_data("esci_opensearch") / "qrels.esci_us_150.txt")
    runs = [read_run(shared_data("esci_runs") / f"{name}.trec") for name in ESCI_RUNS]
    return known_pages(runs, judgments, lambda grade: 2.0**grade - 1)


def esci_outcomes(esci, cases, queries=100, **kinds):
    document, gain = esci
    found = []
    for case in range(cases):
        pair = list(PAIRS[case % len(PAIRS)])
        some = np.random.default_rng(case).choice(document.shape[1], queries, replace=False)
        found.append(judge(document[pair][:, some], gain[pair][:, some], TOP, case, **kinds))
    return found


def synthetic_outcomes(kind, cases, **kinds):
    pages = (synthetic(np.random.default_rng(case), **KINDS[kind]) for case in range(cases))
    return [judge(*both, TOP, case, **kinds) for case, both in enumerate(pages)]


def right(found, least=0.0):
    """Of those that the model decided, the share with the right sign."""
    return fmean(one.right for one in found if one.by_model and abs(one.truth) >= least)


def keeps(found, share):
    """Whether these few are as often right as promised, within three standard errors."""
    count = sum(one.by_model for one in found)
    return right(found) >= share - 3 * sqrt(share * (1 - share) / count)


def test_real_runs_are_told_apart_with_a_part_of_their_judgments(esci):
    found = esci_outcomes(esci, 56)

    assert keeps(found, 0.97)
    assert all(one.right for one in found if not one.by_model and one.truth)
    assert fmean(one.by_model for one in found) > 0.7
    assert fmean(one.judged for one in found) < 0.65


def test_a_run_beside_a_judged_baseline_is_told_apart(esci):
    assert keeps(esci_outcomes(esci, 56, first_judged=True), 0.97)


@pytest.mark.parametrize("kind", KINDS)
def test_synthetic_runs_are_told_apart(kind):
    found = synthetic_outcomes(kind, 40)

    assert keeps(found, 0.97)
    assert all(one.right for one in found if not one.by_model and one.truth)


def test_runs_that_differ_little_may_be_wrong_only_where_it_hardly_matters():
    found = synthetic_outcomes("alike", 100, first_judged=True)

    assert keeps(found, 0.97)
    assert right(found, least=0.005) >= 0.99


def test_batches_that_begin_before_the_last_one_is_done_tell_runs_apart_as_well():
    """As where a worker adds them, while a tenth waits for raters."""
    found = synthetic_outcomes("alike", 60, first_judged=True, waiting=0.1)

    assert keeps(found, 0.97)
    assert right(found, least=0.005) >= 0.99


def test_whoever_looks_while_a_batch_is_judged_is_not_misled():
    found = synthetic_outcomes("alike", 40, first_judged=True, looks=4)

    assert keeps(found, 0.97)


def test_zeros_beside_judgments_that_were_chosen_for_what_they_decide_mislead():
    """A better run beside a judged baseline: zeros put it behind in nearly all cases, and what is expected does not."""
    zeros, expected = [], []
    for case in range(30):
        pages = synthetic(np.random.default_rng(case), **KINDS["better"])
        judged, truth = judge_part(*pages, TOP, case, 0.3, first_judged=True)
        zeros.append(float(judged.weight @ np.nan_to_num(judged.gain)) * truth > 0)
        expected.append(difference(judged).expected * truth > 0)

    assert fmean(zeros) < 0.2
    assert fmean(expected) > 0.9


def claims(kind, cases, share, **kinds):
    """How often the band of two runs that are equal but for chance excludes 0."""
    found = 0
    for case in range(cases):
        pages = synthetic(np.random.default_rng(5000 + case), **KINDS[kind])
        outlook = Outlook.of(judge_part(*pages, TOP, case, share, **kinds)[0])
        found += outlook.low is not None and not outlook.low <= 0 <= outlook.high
    return found / cases


def test_of_equal_runs_the_band_seldom_excludes_nothing():
    assert claims("alike", 60, 0.3) <= 0.05 + 3 * sqrt(0.05 * 0.95 / 60)


@pytest.mark.thorough
@pytest.mark.parametrize("share", [0.1, 0.3, 0.6])
@pytest.mark.parametrize("kind", ["alike", "few changed", "little relevant"])
@pytest.mark.parametrize(("first_judged", "most"), [(False, 0.06), (True, 0.09)])
def test_nor_does_that_of_equal_runs_of_any_kind(kind, share, first_judged, most):
    """Beside a judged baseline the 5 % aren't kept, which the docs say."""
    assert claims(kind, 200, share, first_judged=first_judged) <= most


def signs_of_ahead(kind, cases, share, **kinds):
    """Whether the run that is ahead at one look is the better one, of the cases in which one is."""
    found = []
    for case in range(cases):
        pages = synthetic(np.random.default_rng(9000 + case), **KINDS[kind])
        judged, truth = judge_part(*pages, TOP, case, share, **kinds)
        outlook = Outlook.of(judged)
        if outlook.is_ahead and outlook.z is not None:
            found.append(outlook.z * truth > 0)
    return found


def test_the_run_that_is_ahead_at_one_look_is_mostly_the_better_one():
    found = signs_of_ahead("better", 40, 0.1, first_judged=True)

    assert len(found) >= 15
    assert fmean(found) >= 0.9


@pytest.mark.thorough
@pytest.mark.parametrize("share", [0.05, 0.1, 0.3])
@pytest.mark.parametrize("kind", ["alike", "better", "few changed", "little relevant"])
@pytest.mark.parametrize("first_judged", [False, True])
def test_so_it_is_of_every_kind(kind, share, first_judged):
    found = signs_of_ahead(kind, 200, share, first_judged=first_judged)

    assert fmean(found) >= 0.9 - 2 * sqrt(0.9 * 0.1 / len(found))


@pytest.mark.thorough
@pytest.mark.parametrize("queries", [30, 100, 150])
@pytest.mark.parametrize("first_judged", [False, True])
def test_real_runs_of_every_size_are_told_apart(esci, queries, first_judged):
    assert right(esci_outcomes(esci, 560, queries, first_judged=first_judged)) >= 0.97


@pytest.mark.thorough
@pytest.mark.parametrize("kind", KINDS)
def test_many_synthetic_runs_are_told_apart(kind):
    assert right(synthetic_outcomes(kind, 500)) >= 0.97


@pytest.mark.thorough
@pytest.mark.parametrize("kind", KINDS)
def test_many_synthetic_runs_are_told_apart_while_a_tenth_of_a_batch_waits(kind):
    assert right(synthetic_outcomes(kind, 500, waiting=0.1)) >= 0.97


@pytest.mark.thorough
@pytest.mark.parametrize("first_judged", [False, True])
@pytest.mark.parametrize("kind", KINDS)
def test_looks_while_a_batch_is_judged_make_no_error_likelier(kind, first_judged):
    assert right(synthetic_outcomes(kind, 300, first_judged=first_judged, looks=10)) >= 0.97


@pytest.mark.thorough
@pytest.mark.parametrize("kind", KINDS)
def test_many_synthetic_runs_beside_a_judged_baseline_are_told_apart(kind):
    found = synthetic_outcomes(kind, 500, first_judged=True)

    assert right(found) >= 0.97
