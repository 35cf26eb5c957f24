"""The lines that tell of sign-ins, sign-outs, failures and denials."""

import logging
import re
from datetime import timedelta

import pytest
from django.conf import settings
from django.test import Client
from django.urls import reverse

from judgments.models import ApiToken, User
from judgments.people.actions import password_tries
from tests import factories as make
from tests.api import Api

pytestmark = pytest.mark.django_db
LOGGER = "touchstone.security"


@pytest.fixture
def lines(caplog):
    """What the security log has, without the times."""
    caplog.set_level(logging.INFO, logger=LOGGER)

    def found():
        records = [record for record in caplog.records if record.name == LOGGER]
        return [(record.levelname, record.getMessage().split(" ", 1)[1]) for record in records]

    return found


def where(path, method="POST"):
    return f'address="127.0.0.1" method="{method}" path="{path}"'


def test_signing_in_and_out(client, lines):
    kim = make.make_user("kim")

    client.post(reverse("sign-in"), {"username": "kim", "password": "pass"})
    client.post(reverse("sign-out"))
    client.post(reverse("sign-out"))

    who = f'user="kim" id={kim.pk}'
    assert lines() == [
        ("INFO", f'event="sign-in" {who} {where("/accounts/sign-in/")}'),
        ("INFO", f'event="sign-out" {who} {where("/accounts/sign-out/")}'),
    ]


def test_a_failure_names_the_account_and_never_what_was_typed(client, lines):
    make.make_user("kim")

    client.post(reverse("sign-in"), {"username": "kim", "password": "secret one"})
    client.post(reverse("sign-in"), {"username": "secret two", "password": "x"})

    assert lines() == [
        ("WARNING", f'event="sign-in-failed" account="kim" {where("/accounts/sign-in/")}'),
        ("WARNING", f'event="sign-in-failed" account="unknown" {where("/accounts/sign-in/")}'),
    ]


def test_a_password_that_has_to_wait(client, lines, monkeypatch):
    monkeypatch.setattr("judgments.people.views.passwords.now", lambda: make.NOW)
    make.make_user("kim")
    for _ in range(password_tries.PERSON.free + 1):
        client.post(reverse("sign-in"), {"username": "kim", "password": "wrong"})

    level, line = lines()[-1]

    assert level == "WARNING"
    assert line == f'event="throttled" account="kim" wait=10 {where("/accounts/sign-in/")}'


def test_changing_the_password(client, lines):
    client.force_login(make.make_user("kim"))
    fresh = {"new_password1": "stones and slates", "new_password2": "stones and slates"}

    client.post(reverse("password-change"), {"old_password": "wrong"} | fresh)
    client.post(reverse("password-change"), {"old_password": "pass"} | fresh | {"new_password2": "other"})
    client.post(reverse("password-change"), {"old_password": "pass"} | fresh)

    told = [("WARNING", "password-wrong"), ("INFO", "password-changed")]
    assert lines() == [
        (level, f'event="{event}" user="kim" {where("/accounts/password/")}') for level, event in told
    ]


def test_a_page_that_is_denied_or_not_told_of(client, lines):
    query_set = make.make_query_set()
    client.force_login(make.make_user("kim"))

    client.get(f"/query-sets/{query_set.pk}/?secret=1")
    client.get(reverse("query-set-new"))
    client.get("/nowhere/")

    denied = [line for _, line in lines() if "denied" in line]
    assert denied[0] == f'event="denied" status=404 user="kim" {where(f"/query-sets/{query_set.pk}/", "GET")}'
    assert all("nowhere" not in line for line in denied)


def test_a_forged_form_of_nobody(lines):
    from django.test import Client

    Client(enforce_csrf_checks=True).post(reverse("sign-in"), {"username": "a", "password": "b"})

    assert lines() == [("WARNING", f'event="denied" status=403 user="" {where("/accounts/sign-in/")}')]


def test_the_token_of_an_invitation_stays_out(client, lines):
    client.force_login(make.make_user("kim"))

    client.get("/join/a-token-of-the-tests/")

    assert lines()[-1][1].endswith('path="/join/…/"')


