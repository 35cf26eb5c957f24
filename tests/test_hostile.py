"""Every parameter of every address, filled with what no page of ours sends: nothing ends in an error of the server.

Which parameters there are isn't written down anywhere: the views are watched while they read them.
"""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from unittest.mock import patch

import pytest
from django.db import transaction
from django.http import QueryDict
from django.test import Client

from tests import factories as make
from tests.sweeps import SHARES, draw_addresses
from tests.test_access import address_of, named_addresses, world
from tests.test_methods import admin_addresses

__all__ = ["world"]
pytestmark = pytest.mark.django_db

HOSTILE = {
    "a NUL": "\0",
    "a number beyond bigint": "9" * 40,
    "a number that Python refuses to read": "9" * 5000,
    "a negative number": "-1",
    "a digit that is no number": "²",
    "a digit of another script": "٣",
    "infinity": "1e999",
    "not a number": "nan",
    "a list of numbers beyond bigint": f"1,{'9' * 40}",
    "JSON with a NUL": '[{"a": "\\u0000", "start": 1e999, "end": -1}, "\\u0000"]',
    "JSON with half a character": '["\\ud800", {"\\ud800": "\\ud800"}]',
    "JSON that nests": "[" * 20_000,
    "a day that isn't": "9999-99-99",
    "the last day": "9999-12-31",
    "a long text": "x" * 70_000,
    "marks of every kind": "%_\\'\"`<>{}[]()$^*+?|&;#/..",
}

NUMBERS = ("a number beyond bigint", "a number that Python refuses to read", "a digit that is no number")
WORST = {
    "get": NUMBERS,
    "post": (*NUMBERS, "not a number", "JSON with half a character", "JSON that nests"),
}


@contextmanager
def parameters_read() -> Iterator[set[str]]:
    """The names of the parameters that are read meanwhile, of the address or of a form."""
    names: set[str] = set()

    def watch(method):
        original = getattr(QueryDict, method)

        def watching(self, key, *rest, **more):
            names.add(key)
            return original(self, key, *rest, **more)

        return patch.object(QueryDict, method, watching)

    with watch("__getitem__"), watch("getlist"), watch("__contains__"):
        yield names


class Visitor:
    """A client whose requests leave nothing behind."""

    def __init__(self, user):
        self.client = Client(raise_request_exception=False)
        self.client.force_login(user)

    def status(self, method: str, address: str, data: dict[str, str]) -> int:
        with transaction.atomic():
            status: int = getattr(self.client, method)(address, data).status_code
            transaction.set_rollback(True)
        return status


def parameters(visitor: Visitor, method: str, address: str) -> list[str]:
    """The names of what this address reads; a value for one makes a view read the next."""
    known: set[str] = set()
    for value in ("", "-1", "1"):
        with parameters_read() as names:
            visitor.status(method, address, dict.fromkeys(known, value))
        known |= names - {"csrfmiddlewaretoken"}
    return sorted(known)


def each_value_in_each_place(names: list[str], kinds: Sequence[str]) -> Iterator[dict[str, str]]:
    """Requests with a hostile value in every parameter, in so many turns that each has had each."""
    yield dict.fromkeys(names, HOSTILE["a NUL"])
    yield from ({name: HOSTILE["a NUL"]} for name in names)
    for turn in range(len(kinds)):
        yield {name: HOSTILE[kinds[(turn + place) % len(kinds)]] for place, name in enumerate(names)}


def each_value_alone(names: list[str], kinds: Sequence[str]) -> Iterator[dict[str, str]]:
    """Each in one parameter, the others missing; and each in all of them."""
    for kind in kinds:
        yield dict.fromkeys(names, HOSTILE[kind])
        yield from ({name: HOSTILE[kind]} for name in names)


def shortened(data: dict[str, object]) -> dict[str, str]:
    return {name: str(value)[:60] for name, value in data.items()}


