"""What a browser may keep, and what it throws away when somebody signs out."""

import pytest
from django.test import Client
from django.urls import reverse

from tests.test_access import address_of, named_addresses, world

__all__ = ["world"]
pytestmark = pytest.mark.django_db
WORKER = "judge-worker"


def kept_by_a_browser(world, user):
    """Addresses whose answers a browser may keep, and for how long."""
    client = Client()
    client.force_login(user)
    found = {
        name: client.get(address_of(name, world))["Cache-Control"]
        for name in set(named_addresses()) - {"join"}
    }
    return {name: value for name, value in found.items() if "no-store" not in value}


@pytest.mark.parametrize(
    "role",
    [
        pytest.param(role, marks=() if role in ("admin", "rater") else pytest.mark.thorough)
        for role in ("admin", "rater", "engineer", "stranger", "site")
    ],
)
def test_nothing_but_the_worker_script_may_be_kept(role, world):
    """The script holds nothing private, and is asked for anew each time."""
    assert kept_by_a_browser(world, world["users"][role]) == {WORKER: "no-cache"}


@pytest.mark.parametrize("address", ["/accounts/sign-in/", "/nowhere/", "/join/a-token/", "/site-admin/"])
def test_nor_what_everybody_sees(client, address):
    assert "no-store" in client.get(address)["Cache-Control"]


def test_signing_out_empties_the_cache_and_keeps_judgments_that_were_not_sent(client, world):
    client.force_login(world["users"]["rater"])

    response = client.post(reverse("sign-out"))

    assert response["Clear-Site-Data"] == '"cache"'
