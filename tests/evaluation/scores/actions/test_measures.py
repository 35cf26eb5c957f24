"""Stored values of further measures are those of the pure functions, and only what changed is computed again."""

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from hypothesis import given
from hypothesis import strategies as st

from evaluation.models import MeasureEvaluation, MeasureScore
from evaluation.scores.actions import rescoring
from evaluation.scores.actions.measures import bring_measures_up_to_date
from evaluation.scores.actions.rescoring import rescore
from evaluation.scores.actions.scoring_request import ScoringRequest
from evaluation.scores.sql.scores import MEASURE_SCORES
from judgments.models import ListQuery, Query
from tests import factories as make
from tests.evaluation.scored import change_grade, make_best_second, make_ranking
from tests.evaluation.stored import WEIGHT, store, three_averages
from tests.snapshot import undone
from tests.touchstone_core.metrics.measures import measures
from tests.touchstone_core.metrics.scenes import scenes
from touchstone_core.metrics.errors import MetricsError
from touchstone_core.metrics.measure import parse
from touchstone_core.metrics.presets import PRESETS
from touchstone_core.metrics.rounding import RoundedMeasure

pytestmark = pytest.mark.django_db


def bring(judgment_list, runs, *texts, digits=None):
    chosen = [RoundedMeasure(parse(text), digits) for text in texts]
    bring_measures_up_to_date(ScoringRequest(judgment_list, runs, measures=chosen))


def stored(run, text, digits=-1):
    return MeasureEvaluation.objects.get(run=run, measure=text, digits=digits)


def values_of(evaluation):
    return dict(evaluation.scores.values_list("query", "value"))


@given(
    scenes(),
    st.lists(measures(), min_size=1, max_size=4),
    st.none() | st.integers(0, 4),
    st.lists(WEIGHT, min_size=1, max_size=3),
)
@undone()
def test_stored_values_and_averages_are_those_of_the_pure_functions(db, scene, chosen, digits, weights):
    judgment_list, run, queries = store(scene, weights)
    names, joined = scene.join()

    bring_measures_up_to_date(
        ScoringRequest(judgment_list, [run], measures=[RoundedMeasure(one, digits) for one in chosen])
    )

    for measure in chosen:
        expected = measure.values(joined).tolist()
        if digits is not None:
            expected = [
                int(value * 10**digits + 0.5) / 10**digits if value == value else value for value in expected
            ]
        evaluation = stored(run, str(measure), -1 if digits is None else digits)
        values = values_of(evaluation)
        for name, value in zip(names, expected, strict=True):
            found = values.pop(queries[name].pk)
            assert (found is None) == (value != value)
            assert found is None or found == pytest.approx(value, rel=1e-12, abs=1e-12)
        assert values == {}
        assert evaluation.counted == sum(value == value for value in expected)
        found = [evaluation.mean, evaluation.median, evaluation.weighted]
        assert found == three_averages(expected, [queries[name].weight for name in names])


def test_values_are_rounded_before_they_are_averaged_as_the_preset_does(judgment_list):
    run, asked = make_best_second(judgment_list)
    preset = PRESETS["opensearch"]
    text = str(preset.measure(10))

    bring(judgment_list, [run], text)
    bring(judgment_list, [run], text, digits=preset.digits)

    exact, rounded = stored(run, text), stored(run, text, 2)
    assert set(values_of(rounded).values()) == {round(exact.mean, 2)} == {rounded.mean}
    assert exact.mean != rounded.mean
    assert len(values_of(rounded)) == len(asked)


def test_only_the_query_that_changed_is_computed_again(judgment_list):
    run, (first, second) = make_best_second(judgment_list)
    bring(judgment_list, [run], "RR", "P@2")
    MeasureScore.objects.filter(query=second).update(value=7)  # would be put right if it were computed again

    change_grade(judgment_list, first, f"{first.external_id}-a", 0)
    bring(judgment_list, [run], "RR", "P@2")

    assert values_of(stored(run, "RR")) == {first.pk: 0, second.pk: 7}
    assert stored(run, "RR").mean == 3.5
    assert values_of(stored(run, "P@2")) == {first.pk: 0, second.pk: 7}


