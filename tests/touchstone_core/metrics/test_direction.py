"""Of which measures more is better."""

import pytest

from touchstone_core.metrics.direction import has_own_ideal, ranks_runs


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
