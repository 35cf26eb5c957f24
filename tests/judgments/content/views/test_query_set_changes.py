"""Changing query sets and their members through their pages."""

import pytest
from django.urls import reverse

from judgments.models import Membership, QuerySet, Role
from tests import factories as make

pytestmark = pytest.mark.django_db


def test_who_makes_a_query_set_becomes_its_admin(client, query_set):
    engineer = make.make_member(query_set, Role.ENGINEER)
    client.force_login(engineer)

    response = client.post(reverse("query-set-new"), {"name": "Second", "description": "x"})

    made = QuerySet.objects.get(name="Second")
    assert response["Location"] == reverse("query-set", args=[made.pk])
    assert made.memberships.get().role == Role.ADMIN
    assert made.created_by == engineer


def test_a_name_that_is_taken_is_refused_whatever_its_case(client, admin):
    other = make.make_query_set(name="Store")
    Membership.objects.create(query_set=other, user=admin, role=Role.ADMIN)

    for url in (reverse("query-set-new"), reverse("query-set-edit", args=[other.pk])):
        response = client.post(url, {"name": "SHOP"})

        assert response.status_code == 422
        assert response.context["form"].errors == {
            "name": ["There is already a query set of this name. Choose another name."]
        }
    assert set(QuerySet.objects.values_list("name", flat=True)) == {"Shop", "Store"}


def test_a_query_set_is_changed(client, admin, query_set):
    client.post(reverse("query-set-edit", args=[query_set.pk]), {"name": "Store", "show_images": "on"})

    query_set.refresh_from_db()
    assert (query_set.name, query_set.show_images) == ("Store", True)


def members(client, query_set, **data):
    return client.post(reverse("query-set-members", args=[query_set.pk]), data)


def test_an_account_becomes_member_by_its_user_name(client, admin, query_set):
    make.make_user("rita")

    assert members(client, query_set, action="add", username="rita", role="rater").status_code == 302
    assert query_set.memberships.get(user__username="rita").role == "rater"


@pytest.mark.parametrize(
    ("username", "sentence"),
    [("nobody", "There is no account with the username"), ("ada", "ada is already a member")],
)
def test_unknown_accounts_and_members_are_not_added(client, admin, query_set, username, sentence):
    response = members(client, query_set, action="add", username=username, role="rater")

    assert response.status_code == 422
    assert sentence in response.content.decode()


def test_roles_are_changed_and_members_removed(client, admin, query_set):
    rita = make.make_member(query_set, Role.RATER)
    membership = Membership.objects.get(user=rita)

    members(client, query_set, action="change", membership=membership.pk, role="engineer")
    membership.refresh_from_db()
    assert membership.role == "engineer"
    members(client, query_set, action="remove", membership=membership.pk)
    assert not Membership.objects.filter(user=rita).exists()


@pytest.mark.parametrize("data", [{"action": "remove"}, {"action": "change", "role": "rater"}])
def test_the_last_admin_stays(client, admin, query_set, data):
    membership = Membership.objects.get(user=admin)

    response = members(client, query_set, membership=membership.pk, **data)

    assert response.status_code == 422
    assert b"ada is the last admin of query set" in response.content
    assert Membership.objects.get(user=admin).role == Role.ADMIN


def test_an_admin_who_leaves_is_led_home(client, admin, query_set):
    make.make_member(query_set, Role.ADMIN)

    response = members(client, query_set, action="remove", membership=Membership.objects.get(user=admin).pk)

    assert response["Location"] == reverse("home")


def test_odd_member_forms_change_nothing(client, admin, query_set):
    own = Membership.objects.get(user=admin).pk
    foreign = make.make_member(make.make_query_set(), Role.RATER).memberships.get().pk

    assert members(client, query_set, action="change", membership=own, role="king").status_code == 422
    assert members(client, query_set, action="change", membership=foreign, role="admin").status_code == 422
    assert members(client, query_set, action="remove", membership="x").status_code == 422
    assert Membership.objects.get(pk=foreign).role == Role.RATER


def test_engineers_see_members_and_cannot_change_them(client, query_set):
    make.make_member(query_set, Role.ADMIN)
    client.force_login(make.make_member(query_set, Role.ENGINEER))

    assert members(client, query_set, action="add", username="x", role="rater").status_code == 404


def test_a_member_becomes_admin(client, admin, query_set):
    membership = make.make_member(query_set, Role.RATER).memberships.get()

    members(client, query_set, action="change", membership=membership.pk, role="admin")

    membership.refresh_from_db()
    assert membership.role == Role.ADMIN
