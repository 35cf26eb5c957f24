"""What order, depth and recall gained, in the measure that is compared. Ideals are worked out here from the grades."""

import numpy as np
import pytest

from touchstone_core.comparison.comparison import RunValues, split_figures
from touchstone_core.metrics.arrays import join
from touchstone_core.metrics.formula import Formula
from touchstone_core.metrics.scale import ScaleInfo

GRADES = {"q1": {"a": 3, "b": 2, "c": 1, "z": 0}, "q2": {"d": 2, "e": 2, "f": 1}, "q3": {"g": 1, "z": 0}}
OLD = {"q1": ["c", "a", "b"], "q2": ["d", "f", "e"], "q3": ["g"]}
NEW = {"q1": ["z", "a", "c"], "q2": ["x", "e", "d", "f"], "q3": ["z", "g"]}
CUTOFF = 2


def values_of(grades, *rankings, **formula):
    scale = ScaleInfo(top_grade=3.0)
    runs = [join(grades, ranking, scale)[1] for ranking in rankings]
    return RunValues.of_runs(runs, Formula(cutoff=CUTOFF, **formula), place=np.arange(len(grades)))


def dcg(grades):
    return sum(grade / np.log2(rank + 1) for rank, grade in enumerate(grades[:CUTOFF], 1))


def ladders(ranking):
    """(Q, 4) DCG, and the ideals of what is shown, retrieved and judged."""
    for query, judged in GRADES.items():
        found = [judged.get(document, 0) for document in ranking[query]]
        shown, retrieved, every = (
            sorted(grades, reverse=True) for grades in (found[:CUTOFF], found, judged.values())
        )
        yield [dcg(found), dcg(shown), dcg(retrieved), dcg(every)]


def steps_of(old, new, ideal):
    """By how much each loss became less."""
    lost = [np.diff(np.array(list(ladders(ranking))), axis=1) / ideal[:, None] for ranking in (old, new)]
    return dict(zip(("order", "depth", "recall"), (lost[0] - lost[1]).mean(axis=0), strict=True))


@pytest.mark.parametrize("on", ["global", "max", "dcg"])
def test_the_steps_are_those_of_the_compared_measure_and_add_up_to_its_difference(on):
    runs = values_of(GRADES, OLD, NEW)
    best = np.array(list(ladders(OLD)))[:, 3]
    ideal = {"global": best, "max": np.full(3, dcg([3, 3])), "dcg": np.ones(3)}[on]

    found = split_figures(runs, on)

    values = runs.dcg if on == "dcg" else runs.ndcg(on)
    steps = {part["part"]: part["mean"] for part in found["splits"][0]}
    assert found["split_on"] == on
    assert steps.pop("change") == pytest.approx((values[1] - values[0]).mean())
    assert steps.pop("content") == 0
    assert steps == pytest.approx(steps_of(OLD, NEW, ideal))
    assert sum(steps.values()) == pytest.approx((values[1] - values[0]).mean())


@pytest.mark.parametrize("on", ["local", "recall", "AP"])
def test_where_the_ideals_of_runs_differ_or_there_are_no_steps_they_are_those_of_ndcg_max(on):
    runs = values_of(GRADES, OLD, NEW)

    assert split_figures(runs, on) == split_figures(runs, "max")


@pytest.mark.parametrize(("missing", "on"), [({}, "max"), ({"q3": []}, "global"), ({"q3": ["z"]}, "global")])
def test_a_value_that_only_answers_get_is_no_sum_of_steps(missing, on):
    """An ideal of 0 counts 1 here, but not for a run that leaves the query out."""
    grades = GRADES | {"q3": {"z": 0}}
    new = {query: NEW[query] for query in ("q1", "q2")} | missing

    assert split_figures(values_of(grades, OLD, new, zero=1), "global")["split_on"] == on
