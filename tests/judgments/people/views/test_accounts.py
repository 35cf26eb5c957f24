"""Signing in and out, demo accounts, the own account."""

import pytest
from django.test import Client
from django.urls import reverse

from judgments.models import User
from judgments.people.actions.demo_accounts import create_demo_accounts
from tests import factories as make

pytestmark = pytest.mark.django_db


def test_signing_in_leads_to_the_page_that_was_asked_for(client):
    make.make_user("kim")
    asked = client.get(reverse("account"))

    response = client.post(
        asked["Location"], {"username": "kim", "password": "pass", "next": reverse("account")}
    )

    assert response["Location"] == reverse("account")
    assert client.get(reverse("account")).status_code == 200


def test_a_wrong_password_is_told_without_saying_which_part_was_wrong(client):
    make.make_user("kim")

    response = client.post(reverse("sign-in"), {"username": "kim", "password": "no"})

    assert "Wrong username or password." in response.content.decode()


def test_after_a_wrong_password_the_focus_is_where_it_is_typed_again(client):
    form = client.post(reverse("sign-in"), {"username": "kim", "password": "no"}).context["form"]

    assert "autofocus" in str(form["password"])
    assert "autofocus" not in str(form["username"])
    assert "autofocus" in str(client.get(reverse("sign-in")).context["form"]["username"])


def test_signing_out_ends_the_session(client):
    client.force_login(make.make_user())

    client.post(reverse("sign-out"))

    assert client.get(reverse("account")).status_code == 302


def test_the_password_is_changed_with_the_old_one_only(client):
    user = make.make_user()
    client.force_login(user)
    fresh = {"new_password1": "stones and slates", "new_password2": "stones and slates"}

    client.post(reverse("password-change"), {"old_password": "wrong"} | fresh)
    user.refresh_from_db()
    assert user.check_password("pass")

    client.post(reverse("password-change"), {"old_password": "pass"} | fresh)
    user.refresh_from_db()
    assert user.check_password("stones and slates")


@pytest.mark.parametrize(
    ("password", "sentences"),
    [
        ("pebbles9q", ["This password is too short. Use at least 10 characters."]),
        ("1234567890", ["Many people use this password. Choose another one.", "This password has only digits. Add letters."]),
        ("rita-meier", ["This password is too similar to your username. Choose another one."]),
    ],
)  # fmt: skip
def test_a_weak_password_is_refused_at_its_own_field_in_our_words(client, password, sentences):
    client.force_login(make.make_user("rita-meyer"))

    page = client.post(
        reverse("password-change"),
        {"old_password": "pass", "new_password1": password, "new_password2": password},
    )

    assert page.context["form"].errors == {"new_password1": sentences}


def test_one_line_says_what_a_password_needs(client):
    client.force_login(make.make_user())

    page = client.get(reverse("password-change")).content.decode()

    help_text = "At least 10 characters. Not a common password. Not only digits. Not similar to your name or username."
    assert help_text in page


def test_demo_accounts_are_offered_and_let_in_by_a_button(client):
    create_demo_accounts()

    page = client.get(reverse("sign-in")).content.decode()
    response = client.post(reverse("demo-sign-in"), {"username": "engineer"})

    assert all(f'value="{name}"' in page for name in ("rater", "engineer", "admin"))
    assert response["Location"] == reverse("home")
    assert client.get(reverse("account")).context["user"].username == "engineer"


def test_the_menu_offers_another_password_to_who_has_one(client):
    user = make.make_user()
    client.force_login(user)
    link = f'href="{reverse("password-change")}">Change password</a>'

    assert link in client.get(reverse("home")).content.decode()
    user.set_unusable_password()
    user.save()
    client.force_login(user)
    assert link not in client.get(reverse("home")).content.decode()


def test_outside_demo_mode_nobody_is_let_in_without_a_password(client, settings):
    create_demo_accounts()
    settings.DEMO = False

    page = client.get(reverse("sign-in")).content.decode()
    response = client.post(reverse("demo-sign-in"), {"username": "engineer"})

    assert "demo" not in page.lower()
    assert response.status_code == 404


