"""What the log says of query sets and their members."""

from functools import partial

import pytest
from django.urls import reverse
from django.utils import timezone

from judgments.content.actions import query_sets
from judgments.models import Act, Invitation, Membership, Verb
from judgments.people.actions import members as actions
from judgments.people.actions.invitations import invite
from tests import factories as make

pytestmark = pytest.mark.django_db


def acts():
    return [(act.verb, act.subject, act.before, act.after) for act in Act.objects.order_by("pk")]


def test_making_and_changing_a_query_set():
    made = query_sets.create_query_set(name="Shop", description="", show_images=False, user=make.make_user())

    query_sets.change_query_set(query_set=made, name="Store", description="", show_images=False)
    query_sets.change_query_set(query_set=made, name="Store", description="", show_images=False)

    first = {"name": "Shop", "description": "", "show_images": False}
    assert acts() == [
        (Verb.CREATED, "query set Shop", {}, first),
        (Verb.CHANGED, "query set Store", {"name": "Shop"}, {"name": "Store"}),
    ]


def test_a_command_makes_a_query_set():
    made = query_sets.query_set_named(name="Shop", create=True)

    assert query_sets.query_set_named(name="shop", create=True) == made
    assert acts() == [(Verb.CREATED, "query set Shop", {}, {})]


def test_members_come_change_and_go():
    query_set, rita = make.make_query_set(), make.make_user("rita")

    membership = actions.add_member(query_set=query_set, user=rita, role="rater")
    actions.change_role(membership=membership, role="engineer")
    actions.change_role(membership=membership, role="engineer")
    actions.remove_member(membership=membership)

    assert acts() == [
        (Verb.MEMBER_ADDED, "rita", {}, {"role": "Rater"}),
        (Verb.ROLE_CHANGED, "rita", {"role": "Rater"}, {"role": "Relevance engineer"}),
        (Verb.MEMBER_REMOVED, "rita", {"role": "Relevance engineer"}, {}),
    ]


def remove(membership):
    actions.remove_member(membership=membership)


def make_engineer(membership):
    actions.change_role(membership=membership, role="engineer")


@pytest.mark.parametrize("end", [remove, make_engineer])
def test_links_end_with_the_admin_who_made_them(client, end):
    query_set = make.make_query_set()
    former, staying = (make.make_member(query_set, "admin") for _ in range(2))
    _, token = link_by(query_set, former)
    elsewhere, _ = link_by(make.make_query_set(), former)
    anothers, _ = link_by(query_set, staying)

    end(Membership.objects.get(query_set=query_set, user=former))

    assert client.get(reverse("join", args=[token])).status_code == 410
    assert set(Invitation.objects.filter(revoked_at=None)) == {elsewhere, anothers}
    assert Act.objects.latest("pk").after["invitations revoked"] == 1


def link_by(query_set, user):
    return invite(query_set=query_set, role="admin", days=90, uses_most=None, at=timezone.now(), user=user)


@pytest.mark.parametrize("take", [actions.remove_member, partial(actions.change_role, role="engineer")])
def test_who_became_the_last_admin_meanwhile_stays(take):
    """Two requests at once: one has read the role before the other gave another one."""
    query_set = make.make_query_set()
    make.make_member(query_set, "admin", username="ann")
    make.make_member(query_set, "rater", username="ben")
    ann, ben = query_set.memberships.select_related("user").order_by("user__username")
    actions.change_role(membership=query_set.memberships.get(pk=ben.pk), role="admin")
    actions.remove_member(membership=ann)

    with pytest.raises(actions.LastAdminError):
        take(membership=ben)

    assert query_set.memberships.get().role == "admin"


def test_who_was_removed_a_moment_before_is_logged_once():
    query_set = make.make_query_set()
    make.make_member(query_set, "rater")
    first, second = query_set.memberships.get(), query_set.memberships.get()
    actions.remove_member(membership=first)

    with pytest.raises(Membership.DoesNotExist):
        actions.remove_member(membership=second)
    with pytest.raises(Membership.DoesNotExist):
        actions.change_role(membership=second, role="admin")

    assert Act.objects.filter(verb=Verb.MEMBER_REMOVED).count() == 1
