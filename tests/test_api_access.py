"""Every operation of the API, called by every role with every scope, with keys of others, and with other methods."""

import re
from typing import Any

import pytest

from config.api import document
from evaluation.models import Run
from judgments.models import Deletion, Membership
from tests import factories as make
from tests.api import Api, problem_of
from tests.snapshot import undone
from tests.test_access import world
from touchstone_core.engines.site_engines import read_engines

__all__ = ["world"]
pytestmark = pytest.mark.django_db

ANYONE, STAFF, ADMINS, OWNER, SITE = "anyone", "staff", "admins", "owner", "site administrators"
EXPECTED = {
    "site_log": SITE,
    "account": ANYONE,
    "members": STAFF,
    "put_member": ADMINS,
    "remove_member": ADMINS,
    "query_sets": ANYONE,
    "archive": ADMINS,
    "add_query": ADMINS,
    "change_query": ADMINS,
    "delete_query": ADMINS,
    "add_document": ADMINS,
    "change_document": ADMINS,
    "delete_document": ADMINS,
    "pause": ADMINS,
    **dict.fromkeys(["preview_pairs", "add_pairs", "preview_candidates", "add_searched_pairs"], STAFF),
    **dict.fromkeys(["contests", "start_contest", "stop_contest"], STAFF),
    "create_query_set": "creators",
    "query_set": STAFF,
    "change_query_set": ADMINS,
    "queries": STAFF,
    "query": STAFF,
    "documents": STAFF,
    "document": STAFF,
    "scales": STAFF,
    "lists": STAFF,
    "create_list": ADMINS,
    "judgment_list": STAFF,
    "versions": STAFF,
    "freeze": ADMINS,
    "version": STAFF,
    "export": STAFF,
    "import_queries": ADMINS,
    "import_documents": ADMINS,
    "import_judgments": ADMINS,
    "job": OWNER,
    "cancel_job": OWNER,
    "agreement": STAFF,
    "runs": STAFF,
    "upload": STAFF,
    "engines": STAFF,
    "fetch": STAFF,
    "read_run": STAFF,
    "export_run": STAFF,
    "change_run": STAFF,
    "delete_run": ADMINS,
    "run_table": STAFF,
    "run_scores": STAFF,
    "query_scores": STAFF,
    "fixes": STAFF,
    "comparison": STAFF,
    "gate": STAFF,
    **dict.fromkeys(
        [
            *(
                "progress",
                "query_progress",
                "check_version",
                "scale",
                "version_difference",
                "impact",
                "trend",
            ),
            *("views", "save_view", "delete_view", "explain_query", "reconcile", "reconcile_queries"),
            *("formulas", "save_formula", "change_formula", "delete_formula", "compared_queries"),
            *("comparisons", "save_comparison", "read_saved_comparison", "change_comparison"),
            *("delete_comparison", "renew_comparison", "intents", "save_intent", "intent", "change_intent"),
            *("jobs", "export_content", "delete_intent", "comparing", "change_how_compared", "open_queries"),
            *(
                "machine_help",
                "compared_query",
                "comparison_report",
                "list_overview",
                "query_pairs",
                "document_pairs",
            ),
        ],
        STAFF,
    ),
    **dict.fromkeys(
        [
            *("list_invitations", "invite", "revoke_invitation", "tag_queries", "copy_query_set"),
            *("delete_query_set", "delete_list", "change_list", "preview_overlap", "plan_list"),
            *("create_scale", "change_scale"),
            *("raters", "release_pairs", "assignments", "assign_rater", "unassign_rater"),
            *("gold_pairs", "gold_candidates", "mark_gold", "retire_gold", "import_gold"),
            *("disagreements", "disagreement", "decide", "withdraw_decision"),
            *("ask_another_rater", "stop_asking_another_rater"),
            *("preview_query_deletion", "preview_document_deletion"),
            *("delete_queries", "delete_documents", "additions", "preview_removal", "remove_pairs"),
            *("preview_exclusion", "exclude", "preview_rule", "change_rule", "read_model", "compute_model"),
            *(
                "preview_queries",
                "preview_documents",
                "preview_judgments",
                "rater_effect",
                "query_set_log",
                "list_log",
                "retry_job",
                "batches",
                "read_batch",
                "preview_undo",
                "undo",
                "preview_query_set_deletion",
                "preview_list_deletion",
                "agreement_by_rater",
                "agreement_by_rater_pair",
                "agreement_of_machines",
            ),
        ],
        ADMINS,
    ),
}
"""For every operation: who may call it. The others are told that there is no such thing."""
ROLES = {
    "stranger": {ANYONE},
    "rater": {ANYONE},
    "engineer": {ANYONE, STAFF, "creators"},
    "admin": {ANYONE, STAFF, ADMINS, OWNER, "creators"},
    "site": {ANYONE, STAFF, ADMINS, "creators", SITE},
}
WITHIN = {"read": {ANYONE, STAFF}, "engineer": {ANYONE, STAFF}, "admin": {*ROLES["admin"], SITE}}
"""What a token of this scope leaves of it."""
NOTHING = 8_999_999
QUERIES, DOCUMENTS, QRELS = b"query_id,query\nq9,nine\n", b"document_id,title\nd9,nine\n", b"q1 0 d1 1\n"
FILES = {
    **dict.fromkeys(("upload", "gate"), b"q1 Q0 d1 1 2 new\n"),
    **dict.fromkeys(("import_queries", "preview_queries"), QUERIES),
    **dict.fromkeys(("import_documents", "preview_documents"), DOCUMENTS),
    **dict.fromkeys(("import_judgments", "preview_judgments", "import_gold"), QRELS),
}
GRADES = [{"value": 0, "label": "No", "key": "0"}, {"value": 1, "label": "Yes", "key": "1"}]


