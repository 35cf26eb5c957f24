"""The frame of the API: tokens, problem details, limits, idempotency keys, pages of rows."""

from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from unittest.mock import patch

import pytest
from django.db import connection
from django.db.utils import OperationalError
from django.test import Client
from django.utils import timezone
from ninja import Schema

from config import api_middleware
from config.api import document
from config.api_docs import operations_by_tag
from judgments.content.actions.query_sets import archive_query_set
from judgments.models import ApiAnswer, ApiToken, ApiUse, Membership, QuerySet
from judgments.people.actions.members import remove_member
from judgments.people.actions.site_administration import save_account
from judgments.people.actions.tokens import revoke_token
from tests import factories as make
from tests.api import Api, problem_of

pytestmark = pytest.mark.django_db


@pytest.fixture
def query_set():
    return make.make_query_set(name="Shop")


@pytest.fixture
def admin(query_set):
    return make.make_member(query_set, "admin", username="ann")


@pytest.fixture
def api(admin):
    return Api(admin)


def names(response):
    return [one["name"] for one in response.json()["items"]]


@pytest.mark.parametrize(
    ("header", "says"),
    [
        ("", "Send a token as"),
        ("Bearer", "Send a token as"),
        ("Bearer tst_wrong", "This site knows no such token."),
        ("Basic YTpi", "Send a token as"),
        ("Bearer \x00", "This site knows no such token."),
        ("Token", "Send a token as"),
    ],
)
def test_without_a_token_nothing_is_answered(header, says, db):
    response = Client().get("/api/v1/query-sets", headers={"Authorization": header})

    assert response.status_code == 401
    assert response["WWW-Authenticate"].startswith("Bearer")
    assert problem_of(response).startswith(says)
    assert problem_of(response).endswith(" Create one on your account page.")


def test_a_session_is_no_token(admin):
    client = Client()
    client.force_login(admin)

    assert client.get("/api/v1/query-sets").status_code == 401
    assert (
        client.post("/api/v1/query-sets", {"name": "A"}, content_type="application/json").status_code == 401
    )


def test_an_expired_or_revoked_token_is_refused(api):
    token = ApiToken.objects.get()
    for field, says in {
        "expires_at": "This token has expired.",
        "revoked_at": "This token was revoked.",
    }.items():
        before = getattr(token, field)
        ApiToken.objects.update(**{field: timezone.now() - timedelta(seconds=1)})
        refused = api.get("query-sets")
        assert (refused.status_code, problem_of(refused)) == (401, f"{says} Create one on your account page.")
        ApiToken.objects.update(**{field: before})
    assert api.get("query-sets").status_code == 200

    revoke_token(token=token, at=timezone.now())

    assert api.get("query-sets").status_code == 401


def test_a_removed_member_reaches_nothing_and_loses_the_token_for_the_query_set(query_set, admin):
    make.make_member(query_set, "admin")
    general, bound = Api(admin), Api(admin, query_set=query_set)
    membership = Membership.objects.get(user=admin)
    assert names(general.get("query-sets")) == names(bound.get("query-sets")) == ["Shop"]

    Membership.objects.filter(pk=membership.pk).delete()  # whoever removes it
    assert "This token has ended: its account" in problem_of(bound.get("query-sets"))
    assert names(general.get("query-sets")) == []

    membership.save(force_insert=True)
    remove_member(membership=membership)
    Membership.objects.create(query_set=query_set, user=admin, role="admin")  # comes back: the token doesn't
    assert bound.get("query-sets").status_code == 401


def test_a_deactivated_account_has_no_tokens(api, admin):
    admin.is_active = False
    save_account(user=admin)
    assert api.get("query-sets").status_code == 401

    admin.is_active = True
    save_account(user=admin)
    assert api.get("query-sets").status_code == 401


def test_a_token_does_no_more_than_its_scope(query_set, admin):
    read, engineer, everything = (Api(admin, scope) for scope in ("read", "engineer", "admin"))
    path, change = f"query-sets/{query_set.pk}", {"description": "New"}

    assert {one.get(path).status_code for one in (read, engineer, everything)} == {200}
    assert read.patch(path, change).status_code == 403
    assert engineer.patch(path, change).status_code == 404  # as for an engineer
    assert everything.patch(path, change).json()["description"] == "New"


@pytest.mark.parametrize("is_superuser", [False, True])
def test_a_token_for_one_query_set_reaches_no_other(query_set, is_superuser):
    owner = make.make_user(is_superuser=is_superuser)
    other = make.make_query_set(name="Other")
    for one in (query_set, other):
        Membership.objects.create(query_set=one, user=owner, role="admin")
    api = Api(owner, query_set=query_set)

    assert names(api.get("query-sets")) == ["Shop"]
    assert api.get(f"query-sets/{other.pk}").status_code == 404
    assert api.patch(f"query-sets/{other.pk}", {"name": "Mine"}).status_code == 404
    assert api.post("query-sets", {"name": "New"}).status_code == 403


