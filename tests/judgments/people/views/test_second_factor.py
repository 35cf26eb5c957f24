"""A second factor: asked at every door, guessed by nobody, and lost without losing the account."""

import base64
import re

import pytest
from allauth.mfa.models import Authenticator
from django.test import Client
from django.urls import reverse

from judgments.models import Act, Membership, User
from judgments.people.actions import second_factor as actions
from judgments.people.actions.demo_accounts import create_demo_accounts
from judgments.people.actions.erasure import erase_person
from tests import factories as make
from tests.html import html_of, text_of
from tests.judgments.people.totp import totp

pytestmark = pytest.mark.django_db
PASSWORD = "pass"
NOW = 1_800_000_000


@pytest.fixture(autouse=True)
def clock(monkeypatch):
    """Stops the clock of the codes; the fixture sets it to some half minutes later."""
    moments = {"now": NOW}
    monkeypatch.setattr("allauth.mfa.totp.internal.auth.time.time", lambda: moments["now"])

    def later(half_minutes):
        moments["now"] = NOW + 30 * half_minutes
        return moments["now"]

    return later


@pytest.fixture(autouse=True)
def offered(settings):
    settings.SECOND_FACTOR = "optional"


@pytest.fixture
def kim():
    return make.make_user("kim", is_superuser=True, is_staff=True)


def set_up(client, at=NOW, password=PASSWORD):
    """Sets a second factor up by page; its secret and recovery codes."""
    page = html_of(client.get(reverse("second-factor-set-up")))
    secret = re.search(r"Type this key: <code>([A-Z2-7 ]+)</code>", page)[1]
    sent = {"code": totp(secret, at)} | ({"password": password} if password else {})
    answer = client.post(reverse("second-factor-set-up"), sent)
    return secret, re.findall(r"<li><code>(\d+)</code></li>", html_of(answer))


@pytest.fixture
def protected(kim, clock):
    """The secret and the recovery codes of Kim's second factor, which was set up a while ago."""
    client = Client()
    client.force_login(kim)
    found = set_up(client)
    clock(10)
    return found


def sign_in(client, password=PASSWORD):
    return client.post(reverse("sign-in"), {"username": "kim", "password": password})


def give(client, code):
    return client.post(reverse("second-factor"), {"code": code})


def is_in(client):
    return client.get(reverse("account")).status_code == 200


def test_the_codes_are_those_of_the_standard():
    """The values of RFC 6238, appendix B, cut to six digits."""
    secret = base64.b32encode(b"12345678901234567890").decode()

    for at, expected in ((59, "287082"), (1111111109, "081804"), (2000000000, "279037")):
        assert totp(secret, at) == expected


def test_with_it_a_password_alone_opens_nothing(protected, client, clock):
    assert sign_in(client).status_code == 302

    for name in ("home", "account", "query-sets", "site-log", "own-data", "admin:index", "password-change"):
        assert client.get(reverse(name))["Location"] == reverse("second-factor"), name
    assert client.post(reverse("sign-out-elsewhere"))["Location"] == reverse("second-factor")
    assert client.get(reverse("account"), headers={"HX-Request": "true"}).status_code == 401

    client.get(reverse("query-sets"))
    answer = give(client, totp(protected[0], clock(11)))

    assert answer["Location"] == reverse("query-sets")
    assert is_in(client)
    assert client.get(reverse("admin:index")).status_code == 200


def test_site_administration_asks_too(protected, client, clock):
    address = reverse("admin:login")
    client.post(address, {"username": "kim", "password": PASSWORD, "next": reverse("admin:index")})

    assert client.get(reverse("admin:index"))["Location"] == reverse("second-factor")


def test_an_invitation_asks_before_anybody_joins(protected, client, clock):
    invitation = make.make_invitation(make.make_query_set(), "a-token")
    address = reverse("join", args=["a-token"])

    client.post(address, {"action": "sign-in", "in-username": "kim", "in-password": PASSWORD})

    assert client.get(address)["Location"] == reverse("second-factor")
    assert client.post(address)["Location"] == reverse("second-factor")
    assert not Membership.objects.filter(query_set=invitation.query_set).exists()
    assert give(client, totp(protected[0], clock(11)))["Location"] == address
    client.post(address)
    assert Membership.objects.filter(query_set=invitation.query_set, user__username="kim").exists()


def test_a_code_works_once(protected, clock):
    code = totp(protected[0], clock(11))
    first, second = Client(), Client()
    sign_in(first)
    sign_in(second)

    assert give(first, code).status_code == 302
    assert give(second, code).status_code == 422
    assert not is_in(second)


