"""What a call may have: no field and no parameter that there isn't."""

import pytest
from django.test import Client
from ninja import Schema

from judgments.pages.calls import Body, _kinds
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


def test_a_choice_that_there_is_not_is_refused_with_those_that_there_are(api, query_set):
    judgment_list = make.make_list(query_set, name="First")

    refused = api.get(f"lists/{judgment_list.pk}/runs?gain=square")

    assert (refused.status_code, problem_of(refused)) == (
        422,
        "gain: “square” isn’t one of the choices. Choose one of linear, exp, table.",
    )


def test_a_body_that_is_not_json_is_refused_with_its_place(api):
    sent = {"content_type": "application/json", "headers": {"Authorization": f"Bearer {api.token}"}}

    refused = Client().post("/api/v1/query-sets", data='{"name":\n bad}', **sent)

    assert (refused.status_code, problem_of(refused)) == (
        400,
        "The body isn’t JSON. It can’t be read from line 2, character 2 on.",
    )


@pytest.mark.parametrize(
    ("body", "why"),
    [
        (b'{"name": "\xff"}', "It isn’t UTF-8 from byte 11 on."),
        (
            b'{"name": ' + b"[" * 100_000 + b"]" * 100_000 + b"}",
            "Its lists and objects are nested too deeply.",
        ),
        (b'{"name": ' + b"9" * 5_000 + b"}", "It has a number with too many digits."),
    ],
)
def test_a_body_that_cannot_be_read_says_why(api, body, why):
    refused = api.raw("post", "/api/v1/query-sets", body, "application/json")

    assert (refused.status_code, problem_of(refused)) == (400, f"The body isn’t JSON. {why}")


@pytest.mark.parametrize("body", [b'{"name": "a", "name": "b"}', b'{"name": [{"name": 1, "name": 1}]}'])
def test_a_name_that_is_there_twice_is_refused(api, body):
    refused = api.raw("post", "/api/v1/query-sets", body, "application/json")

    assert (refused.status_code, problem_of(refused)) == (
        422,
        "name: This name is there twice. Name each field of an object once.",
    )


@pytest.mark.parametrize(
    ("path", "body", "field", "sentence"),
    [
        ("query-sets/{set}/queries", {"query_id": "q", "query": "q", "weight": True}, "weight", "Use a number, such as 0.5."),
        ("query-sets/{set}/lists", {"name": "A", "scale": 1, "overlap": True}, "overlap", "Use a whole number, such as 10."),
        ("query-sets/{set}/lists", {"name": "A", "scale": 1, "evidence_grades": [True]}, "evidence_grades", "Use a number, such as 0.5."),
        ("query-sets/{set}/queries/tags", {"tag": "a", "queries": [True]}, "queries", "Use a whole number, such as 10."),
    ],
)  # fmt: skip
def test_true_is_no_number(api, query_set, path, body, field, sentence):
    refused = api.post(path.format(set=query_set.pk), body)

    assert (refused.status_code, problem_of(refused)) == (422, f"{field}: {sentence}")


def test_every_object_in_a_body_refuses_unknown_fields_and_flags_in_place_of_numbers():
    def kinds(schema):
        yield schema
        for field in schema.model_fields.values():
            for kind in _kinds(field.annotation):
                if isinstance(kind, type) and issubclass(kind, Schema):
                    yield from kinds(kind)

    bodies = {kind for body in Body.__subclasses__() for kind in kinds(body)}
    assert [kind for kind in bodies if not issubclass(kind, Body)] == []


def test_grades_that_need_evidence_are_of_the_scale(api, query_set):
    body = {"name": "A", "scale": make.preset().pk, "evidence": "required"}

    refused = api.post(f"query-sets/{query_set.pk}/lists", body | {"evidence_grades": [7]})
    made = api.post(f"query-sets/{query_set.pk}/lists", body | {"evidence_grades": [3]})

    assert refused.status_code == 422
    assert problem_of(refused).startswith("evidence_grades: “7.0” isn’t one of the choices.")
    assert (made.status_code, made.json()["evidence_grades"]) == (201, [3.0])
    patched = api.patch(f"lists/{made.json()['id']}", {"evidence_grades": [7]})
    assert patched.status_code == 422


def test_a_place_in_the_log_that_cannot_be_is_refused(api, query_set):
    """It was answered with the first page, so that a program could go round for ever."""
    assert api.get(f"query-sets/{query_set.pk}/log?before=1-1").status_code == 200
    assert api.get(f"query-sets/{query_set.pk}/log?before=").status_code == 200

    refused = api.get(f"query-sets/{query_set.pk}/log?before=x")

    assert (refused.status_code, problem_of(refused)) == (422, "before: This isn’t of the described form.")


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


@pytest.mark.parametrize(
    ("path", "refused", "known"),
    [
        ("query-sets?limt=5", "limt", "after, archived and limit"),
        ("query-sets?limit=5&Limit=6", "Limit", "after, archived and limit"),
        ("account?limit=5", "limit", None),
        ("lists/{list}/runs?measure=AP", "measure", "after, as, average, base, choice, depth, discount, "),
        ("lists/{list}/comparison?run=3-5", "run", "runs, unjudged, version and zero."),
    ],
)
def test_a_parameter_that_there_is_not_is_refused(path, refused, known, api, query_set):
    """A mistyped one counted as not sent: `limt=5` answered 100 rows. It is named before what is missing."""
    response = api.get(path.format(list=make.make_list(query_set).pk))

    assert response.status_code == 422
    detail = problem_of(response)
    assert detail.startswith(f"{refused}: There is no parameter of this name. Correct it or leave it out. ")
    assert (known or "This call takes none.") in detail
    assert [one["field"] for one in response.json()["errors"]] == [refused]


def test_every_parameter_that_there_is_not_is_named(api):
    response = api.get("query-sets?limt=5&archive=true&limit=1")

    assert [one["field"] for one in response.json()["errors"]] == ["limt", "archive"]


def test_changes_refuse_unknown_parameters_and_do_nothing(api, query_set):
    response = api.call("delete", f"query-sets/{query_set.pk}?nam=Shop")
    assert (response.status_code, response.json()["errors"][0]["field"]) == (422, "nam")

    refused = api.post("query-sets?nme=B", {"name": "B"})
    assert (refused.status_code, query_set.__class__.objects.count()) == (422, 1)


def test_the_log_takes_the_list_that_its_page_offers_and_a_limit(api, query_set):
    judgment_list = make.make_list(query_set)

    for text in ("First", "Second"):
        api.patch(f"lists/{judgment_list.pk}", {"description": text})

    page = api.get(f"query-sets/{query_set.pk}/log?list={judgment_list.pk}&limit=1").json()
    assert [one["after"] for one in page["items"]] == [{"description": "Second"}]
    assert [one["after"] for one in api.get(page["next"]).json()["items"]] == [{"description": "First"}]
    other = make.make_list(query_set)
    assert api.get(f"query-sets/{query_set.pk}/log?list={other.pk}").json()["items"] == []
