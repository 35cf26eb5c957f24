import pytest
from hypothesis import given

from evaluation.metrics.arrays import ScaleInfo
from evaluation.metrics.errors import MetricsError
from evaluation.metrics.formula import IDEALS, Formula
from evaluation.metrics.ladder import LOSSES, ladder
from evaluation.metrics.worked import work_out
from tests.evaluation.metrics.scenes import formulas, scenes


@given(scenes(), formulas())
def test_working_out_by_hand_gives_the_values_of_the_ladder(scene, formula):
    queries, run = scene.join()
    scored = ladder(run, formula)

    for index, query in enumerate(queries):
        judged = scene.judgments[query]
        grades = [judged.get(document) for document in scene.rankings.get(query, [])]
        worked = work_out(grades, list(judged.values()), formula, scene.scale)
        assert worked.dcg == pytest.approx(scored.dcg[index], rel=1e-9, abs=1e-9)
        for name in IDEALS:
            assert worked.ideals[name].total == pytest.approx(scored.ideal(name)[index], rel=1e-9, abs=1e-9)
            assert worked.ndcg[name] == pytest.approx(scored.ndcg(name)[index], rel=1e-9, abs=1e-9)
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
    scale = ScaleInfo(top_grade=3, gains={1: 0.5, 2: 1.0, 3: 4.0})

    worked = work_out([0, 1.5, 2.5, 3], [3], Formula(gain="table"), scale)

    assert [row.gain for row in worked.rows] == [0.5, 0.75, 2.5, 4.0]


def test_a_level_has_exactly_the_gain_of_its_table():
    scale = ScaleInfo(top_grade=2, gains={0: 1.0, 1: 0.01, 2: 0.1})

    worked = work_out([0, 1, 2], [2], Formula(gain="table"), scale)

    assert [row.gain for row in worked.rows] == [1.0, 0.01, 0.1]


def test_a_table_without_the_top_grade_keeps_the_gain_of_its_last_level():
    worked = work_out([3], [3], Formula(gain="table"), ScaleInfo(top_grade=3, gains={0: 0, 2: 5}))

    assert worked.rows[0].gain == 5


def test_what_the_ladder_refuses_is_refused_here_too():
    with pytest.raises(MetricsError, match="above the top of the scale"):
        work_out([4], [4], Formula(), ScaleInfo(top_grade=3))
    with pytest.raises(MetricsError, match="levels have gains"):
        work_out([1], [1], Formula(gain="table"), ScaleInfo(top_grade=3))
