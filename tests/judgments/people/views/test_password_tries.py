"""Wrong passwords slow down whoever gives them, on every form that takes one, and nobody else."""

from dataclasses import replace
from datetime import timedelta

import pytest
from django.contrib.auth.hashers import MD5PasswordHasher
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from judgments.models import PasswordTries, User
from judgments.people.actions import password_tries
from judgments.people.actions.password_tries import ACCOUNT, ADDRESS, PERSON
from tests import factories as make

pytestmark = pytest.mark.django_db
TOKEN = "a-token-of-the-tests"
HOME, ELSEWHERE = "192.0.2.1", "198.51.100.7"
WRONG = 40


def sign_in(client, password, username="kim", address=HOME):
    return client.post(reverse("sign-in"), {"username": username, "password": password}, REMOTE_ADDR=address)


def sign_in_at_site_admin(client, password):
    return client.post(reverse("admin:login"), {"username": "kim", "password": password})


def sign_in_and_join(client, password):
    fields = {"action": "sign-in", "in-username": "kim", "in-password": password}
    return client.post(reverse("join", args=[TOKEN]), fields)


def change_password(client, password):
    fresh = {"new_password1": "stones and slates", "new_password2": "stones and slates"}
    return client.post(reverse("password-change"), {"old_password": password} | fresh)


FORMS = [sign_in, sign_in_at_site_admin, sign_in_and_join, change_password]


@pytest.fixture
def kim():
    return make.make_user("kim", is_staff=True, is_superuser=True)


@pytest.fixture(autouse=True)
def fewer_tries(monkeypatch):
    """Limits in the same order as the real ones, and reached sooner."""
    assert PERSON.free < ACCOUNT.free < ADDRESS.free
    monkeypatch.setattr(password_tries, "ACCOUNT", replace(ACCOUNT, free=20))
    monkeypatch.setattr(password_tries, "ADDRESS", replace(ADDRESS, free=30))


@pytest.fixture(autouse=True)
def later(monkeypatch):
    """Stops the clock of the throttle, as a busy machine takes seconds for a try; the fixture lets time pass."""
    began = timezone.now()

    def wait(**duration):
        for module in ("people.views.passwords", "people.forms"):
            monkeypatch.setattr(f"judgments.{module}.now", lambda: began + timedelta(**duration))

    wait()
    return wait


@pytest.fixture
def hashes(monkeypatch):
    """Counts how often a password is hashed."""
    counted, encode = [], MD5PasswordHasher.encode

    def count(self, password, salt):
        counted.append(1)
        return encode(self, password, salt)

    monkeypatch.setattr(MD5PasswordHasher, "encode", count)
    return counted


@pytest.mark.parametrize("form", FORMS)
def test_after_40_wrong_passwords_the_right_one_has_to_wait_and_then_works(form, client, kim, later, hashes):
    make.make_invitation(make.make_query_set(), TOKEN)
    if form is change_password:
        client.force_login(kim)
    hashes.clear()

    answers = [form(client, f"wrong {number}") for number in range(WRONG)]
    hashed_before = len(hashes)
    right = form(client, "pass")

    free = password_tries.PERSON.free
    assert [answer.status_code == 429 for answer in answers] == [False] * free + [True] * (WRONG - free)
    assert right.status_code == 429
    assert right["Retry-After"] == "10"
    assert "Too many wrong tries" in right.content.decode()
    assert hashed_before == len(hashes) == free
    later(seconds=10)
    assert form(client, "pass").status_code == 302


def test_each_further_wrong_password_doubles_the_wait_up_to_a_quarter_of_an_hour(client, kim, later):
    waits, passed = [], 0
    while len(waits) < 9:
        answer = sign_in(client, "wrong")
        if answer.status_code == 429:
            waits.append(int(answer["Retry-After"]))
            passed += waits[-1]
            later(seconds=passed)

    assert waits[:4] == [10, 20, 40, 80]
    assert waits[-1] == 900


def test_the_right_password_forgets_the_wrong_ones(client, kim):
    for _ in range(3):
        for _ in range(password_tries.PERSON.free - 1):
            assert sign_in(client, "wrong").status_code == 200
        assert sign_in(client, "pass").status_code == 302
        client.logout()
        client.cookies.clear()


def test_wrong_passwords_are_forgotten_after_a_day(client, kim, later):
    for _ in range(password_tries.PERSON.free):
        sign_in(client, "wrong")

    later(days=1)
    answers = [sign_in(client, "wrong").status_code for _ in range(password_tries.PERSON.free)]

    assert set(answers) == {200}


def test_a_colleague_at_the_same_address_is_not_held_up(client, kim):
    make.make_user("lee")
    for _ in range(WRONG):
        sign_in(client, "wrong")

    assert sign_in(client, "pass", username="lee").status_code == 302


def test_the_person_is_not_held_up_by_somebody_at_another_address(client, kim):
    for _ in range(WRONG):
        sign_in(Client(), "wrong", address=ELSEWHERE)

    assert sign_in(client, "pass").status_code == 302


def test_many_addresses_together_are_slowed_down_on_one_account(client, kim, later):
    for number in range(password_tries.ACCOUNT.free):
        assert sign_in(Client(), "wrong", address=f"198.51.100.{number}").status_code == 200

    assert sign_in(client, "pass").status_code == 429
    later(seconds=5)
    assert sign_in(client, "pass").status_code == 302


