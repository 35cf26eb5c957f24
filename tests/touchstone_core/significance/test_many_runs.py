import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from tests.touchstone_core.significance import oracles
from touchstone_core.significance.errors import SignificanceError
from touchstone_core.significance.pairs import compare_all
from touchstone_core.significance.permutation import Method, family_tests
from touchstone_core.significance.tukey import tukey_tests

pytestmark = pytest.mark.sampled


def adjusted(columns, **kwargs):
    return family_tests(columns, members=columns.shape[1], seed=1, **kwargs)[1]


@given(st.integers(1, 4), st.integers(0, 2**32))
def test_adjusted_p_values_are_those_of_the_greatest_z_under_every_assignment(runs, seed):
    columns = np.random.default_rng(seed).integers(-6, 9, (15, runs)) / 10 + 0.05

    found = adjusted(columns, draws=20_000).adjusted

    expected = oracles.every_greatest_z(columns)
    assert found == pytest.approx(expected, abs=1e-12 if runs == 1 else 0.016)


def test_a_run_alone_keeps_its_p_value():
    column = np.random.default_rng(4).normal(0.03, 0.1, (60, 1))

    ((alone,), family) = family_tests(column, members=1, seed=1, draws=999)

    assert family.adjusted == (alone.value,)


def test_the_same_run_ten_times_is_one_run():
    column = np.random.default_rng(4).normal(0.03, 0.1, (60, 1))

    assert adjusted(np.repeat(column, 10, axis=1), draws=999).adjusted == (
        adjusted(column, draws=999).adjusted * 10
    )


def test_runs_without_a_test_move_no_others():
    column = np.random.default_rng(4).normal(0.03, 0.1, (60, 1))
    few = np.zeros((60, 1))
    few[:14] = 0.3

    found = adjusted(np.concatenate([column, few, np.zeros((60, 1))], axis=1), draws=999)

    assert found.adjusted == (adjusted(column, draws=999).adjusted[0], None, 1.0)


def test_beside_others_nothing_is_gained():
    columns = np.random.default_rng(5).normal(0.02, 0.1, (40, 6))

    tests, family = family_tests(columns, members=6, seed=1, draws=999)

    assert all(one.value <= other for one, other in zip(tests, family.adjusted, strict=True))
    assert all(
        other <= min(1, 6 * one.value) + 0.03 for one, other in zip(tests, family.adjusted, strict=True)
    )


@given(st.integers(15, 40), st.integers(1, 5), st.integers(0, 2**32), st.sampled_from([0.05, 0.1, 0.01]))
def test_t_is_beyond_the_critical_value_exactly_where_the_adjusted_p_value_is_significant(
    queries, runs, seed, significance
):
    source = np.random.default_rng(seed)
    columns = (source.integers(-6, 9, (queries, runs)) / 10) * (source.random((queries, runs)) < 0.9) + 1e-3

    family = adjusted(columns, draws=99)

    critical = family.critical(significance)
    for column, p in zip(columns.T, family.adjusted, strict=True):
        t = abs(stats.ttest_1samp(column, 0).statistic)
        assert (t > critical) == (p <= significance)


def test_the_critical_value_of_normal_differences_is_near_students():
    column = np.random.default_rng(6).normal(0, 1, (40, 1))

    assert adjusted(column).critical(0.05) == pytest.approx(stats.t.ppf(0.975, 39), rel=0.02)


def test_where_nothing_can_be_significant_there_is_no_critical_value():
    assert adjusted(np.zeros((30, 2))).critical(0.05) == np.inf
    assert adjusted(np.ones((30, 1)), draws=9).critical(0.05) == np.inf


@pytest.mark.parametrize(("name", "runs"), [("adhoc5_ap", 8), ("adhoc8_p10", 5), ("web2012_ndcg20", 12)])
def test_all_pairs_of_real_runs_have_the_p_values_of_orders_drawn_one_by_one(name, runs):
    scores = oracles.score_matrix(name)[:, :runs]

    found = tukey_tests(scores, seed=2)

    expected = oracles.drawn_orders(scores, 10_000, seed=3)
    error = np.sqrt(expected * (1 - expected) / 10_000)
    assert (np.abs(found - expected) <= 4 * error + 1e-3).all()


@pytest.mark.parametrize(
    "scores",
    [
        [[0.9, 0.1, 0.2], [0.7, 0.3, 0.1], [0.8, 0.2, 0.2], [1.0, 0.5, 0.6]],
        [[0.6, 0.5], [0.3, 0.1], [0.8, 0.7], [0.2, 0.2], [0.5, 0.1], [0.9, 0.7], [0.4, 0.8]],
        [[0.1, 0.2, 0.3], [0.3, 0.3, 0.1], [0.2, 0.2, 0.2], [0.6, 0.4, 0.1]],
    ],
)
def test_all_pairs_have_the_p_values_of_all_orders(scores):
    found = tukey_tests(np.array(scores), seed=1, draws=40_000)

    assert found == pytest.approx(oracles.every_order(scores), abs=0.015)


