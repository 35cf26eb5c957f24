"""Where somebody is signed in, and signing out everywhere else."""

import logging
import subprocess
import sys
from datetime import timedelta

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse
from django.utils.html import strip_tags

from judgments.models import SignIn
from judgments.people.actions.demo_accounts import create_demo_accounts
from judgments.people.views import sessions
from tests import factories as make
from tests.html import html_of

pytestmark = pytest.mark.django_db

RECEIVERS = """
import django
from django.contrib.auth import signals

def receivers():
    return sorted(str(key) for signal in vars(signals).values() if hasattr(signal, "receivers") for (key, _), *_ in signal.receivers)

django.setup()
before = receivers()
from config import urls
assert before == receivers(), (before, receivers())
assert "judgments.sessions.sign_in" in before, before
"""

FIREFOX = "Mozilla/5.0 (Windows NT 10.0; Win64; x64; rv:143.0) Gecko/20100101 Firefox/143.0"
PHONE = "Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X) Version/18.0 Mobile/15E148 Safari/604.1"


def test_everything_that_follows_a_sign_in_is_known_before_the_first_request():
    subprocess.run([sys.executable, "-c", RECEIVERS], check=True)


@pytest.fixture(autouse=True)
def _fresh(monkeypatch):
    monkeypatch.setattr(sessions, "_noted", {})


@pytest.fixture
def clock(monkeypatch):
    """The time of the site, which a test moves on by so many seconds."""
    passed = 0.0

    def go_on(seconds):
        nonlocal passed
        passed += seconds

    monkeypatch.setattr(sessions, "now", lambda: make.NOW + timedelta(seconds=passed))
    monkeypatch.setattr(
        "judgments.people.reports.accounts.timezone.now", lambda: make.NOW + timedelta(seconds=passed)
    )
    monkeypatch.setattr(sessions.time, "monotonic", lambda: 1000 + passed)
    return go_on


def signed_in(username="kim", agent=FIREFOX, address="192.0.2.7"):
    browser = Client(headers={"user-agent": agent}, REMOTE_ADDR=address)
    response = browser.post(reverse("sign-in"), {"username": username, "password": "pass"})
    assert response.status_code == 302
    return browser


def test_visitors_of_a_demo_do_not_see_where_others_are(settings):
    settings.DEMO = True
    create_demo_accounts()
    for address in ("192.0.2.7", "198.51.100.9"):
        browser = Client(headers={"user-agent": FIREFOX}, REMOTE_ADDR=address)
        browser.post(reverse("demo-sign-in"), {"username": "rater"})
        page = html_of(browser.get(reverse("account")))

    assert not SignIn.objects.exists()
    assert "192.0.2.7" not in page + b"".join(browser.get(reverse("own-data"))).decode()


def is_signed_in(browser):
    return browser.get(reverse("account")).status_code == 200


def rows(browser):
    page = html_of(browser.get(reverse("account")))
    section = page.split("Where you are signed in")[1].split("</ul>")[0]
    return [" ".join(strip_tags(one.replace("<div", " <div")).split()) for one in section.split("<li>")[1:]]


def test_the_account_page_says_where_and_since_when(clock):
    make.make_user("kim")
    desk = signed_in()
    clock(3600)
    phone = signed_in(agent=PHONE, address="2001:db8::1")

    since = make.NOW.strftime("%b %-d, %Y, %H:%M")
    later = (make.NOW + timedelta(hours=1)).strftime("%b %-d, %Y, %H:%M")
    there = f"Firefox on Windows {{}}192.0.2.7, since {since}, last seen {{}}"
    here = f"Safari on iPhone {{}}2001:db8::1, since {later}, last seen {later}"
    assert rows(phone) == [here.format("(this browser) "), there.format("", since)]
    assert set(rows(desk)) == {here.format(""), there.format("(this browser) ", later)}


def test_nobody_sees_the_sessions_of_others():
    make.make_user("kim")
    make.make_user("site", is_superuser=True)
    signed_in()

    assert len(rows(signed_in("site"))) == 1


