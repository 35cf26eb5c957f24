"""Every parameter and every field of every operation of the API, filled with what no program sends: nothing ends in an error of
the server."""

import json
from typing import Any
from urllib.parse import urlencode

import pytest

from config.api import document
from tests.api import Api, problem_of
from tests.snapshot import undone
from tests.sweeps import SHARES, draw_addresses
from tests.test_access import world
from tests.test_api_access import address, body_of, full_world, operations, places, query_of
from tests.test_hostile import HOSTILE, WORST, shortened

__all__ = ["full_world", "world"]
pytestmark = pytest.mark.django_db

FIELDS = {
    "a NUL": "a\0b",
    "half a character": "\ud800",
    "a number beyond bigint": 10**40,
    "a list with a NUL": ["a\0b"],
    "names with a NUL": {"a\0": "b"},
    "half a character as a name": {"\ud800": 1},
}
RAW_FIELDS = {
    "not a number": "NaN",
    "infinity": "Infinity",
    "beyond a float": "1e999",
    "digits that Python refuses to read": "9" * 5000,
    "lists that nest": "[" * 900 + "]" * 900,
    "names that nest": '{"a":' * 400 + "1" + "}" * 400,
    "a long text": f'"{"x" * 300_000}"',
    "a long list": json.dumps(list(range(20_000))),
}
"""JSON, or what Python takes for it, in the place of a value."""
RAW_BODIES = {
    "nothing": ("application/json", b""),
    "null": ("application/json", b"null"),
    "JSON that nests": ("application/json", b"[" * 100_000),
    "no UTF-8": ("application/json", b'{"name": "\xff"}'),
    "another charset": ("application/json; charset=utf-16", '{"name": "a"}'.encode("utf-16")),
    "a charset that nothing has": ("application/json; charset=nonsense", b'{"name": "a"}'),
    "a form": ("application/x-www-form-urlencoded", b"name=%00"),
    "parts without a border": ("multipart/form-data", b"--x\r\n"),
    "no type": ("", b"\0"),
}


def schema_of(operation: dict[str, Any]) -> dict[str, Any]:
    """What the JSON body of an operation may have; nothing where it takes none."""
    content = operation.get("requestBody", {}).get("content", {})
    schema: dict[str, Any] = content.get("application/json", {}).get("schema", {})
    while "$ref" in schema:
        schema = document()["components"]["schemas"][schema["$ref"].rsplit("/", 1)[-1]]
    return schema


def requests_of(operation: dict[str, Any], query: str, body: Any):
    """Queries and bodies with something hostile in each place."""
    names = [one["name"] for one in operation.get("parameters", []) if one["in"] == "query"]
    hostile = [{name: HOSTILE["a NUL"]} for name in names]
    hostile += [dict.fromkeys(names, HOSTILE[kind]) for kind in (WORST["get"] if names else ())]
    yield from (("&".join(filter(None, [query, urlencode(one)])), body) for one in hostile)
    fields = list(schema_of(operation).get("properties", {}))
    for kind in ("a NUL", "half a character"):
        yield from ((query, (body or {}) | {name: FIELDS[kind]}) for name in fields)
    yield from ((query, (body or {}) | dict.fromkeys(fields, value)) for value in FIELDS.values() if fields)


@SHARES
def test_nothing_that_a_program_sends_ends_in_an_error_of_the_server(share, full_world):
    api, own, found, sent = Api(full_world["users"]["admin"]), places(full_world), [], 0
    for name, (method, path) in draw_addresses(operations().items(), share):
        target = address(path, own | ({"jobs": full_world["deletion"].pk} if name == "retry_job" else {}))
        described = document()["paths"][path][method]
        for query, body in requests_of(described, query_of(name, full_world), body_of(name, full_world)):
            with undone():
                response = api.call(method, f"{target}?{query}", body)
            sent += 1
            if response.status_code >= 500:
                found.append((name, query[:60], body if isinstance(body, bytes) else shortened(body or {})))

    assert found == []
    assert sent > 400 * share


def raw_bodies_of(operation: dict[str, Any], body: Any):
    """Type and bytes of bodies for an operation that takes one."""
    yield from RAW_BODIES.values()
    fields = schema_of(operation).get("properties", {})
    usual = body if isinstance(body, dict) else {}
    for value in RAW_FIELDS.values() if fields else ():
        marked = json.dumps(usual | dict.fromkeys(fields, "@"))
        yield "application/json", marked.replace('"@"', value).encode()


@SHARES
def test_no_body_and_no_type_of_one_ends_in_an_error_of_the_server(share, full_world):
    api, own, found, sent = Api(full_world["users"]["admin"]), places(full_world), [], 0
    for name, (method, path) in draw_addresses(operations().items(), share):
        described, usual = document()["paths"][path][method], body_of(name, full_world)
        target = address(path, own | ({"jobs": full_world["deletion"].pk} if name == "retry_job" else {}))
        for kind, body in raw_bodies_of(described, usual) if "requestBody" in described else ():
            with undone():
                response = api.raw(method, f"{target}?{query_of(name, full_world)}", body, kind)
            sent += 1
            if response.status_code >= 500:
                found.append((name, kind, body[:60]))

    assert found == []
    assert sent > 300 * share


def test_who_sends_what_cannot_be_stored_is_told_where_it_is(full_world):
    api = Api(full_world["users"]["admin"])

    answers = [
        api.post("query-sets", {"name": "half \ud800"}),
        api.post("query-sets", {"name": "Shop", "more": [{"\0": 1}]}),
        api.post("query-sets", {"\ud800": "Shop"}),
        api.get(f"query-sets/{full_world['query_set'].pk}/queries?after=%00"),
    ]

    assert {one.status_code for one in answers} == {422}
    assert [problem_of(one).split(" ")[0] for one in answers] == ["name:", "more:", "A", "after:"]
    assert [one.json().get("errors", [{}])[0].get("field") for one in answers] == [
        "name",
        "more",
        None,
        "after",
    ]
