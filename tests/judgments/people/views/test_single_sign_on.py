"""Sign-in at a provider: who gets which account, and who gets none."""

import re
from datetime import timedelta
from urllib.parse import parse_qs, urlsplit

import pytest
from allauth.socialaccount.models import SocialAccount, SocialToken
from django.conf import settings
from django.contrib.sessions.models import Session
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from judgments.models import Act, Membership, User
from judgments.people.actions.erasure import erase_person
from judgments.people.actions.second_factor import set_up_second_factor
from tests import factories as make
from tests.html import html_of, text_of
from tests.judgments.people.provider import CLIENT, SECRET, provider
from tests.judgments.people.totp import totp

pytestmark = pytest.mark.django_db
TOTP_SECRET = "JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP"


def use(settings, found):
    """Has people sign in at this provider."""
    app = {
        "provider_id": "oidc",
        "name": "Example Corp",
        "client_id": CLIENT,
        "secret": SECRET,
        "settings": {"server_url": found.address},
    }
    settings.SOCIALACCOUNT_PROVIDERS = {"openid_connect": {"OAUTH_PKCE_ENABLED": True, "APPS": [app]}}


@pytest.fixture
def idp(settings):
    with provider() as found:
        use(settings, found)
        yield found


@pytest.fixture
def creates(settings):
    settings.OIDC_CREATES_ACCOUNTS = True


def sign_in(client, idp, next=""):
    begin = reverse("openid_connect_login", args=["oidc"]) + (f"?next={next}" if next else "")
    return client.get(idp.agree(client.get(begin)["Location"]))


def signed_in_as(client):
    key = client.session.get("_auth_user_id")
    return User.objects.get(pk=key).username if key else ""


def test_without_the_setting_there_is_no_such_door(client):
    assert "organization" not in text_of(client.get(reverse("sign-in")))
    assert client.get(reverse("openid_connect_login", args=["oidc"])).status_code == 404
    assert client.get(reverse("openid_connect_callback", args=["oidc"])).status_code == 404


def test_the_sign_in_page_leads_to_the_provider(client, idp):
    page = html_of(client.get(reverse("sign-in"), {"next": "/formulas/"}))

    assert "Continue with Example Corp" in page
    assert f'href="{reverse("openid_connect_login", args=["oidc"])}?next=/formulas/"' in page
    assert client.get(reverse("openid_connect_login", args=["unknown"])).status_code == 404


def test_a_verified_address_leads_to_the_account_that_has_it(client, idp):
    make.make_user("kimberley", email="Kim@Example.org")

    answer = sign_in(client, idp, next="/formulas/")

    assert answer["Location"] == "/formulas/"
    assert signed_in_as(client) == "kimberley"
    [line] = Act.objects.all()
    assert (line.subject, line.after) == ("account kimberley", {"single sign-on": "linked"})


def test_later_the_person_counts_and_not_the_address(client, idp):
    make.make_user("kimberley", email="kim@example.org")
    sign_in(client, idp)
    make.make_user("other", email="new@example.org")
    idp.person |= {"email": "new@example.org", "email_verified": False}
    again = Client()

    sign_in(again, idp)

    assert signed_in_as(again) == "kimberley"
    assert SocialAccount.objects.get().extra_data == {}
    assert not SocialToken.objects.exists()


def test_another_provider_calls_other_people_by_the_same_keys(client, idp, settings):
    make.make_user("kimberley", email="kim@example.org")
    sign_in(client, idp)
    with provider() as other:
        use(settings, other)
        other.person |= {"email": "eve@example.org"}
        stranger, again = Client(), Client()

        assert sign_in(stranger, other).status_code == 403
        other.person |= {"email": "kim@example.org"}
        sign_in(again, other)

        assert signed_in_as(stranger) == ""
        assert signed_in_as(again) == "kimberley"
        addresses = {idp.address, other.address}
    assert set(SocialAccount.objects.values_list("provider", "uid")) == {(one, "17") for one in addresses}