def operations() -> dict[str, tuple[str, str]]:
    """By name: the method and the address with places for keys."""
    return {
        operation["operationId"]: (method, path)
        for path, methods in document()["paths"].items()
        for method, operation in methods.items()
    }


def places(world: dict[str, Any]) -> dict[str, Any]:
    """What the number after each word of an address is a key of."""
    keys = world["keys"]
    return {
        "query-sets": world["query_set"].pk,
        "queries": world["query"].pk,
        "documents": world["pair"].document_id,
        "lists": world["list"].pk,
        "versions": 1,
        "runs": world["run"].pk,
        "jobs": keys["upload"],
        "batches": keys["batch"],
        "members": Membership.objects.get(user=world["users"]["rater"]).pk,
        "scales": world["list"].scale_id,
        "invitations": keys["invitation-revoke"],
        "raters": world["rater"].pk,
        "assignments": world["list"].assignments.get().pk,
        **dict.fromkeys(("gold", "disagreements", "decisions"), world["pair"].pk),
        "run-views": keys["run-view-delete"],
        "saved-formulas": keys["saved-formula-rename"],
        "comparisons": keys["saved-comparison"],
        "intents": keys["intent"],
        "contests": keys["contest-stop"],
    }


def address(path: str, keys: dict[str, Any]) -> str:
    return re.sub(r"([\w-]+)/\{\w+\}", lambda found: f"{found[1]}/{keys[found[1]]}", path)


