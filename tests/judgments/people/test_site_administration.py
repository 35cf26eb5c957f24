"""Site administration: what it changes about who may do what stands in the log."""

import pytest
from django.contrib import admin
from django.urls import reverse
from django.utils import timezone

from judgments.content.actions.query_sets import archive_query_set
from judgments.models import Act, Invitation, Membership, User, Verb
from judgments.people.actions.invitations import invite
from tests import factories as make

pytestmark = pytest.mark.django_db
ACCESS = ("is_active", "is_staff", "is_superuser")


@pytest.fixture
def site(client):
    user = make.make_user("site", is_superuser=True, is_staff=True)
    client.force_login(user)
    return user


def acts():
    return [
        (act.verb, act.subject, act.before, act.after, act.by_name)
        for act in Act.objects.exclude(verb=Verb.INVITED).order_by("pk")
    ]


def change(client, user, rows=(), **fields):
    """Sends the form of an account with its roles: `rows` are (membership, what changes in its row)."""
    memberships = list(Membership.objects.filter(user=user))
    changed = {membership.pk: fields for membership, fields in rows if membership}
    new = [fields for membership, fields in rows if not membership]
    sent = {
        "username": user.username,
        "email": "",
        "date_joined_0": "2026-01-01",
        "date_joined_1": "00:00:00",
        "memberships-INITIAL_FORMS": len(memberships),
        "memberships-TOTAL_FORMS": len(memberships) + len(new),
        "memberships-MIN_NUM_FORMS": 0,
        "memberships-MAX_NUM_FORMS": 1000,
    }
    sent |= {name: "on" for name in ACCESS if getattr(user, name)}
    stored = [
        {"id": one.pk, "user": user.pk, "query_set": one.query_set_id, "role": one.role}
        | changed.get(one.pk, {})
        for one in memberships
    ]
    for number, row in enumerate([*stored, *({"user": user.pk} | one for one in new)]):
        sent |= {f"memberships-{number}-{name}": value for name, value in row.items()}
    sent |= fields
    sent = {name: value for name, value in sent.items() if value != ""}
    return client.post(reverse("admin:judgments_user_change", args=[user.pk]), sent, follow=True)


def test_a_role_that_is_given_changed_and_taken_is_logged(site, client):
    query_set, other = make.make_query_set(), make.make_query_set()
    make.make_member(query_set, "admin")
    rita = make.make_user("rita")

    change(client, rita, [(None, {"query_set": query_set.pk, "role": "admin"})])
    membership = Membership.objects.get(user=rita)
    change(client, rita, [(membership, {"role": "rater"})])
    change(client, rita, [(membership, {"query_set": other.pk})])
    membership = Membership.objects.get(user=rita)
    assert membership.query_set == other
    change(client, rita, [(membership, {"DELETE": "on"})])
    change(client, rita)

    assert acts() == [
        (Verb.MEMBER_ADDED, "rita", {}, {"role": "Admin"}, "site"),
        (Verb.ROLE_CHANGED, "rita", {"role": "Admin"}, {"role": "Rater"}, "site"),
        (Verb.MEMBER_REMOVED, "rita", {"role": "Rater"}, {}, "site"),
        (Verb.MEMBER_ADDED, "rita", {}, {"role": "Rater"}, "site"),
        (Verb.MEMBER_REMOVED, "rita", {"role": "Rater"}, {}, "site"),
    ]
    assert not Membership.objects.filter(user=rita).exists()


@pytest.mark.parametrize("row", [{"DELETE": "on"}, {"role": "engineer"}])
def test_links_end_with_the_role_that_site_administration_takes(row, site, client):
    query_set = make.make_query_set()
    make.make_member(query_set, "admin")
    rita = make.make_member(query_set, "admin", username="rita")
    made, _ = invite(query_set=query_set, role="admin", days=7, uses_most=None, at=timezone.now(), user=rita)

    change(client, rita, [(Membership.objects.get(user=rita), row)])

    made.refresh_from_db()
    assert made.revoked_at is not None
    assert acts()[0][3].get("invitations revoked") == 1


@pytest.mark.parametrize("row", [{"DELETE": "on"}, {"role": "engineer"}])
def test_the_last_admin_stays_and_the_page_says_why(row, site, client):
    rita = make.make_member(make.make_query_set(name="Shop"), "admin", username="rita")

    page = change(client, rita, [(Membership.objects.get(user=rita), row)], first_name="Rita")

    assert "Nothing was saved. rita is the last admin of query set Shop" in page.content.decode()
    assert Membership.objects.get(user=rita).role == "admin"
    assert User.objects.get(pk=rita.pk).first_name == ""
    assert acts() == []


def test_nothing_changes_in_an_archived_query_set(site, client):
    query_set = make.make_query_set()
    rita = make.make_member(query_set, "rater", username="rita")
    archive_query_set(query_set=query_set, user=None, at=make.NOW)

    page = change(client, rita, [(Membership.objects.get(user=rita), {"role": "admin"})])

    assert "Nothing was saved." in page.content.decode()
    assert Membership.objects.get(user=rita).role == "rater"