@pytest.mark.parametrize("email", ["kım@example.org", "kim@example.ſrg", "\u212aim@example.org"])
def test_letters_that_only_have_the_same_capital_are_another_address(client, idp, email):
    """PostgreSQL says so of i and ı. Whoever owns such an address is somebody else."""
    make.make_user(
        "kimberley", email="kim@example.org".replace("org", "srg") if "ſ" in email else "kim@example.org"
    )
    idp.person["email"] = email

    assert sign_in(client, idp).status_code == 403
    assert signed_in_as(client) == ""


@pytest.mark.parametrize("verified", [False, "false", "true", None, 1])
def test_an_unverified_address_takes_over_nothing_and_creates_nothing(client, idp, creates, verified):
    make.make_user("kimberley", email="kim@example.org")
    idp.person["email_verified"] = verified

    answer = sign_in(client, idp)

    assert answer.status_code == 403
    assert "hasn’t confirmed your e-mail address" in text_of(answer)
    assert signed_in_as(client) == ""
    assert User.objects.count() == 1
    assert not SocialAccount.objects.exists()


def test_a_stranger_gets_no_account_unless_the_setting_says_so(client, idp):
    answer = sign_in(client, idp)

    assert answer.status_code == 403
    assert "No account here has your e-mail address" in text_of(answer)
    assert not User.objects.exists()


def test_by_setting_a_stranger_gets_an_account_without_any_role(client, idp, creates):
    make.make_user("kim")

    sign_in(client, idp)

    user = User.objects.get(username="kim2")
    assert signed_in_as(client) == "kim2"
    assert (user.email, user.display_name) == ("kim@example.org", "Kim Lee")
    assert not user.has_usable_password()
    assert (user.is_staff, user.is_superuser) == (False, False)
    assert not Membership.objects.filter(user=user).exists()


def test_a_deactivated_account_stays_out_and_gets_no_second_one(client, idp, creates):
    user = make.make_user("kimberley", email="kim@example.org", is_active=False)
    assert sign_in(client, idp).status_code == 403
    SocialAccount.objects.create(user=user, provider=idp.address, uid="17")

    answer = sign_in(client, idp)

    assert "Your account is deactivated" in text_of(answer)
    assert User.objects.count() == 1
    assert signed_in_as(client) == ""


def test_an_address_of_two_accounts_leads_to_neither(client, idp, creates):
    make.make_user("one", email="kim@example.org")
    make.make_user("two", email="KIM@example.org")

    assert "More than one account" in text_of(sign_in(client, idp))
    assert signed_in_as(client) == ""


@pytest.mark.parametrize(
    "claims", [{"sub": "18"}, {"aud": "another client"}, {"iss": "https://evil.example"}, {"exp": 1}]
)
def test_a_token_about_somebody_or_something_else_is_refused(client, idp, creates, claims):
    idp.token_claims = claims

    answer = sign_in(client, idp)

    assert answer.status_code == 403
    assert "didn’t confirm who you are" in text_of(answer)
    assert signed_in_as(client) == ""


def test_an_answer_that_this_browser_did_not_ask_for_is_refused(client, idp, creates):
    begun = client.get(reverse("openid_connect_login", args=["oidc"]))
    back = idp.agree(begun["Location"])
    victim = Client()

    assert victim.get(back).status_code == 403
    assert victim.get(re.sub("state=.*", "state=made-up", back)).status_code == 403
    assert signed_in_as(victim) == ""


def test_who_says_no_at_the_provider_is_not_signed_in(client, idp):
    begun = client.get(reverse("openid_connect_login", args=["oidc"]))
    back = idp.agree(begun["Location"]).replace("code=code-0", "error=access_denied")

    assert client.get(back).status_code == 403


def test_a_provider_that_is_down_is_said(client, idp):
    idp.is_down = True

    answer = client.get(reverse("openid_connect_login", args=["oidc"]))

    assert answer.status_code == 502
    assert "doesn’t answer" in text_of(answer)


