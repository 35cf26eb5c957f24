"""The content loss in two parts: worked out by hand, and against the best page that can be made of judged documents."""

import pytest
from hypothesis import given

from tests.touchstone_core.metrics.scenes import formulas, scenes
from touchstone_core.metrics.content import ContentLoss
from touchstone_core.metrics.formula import Formula
from touchstone_core.metrics.gain import top_gain
from touchstone_core.metrics.ladder import ladder
from touchstone_core.metrics.scale import ScaleInfo

SECOND, THIRD = 0.6309297535714575, 0.5  # 1/log2(3) and 1/log2(4)
SCALE = ScaleInfo(top_grade=3)


def test_ranks_that_no_judged_document_can_fill_lose_the_top_gain():
    """One query has one judged document of grade 1, the other three of grade 3, 3 and 2; the page holds three."""
    content = (3 * (1 + SECOND + THIRD) - 1) + THIRD

    found = ContentLoss.of(Formula(cutoff=3), SCALE, {1: 1, 3: 1}, content)

    assert found.too_few == pytest.approx(3 * (SECOND + THIRD))
    assert found.low_grades == pytest.approx(2 + THIRD)
    assert found.what_would_fix_it == "judge more: 1 query has fewer than 3 judged documents"


def test_where_enough_is_judged_low_grades_are_all():
    found = ContentLoss.of(Formula(cutoff=3), SCALE, {3: 2, 7: 1}, 4.5)

    assert found.as_json() == {"too_few": 0.0, "low_grades": 4.5, "queries": 0}
    assert found.what_would_fix_it == "nothing: every query has at least 3 judged documents"


def test_nothing_is_lost_to_low_grades_by_rounding():
    alone = 3 * (SECOND + THIRD)

    assert ContentLoss.of(Formula(cutoff=3), SCALE, {1: 1}, alone * (1 - 1e-16)).low_grades == 0


@given(scenes(), formulas())
def test_too_few_is_what_top_grades_for_every_judged_document_would_leave(scene, formula):
    names, run = scene.join()
    steps = ladder(run, formula)
    every = [len(scene.judgments[name]) for name in names]
    best = top_gain(formula.gain, scene.scale)
    left = sum(
        best * sum(formula.discounts())
        - sum(best * d for d, _ in zip(formula.discounts(), range(n), strict=False))
        for n in every
    )

    found = ContentLoss.of(
        formula, scene.scale, {n: every.count(n) for n in every}, float(steps.loss("content").sum())
    )

    assert found.too_few == pytest.approx(left, abs=1e-9)
    assert found.too_few + found.low_grades == pytest.approx(float(steps.loss("content").sum()), abs=1e-9)
    assert found.queries == sum(n < formula.cutoff for n in every)