def test_an_old_code_does_not_work(protected, client, clock):
    sign_in(client)
    clock(20)

    assert give(client, totp(protected[0], NOW + 30 * 17)).status_code == 422
    assert give(client, totp(protected[0], NOW + 30 * 19)).status_code == 302  # the telephone's clock is late


def test_a_recovery_code_works_once(protected):
    _, codes = protected
    assert len(codes) == len(set(codes)) == 10
    first, second = Client(), Client()
    sign_in(first)
    sign_in(second)

    assert give(first, codes[3]).status_code == 302
    assert give(second, codes[3]).status_code == 422
    assert give(second, codes[4]).status_code == 302
    assert "You have 8 unused recovery codes" in text_of(second.get(reverse("account")))


def test_guesses_wait_on_known_devices_too(protected, client, caplog):
    """Who guesses knows the password, and so gets a new known device with each sign-in."""
    answers = []
    for _ in range(8):
        sign_in(client)
        answers.append(give(client, "000000").status_code)

    assert answers[:5] == [422] * 5
    assert set(answers[5:]) == {429}
    assert 'event="throttled" account="kim"' in caplog.text


def test_no_stranger_holds_up_the_codes_of_somebody(protected, client, clock):
    """By what they type as a username: only who knows the password can try codes."""
    for name in ("second factor of kim", "code kim", "code"):
        for _ in range(8):
            Client().post(reverse("sign-in"), {"username": name, "password": "guessed"})
    sign_in(client)

    assert give(client, totp(protected[0], clock(11))).status_code == 302
    assert is_in(client)


def test_the_secret_is_not_in_the_database(protected):
    secret, codes = protected
    stored = str(list(Authenticator.objects.values_list("data", flat=True)))

    assert secret.replace(" ", "") not in stored
    assert not any(code in stored for code in codes)


def test_setting_up_needs_the_password_and_the_apps_code(kim, client):
    client.force_login(kim)
    assert set_up(client, password="wrong")[1] == []
    assert set_up(client, at=NOW - 300)[1] == []
    assert client.post(reverse("second-factor-set-up"), {}).status_code == 422
    assert not Authenticator.objects.exists()

    assert len(set_up(client)[1]) == 10
    assert is_in(client)
    assert [act.subject for act in Act.objects.all()] == ["the second factor of account kim"]


def test_it_is_removed_with_a_code_only(protected, client, clock):
    sign_in(client)
    give(client, totp(protected[0], clock(11)))
    change = reverse("second-factor-change")

    client.post(change, {"code": "000000", "remove": "1"})
    assert Authenticator.objects.exists()

    page = html_of(client.post(change, {"code": totp(protected[0], clock(12)), "recovery": "new"}))
    fresh = re.findall(r"<li><code>(\d+)</code></li>", page)
    assert len(fresh) == 10
    assert set(fresh).isdisjoint(protected[1])

    client.post(change, {"code": fresh[0], "remove": "1"})
    assert not Authenticator.objects.exists()
    again = Client()
    sign_in(again)
    assert is_in(again)


def test_a_site_administrator_removes_it_for_somebody_who_lost_it(protected, client):
    site = make.make_user("site", is_superuser=True, is_staff=True)
    client.force_login(site)
    sent = {"action": "remove_second_factor", "_selected_action": [User.objects.get(username="kim").pk]}

    client.post(reverse("admin:judgments_user_changelist"), sent)

    assert not Authenticator.objects.exists()
    assert Act.objects.latest("pk").by_name == "site"


@pytest.mark.parametrize(("role", "due"), [("admin", True), ("engineer", False), ("rater", False)])
def test_by_setting_admins_need_one(settings, client, role, due):
    settings.SECOND_FACTOR = "admins"
    make.make_member(make.make_query_set(), role, username="kim")
    sign_in(client)

    page = client.get(reverse("account"))
    assert page.get("Location") == (reverse("second-factor-set-up") if due else None)

    if due:
        assert len(set_up(client)[1]) == 10
        assert is_in(client)


def test_a_password_alone_does_not_pass_a_second_factor_that_was_removed_meanwhile(
    settings, protected, client, clock
):
    settings.SECOND_FACTOR = "admins"
    sign_in(client)
    client.get(reverse("query-sets"))

    actions.remove_second_factor(user=User.objects.get(username="kim"))

    assert client.get(reverse("second-factor"))["Location"] == reverse("second-factor-set-up")
    assert client.get(reverse("account"))["Location"] == reverse("second-factor-set-up")
    assert len(set_up(client, at=clock(11))[1]) == 10
    assert is_in(client)


