"""The application's life as its own role: whatever it does must be possible without owning anything."""

import pytest
from django.core.management import call_command
from django.db import connection
from django.utils import timezone

from evaluation.models import Score
from judgments.base.sql import copy
from judgments.content.actions import deleting
from judgments.content.actions.query_sets import archive_query_set
from judgments.content.actions.unused import delete_unused
from judgments.grades.actions.model_fits import fit_now
from judgments.lists.actions.copying import Parts, copy_query_set
from judgments.lists.actions.removing import remove_pairs
from judgments.lists.actions.versions import freeze_version
from judgments.models import Document, JudgmentHistory, JudgmentList, ModelGrade, Query
from tests import factories as make
from tests.evaluation.scored import change_grade, evaluate, make_grades, make_ranking
from tests.evaluation.whole_set import WholeSet, counts
from tests.judgments.judging.actions.scene import Scene
from tests.judgments.modelled import make_modelled

pytestmark = pytest.mark.usefixtures("application")


def test_a_query_set_with_rows_in_every_table_is_copied_archived_and_deleted(
    django_capture_on_commit_callbacks,
):
    before = counts()
    whole = WholeSet()
    everything = Parts(members=True, lists=True, judgments=True)

    made, _ = copy_query_set(query_set=whole.query_set, name="Copy", user=whole.admin, parts=everything)
    archive_query_set(query_set=whole.query_set, user=whole.admin, at=make.NOW)
    with django_capture_on_commit_callbacks(execute=True):
        for query_set in (whole.query_set, made):
            deleting.delete_query_set(query_set=query_set, confirmed_name=query_set.name)

    assert counts() == before


def test_a_list_goes_with_the_history_of_its_judgments():
    whole = WholeSet()

    deleting.delete_list(judgment_list=whole.second, confirmed_name="Second")

    assert [one.name for one in whole.query_set.judgment_lists.all()] == ["First"]
    assert JudgmentHistory.objects.filter(query_set=whole.query_set).count() == 2


def test_what_was_added_by_mistake_is_taken_out():
    whole, scene, at = WholeSet(), Scene(), timezone.now()

    for judgment_list in [*whole.query_set.judgment_lists.all(), scene.list]:
        keys = judgment_list.pairs.values_list("pk", flat=True)
        remove_pairs(judgment_list=judgment_list, pair_ids=list(keys), at=at)
    for query_set in (whole.query_set, scene.query_set):
        for kind, rows in ((Query, query_set.queries), (Document, query_set.documents)):
            delete_unused(query_set=query_set, kind=kind, keys=list(rows.values_list("pk", flat=True)))
    with connection.cursor() as cursor:
        cursor.execute("SET CONSTRAINTS ALL IMMEDIATE")

    for rows in (
        scene.list.pairs,
        scene.list.list_queries,
        scene.query_set.queries,
        scene.query_set.documents,
    ):
        assert not rows.exists()
    assert whole.query_set.queries.exists()
    assert JudgmentHistory.objects.filter(query_set=whole.query_set).exists()


def test_raters_judge_change_their_answers_and_take_them_back():
    scene = Scene()
    rater = scene.rater()
    first = scene.claim(rater)[0]

    scene.judge(rater, first, 1.0)
    scene.judge(rater, first, 2.0)
    assert scene.undo(rater) == first
    scene.finish(rater)

    assert scene.list.judgments.count() == 6
    assert JudgmentHistory.objects.filter(pair=first).earliest("pk").value == 1.0


def test_some_thousand_judgments_are_imported_twice(tmp_path):
    file = tmp_path / "judgments.qrels"
    for grade in (1, 2):
        file.write_text("".join(f"q{nth // 100} 0 d{nth % 100} {grade}\n" for nth in range(5_100)))
        call_command(
            "import_judgments",
            str(file),
            "--query-set=Imported",
            "--list=Main",
            "--scale=TREC 0–3",
            "--create",
            "--create-missing",
            verbosity=0,
        )

    judgment_list = JudgmentList.objects.get(query_set__name="Imported")
    assert set(judgment_list.judgments.values_list("value", flat=True)) == {2.0}
    assert JudgmentHistory.objects.filter(query_set=judgment_list.query_set).count() == 5_100


def test_a_version_is_frozen_scored_and_outlives_the_account_that_froze_it():
    judgment_list = make.make_list(make.make_query_set())
    query, anna = make.make_query(judgment_list.query_set), make.make_user("anna")
    make_grades(judgment_list, query, {"a": 3, "b": 0})
    run = make.make_run(judgment_list.query_set)
    make_ranking(run, query, ["a", "b"])

    version = freeze_version(judgment_list=judgment_list, user=anna)
    change_grade(judgment_list, query, "a", 0)
    evaluate(run, judgment_list)
    anna.delete()

    version.refresh_from_db()
    assert (version.frozen_by, version.frozen_by_name) == (None, "anna")
    assert Score.objects.filter(query=query).count() == 1


def test_a_model_is_fitted():
    judgment_list = make_modelled()

    assert fit_now(judgment_list=judgment_list, rule="ds-nominal")

    assert ModelGrade.objects.filter(query_set=judgment_list.query_set).count() == 40


def test_the_planner_learns_of_what_was_imported():
    query_set = make.make_query_set()
    for _ in range(50):
        make.make_document(query_set, title="seen by the planner")

    copy.analyze("judgments_document")

    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT 'seen by the planner' = ANY (most_common_vals::text::text[]) FROM pg_stats "
            "WHERE tablename = 'judgments_document' AND attname = 'title'"
        )
        assert cursor.fetchone() == (True,)


def test_tables_of_others_are_not_analyzed():
    with connection.cursor() as cursor:
        cursor.execute(
            "CREATE TEMP TABLE own ON COMMIT DROP AS SELECT 1 AS number FROM generate_series(1, 50)"
        )

        copy.analyze("own")

        cursor.execute("SELECT count(*) FROM pg_stats WHERE tablename = 'own'")
        assert cursor.fetchone() == (0,)