def test_measures_that_were_made_at_different_times_come_to_one_state(judgment_list):
    run, (first, _) = make_best_second(judgment_list)
    bring(judgment_list, [run], "RR")
    change_grade(judgment_list, first, f"{first.external_id}-a", 0)
    bring(judgment_list, [run], "AP")
    change_grade(judgment_list, first, f"{first.external_id}-b", 0)
    other, _ = make_best_second(judgment_list)

    bring(judgment_list, [run, other], "RR", "AP", "Holes@5")

    assert MeasureEvaluation.objects.count() == 6
    assert len(set(MeasureEvaluation.objects.values_list("revision", flat=True))) == 1
    assert values_of(stored(run, "RR"))[first.pk] == 0
    assert set(values_of(stored(other, "RR")).values()) == {0, 0.5}
    assert stored(run, "Holes@5").mean == 0.5


@pytest.mark.parametrize("at_once", [1, 9, rescoring.AT_ONCE])
def test_runs_that_are_scored_at_once_keep_their_own_values(judgment_list, monkeypatch, at_once):
    monkeypatch.setattr(rescoring, "AT_ONCE", at_once)
    (run, asked), others = (
        make_best_second(judgment_list),
        [make.make_run(judgment_list.query_set) for _ in range(2)],
    )
    for other, before in zip(others, ([], ["X", "Y"]), strict=True):
        for query in asked:
            make_ranking(other, query, [*before, f"{query.external_id}-a"])
    bring(judgment_list, [run], "RR")

    bring(judgment_list, [run, *others], "RR", "P@2")

    every = [run, *others]
    assert [set(values_of(stored(one, "RR")).values()) for one in every] == [{1 / 2}, {1}, {1 / 3}]
    assert [set(values_of(stored(one, "P@2")).values()) for one in every] == [{1 / 2}, {1 / 2}, {0}]


def test_a_query_that_loses_its_last_grade_loses_its_value(judgment_list):
    run, (first, second) = make_best_second(judgment_list)
    bring(judgment_list, [run], "RR")

    for name in ("a", "b"):
        change_grade(judgment_list, first, f"{first.external_id}-{name}", None)
    bring(judgment_list, [run], "RR")

    assert list(values_of(stored(run, "RR"))) == [second.pk]
    assert stored(run, "RR").counted == 1


def test_a_changed_weight_changes_the_weighted_mean(judgment_list):
    run, (first, _) = make_best_second(judgment_list)
    change_grade(judgment_list, first, f"{first.external_id}-a", 0)
    bring(judgment_list, [run], "RR")
    assert stored(run, "RR").weighted == stored(run, "RR").mean == 0.25

    Query.objects.filter(pk=first.pk).update(weight=3)
    bring(judgment_list, [run], "RR")

    assert (stored(run, "RR").weighted, stored(run, "RR").mean) == (0.125, 0.25)


def test_a_measure_that_the_grades_do_not_allow_is_refused_by_its_name(judgment_list):
    run, _ = make_best_second(judgment_list)

    with pytest.raises(MetricsError, match=r"ERR\(max=2\) has no value here\. .*grade 3 lies above the top"):
        bring(judgment_list, [run], "ERR(max=2)")

    assert not MeasureEvaluation.objects.exists()


def test_what_another_view_has_brought_up_to_date_is_left_alone(judgment_list):
    run, _ = make_best_second(judgment_list)
    bring(judgment_list, [run], "RR")
    evaluation = stored(run, "RR")

    rescored = rescore(
        ScoringRequest(judgment_list, [run]),
        [evaluation],
        MEASURE_SCORES,
        lambda *_: pytest.fail("computed again"),
    )

    assert (rescored.stale, rescored.state.fingerprint) == ([], evaluation.revision)


def test_without_measures_nothing_is_asked(judgment_list, django_assert_num_queries):
    run, _ = make_best_second(judgment_list)

    with django_assert_num_queries(0):
        bring(judgment_list, [run])


def statements(action):
    with CaptureQueriesContext(connection) as captured:
        action()
    return len(captured)


def test_the_number_of_statements_grows_with_nothing(judgment_list):
    few = [make_best_second(judgment_list)[0]]
    first = statements(lambda: bring(judgment_list, few, "RR"))
    many = [*few, *(make_best_second(judgment_list, queries=5)[0] for _ in range(5))]
    texts = ["RR", "AP", "P@5", "R@100", "nDCG(zero='skip')@5", "Holes@3"]

    second = statements(lambda: bring(judgment_list, many, *texts))
    third = statements(lambda: bring(judgment_list, many, *texts))

    assert second <= first <= 20
    assert third == 2


def test_a_measure_asked_for_twice_is_one(judgment_list):
    run, _ = make_best_second(judgment_list)

    bring(judgment_list, [run], "P@5", "P@5")

    assert MeasureEvaluation.objects.count() == 1
    assert ListQuery.objects.count() == MeasureScore.objects.count() == 2
