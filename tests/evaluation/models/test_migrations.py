"""What migrations make of rows that are there already."""

from importlib import import_module

import pytest
from django.apps import apps
from django.db import IntegrityError, connection
from django.db.models.expressions import RawSQL
from django.db.models.functions import Coalesce
from hypothesis import given

from evaluation.models import Evaluation, EvaluationTotals, Ranking, Score
from evaluation.scores.actions.scores import bring_up_to_date
from evaluation.scores.actions.scoring_request import ScoringRequest
from judgments.lists.actions.versions import freeze_version
from tests import factories as make
from tests.evaluation.scored import change_grade, evaluate, make_best_second, make_grades, make_ranking
from tests.evaluation.stored import store
from tests.snapshot import undone
from tests.touchstone_core.metrics.scenes import formulas, scenes
from touchstone_core.metrics.formula import IDEALS, Formula

pytestmark = pytest.mark.django_db

SCORES = {"early": [2, 2, 1], "late": [3, 2, 1, 1], "none": [3, 2, 1]}


def test_ties_of_runs_that_are_there_are_found_and_counted(monkeypatch):
    migration = import_module("evaluation.migrations.0004_ties_inside_the_cutoff")
    monkeypatch.setattr(migration, "BATCH", 2)
    judgment_list = make.make_list(make.make_query_set())
    runs = [make.make_run(judgment_list.query_set, order=order) for order in ("score", "rank")]
    for name, scores in SCORES.items():
        query = make.make_query(judgment_list.query_set, name)
        make_grades(judgment_list, query, {"d0": 1})
        for run in runs:
            make_ranking(run, query, [f"d{place}" for place in range(len(scores))], scores)
    evaluations = [evaluate(run, judgment_list, Formula(cutoff=2)) for run in runs]
    Ranking.objects.update(first_tie=None, tied=True)
    Evaluation.objects.update(ties=0)

    with connection.schema_editor() as editor:
        migration.find_ties(apps, editor)

    found = Ranking.objects.filter(first_tie__isnull=False)
    assert set(found.values_list("run", "query__external_id", "first_tie")) == {
        (runs[0].pk, "early", 1),
        (runs[0].pk, "late", 3),
    }
    assert [Evaluation.objects.get(pk=one.pk).ties for one in evaluations] == [1, 0]


@given(scenes(), formulas())
@undone()
def test_the_values_that_are_filled_in_are_those_of_scoring(db, scene, formula):
    migration = import_module("evaluation.migrations.0011_values_under_the_policies")
    judgment_list, run, _ = store(scene, [1.0])
    scores = evaluate(run, judgment_list, formula).scores.order_by("query")
    scored = list(scores.values())
    # As they were stored before: with a DCG for every query, and without all else that follows from policies.
    added = [*(f"ndcg_{ideal}" for ideal in IDEALS), *migration.STEPS, "judged_at_k"]
    scores.update(**dict.fromkeys(added), dcg=Coalesce("dcg", 0.0))

    with connection.cursor() as cursor:
        cursor.execute(migration.FILL)

    assert list(scores.values()) == scored


def test_scores_with_unjudged_documents_get_their_coverage_at_the_next_look():
    migration = import_module("evaluation.migrations.0019_coverage_of_before")
    judgment_list = make.make_list(make.make_query_set())
    whole, opened = (make.make_run(judgment_list.query_set) for _ in range(2))
    for _ in range(2):
        query = make.make_query(judgment_list.query_set)
        make_grades(judgment_list, query, {f"{query.external_id}-a": 3})
        make_ranking(whole, query, [f"{query.external_id}-a"])
        make_ranking(opened, query, ["X", f"{query.external_id}-a"])
    scored = [scored_anew(run, judgment_list) for run in (whole, opened)]
    # As they were stored before.
    Score.objects.update(coverage=None)
    Evaluation.objects.update(coverage=None)
    EvaluationTotals.objects.update(sums=RawSQL("sums[:array_length(sums, 1) - 2]", []))

    with connection.cursor() as cursor:
        for statement in (migration.SCORES, migration.EVALUATIONS, migration.COVERED):
            cursor.execute(statement)

    assert list(Evaluation.objects.order_by("run").values_list("coverage", flat=True)) == [1, None]
    assert [scored_anew(run, judgment_list) for run in (whole, opened)] == scored
    change_grade(judgment_list, query, f"{query.external_id}-a", 1)
    assert evaluate(whole, judgment_list).coverage == 1
    assert evaluate(opened, judgment_list).coverage == pytest.approx(scored[1]["coverage"], abs=0)


def test_a_version_that_was_scored_before_sums_were_exact_stays_as_it_is():
    migration = import_module("evaluation.migrations.0019_coverage_of_before")
    judgment_list = make.make_list(make.make_query_set())
    run, _ = make_best_second(judgment_list)
    version = freeze_version(judgment_list=judgment_list)
    scoring = ScoringRequest(judgment_list, [run], Formula(), version=version)
    bring_up_to_date(scoring)
    EvaluationTotals.objects.all().delete()
    Score.objects.update(coverage=None)
    Evaluation.objects.update(coverage=None, dcg=1 / 3)  # as summed another way

    with connection.cursor() as cursor:
        for statement in (migration.SCORES, migration.EVALUATIONS, migration.COVERED):
            cursor.execute(statement)
    bring_up_to_date(scoring)

    assert Evaluation.objects.values_list("dcg", "coverage").get() == (1 / 3, None)


def scored_anew(run, judgment_list):
    """The figures after the scores were brought up to date."""
    evaluate(run, judgment_list)
    (found,) = Evaluation.objects.filter(run=run).values()
    return {name: value for name, value in found.items() if name != "computed_at"}


def test_a_share_above_1_is_no_ndcg():
    judgment_list = make.make_list(make.make_query_set())
    query = make.make_query(judgment_list.query_set)
    make_grades(judgment_list, query, {"d": 1})
    evaluation = evaluate(make.make_run(judgment_list.query_set), judgment_list)

    with pytest.raises(IntegrityError, match="score_ndcg_is_a_share"):
        evaluation.scores.update(ndcg_max=1.01)