def body_of(name: str, world: dict[str, Any]) -> Any:
    """The least that the operation takes."""
    if name in FILES:
        return FILES[name]
    return {
        "create_query_set": {"name": "New"},
        "change_query_set": {"description": "New"},
        "create_list": {"name": "New", "scale": world["list"].scale_id},
        "freeze": {"note": "New"},
        "put_member": {"username": "stranger", "role": "engineer"},
        "archive": {"archived": True},
        "add_query": {"query_id": "new", "query": "New"},
        "change_query": {"query": "New"},
        "add_document": {"document_id": "new"},
        "change_document": {"title": "New"},
        "pause": {"paused": True},
        "add_pairs": {"runs": [world["run"].pk]},
        "start_contest": {"runs": [world["run"].pk, world["other"].pk]},
        "change_run": {"notes": "New"},
        "fetch": {"engine": "shop"},
        "invite": {"role": "rater"},
        "tag_queries": {"tag": "new", "queries": [world["query"].pk]},
        "delete_queries": {"queries": [world["query"].pk]},
        "delete_documents": {"documents": [world["pair"].document_id]},
        "preview_query_deletion": {"queries": [world["query"].pk]},
        "preview_document_deletion": {"documents": [world["pair"].document_id]},
        "remove_pairs": {"pairs": [world["pair"].pk]},
        "copy_query_set": {"name": "New"},
        "change_list": {"description": "New"},
        "create_scale": {"name": "New", "grades": GRADES},
        "change_scale": {"description": "New"},
        "add_searched_pairs": {"depth": 3},
        "release_pairs": {},
        "assign_rater": {"username": "rater", "quota": 5},
        "mark_gold": {"value": 1},
        "decide": {"value": 1, "cause": "slip"},
        "exclude": {"excluded": True},
        "change_rule": {"rule": "majority", "tie": "lower"},
        "compute_model": {"rule": "ds-nominal"},
        "save_view": {"name": "New", "query": "k=5"},
        "save_formula": {"name": "New", "formula": "DCG()@5"},
        "change_formula": {"name": "New"},
        "save_comparison": {"name": "New"},
        "change_comparison": {"notes": "New"},
        "save_intent": {"name": "New", "queries": ["q1"]},
        "change_intent": {"name": "New"},
        "change_how_compared": {"drawn": "uniform"},
        "reconcile_queries": {"values": "q1 0.5"},
    }.get(name)


def query_of(name: str, world: dict[str, Any]) -> str:
    """The parameters that the operation doesn't do without."""
    runs = f"runs={world['run'].pk}-{world['other'].pk}"
    compared = (
        "comparison",
        "comparison_report",
        "machine_help",
        "compared_queries",
        "compared_query",
        "save_comparison",
        "open_queries",
        "impact",
        "preview_pairs",
    )
    return {
        **dict.fromkeys(compared, runs),
        "delete_query_set": "name=Shop",
        "delete_list": f"name={world['list'].name}",
        "preview_rule": "rule=majority&tie=lower",
        "read_model": "rule=ds-nominal",
        "gate": f"baseline={world['run'].pk}&conditions=--measure AP --min 0",
    }.get(name, "")


def call(api: Api, name: str, world: dict[str, Any], keys: dict[str, Any] | None = None) -> Any:
    method, path = operations()[name]
    query = query_of(name, world)
    own = places(world) | ({"jobs": world["deletion"].pk} if name == "retry_job" else {})
    target = address(path, keys or own) + (f"?{query}" if query else "")
    return api.call(method, target, body_of(name, world))


@pytest.fixture
def full_world(world, settings):
    """With a second run, an assigned rater, a deletion that failed, and no limit of calls."""
    settings.API_CALLS = 10**6
    settings.ENGINES = read_engines('[shop]\nurl = "http://es/?q={query}"')
    world["list"].list_queries.update(graded_count=1)
    world["list"].assignments.create(user=world["users"]["rater"])
    judged = make.make_judgment(world["pair"], world["rater"], 1)
    world["keys"]["batch"] = make.make_batch(world["list"], [judged]).pk
    deletion = Deletion.objects.create(
        query_set=world["query_set"],
        kind="list",
        keys=[NOTHING],
        subject="list Old",
        requested_at=make.NOW,
        failure="The disk was full.",
    )
    return world | {"other": make.make_run(world["query_set"]), "deletion": deletion}


def test_every_operation_is_in_the_table():
    assert set(operations()) == set(EXPECTED), "say in EXPECTED who may call the new operation"


def roles_and_scopes():
    """Each role with the widest scope, and an admin with each; `make test-thorough` crosses them all."""
    for role in ROLES:
        for scope in WITHIN:
            few = role == "admin" or scope == "admin"
            yield pytest.param(role, scope, marks=pytest.mark.sampled if few else pytest.mark.thorough)


