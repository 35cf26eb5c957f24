"""The pages by which one joins a query set with a link."""

import logging
from datetime import timedelta

import pytest
from django.urls import reverse
from django.utils import timezone

from judgments.content.actions.query_sets import archive_query_set
from judgments.models import Invitation, Membership, User
from tests import factories as make

pytestmark = pytest.mark.django_db
TOKEN = "a-token-of-the-tests"
LINK = f"/join/{TOKEN}/"
ACCOUNT = {"action": "sign-up", "up-username": "rita", "up-password1": "kettle-and-teapot"}
ACCOUNT["up-password2"] = ACCOUNT["up-password1"]


@pytest.fixture
def invitation(query_set):
    admin = make.make_member(query_set, "admin", first_name="Ada", last_name="Lovelace")
    return make.make_invitation(query_set, TOKEN, created_by=admin, uses_most=1)


def test_who_is_signed_in_reads_what_one_would_become_and_joins(client, invitation):
    user = make.make_user()
    client.force_login(user)

    page = client.get(LINK)
    response = client.post(LINK)

    assert "Ada Lovelace invites you to join as <b>rater</b>" in " ".join(page.content.decode().split())
    assert response["Location"] == reverse("home")
    assert invitation.query_set.memberships.get(user=user).role == "rater"


def test_who_signs_in_there_does_not_find_what_others_kept(client, invitation):
    signed_out = client.get(LINK).content.decode()
    client.force_login(make.make_user())
    signed_in = client.get(LINK).content.decode()

    assert ("judging/forget" in signed_out, "judging/forget" in signed_in) == (True, False)


def test_reading_joins_nobody(client, invitation):
    client.force_login(make.make_user())

    client.get(LINK)

    assert Membership.objects.count() == 1


@pytest.mark.parametrize("role", ["engineer", "admin"])
def test_who_is_no_rater_is_led_to_the_query_set(client, invitation, role):
    Invitation.objects.update(role=role)
    client.force_login(make.make_user())

    assert client.post(LINK)["Location"] == reverse("query-set", args=[invitation.query_set_id])


def test_a_member_is_told_and_nothing_changes(client, invitation):
    client.force_login(make.make_member(invitation.query_set, "engineer"))

    for response in (client.get(LINK), client.post(LINK)):
        assert "You already joined as <b>relevance engineer</b>" in response.content.decode()
    invitation.refresh_from_db()
    assert invitation.uses == 0


def test_a_new_account_is_made_signed_in_and_joins(client, invitation):
    page = client.get(LINK)

    response = client.post(LINK, ACCOUNT)

    assert page.status_code == 200
    assert response["Location"] == reverse("home")
    user = User.objects.get(username="rita")
    assert client.get(reverse("account")).context["user"] == user
    assert invitation.query_set.memberships.get(user=user).role == "rater"


@pytest.mark.parametrize(
    ("field", "text", "sentence"),
    [
        ("up-password1", "short", "This password is too short. Use at least 10 characters."),
        ("up-username", "rita meier", "Use only letters, digits and @ . + - _, without spaces."),
        ("up-username", "ada", "This username is taken."),
        ("up-username", "", "Fill in this field."),
    ],
)
def test_an_account_that_will_not_do_is_refused(client, invitation, field, text, sentence):
    make.make_user("ada")

    sent = ACCOUNT | {field: text}
    response = client.post(LINK, sent | {"up-password2": sent["up-password1"]})

    assert response.status_code == 422
    assert sentence in response.content.decode()
    assert not User.objects.filter(username="rita").exists()


def test_a_name_taken_a_moment_ago_is_told(client, invitation, monkeypatch):
    make.make_user("rita")
    monkeypatch.setattr("django.contrib.auth.forms.BaseUserCreationForm.validate_unique", lambda form: None)

    response = client.post(LINK, ACCOUNT)

    assert response.status_code == 422
    assert "“rita” is taken already" in response.content.decode()


def test_who_has_an_account_signs_in_and_joins(client, invitation):
    user = make.make_user("rita")

    response = client.post(LINK, {"action": "sign-in", "in-username": "rita", "in-password": "pass"})

    assert response["Location"] == reverse("home")
    assert invitation.query_set.memberships.filter(user=user).exists()


def test_a_member_who_signs_in_there_is_told(client, invitation):
    make.make_member(invitation.query_set, "rater", username="rita")

    response = client.post(
        LINK, {"action": "sign-in", "in-username": "rita", "in-password": "pass"}, follow=True
    )

    assert "You are already rater of Shop." in response.content.decode()


