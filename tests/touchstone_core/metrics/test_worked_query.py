from math import log2

import numpy as np
import pytest
from hypothesis import given

from tests.touchstone_core.metrics.refusals import refused
from tests.touchstone_core.metrics.scenes import formulas, scenes
from touchstone_core.metrics.arrays import ScaleInfo
from touchstone_core.metrics.formula import IDEALS, Formula
from touchstone_core.metrics.ladder import LOSSES, ladder
from touchstone_core.metrics.worked_query import work_out


@given(scenes(), formulas())
def test_working_out_by_hand_gives_the_values_of_the_ladder(scene, formula):
    queries, run = scene.join()
    scored = ladder(run, formula)

    for index, query in enumerate(queries):
        judged = scene.judgments[query]
        grades = [judged.get(document) for document in scene.rankings.get(query, [])]
        answered = query in scene.rankings
        worked = work_out(grades, list(judged.values()), formula, scene.scale, answered=answered)
        assert worked.counted == scored.counted[index]
        assert worked.dcg == pytest.approx(scored.dcg[index], rel=1e-9, abs=1e-9)
        for name in IDEALS:
            assert worked.ideals[name].total == pytest.approx(scored.ideal(name)[index], rel=1e-9, abs=1e-9)
            value = np.nan if worked.ndcg[name] is None else worked.ndcg[name]
            assert value == pytest.approx(scored.ndcg(name)[index], rel=1e-9, abs=1e-9, nan_ok=True)
        for name in LOSSES:
            assert worked.losses[name] == pytest.approx(scored.loss(name)[index], rel=1e-9, abs=1e-9)


@given(scenes(), formulas())
def test_the_rows_add_up_to_their_totals(scene, formula):
    for query in scene.join()[0]:
        judged = scene.judgments[query]
        grades = [judged.get(document) for document in scene.rankings.get(query, [])]
        worked = work_out(grades, list(judged.values()), formula, scene.scale)

        assert worked.dcg == sum(row.contribution for row in worked.rows)
        assert [row.grade for row in worked.rows] == grades
        for ideal in worked.ideals.values():
            assert ideal.total == sum(row.contribution for row in ideal.rows)
            assert [row.rank for row in ideal.rows] == list(range(1, len(ideal.rows) + 1))
            assert len(ideal.rows) <= formula.cutoff


def test_the_zoolander_query_reads_as_in_the_worked_example():
    judged = [1.0, 0.9, 0.7, 0.1, 0.1]

    worked = work_out(
        [0.1, 1.0, 0.7], judged, Formula(discount="reciprocal", cutoff=2), ScaleInfo(top_grade=1)
    )

    assert [row.cumulative for row in worked.rows] == pytest.approx([0.1, 0.6, 0.6])
    assert [row.inside for row in worked.rows] == [True, True, False]
    assert [row.discount for row in worked.rows] == pytest.approx([1, 1 / 2, 1 / 3])
    best = worked.ideals["recall"].rows
    assert [(row.gain, row.discount, row.contribution) for row in best] == [(1, 1, 1), (0.7, 1 / 2, 0.35)]
    assert [[row.grade for row in worked.ideals[name].rows] for name in IDEALS] == [
        [1.0, 0.1],
        [1.0, 0.7],
        [1.0, 0.9],
        [1.0, 1.0],
    ]
    assert [[row.source for row in worked.ideals[name].rows] for name in IDEALS] == [
        [1, 0],
        [1, 2],
        [0, 1],
        [None, None],
    ]
    assert [worked.losses[name] for name in LOSSES] == pytest.approx([0.45, 0.3, 0.1, 0.05])


def test_unjudged_documents_stand_last_in_an_ideal_list_and_below_a_judged_zero():
    worked = work_out([None, 0, 2], [0, 2], Formula(), ScaleInfo(top_grade=2))

    assert [row.grade for row in worked.ideals["local"].rows] == [2, 0, None]


def test_a_grade_between_two_levels_has_a_gain_in_proportion():
    scale = ScaleInfo(top_grade=9, gains={1: 0.5, 2: 1.0, 4: 4.0})

    worked = work_out([0, 0.75, 1.5, 2.5, 4, 9], [9], Formula(gain="table"), scale)

    assert [row.gain for row in worked.rows] == [0.5, 0.5, 0.75, 1.75, 4.0, 4.0]


