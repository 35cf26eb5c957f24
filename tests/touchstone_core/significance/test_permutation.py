import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from tests.touchstone_core.significance import oracles
from touchstone_core.significance.differences import differences
from touchstone_core.significance.errors import SignificanceError
from touchstone_core.significance.flips import every_sum, flipped_sums
from touchstone_core.significance.permutation import Method, family_tests

# Of measures that take few values, so that sums are often equal, and of those that do not.
few_differences = st.lists(
    st.one_of(st.integers(-10, 10).map(lambda tenth: tenth / 10), st.floats(-1, 1)).filter(
        lambda value: abs(value) > 1e-6
    ),
    min_size=1,
    max_size=9,
)
seeds = st.integers(0, 2**32)


def flip_tests(columns, **options):
    tests, _ = family_tests(columns, **options)
    return tests


def p_value(column, seed=1, **kwargs):
    (found,) = flip_tests(np.array(column, dtype=float)[:, None], seed=seed, **kwargs)
    return found


@given(few_differences)
def test_the_exact_p_value_is_that_of_all_assignments_of_signs(differences):
    found = p_value([*differences, 0.0])

    assert found.value == pytest.approx(oracles.every_flip(differences), abs=1e-12)
    assert (found.changed, found.draws) == (len(differences), 2 ** len(differences))


def test_fifteen_changed_queries_are_tested_exactly_and_sixteen_by_drawing():
    fifteen, sixteen = p_value([0.1] * 15), p_value([0.1] * 16)

    assert (fifteen.method, fifteen.value, fifteen.draws) == (Method.EXACT, 2 / 2**15, 2**15)
    assert (sixteen.method, sixteen.draws) == (Method.DRAWN, 100_000)
    assert 0 < sixteen.value < 1e-3


def test_too_few_changed_queries_have_an_exact_p_value_that_decides_nothing():
    found = p_value([0.1] * 14 + [0.0] * 500)

    assert (found.value, found.method, found.changed) == (2 / 2**14, Method.TOO_FEW, 14)
    assert found.method == "too few changed queries"
    assert not found.decides
    assert p_value([0.1] * 15).decides


def test_ten_of_ten_queries_that_rise_from_0_to_1_have_the_p_value_of_two_assignments_in_1024():
    assert p_value([1.0] * 10).value == 2 / 1024


def test_identical_runs_have_the_p_value_1():
    found = p_value([0.0] * 100)

    assert (found.value, found.method, found.changed) == (1.0, Method.IDENTICAL, 0)


def test_drawing_comes_close_to_looking_at_all():
    differences = np.random.default_rng(4).normal(0.05, 0.15, 16)
    exact = (np.abs(every_sum(differences)) >= abs(differences.sum()) - 1e-12).mean()

    assert p_value(differences).value == pytest.approx(exact, abs=0.004)


def test_a_drawn_p_value_is_never_0():
    assert p_value([0.5] * 200, draws=999).value == 1 / 1000


@given(st.lists(st.floats(-1, 1), min_size=20, max_size=40), seeds)
def test_turning_all_differences_around_changes_nothing(differences, seed):
    there, back = (p_value(sign * np.array(differences), seed, draws=99) for sign in (1, -1))

    assert there == back


@given(
    st.lists(st.integers(-8, 8), min_size=20, max_size=40), seeds, st.sampled_from([0.001, 0.5, 3.0, 100.0])
)
def test_the_unit_of_the_measure_changes_nothing(differences, seed, unit):
    one, other = (p_value(factor * np.array(differences), seed, draws=99) for factor in (1.0, unit))

    assert one == other


@given(few_differences, seeds)
def test_every_drawn_sum_is_one_of_all_sums(differences, seed):
    column = np.array(differences)

    drawn = flipped_sums(column[:, None], 30, np.random.default_rng(seed))[:, 0]

    assert (np.abs(drawn[:, None] - every_sum(column)).min(axis=1) < 1e-9).all()


def test_signs_are_independent_and_even():
    # One column for each query: the sums are the signs themselves.
    signs = flipped_sums(np.eye(21), 20_000, np.random.default_rng(2))

    assert set(np.unique(signs)) == {-1.0, 1.0}
    assert np.abs(np.cov(signs.T) - np.eye(21)).max() < 0.03
    assert np.abs(signs.mean(axis=0)).max() < 0.03


