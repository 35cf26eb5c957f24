"""A removed member can be added again with one click."""

import re

import pytest
from django.urls import reverse

from judgments.models import Act, Membership, Role
from tests import factories as make

pytestmark = pytest.mark.django_db


@pytest.fixture
def query_set(client):
    query_set = make.make_query_set()
    client.force_login(make.make_member(query_set, Role.ADMIN))
    return query_set


@pytest.fixture
def rita(query_set):
    return make.make_member(query_set, Role.ENGINEER, username="rita")


def remove(client, query_set, user):
    key = Membership.objects.get(user=user).pk
    address = reverse("query-set-members", args=[query_set.pk])
    return client.post(address, {"action": "remove", "membership": key}, follow=True).content.decode()


def undo_of(page):
    """What the form in the first notice sends."""
    notice = re.search(r'<div class="notice notice-success".*?</form>', page, re.DOTALL)[0]
    return dict(re.findall(r'name="(action|username|role)" value="(\w+)"', notice))


def test_undo_adds_the_member_again_with_the_same_role(client, query_set, rita):
    offer = undo_of(remove(client, query_set, rita))
    client.post(reverse("query-set-members", args=[query_set.pk]), offer)

    assert query_set.memberships.get(user=rita).role == Role.ENGINEER
    verbs = list(Act.objects.filter(subject="rita").order_by("pk").values_list("verb", flat=True))
    assert verbs == ["member-removed", "member-added"]


def test_undo_is_offered_once(client, query_set, rita):
    remove(client, query_set, rita)

    assert (
        "rita was removed"
        not in client.get(reverse("query-set-members", args=[query_set.pk])).content.decode()
    )


def test_undo_is_offered_in_its_own_query_set_only(client, query_set, rita):
    other = make.make_query_set()
    make.make_member(other, Role.ADMIN)
    key = Membership.objects.get(user=rita).pk
    client.post(reverse("query-set-members", args=[query_set.pk]), {"action": "remove", "membership": key})
    client.force_login(other.memberships.get().user)

    assert (
        "rita was removed" not in client.get(reverse("query-set-members", args=[other.pk])).content.decode()
    )


def test_who_was_removed_by_another_admin_meanwhile_is_told_to_be_gone(client, query_set, rita):
    key = Membership.objects.get(user=rita).pk
    remove(client, query_set, rita)

    page = client.post(
        reverse("query-set-members", args=[query_set.pk]),
        {"action": "change", "membership": key, "role": "rater"},
    )

    assert page.status_code == 422
    assert "Nothing was changed: this person isn’t a member any more." in page.content.decode()
    assert not query_set.memberships.filter(user=rita).exists()


def test_a_member_of_another_query_set_is_not_changed(client, query_set):
    stranger = make.make_member(make.make_query_set(), Role.RATER)

    remove(client, query_set, stranger)

    assert Membership.objects.filter(user=stranger).exists()


def test_removing_asks_first(client, query_set, rita):
    page = client.get(reverse("query-set-members", args=[query_set.pk])).content.decode()
    button = page.index('value="remove"', page.index("rita"))

    assert page.rindex("<details", 0, button) > page.rindex("</details>", 0, button)


def test_who_leaves_is_told_so_and_offered_no_undo(client, query_set, rita):
    own = query_set.memberships.get(role=Role.ADMIN)
    make.make_member(query_set, Role.ADMIN)

    page = remove(client, query_set, own.user)

    assert "You left" in page
    assert 'value="add"' not in page