def test_a_token_says_when_it_was_last_used_once_a_minute(api):
    api.get("account")
    first = ApiToken.objects.get().last_used_at
    api.get("account")
    assert ApiToken.objects.get().last_used_at == first

    ApiToken.objects.update(last_used_at=first - timedelta(minutes=2))
    api.get("account")
    assert ApiToken.objects.get().last_used_at >= first


def test_only_so_many_calls_a_minute(api, admin, settings):
    settings.API_CALLS = 2
    another = Api(admin)
    assert [one.get("account").status_code for one in (api, another, api)] == [200, 200, 429]

    response = api.get("account")
    assert 0 < int(response["Retry-After"]) <= 60
    assert "2 calls a minute" in problem_of(response)

    ApiUse.objects.update(since=timezone.now() - timedelta(minutes=1))
    assert api.get("account").status_code == 200


def test_errors_are_problem_details(api, query_set, settings):
    missing = api.get("query-sets/8999999")
    assert missing.status_code == 404
    assert "it takes another role" in problem_of(missing)
    assert "page" not in problem_of(missing)
    assert api.get("nothing/here").status_code == 404
    assert problem_of(api.get("nothing/here"))

    invalid = api.post("query-sets", {"name": "shop"})
    assert invalid.status_code == 422
    assert invalid.json()["title"] == "Unprocessable Content"
    sentence = "There is already a query set of this name. Choose another name."
    assert problem_of(invalid) == f"name: {sentence}"
    assert invalid.json()["errors"] == [{"field": "name", "message": sentence}]

    assert [one["field"] for one in api.post("query-sets", {}).json()["errors"]] == ["name"]
    assert problem_of(api.get("query-sets?limit=0")).startswith("limit: ")
    broken = api.client.post(
        "/api/v1/query-sets",
        "{",
        content_type="application/json",
        headers={"Authorization": f"Bearer {api.token}"},
    )
    assert (broken.status_code, bool(problem_of(broken))) == (400, True)

    wrong_method = api.call("put", "query-sets")
    assert (wrong_method.status_code, bool(problem_of(wrong_method))) == (405, True)
    assert set(wrong_method["Allow"].split(", ")) == {"GET", "POST"}


def test_what_is_archived_is_read_and_not_changed(api, query_set, admin):
    archive_query_set(query_set=query_set, user=admin, at=make.NOW)

    assert api.get(f"query-sets/{query_set.pk}").json()["archived"]
    refused = api.patch(f"query-sets/{query_set.pk}", {"name": "B"})
    assert refused.status_code == 409
    assert problem_of(refused) == "This query set is archived, so nothing in it can be changed."


def test_faults_are_problem_details_too(api):
    with patch("judgments.content.api.content.reports.with_counts", side_effect=ZeroDivisionError):
        response = api.get("query-sets")
    assert response.status_code == 500
    assert "couldn’t finish this request" in problem_of(response)

    with patch("judgments.content.api.content.reports.with_counts", side_effect=OperationalError("gone")):
        response = api.get("query-sets")
    assert (response.status_code, response["Retry-After"]) == (503, "3")
    assert problem_of(response) == "Touchstone can’t reach its database right now."


def test_bodies_are_limited(api, query_set, settings):
    settings.UPLOAD_LIMIT = 10
    path = f"query-sets/{query_set.pk}/runs"
    assert api.post(path, b"x" * 11).status_code == 413
    assert "is too large" in problem_of(api.post(path, b"x" * 11))

    settings.UPLOAD_LIMIT = 10_000_000
    large = api.post("query-sets", {"name": "A", "description": "x" * 2_000_000})
    assert (large.status_code, problem_of(large)) == (
        413,
        "This call takes up to 1 MB of JSON. Only files may be larger.",
    )
    in_chunks = api.post(path, b"x", Transfer_Encoding="chunked")
    assert in_chunks.status_code == 411


def test_before_a_body_is_read_its_length_is_looked_at(api, query_set, settings):
    settings.UPLOAD_LIMIT = 10
    response = api.post(f"query-sets/{query_set.pk}/runs", b"x" * 2_000_000)

    assert response.status_code == 413
    assert "This site takes files of up to 10" in problem_of(response)


def test_the_same_call_with_the_same_key_is_done_once(api):
    first = api.post("query-sets", {"name": "A"}, Idempotency_Key="1")
    second = api.post("query-sets", {"name": "A"}, Idempotency_Key="1")

    assert first.status_code == second.status_code == 201
    assert first.json() == second.json()
    assert (first.get("Idempotency-Replayed"), second["Idempotency-Replayed"]) == (None, "true")
    assert QuerySet.objects.filter(name="A").count() == 1


def test_another_call_with_the_same_key_is_refused(api, query_set):
    api.post("query-sets", {"name": "A"}, Idempotency_Key="1")

    refused = api.post("query-sets", {"name": "B"}, Idempotency_Key="1")
    elsewhere = api.patch(f"query-sets/{query_set.pk}", {"name": "A"}, Idempotency_Key="1")

    assert refused.status_code == elsewhere.status_code == 422
    assert "already used for another call" in problem_of(refused)
    assert not QuerySet.objects.filter(name="B").exists()


