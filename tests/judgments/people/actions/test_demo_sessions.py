"""What remains of demo mode once a site starts without it."""

import pytest
from django.test import Client

from judgments.people.actions.accounts import create_demo_accounts, end_demo_sessions
from tests import factories as make

pytestmark = pytest.mark.django_db


def test_who_came_in_by_a_demo_button_is_signed_out_and_stays_out(settings):
    create_demo_accounts()
    visitor, colleague = Client(), Client()
    visitor.post("/accounts/demo/", {"username": "admin"})
    colleague.force_login(make.make_user("colleague"))
    assert visitor.get("/").status_code == colleague.get("/").status_code

    settings.DEMO = False
    end_demo_sessions()

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

    end_demo_sessions()

    assert visitor.get("/").status_code == before