@pytest.mark.parametrize("username", ["root", "", "kim"])
def test_only_the_demo_accounts_are_entered_that_way(client, username):
    create_demo_accounts()
    make.make_user("kim", is_superuser=True)

    assert client.post(reverse("demo-sign-in"), {"username": username}).status_code == 404


def test_a_demo_account_leads_on_only_within_this_site(client):
    create_demo_accounts()

    away = client.post(reverse("demo-sign-in"), {"username": "rater", "next": "https://evil.example/"})
    here = client.post(reverse("demo-sign-in"), {"username": "rater", "next": reverse("account")})

    assert away["Location"] == reverse("home")
    assert here["Location"] == reverse("account")


def test_single_key_shortcuts_are_switched_off_and_on(client):
    user = make.make_user()
    client.force_login(user)

    client.post(reverse("account"), {})
    assert User.objects.get(pk=user.pk).single_key_shortcuts is False

    client.post(reverse("account"), {"single_key_shortcuts": "on"})
    assert User.objects.get(pk=user.pk).single_key_shortcuts is True


def test_a_daily_goal_and_breaks_are_off_until_the_rater_wants_them(client):
    user = make.make_user()
    client.force_login(user)
    assert (user.daily_goal, user.break_minutes) == (None, None)

    refused = client.post(reverse("account"), {"daily_goal": "0", "break_minutes": "4"})
    client.post(reverse("account"), {"daily_goal": "50", "break_minutes": "30"})

    assert refused.status_code == 422
    user.refresh_from_db()
    assert (user.daily_goal, user.break_minutes, user.single_key_shortcuts) == (50, 30, True)
    page = client.get(reverse("account")).content.decode()
    assert 'name="daily_goal" value="50"' in page

    client.post(reverse("account"), {"daily_goal": "", "break_minutes": ""})
    user.refresh_from_db()
    assert (user.daily_goal, user.break_minutes) == (None, None)


def test_only_those_who_can_start_jobs_are_led_to_them(client):
    for role, link_count in (("rater", 0), ("engineer", 1)):
        client.force_login(make.make_member(make.make_query_set(), role))
        assert client.get(reverse("account")).content.decode().count(reverse("jobs")) == link_count


def test_a_form_that_met_an_ended_session_leads_back_to_its_page(client):
    query_set = make.make_query_set()
    judgment_list = make.make_list(query_set)
    page = reverse("judge", args=[judgment_list.pk])

    response = client.post(
        reverse("judge-answer", args=[judgment_list.pk]),
        {},
        headers={"Referer": f"http://testserver{page}?x=1"},
    )
    foreign = client.post(
        reverse("judge-answer", args=[judgment_list.pk]), headers={"Referer": "http://evil.example/"}
    )

    assert response["Location"] == f"{reverse('sign-in')}?next={page}%3Fx%3D1"
    assert foreign["Location"] == f"{reverse('sign-in')}?next=/"
    assert "so your changes weren’t saved" in client.get(response["Location"]).content.decode()


def test_every_answer_carries_the_content_security_policy(client):
    policy = client.get(reverse("sign-in"))["Content-Security-Policy"]

    assert "script-src 'self'" in policy
    assert "unsafe" not in policy
    assert "HX-Request" in client.get(reverse("sign-in"))["Vary"]


@pytest.mark.parametrize("address", ["/nowhere/", "/query-sets/999999/"])
def test_an_unknown_page_is_told_in_the_look_of_the_product(client, address):
    client.force_login(make.make_user(is_superuser=True))

    response = client.get(address)

    assert response.status_code == 404
    assert "Touchstone" in response.content.decode()


def test_a_script_without_any_cookie_is_told_that_the_session_has_ended():
    client = Client(enforce_csrf_checks=True)
    act = {"path": reverse("home"), "headers": {"HX-Request": "true"}}

    assert client.post(**act).status_code == 401
    client.force_login(make.make_user())
    assert client.post(**act).status_code == 403


def test_a_forged_form_is_refused_with_a_sentence():
    response = Client(enforce_csrf_checks=True).post(reverse("sign-in"), {"username": "a", "password": "b"})

    assert response.status_code == 403
    assert "Touchstone" in response.content.decode()
