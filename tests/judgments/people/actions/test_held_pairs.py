"""Whoever can't judge any more holds nothing: others get these pairs at once, not when the lease ends."""

import pytest

from judgments.lists.actions.held_slots import release_all
from judgments.models import Act, GoldDraw, RaterQueue, Slot, SlotState
from judgments.people.actions.erasure import erase_person
from judgments.people.actions.erasure_jobs import request_erasure
from judgments.people.actions.members import change_role, remove_member
from judgments.people.actions.site_administration import delete_account, save_account
from tests import factories as make
from tests.judgments.judging.actions.scene import Scene

pytestmark = pytest.mark.django_db


@pytest.fixture
def now(monkeypatch):
    """The time of the scene for what takes the time of the clock."""
    monkeypatch.setattr("django.utils.timezone.now", lambda: make.NOW)


def remove(user):
    remove_member(membership=user.memberships.get())


def deactivate(user):
    user.is_active = False
    save_account(user=user)


def erase_later(user):
    request_erasure(user=user, blank_comments=False, by=make.make_user(is_superuser=True), at=make.NOW)


def erase(user):
    erase_person(user=user, blank_comments=False, at=make.NOW)


def delete(user):
    delete_account(user=user)


def give_other_role(user):
    change_role(membership=user.memberships.get(), role="admin")


def held(scene):
    return Slot.objects.filter(
        judgment_list=scene.list, state=SlotState.OPEN, lease_until__gt=make.NOW
    ).count()


@pytest.mark.usefixtures("now")
@pytest.mark.parametrize("end", [remove, deactivate, erase_later, erase, delete])
def test_pairs_are_free_as_soon_as_their_holder_cannot_judge(end):
    scene = Scene(queries=1, documents=3, overlap=1)
    leaving, staying = scene.rater(), scene.rater()
    pairs = scene.claim(leaving)
    assert (len(pairs), scene.claim(staying)) == (3, [])

    end(leaving)

    assert held(scene) == 0
    assert set(scene.claim(staying)) == set(pairs)


@pytest.mark.usefixtures("now")
def test_a_new_role_keeps_them_because_every_member_may_judge():
    scene = Scene(queries=1, documents=3, overlap=1)
    rita = scene.rater()
    scene.claim(rita)

    give_other_role(rita)

    assert held(scene) == 3


@pytest.mark.usefixtures("now")
def test_what_the_removed_hold_elsewhere_stays_theirs():
    here, there = Scene(queries=1, documents=1), Scene(queries=1, documents=1)
    rita = here.rater()
    there.query_set.memberships.create(user=rita, role="rater")
    for scene in (here, there):
        scene.claim(rita)

    remove_member(membership=here.query_set.memberships.get(user=rita))

    assert (held(here), held(there)) == (0, 1)
    assert Act.objects.get(verb="member-removed").after["released_pairs"] == 1


@pytest.mark.usefixtures("now")
def test_gold_pairs_and_superfluous_slots_go_with_them_and_judgments_stay():
    scene = Scene(queries=1, documents=3, overlap=1)
    rita = scene.rater()
    first, second, _ = scene.claim(rita)
    scene.judge(rita, first)
    Slot.objects.filter(pair=second).update(surplus=True)
    rater = RaterQueue.objects.get().rater
    gold = make.make_pair(scene.list, make.make_query(scene.query_set), make.make_document(scene.query_set))
    GoldDraw.objects.create(
        judgment_list=scene.list, rater=rater, pair=gold, query_position=1, drawn_at=make.NOW
    )

    assert release_all(user=rita, at=make.NOW) == {"released_pairs": 3}

    assert not GoldDraw.objects.exists()
    assert not Slot.objects.filter(pair=second).exists()
    assert Slot.objects.get(pair=first).state == SlotState.DONE
    assert release_all(user=rita, at=make.NOW) == {}