@pytest.mark.parametrize("more", [0, 1e-6])
def test_sums_that_ought_to_be_equal_are_and_those_that_differ_by_a_millionth_are_not(more):
    """.4 − .3 + .2 − .1 and .3 + .2 + .1 − .4 are both .2, which no binary digits can hold; with a millionth more they differ."""
    differences = [0.4 + more, -0.3, 0.2, -0.1]
    scores = np.array([[0.5, 0.5 + difference] for difference in differences])

    found = tukey_tests(scores, seed=1, draws=40_000)[0, 1]

    # All of 16 assignments of signs but two that give 0 reach .2, among them two that do so the other way; these do not reach more.
    assert oracles.every_order(scores)[0, 1] == (12 if more else 14) / 16
    assert found == pytest.approx(oracles.every_order(scores)[0, 1], abs=0.02)


def test_without_differences_between_queries_all_pairs_come_out_as_in_tukeys_own_test():
    scores = np.random.default_rng(1).normal([0, 0, 0.05, 0.3], 1, (300, 4))

    found = tukey_tests(scores, seed=1, draws=20_000)

    assert found == pytest.approx(stats.tukey_hsd(*scores.T).pvalue, abs=0.02)


def test_the_smallest_p_value_of_true_nulls_is_uniform():
    source = np.random.default_rng(2)

    smallest = [
        tukey_tests(source.random((40, 1)) + source.normal(0, 0.1, (40, 4)), seed=at, draws=499).min()
        for at in range(200)
    ]

    assert stats.kstest(smallest, "uniform").pvalue > 0.05


def test_equal_runs_have_the_p_value_1_beside_others():
    run, other = np.random.default_rng(3).random((2, 50))

    found = tukey_tests(np.stack([run, run, other], axis=1), seed=1, draws=500)

    assert found[0, 1] == found[0, 0] == 1
    assert (found == found.T).all()


def test_runs_that_are_all_equal_have_the_p_value_1():
    assert (tukey_tests(np.full((20, 3), 0.25), seed=1, draws=50) == 1).all()


@pytest.mark.parametrize("runs", [2, 64, 65, 130])
def test_any_number_of_runs_can_be_compared(runs):
    scores = np.random.default_rng(4).random((21, runs))
    scores[:, 0] += 2

    found = tukey_tests(scores, seed=1, draws=200)

    assert found.shape == (runs, runs)
    assert (found[0, 1:] == 1 / 201).all()


def test_a_record_of_all_pairs_says_what_was_tested():
    source = np.random.default_rng(5)
    first = source.random(40)
    few, many = first.copy(), first + 0.3
    few[:5] += 0.4

    found = compare_all([first, first, few, many], seed=7, draws=999)

    assert (found.queries, found.seed, found.draws) == (40, 7, 999)
    by_runs = {(pair.first, pair.second): pair for pair in found.pairs}
    assert list(by_runs) == [(0, 1), (0, 2), (0, 3), (1, 2), (1, 3), (2, 3)]
    same, changed, better = by_runs[0, 1], by_runs[0, 2], by_runs[0, 3]
    assert (same.p, same.difference, same.method, same.changed) == (1, 0, Method.IDENTICAL, 0)
    assert (changed.p, changed.method, changed.changed) == (None, Method.TOO_FEW, 5)
    assert changed.difference == pytest.approx(0.05)
    assert (better.p, better.method, better.changed) == (0.001, Method.DRAWN, 40)
    assert better.difference == pytest.approx(0.3)


def test_stored_p_values_of_pairs_come_out_again():
    """As with the sign flips, this fails where numpy draws other numbers from the same seed."""
    scores = (np.arange(180).reshape(60, 3) * 37 % 19) / 20

    found = tukey_tests(scores, seed=1, draws=9999)

    assert found[0].tolist() == [1.0, 0.9276, 0.9547]


def test_the_seed_repeats_all_pairs():
    runs = np.random.default_rng(6).random((4, 30))

    assert compare_all(runs, seed=3, draws=99) == compare_all(runs, seed=3, draws=99)
    assert compare_all(runs, seed=3, draws=99).pairs != compare_all(runs, seed=4, draws=99).pairs


@pytest.mark.parametrize("runs", [[], [[0.5, 0.6]]])
def test_fewer_than_two_runs_are_no_pair(runs):
    with pytest.raises(SignificanceError, match="at least two runs"):
        compare_all(runs, seed=1)


def test_a_pair_whose_differences_cancel_but_for_rounding_differs_by_0():
    (pair,) = compare_all([[0.0, 0, 0], [0.1, 0.2, -0.3]], seed=1, draws=99).pairs

    assert (pair.difference, pair.changed) == (0, 3)
