"""How often the interval of how much higher a machine grades holds the truth, by simulation."""

import numpy as np
import pytest

from judgments.agreement.reports.agreement import Steps
from judgments.agreement.reports.machines import _figures

STEPS = Steps(
    "ordinal",
    values=np.arange(4.0),
    labels=["0", "1", "2", "3"],
    low=0.0,
    high=3.0,
    continuous=False,
)
PAIRS = 10


def draw(rng, queries):
    """Query, people's grade, the machine's, and 1: (pairs, 4). How well a query is answered, and how lenient the machine is with
    it, belong to the query."""
    ease = rng.normal(0.0, 1.0, (queries, 1))
    lenience = rng.normal(0.3, 0.4, (queries, 1))
    worth = 1.2 + ease + rng.normal(0.0, 1.0, (queries, PAIRS))
    people = np.clip(np.round(worth), 0, 3)
    machine = np.clip(np.round(worth + lenience + rng.normal(0.0, 0.6, worth.shape)), 0, 3)
    query = np.repeat(np.arange(queries), PAIRS)
    return np.column_stack([query, people.ravel(), machine.ravel(), np.ones(query.size)])


def share_that_holds(queries, rounds):
    rng = np.random.default_rng(queries)
    population = draw(rng, 100_000)
    truth = (population[:, 2] - population[:, 1]).mean()
    held = 0
    for _ in range(rounds):
        found = _figures(1, draw(rng, queries), STEPS)
        held += found.low <= truth <= found.high
    return held / rounds


def test_it_holds_the_truth_about_as_often_as_promised():
    assert share_that_holds(50, 100) >= 0.87


@pytest.mark.thorough
@pytest.mark.parametrize(("queries", "least"), [(25, 0.92), (50, 0.925), (100, 0.93), (250, 0.935)])
def test_it_holds_the_truth_in_95_percent(queries, least):
    assert share_that_holds(queries, 2_000) >= least
