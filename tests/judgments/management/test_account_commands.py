"""Accounts made and changed by Django's own commands: the log says so."""

import pytest
from django.core.management import CommandError, call_command

from judgments.models import Act, User, Verb
from tests import factories as make

pytestmark = pytest.mark.django_db


def acts():
    return [(act.verb, act.subject) for act in Act.objects.order_by("pk")]


def test_a_new_site_administrator_is_logged_and_those_before_are_not(monkeypatch):
    make.make_user("first", is_superuser=True)
    monkeypatch.setenv("DJANGO_SUPERUSER_PASSWORD", "a long password")

    call_command("createsuperuser", interactive=False, username="second", email="", verbosity=0)

    act = Act.objects.get()
    assert acts() == [(Verb.CREATED, "account second")]
    assert act.after["is_superuser"] is True
    assert "password" not in str(act.after)
    assert User.objects.get(username="second").check_password("a long password")


def test_another_password_is_logged(monkeypatch, capsys):
    user = make.make_user("kim")
    monkeypatch.setattr("getpass.getpass", lambda prompt="": "another long password")

    call_command("changepassword", "kim")

    user.refresh_from_db()
    assert user.check_password("another long password")
    assert acts() == [(Verb.CHANGED, "the password of account kim")]


def test_an_account_that_is_not_there_leaves_no_line():
    with pytest.raises(CommandError, match="does not exist"):
        call_command("changepassword", "nobody")

    assert acts() == []
