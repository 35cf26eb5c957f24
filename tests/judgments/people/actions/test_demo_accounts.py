"""What remains of demo mode once a site starts without it."""

import re

import pytest
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from judgments.models import Act, Membership
from judgments.people.actions.demo_accounts import create_demo_accounts, end_demo
from tests import factories as make
from tests.api import Api

pytestmark = pytest.mark.django_db


def test_who_came_in_by_a_demo_button_is_signed_out_and_stays_out(settings):
    create_demo_accounts()
    visitor, colleague = Client(), Client()
    visitor.post("/accounts/demo/", {"username": "admin"})
    colleague.force_login(make.make_user("colleague"))
    assert visitor.get("/").status_code == colleague.get("/").status_code

    settings.DEMO = False
    end_demo(at=timezone.now())

    assert visitor.get("/")["Location"] == "/accounts/sign-in/?next=/"
    assert visitor.post("/accounts/demo/", {"username": "admin"}).status_code == 404
    assert "sign-in" not in colleague.get("/").get("Location", "")


def test_an_account_that_was_given_a_password_stays_signed_in():
    account = create_demo_accounts()["rater"]
    account.set_password("a long enough word")
    account.save()
    visitor = Client()
    visitor.force_login(account)
    before = visitor.get("/").status_code

    end_demo(at=timezone.now())

    assert visitor.get("/").status_code == before


def test_tokens_and_invitations_that_were_made_in_the_demo_end_with_it(settings):
    admin, query_set = create_demo_accounts()["admin"], make.make_query_set()
    Membership.objects.create(query_set=query_set, user=admin, role="admin")
    api = Api(admin)
    settings.DEMO = True
    visitor = Client()
    visitor.post("/accounts/demo/", {"username": "admin"})
    form = {"role": "admin", "days": "90", "uses_most": "", "note": ""}
    page = visitor.post(reverse("query-set-invite", args=[query_set.pk]), form).content.decode()
    (link,) = set(re.findall(r"/join/[\w-]+/", page))
    assert api.patch(f"query-sets/{query_set.pk}", {"name": "Renamed"}).status_code == 200

    settings.DEMO = False
    end_demo(at=timezone.now())

    assert api.patch(f"query-sets/{query_set.pk}", {"name": "Taken over"}).status_code == 401
    password = "stones and slates"
    fields = {
        "action": "sign-up",
        "up-username": "stranger",
        "up-password1": password,
        "up-password2": password,
    }
    assert "was revoked" in Client().post(link, fields).content.decode()
    assert not Membership.objects.filter(user__username="stranger").exists()
    latest = Act.objects.latest("pk")
    assert latest.after == {"invitations revoked": 1, "API tokens revoked": 1}


def test_what_an_account_with_a_password_made_stays_when_the_demo_ends():
    account = create_demo_accounts()["admin"]
    account.set_password("a long enough word")
    account.save()
    api = Api(account)
    invitation = make.make_invitation(make.make_query_set(), created_by=account)

    end_demo(at=timezone.now())

    invitation.refresh_from_db()
    assert (invitation.revoked_at, api.get("account").status_code) == (None, 200)