def test_signs_of_many_queries_and_draws_are_independent_too():
    # How many of the first 512 queries and of the 600 others are positive, less how many are negative.
    columns = np.zeros((1112, 3))
    columns[:512, 0] = columns[512:, 1] = columns[:, 2] = 1

    sums = flipped_sums(columns, 9000, np.random.default_rng(3))

    assert (sums[:, 0] + sums[:, 1] == sums[:, 2]).all()
    assert np.var(sums, axis=0) == pytest.approx([512, 600, 1112], rel=0.06)
    assert abs(np.corrcoef(sums[:, 0], sums[:, 1])[0, 1]) < 0.03
    assert abs(np.corrcoef(sums[:4096, 0], sums[4096:8192, 0])[0, 1]) < 0.05


def test_stored_p_values_come_out_again():
    """Where this fails, numpy draws other numbers from the same seed, and no stored result can be repeated."""
    columns = (np.arange(200).reshape(100, 2) * 37 % 19 - 8.7) / 10

    found = [test.value for test in flip_tests(columns, seed=1, draws=99_999)]

    assert found == [0.46156, 0.32101]


def test_a_run_gets_the_same_p_value_alone_and_among_others():
    columns = np.random.default_rng(5).normal(0.01, 0.1, (300, 4))
    columns[:16, 3] = 0

    together = flip_tests(columns, seed=9, draws=5000)

    assert together == tuple(p_value(column, 9, draws=5000) for column in columns.T)


def test_the_seed_repeats_the_draws():
    differences = np.random.default_rng(6).normal(0.01, 0.1, 600)

    assert p_value(differences, 3) == p_value(differences, 3)
    assert p_value(differences, 3).value != p_value(differences, 4).value


def test_p_values_of_true_nulls_are_uniform():
    source = np.random.default_rng(8)
    columns = source.normal(0, 0.2, (60, 400)) * (source.random((60, 400)) < 0.8)

    values = [test.value for test in flip_tests(columns, seed=8, draws=4999)]

    assert stats.kstest(values, "uniform").pvalue > 0.05
    assert np.mean(np.array(values) <= 0.05) == pytest.approx(0.05, abs=0.025)


@pytest.mark.parametrize("name", ["adhoc8_ap", "adhoc6_p10", "web2012_ndcg20"])
def test_p_values_of_real_runs_are_those_of_scipy(name):
    scores = oracles.score_matrix(name)[:, :6]
    columns = scores[:, 1:] - scores[:, :1]

    found = np.array([test.value for test in flip_tests(columns.round(9), seed=1)])

    expected = np.array([of_scipy(column) for column in columns.T])
    error = np.sqrt(expected * (1 - expected) / 9999)
    assert (np.abs(found - expected) <= 4 * error + 2e-4).all()


def test_p_values_of_28_pairs_of_runs_are_near_those_of_the_t_test():
    scores, expected = oracles.esci_scores(), oracles.esci_pairs()
    columns = [differences(scores[row["run_a"]], scores[row["run_b"]]) for row in expected]

    found = [test.value for test in flip_tests(np.stack(columns, axis=1), seed=1)]

    # On 150 queries that are not skewed the two hardly differ (Smucker, Allan & Carterette 2007).
    assert found == pytest.approx([float(row["p_t_two_sided"]) for row in expected], abs=0.01)


def of_scipy(differences):
    """By swapping the two scores of a query, as scipy does it."""
    return stats.permutation_test(
        (differences, np.zeros_like(differences)),
        lambda x, y, axis: (x - y).mean(axis=axis),
        permutation_type="samples",
        n_resamples=9999,
        vectorized=True,
        rng=np.random.default_rng(3),
    ).pvalue


@pytest.mark.parametrize(("seed", "draws"), [(-1, 10), (1, 0)])
def test_a_negative_seed_and_no_draws_are_refused(seed, draws):
    with pytest.raises(SignificanceError):
        flip_tests(np.ones((20, 1)), seed=seed, draws=draws)
