"""Of which measures more is better."""

import numpy as np
import pytest

from touchstone_core.metrics.direction import greatest_difference, has_own_ideal, measures_quality, ranks_runs
from touchstone_core.metrics.errors import TextError


@pytest.mark.parametrize(
    "on", ["global", "max", "dcg", "nDCG@5", "nDCG(ideal='max')@10~2", "RR", "P(rel=2)@5", "RBP"]
)
def test_a_measure_of_quality_ranks_runs(on):
    assert ranks_runs(on)
    assert not has_own_ideal(on)


@pytest.mark.parametrize(
    "on",
    ["local", "recall", "nDCG(ideal='local')@10", "nDCG(ideal='recall')@5~2", "nDCG(ideal='global-hits')@10"],
)
def test_an_ideal_that_depends_on_the_run_ranks_nothing(on):
    assert not ranks_runs(on)
    assert has_own_ideal(on)


@pytest.mark.parametrize(
    "on", ["Holes@10", "Holes", "RBPres", "Judged@10", "IDCG@10", "IDCG(ideal='local')@10"]
)
def test_a_measure_of_the_judging_ranks_nothing(on):
    assert not ranks_runs(on)
    assert not has_own_ideal(on)


@pytest.mark.parametrize(
    ("on", "measures"), [("local", True), ("dcg", True), ("RR", True), ("Judged@10", False)]
)
def test_a_measure_of_the_judging_says_nothing_of_quality(on, measures):
    assert measures_quality(on) is measures


def test_any_other_text_is_refused():
    with pytest.raises(TextError, match="nonsense"):
        ranks_runs("nonsense")


@pytest.mark.parametrize(
    ("on", "values", "best_dcg", "greatest"),
    [
        ("max", [0.0, 1.0], None, 1.0),
        ("P(rel=2)@5", [0.2, 0.4], None, 1.0),
        ("dcg", [0.0, 4.5], 5.0, 5.0),
        ("dcg", [0.0, 4.5], None, None),
        ("dcg", [0.0, 5.5], 5.0, None),
        ("Holes@10", [0.0, 3.0], None, None),  # a count, not a share
        ("max", [-0.5, 1.0], None, None),  # grades below 0
    ],
)
def test_a_difference_is_no_greater_than_the_range_of_its_measure(on, values, best_dcg, greatest):
    assert greatest_difference(on, np.array(values), best_dcg) == greatest
