"""Means before and after: what counts as a change, and as two runs that swap places."""

from types import SimpleNamespace

import pytest

from evaluation.effects.reports.effects import _turns, effect
from judgments.raters.reports.leave_one_out import RaterCount

RUNS = [SimpleNamespace(pk=1, name="a"), SimpleNamespace(pk=2, name="b")]
RATER = RaterCount(rater_id=3, name="Ann", judgments=4)


def means(first, second):
    return {
        pk: dict.fromkeys(("local", "recall", "global", "max"), value)
        for pk, value in ((1, first), (2, second))
    }


@pytest.mark.parametrize(
    ("was", "now", "changed", "flips"),
    [
        ((0.1 + 0.2, 0.3), (0.3, 0.1 + 0.2), 0, 0),
        ((0.4, 0.3), (0.3, 0.4), 2, 1),
        ((0.3001, 0.3), (0.3, 0.3001), 2, 1),
        ((0.4, 0.3), (0.3, 0.3), 1, 0),
    ],
)
def test_only_means_that_look_different_swap_places(was, now, changed, flips):
    of_runs = effect(RUNS, means(*was), means(*now))

    assert (of_runs.changed_runs, of_runs.flips) == (changed, flips)
    assert len(_turns(RATER, RUNS, means(*was), means(*now))) == flips


def test_runs_that_look_equal_are_in_the_order_of_their_names():
    of_runs = effect(RUNS, means(0.3, 0.3), means(0.3, 0.1 + 0.2))

    assert [run.name for run, _ in of_runs.rows] == ["a", "b"]
