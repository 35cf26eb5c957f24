"""Archived query sets: nothing in them changes, whichever action tries."""

from uuid import uuid4

import pytest

from judgments.base.errors import ArchivedError
from judgments.content.actions.query_sets import archive_query_set, change_query_set, restore_query_set
from judgments.judging.actions import queue
from judgments.judging.reports.own_share import nothing_left
from judgments.log.actions import record_act
from judgments.models import Act, JudgmentList, Membership, Query, QuerySet, Scale, Verb, changing
from judgments.people.actions.members import add_member
from tests import factories as make
from tests.judgments.judging.actions.scene import NOW, Scene

pytestmark = pytest.mark.django_db


def archive(query_set):
    return archive_query_set(query_set=query_set, user=None, at=NOW)


def test_it_is_archived_once_and_taken_out_once():
    query_set, admin = make.make_query_set(name="Shop"), make.make_user()

    assert archive_query_set(query_set=query_set, user=admin, at=NOW)
    assert not archive(query_set)
    query_set.refresh_from_db()
    assert (query_set.archived_at, query_set.archived_by) == (NOW, admin)
    assert restore_query_set(query_set=query_set)
    assert not restore_query_set(query_set=query_set)

    query_set.refresh_from_db()
    assert (query_set.archived_at, query_set.archived_by) == (None, None)
    acts = Act.objects.filter(query_set=query_set).order_by("pk").values_list("verb", "subject")
    assert list(acts) == [(Verb.ARCHIVED, "query set Shop"), (Verb.RESTORED, "query set Shop")]


def test_whatever_would_be_logged_is_rolled_back():
    query_set = make.make_query_set(name="Shop")
    archive(query_set)

    with pytest.raises(ArchivedError, match="archived"):
        change_query_set(query_set=query_set, name="Store", description="", show_images=False)
    with pytest.raises(ArchivedError):
        add_member(query_set=query_set, user=make.make_user(), role="rater")

    assert QuerySet.objects.get().name == "Shop"
    assert not Membership.objects.exists()


def test_exports_and_copies_are_logged_though_it_is_archived():
    query_set = make.make_query_set()
    archive(query_set)

    record_act(Verb.EXPORTED, "list A", query_set=query_set)

    assert Act.objects.filter(verb=Verb.EXPORTED).count() == 1


def test_raters_get_no_pairs_and_are_told_why():
    scene = Scene()
    rater = scene.rater()
    held = scene.claim(rater)
    archive(scene.query_set)
    scene.list.refresh_from_db()

    assert held
    assert scene.claim(rater) == []
    assert scene.claim(scene.rater()) == []
    assert queue.renew(user=rater, judgment_list=scene.list, pair_ids=held, at=NOW) == set()
    assert nothing_left(judgment_list=scene.list, user=rater, at=NOW).reason == "archived"


def test_nobody_judges_puts_off_or_takes_back():
    scene = Scene()
    rater = scene.rater()
    first, second = scene.claim(rater)[:2]
    scene.judge(rater, first)
    archive(scene.query_set)

    for attempt in (
        lambda: scene.judge(rater, second),
        lambda: scene.judge(scene.rater(), second),
        lambda: scene.skip(rater, second),
        lambda: scene.undo(rater),
    ):
        with pytest.raises(ArchivedError):
            attempt()

    assert scene.list.judgments.get().pair_id == first


def test_an_answer_that_was_saved_before_is_known_when_it_comes_again():
    scene = Scene()
    rater, request = scene.rater(), uuid4()
    first, _ = scene.claim(rater)[:2]
    given = scene.judge(rater, first, request_id=request).judgment
    archive(scene.query_set)

    again = scene.judge(rater, first, request_id=request)

    assert (again.judgment, again.already_saved) == (given, True)


def test_strangers_are_strangers_in_the_archive_too():
    scene = Scene()
    archive(scene.query_set)

    with pytest.raises(queue.NotAMemberError):
        scene.judge(make.make_user(), 1)


def test_work_goes_on_where_it_stopped():
    scene = Scene()
    rater = scene.rater()
    before = scene.claim(rater)
    archive(scene.query_set)

    restore_query_set(query_set=scene.query_set)

    assert scene.claim(rater) == before


@pytest.mark.parametrize("role", ["admin", "site"])
def test_whoever_changes_something_does_not_reach_archived_sets(role):
    archived, at_work = make.make_query_set(), make.make_query_set()
    user = make.make_user(is_superuser=role == "site")
    for query_set in (archived, at_work):
        make.make_query(query_set)
        make.make_list(query_set, scale=query_set.scales.create(name="Own", maximum=1))
        Membership.objects.create(query_set=query_set, user=user, role="admin")
    archive(archived)

    def reached():
        return [
            set(QuerySet.objects.administered_by(user)),
            {row.query_set for row in JudgmentList.objects.visible_to(user)},
            {row.query_set for row in Query.objects.visible_to(user)},
            {row.query_set for row in Scale.objects.editable_by(user)},
        ]

    assert reached() == [{archived, at_work}] * 4
    with changing(True):
        assert reached() == [{at_work}] * 4
        with changing(False):
            assert reached() == [{archived, at_work}] * 4
