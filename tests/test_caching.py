"""What a browser may keep, and what it throws away when somebody signs out."""

import pytest
from django.test import Client
from django.urls import reverse

from tests import factories as make
from tests.test_access import address_of, named_addresses, world

__all__ = ["world"]
pytestmark = pytest.mark.django_db
WORKER = "judge-worker"


def test_nothing_but_the_worker_script_may_be_kept(world):
    """The script holds nothing private, and is asked for anew each time."""
    kept = {}
    for role, user in world["users"].items():
        client = Client()
        client.force_login(user)
        for name in set(named_addresses()) - {"join"}:
            response = client.get(address_of(name, world))
            if "no-store" not in response["Cache-Control"]:
                kept[role, name] = response["Cache-Control"]

    assert {name for _, name in kept} == {WORKER}
    assert set(kept.values()) == {"no-cache"}


@pytest.mark.parametrize("address", ["/accounts/sign-in/", "/nowhere/", "/join/a-token/", "/site-admin/"])
def test_nor_what_everybody_sees(client, address):
    assert "no-store" in client.get(address)["Cache-Control"]


@pytest.mark.parametrize("name", ["sign-out", "admin:logout"])
def test_signing_out_empties_the_cache_and_keeps_judgments_that_were_not_sent(client, name):
    client.force_login(make.make_user(is_staff=True, is_superuser=True))

    response = client.post(reverse(name))

    assert response["Clear-Site-Data"] == '"cache"'