def errors_of_the_server(world, method, requests, kinds, share=1.0) -> list[tuple[str, dict[str, str]]]:
    visitor, found = Visitor(world["users"]["admin"]), []
    names = set(named_addresses()) - {"sign-in", "sign-out", "demo-sign-in", "join", "judge-worker"}
    for name in draw_addresses(names, share):
        address = address_of(name, world)
        if visitor.status(method, address, {}) != 405:
            sent = requests(parameters(visitor, method, address), kinds)
            found += [
                (address, shortened(data)) for data in sent if visitor.status(method, address, data) >= 500
            ]
    return found


@SHARES
@pytest.mark.parametrize("method", ["get", "post"])
def test_no_parameter_ends_in_an_error_of_the_server(method, share, world):
    assert errors_of_the_server(world, method, each_value_in_each_place, WORST[method], share) == []


@pytest.mark.thorough
@pytest.mark.parametrize("method", ["get", "post"])
def test_no_parameter_alone_ends_in_an_error_of_the_server(method, world):
    """Thousands of requests: minutes."""
    assert errors_of_the_server(world, method, each_value_alone, tuple(HOSTILE)) == []


def test_the_watch_sees_what_a_view_reads(world):
    names = parameters(Visitor(world["users"]["admin"]), "get", address_of("list-gold", world))

    assert {"q", "agreed", "page", "pair"} <= set(names)


@pytest.mark.parametrize("have", ["9" * 40, f"1,{'9' * 40}", "9" * 2000])
def test_cards_that_nobody_can_have_are_no_error(have, world, client):
    client.force_login(world["users"]["rater"])

    response = client.post(
        address_of("judge-cards", world), {"have": have}, headers={"Accept": "application/json"}
    )

    assert response.status_code == 200


@pytest.mark.parametrize("name", ["list-gold", "judge-done", "query-set-queries", "query-set-documents"])
def test_a_nul_in_a_search_is_no_error(name, world, client):
    client.force_login(world["users"]["admin"])

    assert client.get(address_of(name, world), {"q": "a\0b"}).status_code == 200


@pytest.mark.parametrize(
    "target", ["nan", "x.y", "//evil.example/", "https://evil.example/", "/\\evil.example"]
)
def test_a_form_leads_nowhere_but_to_a_path_of_this_site(target, world, client):
    """A word without a slash was taken for the name of an address, and there is none."""
    client.force_login(world["users"]["rater"])

    response = client.post(address_of("judge-keys", world), {"reset": "1", "next": target})

    assert response["Location"] == address_of("account", world)


@pytest.mark.parametrize("cookie", ["sessionid", "csrftoken", "known_device", "messages"])
@pytest.mark.parametrize("value", ["\\000", "\\355\\240\\200", "aaaaaaaaaaaa\\000", "aaaaaaaaaaaa\\012"])
def test_a_cookie_of_a_stranger_is_no_error(cookie, value, client):
    """Quoted cookies hold any byte as a number in base 8."""
    client.raise_request_exception = False
    sent = {"HTTP_COOKIE": f'{cookie}="{value}"'}

    pages = [client.get(path, **sent).status_code for path in ("/", "/accounts/sign-in/", "/site-admin/")]

    assert pages == [302, 200, 302]
    assert client.post("/accounts/sign-in/", {"username": "a", "password": "b"}, **sent).status_code < 500


def test_a_nul_in_site_administration_is_no_error_of_the_server(client):
    names = ("q", "p", "o", "e", "next", "term", "purpose__exact", "status", "is_active__exact", "id__exact")
    client.force_login(make.make_user(is_staff=True, is_superuser=True))
    client.raise_request_exception = False
    addresses = [one for one in admin_addresses() if not one.endswith("/logout/")]
    selected = {"action": "delete_selected", "_selected_action": "\0"}

    assert {client.get(one, {name: "\0"}).status_code for one in addresses for name in names} <= {302, 400}
    assert client.get("/site-admin/login/", {"next": "\0"}).status_code < 500
    assert client.post("/site-admin/judgments/user/", selected).status_code == 400
    assert client.get("/site-admin/judgments/upload/").status_code == 200
