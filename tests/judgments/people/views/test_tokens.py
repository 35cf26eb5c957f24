"""Tokens of the API on the account page."""

import re

import pytest
from django.urls import reverse

from judgments.base.tokens import digest
from judgments.models import Act, ApiToken, Membership, User, Verb
from tests import factories as make
from tests.api import Api
from tests.html import text_of

pytestmark = pytest.mark.django_db
FORM = {"name": "nightly build", "scope": "engineer", "query_set": "", "days": "90"}


@pytest.fixture
def signed_in(client, query_set):
    client.force_login(make.make_member(query_set, "engineer", username="eve"))
    return client


def create(client, **changes):
    return client.post(reverse("token-new"), FORM | changes)


def shown(response):
    """The tokens that the page shows."""
    return re.findall(r'value="(tst_[\w-]+)"', response.content.decode())


def test_a_token_is_shown_once_and_stored_as_its_hash(signed_in):
    response = create(signed_in)

    [text] = shown(response)
    token = ApiToken.objects.get()
    assert len(text) > 40
    assert (token.token_sha256, token.ending) == (digest(text), text[-4:])
    assert (token.name, token.scope, token.query_set) == ("nightly build", "engineer", None)
    assert "Copy this token now" in text_of(response)
    page = signed_in.get(reverse("account"))
    assert shown(page) == []
    assert "nightly build" in text_of(page)
    assert signed_in.get("/api/v1/account", headers={"Authorization": f"Bearer {text}"}).status_code == 200


def test_no_cache_keeps_the_page_with_a_token(signed_in):
    assert "no-store" in create(signed_in)["Cache-Control"]


def test_making_and_revoking_are_in_the_log(signed_in, query_set):
    create(signed_in, query_set=query_set.pk)
    token = ApiToken.objects.get()
    signed_in.post(reverse("token-revoke", args=[token.pk]))
    signed_in.post(reverse("token-revoke", args=[token.pk]))

    made, revoked = Act.objects.filter(query_set=query_set).order_by("pk")
    assert (made.verb, revoked.verb) == (Verb.CREATED, Verb.TOKEN_REVOKED)
    assert made.subject == revoked.subject == f"API token nightly build (…{token.ending})"
    assert made.by.username == "eve"
    assert f"…{token.ending}" not in text_of(signed_in.get(reverse("account")))


def test_the_same_form_twice_makes_one_token(signed_in):
    first, second = shown(create(signed_in, once="a")), shown(create(signed_in, once="a"))
    assert first == second
    assert ApiToken.objects.count() == 1

    ApiToken.objects.update(revoked_at=make.NOW)
    assert shown(create(signed_in, once="a")) != first


def test_a_form_with_mistakes_says_so(signed_in):
    foreign = make.make_query_set()
    response = create(signed_in, name="", days="366", query_set=foreign.pk, scope="root")

    assert response.status_code == 422
    assert set(response.context["token_form"].errors) == {"name", "days", "query_set", "scope"}
    assert not ApiToken.objects.exists()


def test_an_account_has_so_many_tokens_and_no_more(signed_in):
    for _ in range(20):
        make.make_own_token(User.objects.get(username="eve"))

    response = create(signed_in)

    assert response.status_code == 422
    assert "Revoke one that nothing uses" in text_of(response)


def test_nobody_revokes_the_token_of_another(signed_in, query_set):
    token = make.make_own_token(make.make_member(query_set, "admin"))

    assert signed_in.post(reverse("token-revoke", args=[token.pk])).status_code == 404
    token.refresh_from_db()
    assert token.revoked_at is None


def test_raters_have_no_use_for_tokens(client, query_set):
    client.force_login(make.make_member(query_set, "rater"))

    assert "API tokens" not in text_of(client.get(reverse("account")))
    assert create(client).status_code == 404


def test_who_has_become_a_rater_still_sees_and_revokes_their_tokens(signed_in):
    create(signed_in)
    Membership.objects.update(role="rater")

    page = signed_in.get(reverse("account"))
    signed_in.post(reverse("token-revoke", args=[ApiToken.objects.get().pk]))

    assert [token.name for token in page.context["tokens"]] == ["nightly build"]
    assert "Create token" not in text_of(page)
    assert "API tokens" not in text_of(signed_in.get(reverse("account")))


def test_a_lowered_role_holds_for_tokens_at_once(query_set):
    admin = make.make_member(query_set, "admin")
    api = Api(admin)
    address = f"query-sets/{query_set.pk}/log"

    as_admin = api.get(address).status_code
    Membership.objects.filter(user=admin).update(role="engineer")

    assert (as_admin, api.get(address).status_code) == (200, 404)


@pytest.mark.parametrize("count", [0, 1])
def test_a_new_password_says_that_tokens_go_on(signed_in, count):
    for _ in range(count):
        create(signed_in)
    fresh = {"new_password1": "stones and slates", "new_password2": "stones and slates"}

    page = signed_in.post(reverse("password-change"), {"old_password": "pass"} | fresh, follow=True)

    assert "Your password is changed." in text_of(page)
    assert ("It doesn’t end your 1 API token" in text_of(page)) is bool(count)
    assert ApiToken.objects.filter(revoked_at=None).count() == count
