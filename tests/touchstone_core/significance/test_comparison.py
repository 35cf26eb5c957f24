import json
from dataclasses import FrozenInstanceError, asdict, replace

import numpy as np
import pytest

from touchstone_core.significance.comparison import compare
from touchstone_core.significance.errors import SignificanceError
from touchstone_core.significance.pairs import compare_all
from touchstone_core.significance.permutation import Method, family_tests
from touchstone_core.significance.settings import Settings
from touchstone_core.significance.weighted_mean import Caution, Sampling

SETTINGS = Settings(seed=3, draws=999, resamples=100)


@pytest.fixture
def runs():
    """A baseline and three runs over 80 queries: better, nearly the same, and the same."""
    baseline = np.random.default_rng(1).random(80)
    better = baseline + np.random.default_rng(2).normal(0.05, 0.1, 80)
    nearly = baseline.copy()
    nearly[:6] += 0.1
    return baseline, better, nearly, baseline.copy()


def test_a_run_is_compared_in_every_way(runs):
    baseline, better, *_ = runs

    (found,) = compare(baseline, [better], settings=SETTINGS)

    difference = better - baseline
    assert found.queries == 80
    assert (found.baseline, found.run) == pytest.approx((baseline.mean(), better.mean()))
    assert found.relative == pytest.approx(difference.mean() / baseline.mean())
    assert found.difference.mean == pytest.approx(difference.mean())
    assert found.permutation == family_tests(difference[:, None], seed=3, draws=999)[0][0]
    assert found.posterior.better > 0.9
    assert found.outcomes.wins + found.outcomes.losses + found.outcomes.ties == 80
    assert found.risk.urisk < found.difference.mean
    assert found.detectable == pytest.approx(2.84 * difference.std(ddof=1) / 80**0.5, rel=0.05)
    assert found.adjusted == found.permutation.value
    assert (found.difference.interval.low > 0) == (found.adjusted <= 0.05)
    assert found.one_sided.low > found.difference.interval.low
    assert found.sequential is None
    assert found.queries_needed < 80
    assert found.robust.median == pytest.approx(np.median(difference))
    assert found.weighted is None
    assert found.settings == SETTINGS


def test_several_runs_are_adjusted_for_one_another(runs):
    baseline, better, nearly, same = runs

    found = compare(baseline, [better, nearly, same, better - 0.04], settings=SETTINGS)

    columns = np.stack([run - baseline for run in (better, nearly, same, better - 0.04)], axis=1)
    _, family = family_tests(columns, members=4, seed=3, draws=999)
    assert [one.adjusted for one in found] == list(family.adjusted)
    assert found[1].adjusted is None
    assert found[3].adjusted > found[3].permutation.value
    error = found[0].difference.error
    assert found[0].difference.interval.high - found[0].difference.mean == pytest.approx(
        family.critical(0.05) * error
    )


def test_each_run_gets_the_same_record_alone_but_for_the_adjustment(runs):
    baseline, *others = runs

    together = compare(baseline, others, settings=SETTINGS)

    for one, run in zip(together, others, strict=True):
        (alone,) = compare(baseline, [run], settings=SETTINGS)
        assert (alone.difference.mean, alone.permutation) == (one.difference.mean, one.permutation)
        assert figures(alone.robust) == pytest.approx(figures(one.robust), rel=1e-9, abs=1e-12)
        assert alone.posterior == one.posterior


def test_too_few_changed_queries_have_an_exact_p_value_and_nothing_else(runs):
    baseline, _, nearly, _ = runs

    (found,) = compare(baseline, [nearly], settings=SETTINGS, weights=np.arange(1, 81), span=1.0)

    assert (found.permutation.method, found.permutation.changed) == (Method.TOO_FEW, 6)
    assert found.permutation.value == 2 / 2**6
    assert found.adjusted is found.posterior is found.sequential is found.one_sided is None
    assert found.difference.t is found.difference.p is found.difference.interval is found.risk.trisk is None
    assert found.robust.median_interval is found.robust.trimmed_interval is found.weighted.interval is None
    assert found.detectable is found.queries_needed is None
    assert found.difference.mean == pytest.approx(0.6 / 80)