def test_who_set_it_up_on_another_device_meanwhile_is_asked_for_a_code(settings, kim, client, clock):
    settings.SECOND_FACTOR = "admins"
    first = Client()
    for device in (first, client):
        sign_in(device)
        assert device.get(reverse("query-sets"))["Location"] == reverse("second-factor-set-up")
    secret, _ = set_up(first)

    assert client.get(reverse("second-factor-set-up"))["Location"] == reverse("second-factor")
    assert client.get(reverse("account"))["Location"] == reverse("second-factor")
    assert give(client, totp(secret, clock(10)))["Location"] == reverse("account")
    assert is_in(client)


def test_an_admin_who_needs_one_cannot_remove_it(settings, protected, client, clock):
    settings.SECOND_FACTOR = "admins"
    sign_in(client)
    give(client, totp(protected[0], clock(11)))

    client.post(reverse("second-factor-change"), {"code": totp(protected[0], clock(12)), "remove": "1"})

    assert Authenticator.objects.exists()


@pytest.mark.parametrize("mode", ["optional", "admins"])
def test_nobody_locks_others_out_of_a_demo_account(settings, client, mode):
    settings.SECOND_FACTOR, settings.DEMO = mode, True
    admin = create_demo_accounts()["admin"]
    Membership.objects.create(query_set=make.make_query_set(), user=admin, role="admin")
    client.post(reverse("demo-sign-in"), {"username": "admin"})

    assert is_in(client)
    assert "Second factor" not in text_of(client.get(reverse("account")))
    assert client.get(reverse("second-factor-set-up")).status_code == 404

    settings.DEMO = False
    client.force_login(admin)
    assert client.get(reverse("second-factor-set-up")).status_code == 200


def test_where_it_is_not_offered_nobody_sees_it_but_those_who_have_one_are_asked(settings, protected, client):
    settings.SECOND_FACTOR = "off"
    other = make.make_user("other")
    client.force_login(other)
    assert "Second factor" not in text_of(client.get(reverse("account")))
    assert client.get(reverse("second-factor-set-up")).status_code == 404

    kims = Client()
    sign_in(kims)
    assert kims.get(reverse("account"))["Location"] == reverse("second-factor")


def test_the_security_log_has_every_step(protected, client, clock, caplog):
    sign_in(client)
    give(client, "000000")
    give(client, totp(protected[0], clock(11)))
    client.post(reverse("second-factor-change"), {"code": totp(protected[0], clock(12)), "recovery": "new"})
    client.post(reverse("second-factor-change"), {"code": totp(protected[0], clock(13)), "remove": "1"})

    assert re.findall(r'event="([\w-]+)"', caplog.text) == [
        "sign-in",
        "second-factor-wrong",
        "second-factor-passed",
        "recovery-codes-created",
        "second-factor-removed",
    ]
    assert protected[0].replace(" ", "") not in caplog.text


def test_with_another_key_of_the_site_the_pages_say_what_to_do(settings, protected, client, clock):
    signed_in = Client()
    sign_in(signed_in)
    give(signed_in, totp(protected[0], clock(11)))
    Authenticator.objects.update(data=made_with_another_key(settings))
    sign_in(client)

    answer = give(client, totp(protected[0], clock(12)))

    assert answer.status_code == 422
    assert "Ask a site administrator to remove your second factor" in text_of(answer)
    assert not is_in(client)
    assert "10 unused recovery codes" in text_of(signed_in.get(reverse("account")))


def made_with_another_key(settings):
    key, settings.SECRET_KEY = settings.SECRET_KEY, "another key of the site, as long as it has to be"
    data = {name: actions.SecretsAdapter().encrypt("JBSWY3DPEHPK3PXP") for name in ("secret", "seed")}
    settings.SECRET_KEY = key
    return data | {"used_mask": 0}


def test_it_goes_with_an_erased_person(protected):
    make.make_user("site", is_superuser=True)
    erase_person(user=User.objects.get(username="kim"), blank_comments=True, at=make.NOW)

    assert not Authenticator.objects.exists()
    assert not Act.objects.filter(subject__contains="kim").exists()


def test_removing_nothing_is_not_logged(kim):
    assert not actions.remove_second_factor(user=kim)
    assert not Act.objects.exists()