def test_a_key_belongs_to_its_account_and_to_a_day(api, query_set):
    other = Api(make.make_member(query_set, "admin"))
    assert api.post("query-sets", {"name": "A"}, Idempotency_Key="1").status_code == 201
    assert other.post("query-sets", {"name": "B"}, Idempotency_Key="1").status_code == 201

    ApiAnswer.objects.update(created_at=timezone.now() - timedelta(days=1))
    assert api.post("query-sets", {"name": "C"}, Idempotency_Key="1").status_code == 201
    assert ApiAnswer.objects.count() == 1


def test_a_token_gets_no_answer_that_it_might_not_get_itself(api, query_set):
    user = make.make_member(query_set, "admin")
    everything, engineers = Api(user), Api(user, "engineer")
    assert everything.post("query-sets", {"name": "A"}, Idempotency_Key="k1").status_code == 201

    assert engineers.post("query-sets", {"name": "A"}, Idempotency_Key="k1").status_code == 403
    assert Api(user).post("query-sets", {"name": "A"}, Idempotency_Key="k1").status_code == 201  # replayed


def test_what_was_refused_may_be_tried_again_with_its_key(api):
    assert api.post("query-sets", {"name": "Shop"}, Idempotency_Key="1").status_code == 422
    QuerySet.objects.filter(name="Shop").update(name="Another")

    assert api.post("query-sets", {"name": "Shop"}, Idempotency_Key="1").status_code == 201


def test_a_fault_leaves_nothing_of_the_call(api):
    done = api_middleware.ApiMiddleware._given

    def fails_at_last(self, request):
        done(self, request)
        raise ZeroDivisionError

    with patch.object(api_middleware.ApiMiddleware, "_given", fails_at_last):
        assert api.post("query-sets", {"name": "A"}, Idempotency_Key="1").status_code == 500

    assert not QuerySet.objects.filter(name="A").exists()
    assert api.post("query-sets", {"name": "A"}, Idempotency_Key="1").status_code == 201


@pytest.mark.django_db(transaction=True)
def test_of_two_at_once_one_is_done(api):
    def send(_):
        try:
            return api.post("query-sets", {"name": "A"}, Idempotency_Key="1").status_code
        finally:
            connection.close()

    with ThreadPoolExecutor(4) as pool:
        statuses = list(pool.map(send, range(8)))

    assert set(statuses) <= {201, 409}
    assert 201 in statuses
    assert QuerySet.objects.filter(name="A").count() == 1


def test_rows_come_in_pages(api, query_set):
    keys = [make.make_query(query_set, f"q{n}").pk for n in range(5)]
    found, address = [], f"query-sets/{query_set.pk}/queries?limit=2"
    while address:
        page = api.get(address).json()
        assert len(page["items"]) <= 2
        found += [one["id"] for one in page["items"]]
        address = page["next"]

    assert found == keys


def test_the_description_needs_no_token_and_loads_nothing(client):
    response = client.get("/api/v1/openapi.json")
    assert response.json()["openapi"].startswith("3.1")

    page = client.get("/api/v1/docs/").content.decode()
    operations = [one for path in document()["paths"].values() for one in path.values()]
    assert len(operations) > 30
    assert [one["operationId"] for one in operations if f'id="{one["operationId"]}"' not in page] == []
    assert "//cdn" not in page


def test_the_examples_are_as_described():
    import jsonschema_rs

    described = document()
    count = 0
    for operation in (one for path in described["paths"].values() for one in path.values()):
        bodies = [operation.get("requestBody", {}), *operation["responses"].values()]
        for content in (one.get("content", {}).get("application/json", {}) for one in bodies):
            if "example" in content:
                schema = content["schema"] | {"components": described["components"]}
                jsonschema_rs.validate(schema, content["example"])
                count += 1

    assert count >= 60


def test_every_operation_that_takes_json_has_an_example():
    operations = [one for path in document()["paths"].values() for one in path.values()]
    bodies = {one["operationId"]: one.get("requestBody", {}).get("content", {}) for one in operations}
    assert [
        name
        for name, content in bodies.items()
        if "application/json" in content and "example" not in content["application/json"]
    ] == []


def test_no_two_records_have_the_same_name():
    """In the description, one would take the place of the other."""

    def every(kind):
        return {kind} | {one for each in kind.__subclasses__() for one in every(each)}

    names = [
        one.__name__ for one in every(Schema) if one.__module__.startswith(("judgments.", "evaluation."))
    ]
    own = [name for name in names if "[" not in name]
    assert len(own) > 100
    assert sorted({name for name in own if own.count(name) > 1}) == [], "give one of them another name"


def test_the_page_says_of_each_field_what_it_takes():
    operations = [one for chapter in operations_by_tag(document()).values() for one in chapter]
    fields = {
        (one.name, field["name"]): field["type"] for one in operations for field in one.parameters + one.body
    }

    assert [field for field, kind in fields.items() if not kind] == []
    assert fields["change_list", "assignment"] == "open or named"
