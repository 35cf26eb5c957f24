"""`make bench-comparing` lets no p-value pass that drawing cannot explain, and multiplies honestly."""

import pytest

from benchmarks.comparing import Timed, check

OURS = Timed([(0.5, 0.4)], [0.2, 0.5], runs=9, draws=100_000)


def test_p_values_within_the_error_of_drawing_pass():
    check("scipy", Timed([(1.0, 1.0)], [0.22], runs=1, draws=1_000), OURS)


def test_another_p_value_ends_the_race():
    with pytest.raises(SystemExit, match=r"scipy gives p = 0\.3 for run 1, we 0\.2"):
        check("scipy", Timed([(1.0, 1.0)], [0.3], runs=1, draws=1_000), OURS)


def test_seconds_of_a_part_become_seconds_of_the_task():
    assert OURS.whole == 0.4
    assert Timed([(3.0, 2.0), (9.0, 2.5), (4.0, 3.0)], [0.2], runs=1, draws=1_000).whole == 2.5 * 9 * 100