def test_a_wrong_password_joins_nobody(client, invitation):
    make.make_user("rita")

    response = client.post(LINK, {"action": "sign-in", "in-username": "rita", "in-password": "x"})

    assert response.status_code == 422
    assert Membership.objects.count() == 1


@pytest.mark.parametrize("signed_in", [True, False])
@pytest.mark.parametrize(
    ("changes", "status", "sentence"),
    [
        ({"revoked_at": make.NOW}, 410, "was revoked"),
        ({"expires_at": make.NOW}, 410, "has expired"),
        ({"uses": 1}, 410, "has been used up"),
        ({"token_sha256": "0" * 64}, 404, "This invitation doesn’t exist"),
    ],
)
def test_a_link_that_is_over_says_so(client, invitation, changes, status, sentence, signed_in):
    Invitation.objects.update(**changes)
    if signed_in:
        client.force_login(make.make_user())

    for response in (client.get(LINK), client.post(LINK, ACCOUNT)):
        assert response.status_code == status
        assert sentence in response.content.decode()
    assert not User.objects.filter(username="rita").exists()


def test_an_archived_query_set_lets_nobody_in(client, invitation):
    archive_query_set(query_set=invitation.query_set, user=None, at=make.NOW)
    client.force_login(make.make_user())

    response = client.post(LINK)

    assert response.status_code == 409
    assert "archived" in response.content.decode()


def test_the_token_does_not_leave_the_page(client, invitation):
    response = client.get(LINK)

    assert response["Referrer-Policy"] == "strict-origin"
    assert "no-store" in response["Cache-Control"]
    assert TOKEN not in response.content.decode()


def test_the_token_does_not_reach_the_log(client, invitation, capfd):
    Invitation.objects.update(revoked_at=make.NOW)

    client.get(LINK)

    assert TOKEN not in capfd.readouterr().err
    handler = logging.getLogger().handlers
    assert handler is not None


def invite(client, query_set, **data):
    sent = {"role": "rater", "note": "Rita", "days": 7, "uses_most": 1} | data
    return client.post(reverse("query-set-invite", args=[query_set.pk]), sent)


def test_a_link_is_shown_once_and_works(client, admin, query_set):
    response = invite(client, query_set)

    link = response.context["link"]
    assert response.status_code == 200
    assert link in response.content.decode()
    assert link.startswith("http://testserver/join/")
    page = client.get(reverse("query-set-members", args=[query_set.pk])).content.decode()
    assert "Rita" in page
    assert link not in page
    client.force_login(make.make_user())
    assert client.post(link).status_code == 302


@pytest.mark.parametrize("data", [{"days": 0}, {"days": 91}, {"uses_most": 0}, {"role": "king"}])
def test_an_invitation_out_of_bounds_is_not_made(client, admin, query_set, data):
    assert invite(client, query_set, **data).status_code == 422
    assert not Invitation.objects.exists()


def test_a_form_that_is_sent_twice_makes_one_invitation(client, admin, query_set):
    members = client.get(reverse("query-set-members", args=[query_set.pk]))
    once = members.context["once"]

    first, again = (invite(client, query_set, once=once) for _ in range(2))

    assert f'<input type="hidden" name="once" value="{once}">' in members.content.decode()
    assert first.context["link"] == again.context["link"]
    assert query_set.invitations.count() == 1
    told = ["You sent the same form twice" in one.content.decode() for one in (first, again)]
    assert told == [False, True]


def test_any_number_of_people_may_be_invited(client, admin, query_set):
    invite(client, query_set, uses_most="", days=90)

    made = Invitation.objects.get()
    assert made.uses_most is None
    assert timedelta(days=89) < made.expires_at - timezone.now() <= timedelta(days=90)


def test_an_admin_revokes_and_the_invitation_leaves_the_table(client, admin, query_set):
    made = make.make_invitation(query_set, note="Rita")

    response = client.post(reverse("invitation-revoke", args=[made.pk]), follow=True)

    assert "The invitation is revoked" in response.content.decode()
    assert "Rita" not in response.content.decode()


def test_engineers_see_no_invitations(client, query_set):
    make.make_invitation(query_set, note="Rita")
    client.force_login(make.make_member(query_set, "engineer"))

    page = client.get(reverse("query-set-members", args=[query_set.pk])).content.decode()

    assert "Rita" not in page
    assert "What each role sees" in page
