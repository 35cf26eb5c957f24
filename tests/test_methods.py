"""Every address takes the methods that its view declares, and answers 405 to any other."""

import pytest
from django.test import Client
from django.urls import URLPattern, URLResolver, get_resolver, reverse

from config.api import document
from tests import factories as make
from tests.api import Api
from tests.sweeps import SHARES, draw_addresses
from tests.test_access import address_of, named_addresses, world
from tests.test_api_access import address, full_world, places

__all__ = ["full_world", "world"]
pytestmark = pytest.mark.django_db
OTHERS = ("put", "patch", "delete", "options", "trace")


def refusal(client: Client, method: str, address: str) -> str:
    """What is wrong with the answer to a method that no view takes; nothing where it is refused as it should be."""
    response = getattr(client, method)(address)
    if response.status_code != 405:
        return f"{method} {address}: {response.status_code}"
    return "" if set(response["Allow"].split(", ")) <= {"GET", "HEAD", "POST"} else response["Allow"]


@SHARES
def test_no_address_takes_a_method_that_its_view_does_not_declare(share, world, client):
    client.force_login(world["users"]["admin"])
    addresses = {name: address_of(name, world) for name in set(named_addresses()) - {"join"}}
    addresses["join"] = reverse("join", args=["a-token"])

    wrong = [
        refusal(client, method, address)
        for address in draw_addresses(addresses.values(), share)
        for method in OTHERS
    ]

    assert [one for one in wrong if one] == []


@SHARES
def test_nobody_gets_anywhere_by_another_method_without_signing_in(share, world, client):
    without = {"sign-in", "sign-out", "demo-sign-in", "join", "judge-worker"}
    for name in draw_addresses(set(named_addresses()) - without, share):
        for method in OTHERS:
            assert getattr(client, method)(address_of(name, world)).status_code in (302, 405), (name, method)


def test_who_opens_an_address_that_only_takes_a_form_sees_a_page(client):
    client.force_login(make.make_user())

    response = client.get(reverse("token-new"))

    assert (response.status_code, response["Allow"]) == (405, "POST")
    assert "This address only receives what a form sends" in response.content.decode()


def admin_addresses() -> list[str]:
    """Those of site administration, with 1 for every key."""
    entries = [one for one in get_resolver().url_patterns if isinstance(one, URLResolver)]
    [site] = [one for one in entries if one.namespace == "admin"]
    found: list[str] = []

    def walk(patterns, before):
        for one in patterns:
            if isinstance(one, URLResolver):
                walk(one.url_patterns, before + str(one.pattern))
            elif isinstance(one, URLPattern) and one.name:
                found.append(before + str(one.pattern))

    walk(site.url_patterns, "/site-admin/")
    return [
        address.replace("<path:object_id>", "1")
        .replace("<id>", "1")
        .replace("<int:content_type_id>/<path:object_id>", "1/1")
        for address in found
        if "(" not in address and "int:" not in address
    ]


def test_site_administration_refuses_them_too(client):
    client.force_login(make.make_user(is_staff=True, is_superuser=True))
    addresses = admin_addresses()

    wrong = [
        refusal(client, method, address) for address in addresses for method in ("put", "patch", "delete")
    ]

    assert len(addresses) > 15
    assert [one for one in wrong if one] == []


def test_site_administration_still_has_a_sign_in_page_of_its_own(client):
    response = client.get(reverse("admin:login"))

    assert response.status_code == 200
    assert refusal(client, "put", reverse("admin:login")) == ""


@SHARES
def test_no_address_of_the_api_takes_a_method_that_is_not_described(share, full_world):
    api = Api(full_world["users"]["admin"])
    paths = document()["paths"]
    for path in draw_addresses(paths, share):
        described = paths[path]
        for method in {"get", "post", "put", "patch", "delete", "options", "trace"} - set(described):
            response = api.call(method, address(path, places(full_world)))
            assert response.status_code == 405, (method, path)
            assert set(response["Allow"].split(", ")) == {name.upper() for name in described}