@pytest.mark.parametrize("name", ACCESS)
def test_what_an_account_may_do_is_logged_when_it_changes(name, site, client):
    rita = make.make_user("rita")
    was = getattr(rita, name)

    change(client, rita, **{name: "" if was else "on"})
    change(client, User.objects.get(pk=rita.pk))

    assert getattr(User.objects.get(pk=rita.pk), name) is not was
    assert acts() == [(Verb.CHANGED, "account rita", {name: was}, {name: not was}, "site")]


def test_links_end_when_an_account_is_deactivated(site, client):
    query_set = make.make_query_set()
    rita = make.make_member(query_set, "admin", username="rita")
    invite(query_set=query_set, role="rater", days=7, uses_most=None, at=timezone.now(), user=rita)

    change(client, rita, is_active="")

    assert Invitation.objects.get().revoked_at is not None
    assert acts()[0][3] == {"is_active": False, "invitations revoked": 1}


def test_a_new_account_is_logged(site, client):
    sent = {
        "username": "rita",
        "usable_password": "true",
        "password1": "a long one indeed",
        "password2": "a long one indeed",
        "memberships-INITIAL_FORMS": 0,
        "memberships-TOTAL_FORMS": 0,
    }

    client.post(reverse("admin:judgments_user_add"), sent)

    assert User.objects.get(username="rita").check_password("a long one indeed")
    access = {"username": "rita", "is_active": True, "is_staff": False, "is_superuser": False}
    assert acts() == [(Verb.CREATED, "account rita", {}, access, "site")]


def test_a_password_that_is_given_is_logged_and_not_told(site, client):
    rita = make.make_user("rita")
    sent = {"usable_password": "true", "password1": "a long one indeed", "password2": "a long one indeed"}

    client.post(reverse("admin:auth_user_password_change", args=[rita.pk]), sent)

    assert User.objects.get(pk=rita.pk).check_password("a long one indeed")
    assert acts() == [(Verb.CHANGED, "the password of account rita", {}, {}, "site")]


@pytest.mark.parametrize("how", ["one", "many"])
def test_an_account_that_is_deleted_is_logged_with_its_roles_and_its_links_end(how, site, client):
    shop, old = make.make_query_set(name="Shop"), make.make_query_set(name="Old")
    rita = make.make_member(shop, "admin", username="rita")
    Membership.objects.create(query_set=old, user=rita, role="rater")
    invite(query_set=shop, role="rater", days=7, uses_most=None, at=timezone.now(), user=rita)
    archive_query_set(query_set=old, user=None, at=make.NOW)
    Act.objects.filter(verb=Verb.ARCHIVED)  # its line stays

    if how == "one":
        client.post(reverse("admin:judgments_user_delete", args=[rita.pk]), {"post": "yes"})
    else:
        sent = {"action": "delete_selected", "_selected_action": [rita.pk], "post": "yes"}
        client.post(reverse("admin:judgments_user_changelist"), sent)

    assert not User.objects.filter(username="rita").exists()
    assert Invitation.objects.get().revoked_at is not None
    removed, deleted = acts()[-2:]
    assert removed == (Verb.MEMBER_REMOVED, "rita", {"role": "Admin"}, {}, "site")
    assert Act.objects.get(verb=Verb.MEMBER_REMOVED).query_set == shop
    assert deleted[:2] == (Verb.DELETED, "account rita")
    assert deleted[2]["roles"] == ["Old: Rater", "Shop: Admin"]


def test_site_administration_offers_neither_groups_nor_permissions(site, client):
    rita = make.make_user("rita")

    page = client.get(reverse("admin:judgments_user_change", args=[rita.pk])).content.decode()

    assert 'name="groups"' not in page
    assert 'name="user_permissions"' not in page


def test_what_site_administration_can_write_it_writes_by_actions():
    """Every model that it lets anybody change has all four ways of writing overridden."""
    ways = ("save_model", "delete_model", "delete_queryset", "save_formset")
    root = User(is_superuser=True, is_staff=True, is_active=True)
    request = type("Request", (), {"user": root, "GET": {}})()
    plain = {
        model.__name__: [way for way in ways if way not in vars(type(shown))]
        for model, shown in dict(admin.site._registry).items()
        if any(
            allowed(request)
            for allowed in (
                shown.has_add_permission,
                shown.has_change_permission,
                shown.has_delete_permission,
            )
        )
    }

    assert plain == {"User": []}


def test_site_administration_has_no_buttons_but_those_of_our_actions():
    """Those of the package for jobs ran and cancelled jobs without a line in the log, also one that is running."""
    root = User(is_superuser=True, is_staff=True, is_active=True)
    request = type("Request", (), {"user": root, "GET": {}})()
    buttons = {
        model.__name__: set(shown.get_actions(request)) for model, shown in dict(admin.site._registry).items()
    }

    assert {name: found for name, found in buttons.items() if found} == {
        "User": {"delete_selected", "remove_second_factor"}
    }