def test_identical_runs_differ_by_0_with_the_p_value_1(runs):
    baseline, _, _, same = runs

    (found,) = compare(baseline, [same], settings=SETTINGS)

    assert (found.difference.mean, found.permutation.value, found.adjusted) == (0, 1, 1)
    assert (found.outcomes.ties, found.posterior.within, found.robust.worst) == (80, 1, ())
    assert (found.one_sided.low, found.one_sided.high) == (0, 0)
    assert (found.detectable, found.queries_needed) == (None, None)
    assert found.run == found.baseline


def test_one_query_can_be_compared():
    (found,) = compare([0.0], [[0.5]], settings=SETTINGS)

    assert (found.difference.mean, found.relative, found.detectable, found.queries_needed) == (
        0.5,
        None,
        None,
        None,
    )


def test_no_run_is_compared_to_nothing(runs):
    assert compare(runs[0], [], settings=SETTINGS) == ()


def test_traffic_is_weighed_beside_the_plain_mean(runs):
    baseline, better, nearly, _ = runs
    weights = 1 / np.arange(1, 81)

    found = compare(baseline, [better, nearly], settings=SETTINGS, weights=weights, drawn=Sampling.TRAFFIC)

    plain = compare(baseline, [better, nearly], settings=SETTINGS)
    assert [replace(one, weighted=None) for one in found] == list(plain)
    difference = better - baseline
    assert found[0].weighted.mean == pytest.approx(np.average(difference, weights=weights))
    assert found[0].weighted.drawn == Sampling.TRAFFIC
    assert found[0].weighted.cautions == (Caution.WEIGHTED_TWICE, Caution.FEW_EFFECTIVE)
    (flipped,), _ = family_tests((weights * difference)[:, None], seed=3, draws=999)
    assert found[0].weighted.permutation == flipped
    assert found[1].weighted.permutation.method == Method.TOO_FEW


def test_no_interval_leaves_the_range_of_the_measure():
    source = np.random.default_rng(3)
    baseline, run = np.round(source.random((2, 17)))

    (found,) = compare(
        baseline, [run * 0 + (1 - baseline)], settings=SETTINGS, weights=source.exponential(1, 17), span=1.0
    )

    for interval in (
        found.difference.interval,
        found.one_sided,
        found.sequential.interval,
        found.weighted.interval,
    ):
        assert -1 <= interval.low <= interval.high <= 1


def test_a_record_goes_into_a_json_field_and_cannot_be_changed(runs):
    baseline, better, nearly, _ = runs

    found = compare(
        baseline, [better, nearly], settings=SETTINGS, weights=np.ones(80), drawn=Sampling.TRAFFIC
    )

    # Neither NaN nor infinity, which are no JSON.
    stored = json.loads(json.dumps([one.as_json() for one in found], allow_nan=False))
    assert stored[0]["permutation"] == {
        "value": found[0].permutation.value,
        "method": "drawn",
        "changed": 80,
        "draws": 999,
    }
    assert stored[0]["settings"]["seed"] == 3
    assert stored[1]["permutation"]["method"] == "too few changed queries"
    with pytest.raises(FrozenInstanceError):
        found[0].queries = 1
    pairs = compare_all([baseline, better], seed=3, draws=99)
    assert json.loads(json.dumps(pairs.as_json(), allow_nan=False))["pairs"][0]["second"] == 1


def test_the_seed_repeats_a_record_and_another_seed_changes_it(runs):
    baseline, better, *_ = runs

    one, again = (compare(baseline, [better], settings=SETTINGS) for _ in range(2))
    (other,) = compare(baseline, [better], settings=replace(SETTINGS, seed=4))

    assert one == again
    assert one[0].robust != other.robust


def test_a_negative_seed_is_refused(runs):
    with pytest.raises(SignificanceError, match="The seed must be a whole number from 0"):
        compare(runs[0], [runs[1]], settings=replace(SETTINGS, seed=-1))


@pytest.mark.parametrize(
    "wrong", [{"level": 1}, {"level": 0}, {"clear": -0.1}, {"clear": float("nan")}, {"worst": -1}]
)
def test_impossible_settings_are_refused(wrong):
    with pytest.raises(SignificanceError, match="must"):
        Settings(seed=1, **wrong)


def figures(record):
    """All numbers of a record, in one order."""

    def walk(value):
        if isinstance(value, dict):
            for part in value.values():
                yield from walk(part)
        elif isinstance(value, list | tuple):
            for part in value:
                yield from walk(part)
        elif value is not None and not isinstance(value, str):
            yield float(value)

    return list(walk(asdict(record)))
