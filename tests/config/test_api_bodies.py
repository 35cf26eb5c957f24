"""What a body of a call may have: no field that there isn't."""

import pytest
from django.test import Client

from tests import factories as make
from tests.api import Api, problem_of

pytestmark = pytest.mark.django_db


@pytest.fixture
def query_set():
    return make.make_query_set(name="Shop")


@pytest.fixture
def api(query_set):
    return Api(make.make_member(query_set, "admin"))


def test_a_field_that_there_is_not_is_refused(api, query_set):
    """A mistyped one changed nothing, and the answer was 200."""
    refused = api.patch(f"query-sets/{query_set.pk}", {"descripton": "New"})

    assert (refused.status_code, problem_of(refused)) == (
        422,
        "descripton: There is no field of this name. Correct it or leave it out.",
    )


def test_every_body_refuses_unknown_fields(api):
    description = Client().get("/api/v1/openapi.json").json()
    schemas = description["components"]["schemas"]

    of_json = {
        one["operationId"]: content["application/json"]["schema"]
        for methods in description["paths"].values()
        for one in methods.values()
        if "application/json" in (content := one.get("requestBody", {}).get("content", {}))
    }
    open_ones = {
        operation
        for operation, schema in of_json.items()
        if schemas[schema["$ref"].rpartition("/")[2]].get("additionalProperties") is not False
    }

    assert len(of_json) > 30
    assert open_ones == set()
