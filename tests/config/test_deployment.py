"""What protects a site that others reach: headers, cookies, passwords, forms, and the check before going live."""

import pytest
from django.contrib.auth.password_validation import validate_password
from django.core.exceptions import ValidationError
from django.test import Client
from django.urls import reverse

from judgments.checks import check_secret_key
from tests import factories as make
from tests.config.test_two_roles import manage
from tests.sweeps import SHARES, draw_addresses
from tests.test_access import address_of, named_addresses, world

__all__ = ["world"]
pytestmark = pytest.mark.django_db

POLICY = {
    "default-src 'self'",
    "script-src 'self'",
    "style-src 'self'",
    "img-src 'self' data:",
    "worker-src 'self'",
    "object-src 'none'",
    "base-uri 'none'",
    "form-action 'self'",
    "frame-ancestors 'none'",
}
HEADERS = {
    "X-Content-Type-Options": "nosniff",
    "Cross-Origin-Opener-Policy": "same-origin",
    "X-Frame-Options": "DENY",
    "Referrer-Policy": "same-origin",
}
OTHERS = ["/nowhere/", "/site-admin/", "/site-admin/judgments/user/"]


def wrong_headers(response, address, **expected):
    expected = HEADERS | expected
    found = {name: response.get(name) for name in expected}
    wrong = [f"{address}: {name} is {found[name]}" for name in expected if found[name] != expected[name]]
    policy = set(response.get("Content-Security-Policy", "").split("; "))
    wrong += [f"{address}: {policy}"] if policy != POLICY else []
    wrong += [f"{address}: no ID"] if not response.get("X-Request-ID") else []
    wrong += [f"{address}: no HX-Request in Vary"] if "HX-Request" not in response.get("Vary", "") else []
    return wrong


@SHARES
def test_headers_of_every_page(share, world):
    wrong = []
    for role in (None, "rater", "site"):
        client = Client()
        if role:
            client.force_login(world["users"][role])
        addresses = [address_of(name, world) for name in set(named_addresses()) - {"join"}] + OTHERS
        for address in draw_addresses(addresses, share):
            wrong += wrong_headers(client.get(address), f"{role} {address}")
    assert wrong == []


def test_headers_of_an_invitation(client):
    """It names its origin, which forms need, but never the token in its address."""
    address = reverse("join", args=["a-token"])

    assert wrong_headers(client.get(address), address, **{"Referrer-Policy": "strict-origin"}) == []


FLAGS = {"httponly": True, "samesite": "Lax", "path": "/"}
COOKIES = {
    "sessionid": FLAGS,
    "known_device": FLAGS,
    "messages": FLAGS,
    # The scripts of the pages send it along, so they may read it.
    "csrftoken": FLAGS | {"httponly": ""},
}


@pytest.mark.parametrize("https", [False, True])
def test_cookies(client, settings, https):
    settings.SESSION_COOKIE_SECURE = settings.CSRF_COOKIE_SECURE = https
    make.make_user("kim")
    client.get(reverse("sign-in"), secure=https)

    client.post(reverse("sign-in"), {"username": "kim", "password": "pass"}, secure=https)
    client.post(reverse("account"), {"single_key_shortcuts": "on"}, secure=https)

    assert set(client.cookies) == set(COOKIES)
    for name, flags in COOKIES.items():
        cookie = client.cookies[name]
        assert {flag: cookie[flag] for flag in flags} == flags, name
        assert bool(cookie["secure"]) is https, name
        assert cookie["domain"] == "", name


@pytest.mark.parametrize("password", ["short1!", "1234567890", "password123", "kim.smith1"])
def test_weak_passwords_are_refused(password):
    with pytest.raises(ValidationError):
        validate_password(password, make.make_user("kim.smith"))


def test_a_form_without_its_token_is_refused(world):
    client = Client(enforce_csrf_checks=True)
    client.force_login(world["users"]["admin"])
    posted = [name for name in named_addresses() if name != "join"]

    statuses = {name: client.post(address_of(name, world)).status_code for name in posted}

    assert {name: status for name, status in statuses.items() if status not in (403, 405)} == {}


LIVE = {
    "TOUCHSTONE_HTTPS": "1",
    "ALLOWED_HOSTS": "touchstone.example.org",
    "SECRET_KEY": "k3yboard-" * 8 + "WXYZ",
}


def test_the_check_before_going_live_finds_nothing(tmp_path):
    status, said = manage("check", "--deploy", "--fail-level=INFO", TOUCHSTONE_VAR=str(tmp_path), **LIVE)

    assert said == "System check identified no issues (2 silenced).\n"
    assert status == 0


@pytest.mark.parametrize(
    ("embedded", "given", "warned"), [(True, False, False), (False, False, True), (False, True, False)]
)
def test_hosts_of_one_database_need_one_secret_key(settings, embedded, given, warned):
    settings.EMBEDDED_DATABASE, settings.SECRET_KEY_GIVEN = embedded, given

    assert [one.id for one in check_secret_key()] == (["judgments.W002"] if warned else [])
