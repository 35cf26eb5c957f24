"""Who comes into a list to judge: the fixed statements of judging let in whom the querysets let in."""

from uuid import uuid4

import pytest

from judgments.base.errors import ArchivedError
from judgments.judging.actions import judging, queue
from judgments.judging.sql import cards
from judgments.models import JudgmentList, Rater, RaterQueue
from tests import factories as make
from tests.judgments.judging.actions.scene import NOW, Scene

pytestmark = pytest.mark.django_db


@pytest.fixture
def scene():
    return Scene()


@pytest.fixture
def everybody(scene):
    """An account of every kind, each with a place in the list from the time when it was open to all."""
    accounts = [make.make_member(scene.query_set, role) for role in ("rater", "engineer", "admin")]
    accounts += [make.make_user(), make.make_member(make.make_query_set(), "admin")]
    accounts.append(make.make_user(is_superuser=True))
    for account in accounts:
        rater = Rater.objects.create(query_set=scene.query_set, user=account, name=account.username)
        RaterQueue.objects.create(judgment_list=scene.list, rater=rater, seed=1)
    return accounts


def test_a_list_opens_to_whom_it_is_open_to(scene, everybody):
    open_to = [JudgmentList.objects.judgeable_by(one).filter(pk=scene.list.pk).exists() for one in everybody]

    lists = [cards.list_to_judge(one, scene.list.pk) for one in everybody]

    assert open_to == [True, True, True, False, False, True]
    assert [each == scene.list for each in lists] == open_to
    assert all(each is None for each, may in zip(lists, open_to, strict=True) if not may)


def test_who_has_left_the_query_set_cannot_judge_though_a_place_is_still_there(scene, everybody):
    entered = []
    for one in everybody:
        try:
            entered.append(queue.claim(user=one, judgment_list=scene.list, at=NOW, count=1) != [])
        except queue.NotAMemberError:
            entered.append(False)

    assert entered == [True, True, True, False, False, True]


def test_the_list_comes_with_its_grades_and_asks_for_nothing_more(scene, django_assert_num_queries):
    user = scene.rater()

    with django_assert_num_queries(1):
        judgment_list = cards.list_to_judge(user, scene.list.pk)
        grades = [grade.value for grade in judgment_list.scale.grades.all()]
        name = judgment_list.query_set.name

    assert name == scene.query_set.name
    assert grades == sorted(scene.list.scale.grades.values_list("value", flat=True))


def test_a_number_too_big_for_a_key_is_that_of_nothing(scene):
    user = scene.rater()

    assert cards.list_to_judge(user, 2**80) is None
    with pytest.raises(queue.UnknownPairError):
        scene.judge(user, 2**80)
    with pytest.raises(queue.UnknownPairError):
        scene.skip(user, 2**80)


@pytest.mark.parametrize("visited", [True, False])
def test_in_an_archived_query_set_nothing_is_handed_out_and_nothing_saved(scene, visited):
    user = scene.rater()
    pair = scene.list.pairs.first().pk
    if visited:
        scene.claim(user)
    scene.query_set.archived_at = NOW
    scene.query_set.save()

    assert scene.claim(user) == []
    for act in (
        lambda: scene.judge(user, pair),
        lambda: scene.skip(user, pair),
        lambda: judging.undo(user=user, judgment_list=scene.list, at=NOW, request_id=uuid4()),
    ):
        with pytest.raises(ArchivedError):
            act()


def test_a_pair_of_another_list_cannot_be_locked(scene):
    foreign = Scene().list.pairs.earliest("pk")

    with pytest.raises(queue.UnknownPairError):
        queue.locked_pair(scene.list, foreign.pk)
