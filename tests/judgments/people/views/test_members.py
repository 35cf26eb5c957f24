"""A removed member can be added again with one click."""

import re

import pytest
from django.urls import reverse

from judgments.models import Act, Membership, Role
from tests import factories as make

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("admin")]


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


def role_form(client, query_set, user):
    """What the form in the row of this member sends."""
    page = client.get(reverse("query-set-members", args=[query_set.pk])).content.decode()
    field = f'name="membership" value="{Membership.objects.get(user=user).pk}"'
    (form,) = (one for one in re.findall(r"<form.*?</form>", page, re.DOTALL) if field in one)
    hidden = dict(re.findall(r'name="(membership|seen)" value="(\w+)"', form))
    return hidden | {"action": "change"}


def test_a_role_that_somebody_else_changed_is_not_changed_silently(client, query_set, rita):
    """Two admins open the page. The second is told what the first did, and asked again."""
    address = reverse("query-set-members", args=[query_set.pk])
    first, second = role_form(client, query_set, rita), role_form(client, query_set, rita)

    assert client.post(address, first | {"role": "rater"}).status_code == 302
    refused = client.post(address, second | {"role": "admin"})

    assert refused.status_code == 422
    assert "rita was relevance engineer when you opened this page, and somebody made this person rater" in (
        " ".join(refused.content.decode().split())
    )
    assert query_set.memberships.get(user=rita).role == Role.RATER
    again = role_form(client, query_set, rita)
    assert client.post(address, again | {"role": "admin"}).status_code == 302
    assert query_set.memberships.get(user=rita).role == Role.ADMIN


def test_two_admins_who_choose_the_same_role_agree(client, query_set, rita):
    address = reverse("query-set-members", args=[query_set.pk])
    first, second = role_form(client, query_set, rita), role_form(client, query_set, rita)

    statuses = [client.post(address, one | {"role": "rater"}).status_code for one in (first, second)]

    assert statuses == [302, 302]
    assert Act.objects.filter(verb="role-changed").count() == 1