@pytest.mark.parametrize(("role", "scope"), list(roles_and_scopes()))
def test_an_operation_is_for_its_roles_only(role, scope, full_world):
    api = Api(full_world["users"][role], scope)
    found = {}
    for name in EXPECTED:
        with undone():
            found[name] = call(api, name, full_world).status_code

    reads = {name for name, (method, _) in operations().items() if method == "get"}
    allowed = {name for name, who in EXPECTED.items() if who in ROLES[role] & WITHIN[scope]}
    allowed = allowed & reads if scope == "read" else allowed
    refused = set(EXPECTED) - allowed
    # Two runs without rankings share no query with a value and are no TREC run, a list has the query and the document, its version stays, and
    # one judgment is too few for a model.
    in_use = {"delete_query", "delete_document", "delete_list", "compute_model"}
    in_use |= {"comparison", "comparison_report", "compared_queries", "compared_query"}
    in_use |= {"save_comparison", "impact", "export_run"}
    fine = {200, 201, 202, 204}
    wrong = {
        name: found[name]
        for name in allowed
        if found[name] not in fine | ({422} if name in in_use else set())
    }
    assert wrong == {}
    assert {name: found[name] for name in refused if found[name] not in (403, 404)} == {}


def test_keys_of_another_query_set_are_worth_as_much_as_keys_of_nothing(full_world):
    api = Api(make.make_member(make.make_query_set(), "admin"))
    nothing = dict.fromkeys(places(full_world), NOTHING) | {"jobs": "8b9bd0a5-3c1c-4c68-8f0e-6c7d4d1f1a11"}
    asked = 0
    for name, (_, path) in operations().items():
        if "{" not in path:
            continue
        with undone():
            there = call(api, name, full_world)
            nowhere = call(api, name, full_world, nothing)
        assert (there.status_code, problem_of(there)) == (404, problem_of(nowhere)), (
            f"{name} must answer 404. If it answers 422, it needs a query or a body: give it one in `call`"
        )
        asked += 1
    assert asked > 25


def test_a_run_of_another_query_set_is_not_compared(full_world):
    foreign = make.make_run(make.make_query_set())
    api = Api(full_world["users"]["admin"])
    path = f"lists/{full_world['list'].pk}"

    sentences = {
        problem_of(api.get(f"{path}/comparison?runs={full_world['run'].pk}-{key}"))
        for key in (foreign.pk, NOTHING)
    }
    assert sentences == {
        "1 of 2 runs of this link was deleted, or isn’t in this query set. Choose the runs again."
    }
    assert api.get(f"{path}/runs/{foreign.pk}").status_code == 404


def test_an_engineer_deletes_only_own_runs(full_world):
    engineer = full_world["users"]["engineer"]
    own = make.make_run(full_world["query_set"], uploaded_by=engineer)
    api = Api(engineer, "engineer")

    refused = api.delete(f"runs/{full_world['run'].pk}")
    assert refused.status_code == 403
    assert "can only be deleted by an admin or the person who uploaded it" in problem_of(refused)
    assert api.delete(f"runs/{own.pk}").status_code == 204
    assert Run.objects.filter(pk=full_world["run"].pk).exists()


def test_an_engineer_gets_grades_and_not_what_single_raters_said(full_world):
    path = f"lists/{full_world['list'].pk}/export?format=touchstone"
    admin, engineer = (Api(full_world["users"][role]) for role in ("admin", "engineer"))
    assert admin.get(path).status_code == 200
    refused = engineer.get(path)
    assert refused.status_code == 422
    assert problem_of(refused).startswith(
        "“touchstone” has what each rater said, and that is for admins. Choose one of: "
    )
    assert Api(full_world["users"]["admin"], "engineer").get(path).status_code == 422
    assert problem_of(admin.get(f"{path}&version=1")).startswith(
        "“touchstone” has what each rater said, and a version has grades only. Choose one of: "
    )
