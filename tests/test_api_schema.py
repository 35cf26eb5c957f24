"""Calls of the API with whatever its description allows, and with some things that it doesn't, as each role.

No call may fail on our side, answer in another form than described, or tell anything of another query set.
"""

from itertools import pairwise
from typing import Any
from urllib.parse import parse_qsl

import pytest
import schemathesis
from django.core.signals import request_finished, request_started
from django.db import close_old_connections
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from schemathesis.checks import not_a_server_error
from schemathesis.core.result import Ok
from schemathesis.specs.openapi.checks import (
    content_type_conformance,
    response_schema_conformance,
    status_code_conformance,
)

from config.wsgi import application
from tests import factories as make
from tests.evaluation.scored import make_ranking
from tests.snapshot import undone
from tests.sweeps import SHARES, draw_addresses
from tests.test_access import world
from tests.test_api_access import NOTHING, ROLES, full_world, places, query_of

__all__ = ["full_world", "world"]
pytestmark = pytest.mark.django_db

CHECKS = [
    not_a_server_error,
    status_code_conformance,
    content_type_conformance,
    response_schema_conformance,
]
SECRET = "of-another-query-set"


@pytest.fixture(autouse=True)
def one_connection():
    """The transaction of the test stays open across calls, as Django's own client has it."""
    signals = (request_started, request_finished)
    for signal in signals:
        signal.disconnect(close_old_connections)
    yield
    for signal in signals:
        signal.connect(close_old_connections)


@pytest.fixture
def foreign():
    """Rows of another query set, all of which are called SECRET."""
    query_set = make.make_query_set(name=SECRET)
    query, document = make.make_query(query_set, SECRET, text=SECRET), make.make_document(query_set, SECRET)
    judgment_list = make.make_list(query_set, name=SECRET)
    pair = make.make_pair(judgment_list, query, document)
    make.make_consensus(pair, 1)
    run, named = make.make_run(query_set, name=SECRET), {"name": SECRET}
    user = make.make_user(SECRET)
    return {
        "query-sets": query_set.pk,
        "queries": query.pk,
        "documents": document.pk,
        "lists": judgment_list.pk,
        "versions": 1,
        "runs": run.pk,
        "members": query_set.memberships.create(user=user, role="rater").pk,
        "scales": query_set.scales.create(maximum=1, **named).pk,
        "invitations": make.make_invitation(query_set, note=SECRET).pk,
        "raters": make.make_rater(query_set, user).pk,
        "assignments": judgment_list.assignments.create(user=user).pk,
        "batches": make.make_batch(judgment_list).pk,
        **dict.fromkeys(("gold", "disagreements", "decisions"), pair.pk),
        "run-views": make.make_saved_view(query_set, **named).pk,
        "saved-formulas": make.make_saved_formula(query_set, **named).pk,
        "comparisons": make.make_comparison(judgment_list, [run], **named).pk,
        "intents": make.make_intent(query_set, [query], **named).pk,
        "contests": make.make_contest(judgment_list, run, run).pk,
    }


def test_every_kind_of_key_has_a_foreign_one(full_world, foreign):
    assert set(places(full_world)) - {"jobs"} == set(foreign)


def token_of(role: str, scope: str, full_world: dict[str, Any]) -> str:
    """Site administrators reach everything, unless the token is for one query set."""
    bound = {"query_set": full_world["query_set"]} if role == "site" else {}
    return make.make_token(full_world["users"][role], scope, **bound)


def look_at_everything(
    role: str, scope: str, full_world: dict[str, Any], foreign: dict[str, Any], most: int, share: float = 1.0
) -> int:
    """Calls every operation, or a share of them, with many values; returns how often."""
    schema = schemathesis.openapi.from_wsgi("/api/v1/openapi.json", application)
    token = token_of(role, scope, full_world)
    own = places(full_world)
    nothing = dict.fromkeys(own, NOTHING) | {"jobs": "8b9bd0a5-3c1c-4c68-8f0e-6c7d4d1f1a11"}
    keys = st.sampled_from([own, own, foreign, nothing])
    found = list(schema.get_all_operations())
    operations = {one.ok().label: one.ok() for one in found if isinstance(one, Ok)}
    assert len(operations) == len(found), found
    for run, documents in ((full_world["run"], ["d1", "x"]), (full_world["other"], ["x", "d1"])):
        make_ranking(run, full_world["query"], documents)
    return sum(
        look_at(operations[label], token, keys, own, fitting_query(operations[label], full_world), most)
        for label in draw_addresses(operations, share)
    )


def fitting_query(operation: Any, full_world: dict[str, Any]) -> dict[str, str]:
    """The parameters without which there is little to answer, such as runs that can be compared."""
    return dict(parse_qsl(query_of(operation.definition.raw["operationId"], full_world)))


def look_at(
    operation: Any, token: str, keys: Any, own: dict[str, Any], fitting: dict[str, str], most: int
) -> int:
    """Calls one operation, about half of the times with the `fitting` query alone; returns how often."""
    words = operation.path.strip("/").split("/")
    kinds = {word.strip("{}"): before for before, word in pairwise(words) if "{" in word}
    count = 0

    @settings(max_examples=most, suppress_health_check=list(HealthCheck), deadline=None)
    @given(case=operation.as_strategy(), keys=keys, fits=st.booleans())
    def check(case, keys, fits):
        nonlocal count
        count += 1
        case.query = fitting if fits and fitting else case.query
        case.path_parameters = {name: str(keys.get(kind, own[kind])) for name, kind in kinds.items()}
        with undone():
            response = case.call(headers={"Authorization": f"Bearer {token}"})
            case.validate_response(response, checks=CHECKS)
            assert SECRET not in response.text

    check()
    return count


@SHARES
def test_a_few_calls_of_each_operation(share, full_world, foreign):
    assert look_at_everything("admin", "admin", full_world, foreign, most=3, share=share) > 60 * share


@pytest.mark.thorough
@pytest.mark.parametrize("scope", ["read", "engineer", "admin"])
@pytest.mark.parametrize("role", ROLES)
def test_many_calls_of_each_operation(role, scope, full_world, foreign):
    assert look_at_everything(role, scope, full_world, foreign, most=30) > 500