def test_documents_of_equal_gain_keep_the_order_of_their_list():
    scale = ScaleInfo(top_grade=2, gains={0: 0, 1: 2, 2: 2})

    worked = work_out([], [-1, 1, 0, 2, 1], Formula(gain="table"), scale)

    assert [(row.grade, row.source) for row in worked.ideals["global"].rows] == [
        (1, 1),
        (2, 3),
        (1, 4),
        (-1, 0),
        (0, 2),
    ]


def test_the_ideal_max_is_made_of_the_highest_grade_that_has_the_greatest_gain():
    scale = ScaleInfo(top_grade=3, gains={0: 0, 1: 5, 2: 5, 3: 1})

    worked = work_out([], [], Formula(gain="table", cutoff=2), scale)

    assert [(row.grade, row.gain) for row in worked.ideals["max"].rows] == [(2, 5), (2, 5)]


def test_a_grade_may_be_greater_than_any_64_bits_hold():
    assert work_out([2**70], [2**70], Formula(), ScaleInfo(top_grade=2**70)).dcg == 2.0**70


def test_nothing_adds_up_to_a_number_with_decimals():
    worked = work_out([], [], Formula(), ScaleInfo(top_grade=1))

    assert [str(worked.dcg), str(worked.ideals["local"].total)] == ["0.0", "0.0"]


@pytest.mark.parametrize("discount", ["log2", "jk", "reciprocal", "none"])
def test_a_row_has_the_discount_of_its_rank(discount):
    """The values are those of the definitions: Burges et al. 2005 and Järvelin & Kekäläinen 2002 (base 2)."""
    worked = work_out([1, 1, 1, 1], [1], Formula(discount=discount), ScaleInfo(top_grade=1))

    assert [row.discount for row in worked.rows] == pytest.approx(
        {
            "log2": [1, 0.6309297536, 0.5, 0.4306765581],
            "jk": [1, 1, 0.6309297536, 0.5],
            "reciprocal": [1, 1 / 2, 1 / 3, 1 / 4],
            "none": [1, 1, 1, 1],
        }[discount]
    )


def test_a_level_has_exactly_the_gain_of_its_table():
    scale = ScaleInfo(top_grade=2, gains={0: 1.0, 1: 0.01, 2: 0.1})

    worked = work_out([0, 1, 2], [2], Formula(gain="table"), scale)

    assert [row.gain for row in worked.rows] == [1.0, 0.01, 0.1]


def test_a_table_without_the_top_grade_keeps_the_gain_of_its_last_level():
    worked = work_out([3], [3], Formula(gain="table"), ScaleInfo(top_grade=3, gains={0: 0, 2: 5}))

    assert worked.rows[0].gain == 5


def test_what_the_ladder_refuses_is_refused_here_too():
    with refused("The grade 4 lies above the top of the scale, 3."):
        work_out([4], [4], Formula(), ScaleInfo(top_grade=3))
    with refused("The gain 'table' needs a scale whose levels have gains, and this scale’s have none."):
        work_out([1], [1], Formula(gain="table"), ScaleInfo(top_grade=3))


def test_the_ranks_close_up_where_unjudged_documents_are_taken_out():
    worked = work_out(
        [None, 1, -1, None, 0, 2],
        [1, -1, 0, 2],
        Formula(unjudged="condensed", cutoff=2),
        ScaleInfo(top_grade=2),
    )

    assert [row.rank for row in worked.rows] == [1, 2, 3, 4, 5, 6]
    assert [row.place for row in worked.rows] == [None, 1, None, None, 2, 3]
    assert [row.inside for row in worked.rows] == [False, True, False, False, True, False]
    assert [row.discount for row in worked.rows] == [0, 1, 0, 0, 1 / log2(3), 1 / 2]
    assert worked.dcg == 1
    assert [row.source for row in worked.ideals["local"].rows] == [1, 4]
    assert [row.source for row in worked.ideals["recall"].rows] == [5, 1]


def test_a_query_that_a_policy_leaves_out_has_no_ndcg():
    def ndcg(formula, judged, **answered):
        return list(work_out([], judged, formula, ScaleInfo(top_grade=1), **answered).ndcg.values())

    assert ndcg(Formula(zero="skip"), [1], answered=True) == [None, None, 0, 0]
    assert ndcg(Formula(zero="skip"), [0], answered=False) == [None, None, None, 0]
    assert ndcg(Formula(zero="skip"), [1], answered=False) == [0, 0, 0, 0]
    assert ndcg(Formula(zero=1), [0], answered=True) == ndcg(Formula(zero=1), [0]) == [1, 1, 1, 0]
    assert ndcg(Formula(zero=1), [0], answered=False) == [0, 0, 0, 0]
    assert ndcg(Formula(missing="skip"), [1], answered=False) == [None] * 4
