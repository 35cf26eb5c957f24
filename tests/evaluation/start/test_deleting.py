"""Query sets and lists deleted with everything in them, runs and scores as well."""

import pytest
from django.apps import apps
from django.db import connection
from django.db.models import CASCADE, DO_NOTHING, ForeignKey

from evaluation.models import Run
from judgments.content.actions import deleting
from judgments.content.actions.query_sets import archive_query_set
from judgments.content.sql.deleting import children_first, scope_of
from judgments.log.actions import record_act
from judgments.models import (
    Act,
    Judgment,
    JudgmentList,
    Query,
    QuerySet,
    StoredBlock,
    StoredFile,
    Upload,
    User,
    Verb,
)
from tests import factories as make
from tests.evaluation.whole_set import WholeSet, counts, of_query_set

pytestmark = pytest.mark.django_db


def delete(query_set, typed="Shop"):
    deleting.delete_query_set(query_set=query_set, confirmed_name=typed)


@pytest.mark.django_db(transaction=True)
def test_nothing_of_a_query_set_is_left_and_everything_of_others_is():
    presets = counts()
    other = WholeSet("Other")
    before = counts()
    going = WholeSet()

    delete(going.query_set)

    assert counts() == before
    assert list(QuerySet.objects.values_list("name", flat=True)) == ["Other"]
    delete(other.query_set, typed="Other")
    assert counts() == presets


@pytest.mark.parametrize("stored", ["My  list", "My\u00a0list", "My\tlist", "My\u200b list"])
def test_an_old_name_is_confirmed_as_the_page_shows_it(query_set, stored):
    judgment_list = make.make_list(query_set, name=stored)

    deleting.delete_list(judgment_list=judgment_list, confirmed_name="My list")

    assert not JudgmentList.objects.exists()


def test_the_table_of_what_goes_knows_every_model():
    files = {StoredFile, StoredBlock}  # they have no keys, and go after the commit
    assert set(counts()) - files <= of_query_set()


@pytest.mark.parametrize("root", [QuerySet, JudgmentList])
def test_no_row_that_stays_points_to_a_row_that_goes(root):
    scope = scope_of(root)
    left = {
        (model.__name__, field.name)
        for model in apps.get_models()
        if model not in scope
        for field in model._meta.concrete_fields
        if isinstance(field, ForeignKey)
        and field.related_model in scope
        and field.remote_field.on_delete not in (DO_NOTHING, CASCADE)
    }

    assert left == set()


def test_children_go_before_their_parents():
    order = children_first(scope_of(QuerySet))

    assert order[-1] is QuerySet
    assert order.index(Judgment) < order.index(JudgmentList) < order.index(QuerySet)


def test_the_log_stays_and_says_how_much_went():
    going = WholeSet()
    record_act(Verb.CHANGED, "list First", judgment_list=going.list, after={"overlap": 3})

    delete(going.query_set)

    last = Act.objects.first()
    assert (last.verb, last.subject, last.query_set_id) == (
        Verb.DELETED,
        "query set Shop",
        going.query_set.pk,
    )
    assert (last.before["judgments"], last.before["runs"], last.before["versions"]) == (8, 2, 1)
    assert Act.objects.filter(subject="list First").exists()


def test_accounts_stay():
    going = WholeSet()
    accounts = set(User.objects.all())

    delete(going.query_set)

    assert set(User.objects.all()) == accounts


def test_an_archived_query_set_can_be_deleted():
    going = WholeSet()
    archive_query_set(query_set=going.query_set, user=None, at=make.NOW)

    delete(going.query_set, typed=" Shop ")

    assert not QuerySet.objects.exists()


@pytest.mark.parametrize("typed", ["", "shop", "Sho"])
def test_another_name_deletes_nothing(typed):
    query_set = make.make_query_set(name="Shop")

    with pytest.raises(deleting.NameDiffersError, match="Type exactly: Shop"):
        delete(query_set, typed=typed)

    assert QuerySet.objects.exists()


def test_files_go_once_the_rows_are_gone_for_certain(django_capture_on_commit_callbacks):
    going = WholeSet()
    upload = Upload.objects.filter(query_set=going.query_set).first()
    storage, name = upload.file.storage, upload.file.name

    with django_capture_on_commit_callbacks() as callbacks:
        delete(going.query_set)
    assert storage.exists(name)
    for callback in callbacks:
        callback()

    assert not storage.exists(name)


def test_a_row_that_somebody_adds_meanwhile_stops_it_whole():
    going = WholeSet()
    with connection.cursor() as cursor:
        cursor.execute("CREATE TEMP TABLE late AS SELECT %s::bigint AS id", [going.query_set.pk])
        cursor.execute(
            "CREATE FUNCTION pg_temp.come_late() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN "
            "RAISE foreign_key_violation; END $$"
        )
        cursor.execute(
            "CREATE TRIGGER late AFTER DELETE ON judgments_pair "
            "FOR EACH STATEMENT EXECUTE FUNCTION pg_temp.come_late()"
        )

    with pytest.raises(deleting.InUseError, match="Nothing was deleted"):
        delete(going.query_set)

    assert Judgment.objects.count() == 8
    assert not Act.objects.filter(verb=Verb.DELETED).exists()


def test_nothing_can_be_deleted_afterwards_that_could_not_before():
    WholeSet("Other")

    delete(WholeSet().query_set)

    with connection.cursor() as cursor:
        cursor.execute("SELECT current_setting('touchstone.deleting', true)")
        assert cursor.fetchone() == ("",)


def test_a_list_goes_with_its_judgments_and_scores():
    going = WholeSet()
    before = counts()

    deleting.delete_list(judgment_list=going.second, confirmed_name="Second")

    after = counts()
    assert JudgmentList.objects.get() == going.list
    assert (after[Judgment], after[Run], after[Query]) == (4, before[Run], before[Query])
    assert {one.judgment_list_id for one in Judgment.objects.all()} == {going.list.pk}
    act = Act.objects.get(verb=Verb.DELETED)
    assert (act.subject, act.judgment_list_id, act.before["judgments"]) == ("list Second", going.second.pk, 4)


def test_a_list_with_versions_goes_with_its_query_set_only():
    going = WholeSet()

    with pytest.raises(deleting.HasVersionsError, match="First has frozen versions"):
        deleting.delete_list(judgment_list=going.list, confirmed_name="First")
    with pytest.raises(deleting.NameDiffersError):
        deleting.delete_list(judgment_list=going.second, confirmed_name="First")

    assert JudgmentList.objects.count() == 2