def test_a_line_break_in_a_name_makes_no_second_line(client, lines):
    make.make_user("kim\nevent=sign-in")

    client.post(reverse("sign-in"), {"username": "kim\nevent=sign-in", "password": "pass"})

    assert all("\n" not in line for _, line in lines())


def test_a_token_from_making_to_its_use_after_its_end(client, lines):
    kim = make.make_member(make.make_query_set(), "engineer", username="kim")
    client.force_login(kim)
    form = {"name": "build", "scope": "read", "query_set": "", "days": "1"}
    page = client.post(reverse("token-new"), form).content.decode()
    [text] = re.findall(r'value="(tst_[\w-]+)"', page)
    token = ApiToken.objects.get()

    def call(authorization):
        return Client().get("/api/v1/account", headers={"Authorization": authorization}).status_code

    assert call(f"Bearer {text}") == 200
    client.post(reverse("token-revoke", args=[token.pk]))
    assert call(f"Bearer {text}") == 401
    ApiToken.objects.update(revoked_at=None, expires_at=make.NOW)
    assert call(f"Bearer {text}") == 401
    ApiToken.objects.update(expires_at=make.NOW + timedelta(36500))
    User.objects.update(is_active=False)
    assert call(f"Bearer {text}") == 401
    assert call("Bearer tst_made-up") == 401
    assert call("") == 401

    whose, at_api = f'token={token.pk} user="kim"', where("/api/v1/account", "GET")
    assert [line for _, line in lines() if 'event="token' in line] == [
        f'event="token-created" user="kim" token={token.pk} {where(reverse("token-new"))}',
        f'event="token-revoked" user="kim" token={token.pk} {where(reverse("token-revoke", args=[token.pk]))}',
        f'event="token-refused" reason="revoked" {whose} {at_api}',
        f'event="token-refused" reason="expired" {whose} {at_api}',
        f'event="token-refused" reason="no rights any more" {whose} {at_api}',
        f'event="token-refused" reason="unknown" {at_api}',
        f'event="token-refused" reason="none" {at_api}',
    ]
    assert text not in str(lines())


def test_a_call_that_is_denied(lines):
    kim, other = make.make_user("kim"), make.make_query_set()
    headers = {"Authorization": f"Bearer {make.make_token(kim)}"}

    assert Client().get(f"/api/v1/query-sets/{other.pk}", headers=headers).status_code == 404

    assert lines() == [
        (
            "WARNING",
            f'event="denied" status=404 user="kim" {where(f"/api/v1/query-sets/{other.pk}", "GET")}',
        )
    ]


def test_the_console_has_what_is_no_warning_too():
    assert settings.LOGGING["loggers"][LOGGER] == {"level": "INFO"}
    assert settings.LOGGING["root"]["handlers"] == ["console"]


def test_a_change_with_a_token_that_only_reads(lines):
    query_set = make.make_query_set()
    kim = make.make_member(query_set, "admin", username="kim")

    assert Api(kim, "read").patch(f"query-sets/{query_set.pk}", {"name": "x"}).status_code == 403

    path = f"/api/v1/query-sets/{query_set.pk}"
    assert lines() == [("WARNING", f'event="denied" status=403 user="kim" {where(path, "PATCH")}')]


def test_more_calls_than_an_account_may_make(lines, settings):
    settings.API_CALLS = 1
    api = Api(make.make_user("kim"))

    assert [api.get("account").status_code for _ in range(2)] == [200, 429]

    denied = f'event="denied" status=429 user="kim" {where("/api/v1/account", "GET")}'
    assert lines() == [("WARNING", denied)]


@pytest.mark.parametrize("sent", [{}, {"authorization": "Bearer guessed"}])
def test_a_wrong_token_for_the_metrics(client, lines, settings, sent):
    settings.METRICS_TOKEN = "of the tests"

    assert client.get("/metrics", headers=sent).status_code == 401

    assert lines() == [("WARNING", f'event="denied" status=401 user="" {where("/metrics", "GET")}')]