def test_one_address_is_slowed_down_over_many_accounts(client, kim):
    for number in range(password_tries.ADDRESS.free):
        assert sign_in(Client(), "wrong", username=f"name {number}").status_code == 200

    assert sign_in(client, "pass").status_code == 429
    assert sign_in(client, "pass", address=ELSEWHERE).status_code == 302


def test_addresses_of_one_network_of_ipv6_count_as_one(client, kim):
    for number in range(password_tries.PERSON.free):
        sign_in(Client(), "wrong", address=f"2001:db8::{number}")

    assert sign_in(client, "pass", address="2001:db8::ffff").status_code == 429
    assert sign_in(client, "pass", address="2001:db8:0:1::1").status_code == 302


@pytest.mark.parametrize("username", ["kim", "lee"])
def test_a_device_on_which_somebody_signed_in_before_is_not_held_up_by_strangers(client, kim, username):
    """Else whoever keeps on guessing would keep the owner of the account out for good."""
    make.make_user("lee")
    sign_in(client, "pass", username=username)
    client.post(reverse("sign-out"))
    for number in range(password_tries.ADDRESS.free):
        sign_in(Client(), "wrong", username=f"name {number}")
    for number in range(password_tries.ACCOUNT.free):
        sign_in(Client(), "wrong", username=username, address=f"198.51.100.{number}")

    assert sign_in(Client(), "pass", username=username).status_code == 429
    assert sign_in(client, "pass", username=username).status_code == 302


def test_a_known_device_has_no_more_tries_than_another_one(client, kim):
    sign_in(client, "pass")
    client.post(reverse("sign-out"))

    answers = [sign_in(client, "wrong").status_code for _ in range(password_tries.PERSON.free + 1)]

    assert answers == [200] * password_tries.PERSON.free + [429]


@pytest.mark.parametrize("forged", ["", "x", "a.b", "a.b:c:d"])
def test_a_forged_device_is_an_unknown_one(client, kim, forged):
    for _ in range(password_tries.PERSON.free):
        sign_in(Client(), "wrong")

    client.cookies["known_device"] = forged

    assert sign_in(client, "pass").status_code == 429


def test_a_device_of_one_account_is_unknown_to_another(client, kim):
    make.make_user("lee")
    sign_in(client, "pass", username="lee")
    client.post(reverse("sign-out"))
    for _ in range(password_tries.PERSON.free):
        sign_in(Client(), "wrong")

    assert sign_in(client, "pass").status_code == 429


def test_the_answer_does_not_tell_which_accounts_exist(client, kim, hashes):
    User.objects.create_user("gone", password="pass", is_active=False)
    hashes.clear()
    told, costs = [], []
    for username in ("kim", "gone", "nobody"):
        tries = [sign_in(client, "wrong", username=username) for _ in range(password_tries.PERSON.free + 1)]
        costs.append(len(hashes))
        hashes.clear()
        told.append(
            [
                (answer.status_code, answer.content.decode().count("Wrong username or password"))
                for answer in tries
            ]
        )

    assert told[0] == told[1] == told[2]
    assert costs[0] == costs[1] == costs[2]


def test_neither_names_nor_addresses_are_stored(client, kim):
    sign_in(client, "wrong", username="a password in the wrong field")

    stored = str(list(PasswordTries.objects.values()))

    assert PasswordTries.objects.count() == 3
    assert "password" not in stored
    assert HOME not in stored


def test_what_is_over_is_thrown_away(client, kim, later):
    for number in range(5):
        sign_in(client, "wrong", username=f"name {number}")

    later(days=1)
    sign_in(client, "wrong")

    assert PasswordTries.objects.count() == 3


@pytest.mark.parametrize(
    ("proxies", "forwarded", "seen"),
    [
        (0, "203.0.113.5", HOME),
        (1, "203.0.113.5", "203.0.113.5"),
        (1, "203.0.113.9, 203.0.113.5", "203.0.113.5"),
        (2, "203.0.113.9, 203.0.113.5, 10.0.0.1", "203.0.113.5"),
        (1, "", HOME),
        (1, "no address", "no address"),
    ],
)
def test_behind_proxies_the_address_is_the_one_that_the_outermost_one_saw(
    client, kim, settings, proxies, forwarded, seen
):
    settings.PROXIES = proxies
    for _ in range(password_tries.PERSON.free):
        client.post(
            reverse("sign-in"),
            {"username": "kim", "password": "wrong"},
            REMOTE_ADDR=HOME,
            HTTP_X_FORWARDED_FOR=forwarded,
        )

    settings.PROXIES = 0
    assert sign_in(client, "pass", address=seen).status_code == 429


def test_site_administration_has_no_password_form_of_its_own(client, kim):
    client.force_login(kim)

    assert client.get("/site-admin/password_change/")["Location"] == reverse("password-change")


def test_no_page_takes_a_password_past_the_throttle():
    """A view of Django's that asks for a password would be found here: its form is not one of ours."""
    from django.contrib.auth import authenticate

    make.make_user("kim")
    request = Client().get(reverse("sign-in")).wsgi_request
    for _ in range(password_tries.PERSON.free):
        assert authenticate(request, username="kim", password="wrong") is None

    with pytest.raises(password_tries.TooManyTriesError):
        authenticate(request, username="kim", password="pass")
    assert authenticate(None, username="kim", password="pass") is not None
