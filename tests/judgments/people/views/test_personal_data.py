"""Personal data as a file, and the page that erases it."""

import json
import re

import pytest
from django.urls import reverse

from judgments.base.tokens import digest
from judgments.log.actions import acting
from judgments.models import Act, Judgment, User
from judgments.people.actions import members
from tests import factories as make
from tests.html import html_of, text_of
from tests.judgments.judging.actions.scene import Scene
from tests.signing_in import really_sign_in

pytestmark = pytest.mark.django_db


@pytest.fixture
def site(client):
    user = make.make_user("site", is_superuser=True, is_staff=True)
    client.force_login(user)
    return user


@pytest.fixture
def kim(site):
    """A rater with a judgment and a changed one."""
    scene = Scene(queries=1, documents=2)
    kim = make.make_user("kim", first_name="Kim", last_name="Lee", email="kim@example.org")
    with acting(site):
        members.add_member(query_set=scene.query_set, user=kim, role="rater")
    first, second = scene.list.pairs.order_by("pk")
    scene.judge(kim, first.pk, value=1, comment="not sure")
    scene.judge(kim, first.pk, value=2, comment="now I am")
    scene.judge(kim, second.pk, value=0)
    make.make_own_token(kim)
    return kim


def content(response):
    assert response["Content-Type"] == "application/json"
    assert "attachment" in response["Content-Disposition"]
    assert response["Cache-Control"] == "max-age=0, no-cache, no-store, must-revalidate, private"
    return json.loads(b"".join(response.streaming_content))


def test_ones_own_data_is_a_file(client, kim):
    really_sign_in(client, kim)

    data = content(client.get(reverse("own-data")))

    assert data["account"]["username"] == "kim"
    assert data["account"]["email"] == "kim@example.org"
    assert [one["role"] for one in data["memberships"]] == ["rater"]
    assert len(data["sessions"]) == 1
    assert (data["second_factor"], data["single_sign_on"]) == (False, [])
    answers = [(one["kind"], one["value"], one["comment"]) for one in data["records"] if "value" in one]
    assert answers == [("judgment", 2, "now I am"), ("judgment", 0, ""), ("earlier answer", 1, "not sure")]
    lines = [(one["who"], one["did"], one["subject"]) for one in data["records"] if "who" in one]
    assert ("somebody", "made a member:", "kim") in lines


def test_the_file_has_no_secrets_and_nothing_about_others(client, kim, site):
    Judgment.objects.update(gold="gold")
    client.force_login(kim)

    text = b"".join(client.get(reverse("own-data")).streaming_content).decode()

    assert kim.password not in text
    assert digest(kim.api_tokens.get().name) not in text
    assert client.session.session_key not in text
    assert "gold" not in text
    assert '"site"' not in text


def test_a_site_administrator_takes_somebodys_data_out_and_the_log_says_so(client, kim, site):
    data = content(client.get(reverse("person-data", args=[kim.pk])))

    assert data["account"]["username"] == "kim"
    [line] = Act.objects.filter(verb="exported")
    assert (line.subject, line.by_name) == ("the personal data of account kim", "site")
    assert client.head(reverse("person-data", args=[kim.pk])).status_code == 200
    assert Act.objects.filter(verb="exported").count() == 1


def test_the_page_says_what_stays_and_what_goes(client, kim):
    address = reverse("person-erase", args=[kim.pk])

    page = text_of(client.get(address))
    assert f"What stays, under the name erased-{kim.pk}" in page
    assert "2 judgments" in page
    assert "1 earlier answer" in page


def test_what_there_is_none_of_is_left_out(client, kim):
    nobody = make.make_user("nobody")

    page = text_of(client.get(reverse("person-erase", args=[kim.pk])))
    empty = text_of(client.get(reverse("person-erase", args=[nobody.pk])))

    assert " 1 API token " in page
    assert not re.search(r"\b0 (session|API|invitation|judgment|line)", page + empty)
    assert "API token" not in empty
    assert "judged and decided nothing" in empty
    assert "judged and decided nothing" not in page


@pytest.mark.parametrize(
    "sent", [{}, {"comments": "blank", "typed": "kin"}, {"comments": "some", "typed": "kim"}]
)
def test_without_the_name_nothing_is_erased(client, kim, sent):
    answer = client.post(reverse("person-erase", args=[kim.pk]), sent)

    assert answer.status_code == 422
    assert User.objects.get(pk=kim.pk).username == "kim"


def test_ones_own_account_is_not_erased_by_page(client, site):
    make.make_user("second", is_superuser=True)

    answer = client.post(reverse("person-erase", args=[site.pk]), {"comments": "blank", "typed": "site"})

    assert answer.status_code == 422
    assert "You can’t erase the account that you are signed in with" in text_of(answer)


def test_a_query_set_that_loses_its_last_admin_is_named(client, site):
    query_set = make.make_query_set(name="Shop")
    admin = make.make_member(query_set, "admin")

    assert "Shop will have no admin" in text_of(client.get(reverse("person-erase", args=[admin.pk])))


def test_site_administration_leads_there(client, kim):
    page = html_of(client.get(reverse("admin:judgments_user_change", args=[kim.pk])))

    assert reverse("person-erase", args=[kim.pk]) in page
    assert reverse("person-data", args=[kim.pk]) in page