def test_a_session_is_noted_every_few_minutes_only(clock):
    make.make_user("kim")
    browser = signed_in()
    reads = len(_queries(browser))

    clock(sessions.SEEN_SECONDS - 1)
    assert len(_queries(browser)) == reads
    clock(2)
    assert len(_queries(browser)) > reads
    assert len(_queries(browser)) == reads
    assert SignIn.objects.get().seen_at == make.NOW + timedelta(seconds=sessions.SEEN_SECONDS + 1)


def _queries(browser):
    with CaptureQueriesContext(connection) as queries:
        browser.get(reverse("password-change"))
    return queries.captured_queries


def test_signing_out_everywhere_else_keeps_this_browser(caplog):
    caplog.set_level(logging.INFO, logger="touchstone.security")
    make.make_user("kim")
    make.make_user("other")
    first, second, here, other = signed_in(), signed_in(agent=PHONE), signed_in(), signed_in("other")

    response = here.post(reverse("sign-out-elsewhere"), follow=True)

    assert "signed out everywhere else" in response.content.decode()
    assert [is_signed_in(browser) for browser in (first, second, here, other)] == [False, False, True, True]
    assert len(rows(here)) == 1
    assert 'event="signed-out-elsewhere" user="kim"' in caplog.text


def test_it_can_be_done_again_and_again():
    make.make_user("kim")
    here = signed_in()

    for _ in range(3):
        there = signed_in()
        here.post(reverse("sign-out-elsewhere"))
        assert (is_signed_in(there), is_signed_in(here)) == (False, True)


def test_a_session_that_was_never_noted_ends_too():
    """Such as one of a version before the list."""
    make.make_user("kim")
    here, there = signed_in(), signed_in()
    SignIn.objects.all().delete()

    here.post(reverse("sign-out-elsewhere"))

    assert (is_signed_in(there), is_signed_in(here)) == (False, True)


def test_sessions_go_on_when_the_key_changes_and_the_old_one_is_a_fallback(settings):
    make.make_user("kim")
    here = signed_in()
    here.post(reverse("sign-out-elsewhere"))
    session = here.session

    settings.SECRET_KEY_FALLBACKS, settings.SECRET_KEY = [settings.SECRET_KEY], "another"

    user = SignIn.objects.get().user
    assert session["_auth_user_hash"] in set(user.get_session_auth_fallback_hash())
    assert session["_auth_user_hash"] != user.get_session_auth_hash()


@pytest.mark.parametrize("engine", ["db", "cached_db", "cache", "file"])
def test_whatever_the_session_engine(settings, engine, tmp_path):
    settings.SESSION_ENGINE = f"django.contrib.sessions.backends.{engine}"
    settings.SESSION_FILE_PATH = str(tmp_path)
    settings.CACHES = {"default": {"BACKEND": "django.core.cache.backends.locmem.LocMemCache"}}
    make.make_user("kim")
    here, there = signed_in(), signed_in()

    here.post(reverse("sign-out-elsewhere"))

    assert (is_signed_in(there), is_signed_in(here)) == (False, True)


def test_a_session_that_ends_leaves_the_list():
    make.make_user("kim")
    here, there = signed_in(), signed_in()

    there.post(reverse("sign-out"))

    assert len(rows(here)) == 1


def test_a_new_password_ends_the_others_and_keeps_this_one_on_the_list():
    make.make_user("kim")
    here, there = signed_in(), signed_in()
    since = SignIn.objects.order_by("since").first().since
    fresh = {"new_password1": "stones and slates", "new_password2": "stones and slates"}

    here.post(reverse("password-change"), {"old_password": "pass"} | fresh)

    assert (is_signed_in(there), is_signed_in(here)) == (False, True)
    assert SignIn.objects.get().since == since


def test_sessions_past_their_time_are_forgotten(clock, settings):
    make.make_user("kim")
    signed_in()
    clock(settings.SESSION_COOKIE_AGE + 1)

    assert len(rows(signed_in())) == 1
    assert SignIn.objects.count() == 1


def test_the_list_lets_nobody_in():
    make.make_user("kim")
    browser = signed_in()

    assert browser.session.session_key not in str(SignIn.objects.values_list())


def test_the_process_remembers_only_so_many(monkeypatch):
    monkeypatch.setattr(sessions, "MOST_KEPT", 2)
    make.make_user("kim")
    for _ in range(5):
        signed_in()

    assert len(sessions._noted) <= 2
    assert SignIn.objects.count() == 5
