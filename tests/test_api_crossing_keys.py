"""Second keys of calls to the API: of another query set they are worth as much as keys of nothing.

Each call is within the caller's own query set, except for one key: of the path, of a parameter or of the body. It is sent once as
one of another query set and once as one that nothing has. The answers must be the same, and nothing of the other may change.
"""

import re
from unittest.mock import patch

import pytest
from django.db import connection
from django.utils import timezone

from config.api import document
from tests.api import Api
from tests.snapshot import undone
from tests.sweeps import SHARES, draw_addresses
from tests.test_api_access import address, body_of, operations, query_of
from tests.test_api_hostile import schema_of
from tests.test_crossing_keys import KEYS, OF_PATHS, foreign_rows, key, seen, sets

__all__ = ["sets"]
pytestmark = pytest.mark.django_db

PATHS = OF_PATHS | {
    "members": "membership",
    "assignments": "assignment",
    **dict.fromkeys(("gold", "decisions"), "pair"),
}
BODIES = {
    "scale": "scale",
    "runs": "run",
    "queries": "query",
    "documents": "document",
    "pairs": "pair",
    "added": "act",
    "slot_id": "slot",
    "seen": "judgment",
}
"""What a field of a body is a key of."""
NUMBERS = set(
    "after days depth gold_rate budget judgments onboarding overlap overlap_most quota repeat_rate uses_most".split()  # noqa: SIM905 - a list would take a line for each
)
"""Fields with whole numbers that are no keys; `after` is the number of a version."""
NO_KEYS = set(
    "cutoff depth documents header_line judgments k limit offset overlap overlap_most queries raters version".split()  # noqa: SIM905
)
"""Parameters likewise."""


def written():
    """How many rows were written so far, without those that count calls."""
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT sum(n_tup_ins + n_tup_upd + n_tup_del) FROM pg_stat_xact_user_tables WHERE relname !~ '^judgments_api'"
        )
        return cursor.fetchone()[0]


def own_kinds(rows):
    return rows | {"assignment": rows["list"].assignments.get()}


def keys_of(rows):
    """The key after each word of a path."""
    return {word: key(rows, kind) for word, kind in PATHS.items() if kind in rows} | {"versions": 1}


def is_whole_number(schema):
    """Whether a value, or one of a list of them, is a whole number."""
    choices = [schema, *schema.get("anyOf", []), schema.get("items", {})]
    choices += [one.get("items", {}) for one in schema.get("anyOf", [])]
    return any(one.get("type") == "integer" for one in choices)


class Crossing:
    """Asks for one operation after the other, and collects what is wrong with the answers."""

    def __init__(self, own, foreign):
        self.api, self.own, self.foreign = Api(own["admin"]), own_kinds(own), own_kinds(foreign)
        self.before, self.asked, self.wrong = foreign_rows(foreign), 0, []

    def send(self, method, path, query, body, *, foreign=False):
        before = written()
        with undone():
            answer = seen(self.api.call(method, f"{path}?{query}" if query else path, body))
            changed = foreign and written() != before and foreign_rows(self.foreign) != self.before
        return answer, changed

    def compare(self, what, method, there, nothing):
        first, changed = self.send(method, *there, foreign=True)
        second, _ = self.send(method, *nothing)
        self.asked += 1
        if first != second or changed:
            self.wrong.append((what, first[0], second[0], "changed" if changed else ""))

    def pair(self, kind):
        """The foreign key, and that of nothing."""
        return key(self.foreign, kind), key(None, kind)

    def try_operation(self, name, method, path):
        known = {"list": self.own["list"], "run": self.own["run"], "query": self.own["query"]}
        known |= {"pair": self.own["pair"]}
        known |= {"other": self.own["runs"][1]}
        keys, query, body = keys_of(self.own), query_of(name, known), body_of(name, known)
        for word in set(re.findall(r"([\w-]+)/\{\w+\}", path)) - {"versions"}:
            first, second = (address(path, keys | {word: one}) for one in self.pair(PATHS[word]))
            self.compare(f"{name}, {word} of the path", method, (first, query, body), (second, query, body))
        target, described = address(path, keys), document()["paths"][path][method]
        for one in described.get("parameters", []):
            if one["in"] == "query":
                self.try_parameter(name, method, target, query, body, one["name"])
        for field in schema_of(described).get("properties", {}).keys() & BODIES.keys():
            bodies = [
                (body or {}) | {field: [one] if field in ("runs", "queries") else one}
                for one in self.pair(BODIES[field])
            ]
            self.compare(f"{name}, {field} of the body", method, *((target, query, one) for one in bodies))

    def try_parameter(self, name, method, target, query, body, parameter):
        rest = [one for one in query.split("&") if one and not one.startswith(f"{parameter}=")]
        for kind in KEYS.get(parameter, ()):
            queries = [
                "&".join([*rest, f"{parameter}={self.written(parameter, one)}"]) for one in self.pair(kind)
            ]
            self.compare(f"{name}, {parameter} as {kind}", method, *((target, one, body) for one in queries))

    def written(self, parameter, value):
        if parameter == "choice":
            return f"own-{value}"
        return f"{self.own['run'].pk}-{value}" if parameter == "runs" else value


@SHARES
def test_a_second_key_of_another_query_set_is_worth_as_much_as_one_of_nothing(share, sets, settings):
    settings.API_CALLS = 10**6
    crossing = Crossing(*sets)

    with patch("django.utils.timezone.now", return_value=timezone.now()):
        for name, (method, path) in draw_addresses(operations().items(), share):
            crossing.try_operation(name, method, path)

    assert crossing.wrong == []
    assert crossing.asked > 200 * share**2  # a part may have few keys


def test_each_field_with_a_whole_number_is_known_as_a_key_or_as_none():
    fields, parameters = set(), set()
    for method, path in operations().values():
        described = document()["paths"][path][method]
        properties = schema_of(described).get("properties", {})
        fields |= {name for name, schema in properties.items() if is_whole_number(schema)}
        parameters |= {
            one["name"]
            for one in described.get("parameters", [])
            if one["in"] == "query" and is_whole_number(one["schema"])
        }

    assert fields - BODIES.keys() == NUMBERS, "add the new field to BODIES if it is a key, else to NUMBERS"
    assert parameters - KEYS.keys() == NO_KEYS, (
        "add the new parameter to KEYS if it is a key, else to NO_KEYS"
    )