@pytest.mark.parametrize("path", ["https://evil.example/", "//evil.example/", "evil"])
def test_it_leads_nowhere_but_to_a_path_of_this_site(client, idp, path):
    make.make_user("kimberley", email="kim@example.org")

    assert sign_in(client, idp, next=path)["Location"] == reverse("home")


def test_a_link_changes_nothing_of_what_the_provider_is_asked(client, idp):
    begin = reverse("openid_connect_login", args=["oidc"])
    evil = {
        "auth_params": "client_id=evil&redirect_uri=https://evil.example/&response_type=token&state=evil",
        "scope": "everything",
        "process": "connect",
    }

    asked = parse_qs(urlsplit(client.get(begin, evil | {"next": "/formulas/"})["Location"]).query)
    plain = parse_qs(urlsplit(client.get(begin)["Location"]).query)

    assert asked.keys() == plain.keys()
    assert {name for name in plain if asked[name] != plain[name]} == {"state", "code_challenge"}
    assert "evil" not in asked["state"]


def test_what_strangers_begin_is_soon_over_and_forgotten(client, idp):
    begin = reverse("openid_connect_login", args=["oidc"])
    for _ in range(3):
        Client().get(begin)
    assert {one.expire_date < timezone.now() + timedelta(hours=1) for one in Session.objects.all()} == {True}
    make.make_user("kimberley", email="kim@example.org")

    Session.objects.update(expire_date=timezone.now() - timedelta(minutes=1))
    sign_in(client, idp)

    assert Session.objects.count() == 1
    assert client.session.get_expiry_age() == settings.SESSION_COOKIE_AGE


def test_a_password_after_a_sign_in_that_was_begun_signs_in_for_as_long_as_ever(client, idp):
    make.make_user("kimberley")
    client.get(reverse("openid_connect_login", args=["oidc"]))

    client.post(reverse("sign-in"), {"username": "kimberley", "password": "pass"})

    assert client.session.get_expiry_age() == settings.SESSION_COOKIE_AGE


def test_somebody_who_is_signed_in_stays_so_when_they_begin(client, idp):
    client.force_login(make.make_user("kimberley"))

    client.get(reverse("openid_connect_login", args=["oidc"]))

    assert client.session.get_expiry_age() == settings.SESSION_COOKIE_AGE


def test_the_security_log_names_the_deactivated_account(client, idp, caplog):
    make.make_user("kimberley", email="kim@example.org", is_active=False)

    sign_in(client, idp)

    assert 'event="sign-in-failed" account="kimberley" door="single sign-on"' in caplog.text


def test_a_second_factor_is_asked_here_too(client, idp):
    user = make.make_user("kimberley", email="kim@example.org")
    set_up_second_factor(user=user, secret=TOTP_SECRET, code=totp(TOTP_SECRET))

    sign_in(client, idp)

    assert client.get(reverse("account"))["Location"] == reverse("second-factor")


def test_sign_ins_and_failures_are_in_the_security_log(client, idp, caplog):
    sign_in(client, idp)
    make.make_user("kimberley", email="kim@example.org")
    sign_in(client, idp)

    events = re.findall(r'event="([\w-]+)"', caplog.text)
    assert [one for one in events if one.startswith("sign-in")] == ["sign-in-failed", "sign-in"]
    assert "code-0" not in caplog.text
    assert SECRET not in caplog.text


def test_an_erased_person_is_linked_with_nothing(client, idp, creates):
    user = make.make_user("kim", email="kim@example.org")
    sign_in(client, idp)
    erase_person(user=user, blank_comments=True, at=make.NOW)
    assert not SocialAccount.objects.exists()
    again = Client()

    sign_in(again, idp)

    assert signed_in_as(again) == "kim2"
    assert User.objects.get(username="kim2").pk != user.pk
