"""What people do and read by page, programs do and read by API: every address names its operations, or why there are none."""

import pytest
from django.test import Client
from django.urls import reverse

from config.api import document
from tests.test_access import EXPECTED, ROLES, address_of, named_addresses, world
from tests.test_api_access import EXPECTED as EXPECTED_BY_API
from tests.test_api_access import ROLES as API_ROLES

__all__ = ["world"]
pytestmark = pytest.mark.django_db

RATER = "what raters do on the rating screen is for people"
OWN = "concerns the account and its browser; tokens are made by people, so that a stolen one makes no others"
FILES = "reads files in steps that the imports and uploads of the API take at once"

OPERATIONS = {
    "query-set-new": ["create_query_set"],
    "query-set-edit": ["change_query_set"],
    "query-set-archive": ["archive"],
    "query-set-copy": ["copy_query_set"],
    "query-set-delete": ["delete_query_set"],
    "query-set-members": ["put_member", "remove_member"],
    "query-set-invite": ["invite"],
    "invitation-revoke": ["revoke_invitation"],
    "query-new": ["add_query"],
    "query-edit": ["change_query"],
    "query-delete": ["delete_query"],
    "query-tags": ["tag_queries"],
    "queries-delete": ["delete_queries", "preview_query_deletion"],
    "documents-delete": ["delete_documents", "preview_document_deletion"],
    "list-pairs-remove": ["remove_pairs"],
    "document-new": ["add_document"],
    "document-edit": ["change_document"],
    "document-delete": ["delete_document"],
    "import-queries": ["import_queries", "preview_queries"],
    "import-documents": ["import_documents", "preview_documents"],
    "import-judgments": ["import_judgments", "preview_judgments"],
    "batch": ["undo"],
    "upload": ["job", "cancel_job"],
    "stored-runs": ["job", "cancel_job"],
    "job": ["cancel_job", "retry_job"],
    "scale-new": ["create_scale"],
    "scale-edit": ["change_scale"],
    "list-new": ["create_list"],
    "list-edit": ["change_list", "preview_overlap"],
    "list-pause": ["pause"],
    "list-delete": ["delete_list"],
    "list-pairs": ["add_pairs", "preview_pairs", "contests", "start_contest"],
    "contest-stop": ["stop_contest"],
    "list-candidates": ["add_searched_pairs", "preview_candidates"],
    "list-rule": ["change_rule", "preview_rule", "compute_model"],
    "list-versions": ["freeze"],
    "list-raters": ["assign_rater", "unassign_rater", "release_pairs", "change_list"],
    "list-gold": ["mark_gold", "retire_gold"],
    "list-gold-import": ["import_gold"],
    "disagreement": [
        *("decide", "withdraw_decision", "mark_gold"),
        *("ask_another_rater", "stop_asking_another_rater"),
    ],
    "rater-exclusion": ["exclude", "preview_exclusion"],
    "run-upload": ["upload"],
    "run-fetch": ["fetch"],
    "run-edit": ["change_run"],
    "run-delete": ["delete_run"],
    "runs-tag": ["change_run"],
    "runs-delete": ["delete_run"],
    "run-baseline": ["change_run"],
    "run-views": ["save_view"],
    "run-view-delete": ["delete_view"],
    "reconcile": ["reconcile_queries"],
    "saved-formulas": ["save_formula"],
    "saved-formula-rename": ["change_formula"],
    "saved-formula-default": ["change_formula"],
    "saved-formula-delete": ["delete_formula"],
    "comparison-save": ["save_comparison"],
    "comparison-settings": ["change_how_compared"],
    "comparison-open": ["open_queries"],
    "compared-queries": ["compared_queries", "save_intent"],
    "saved-comparison-edit": ["change_comparison"],
    "saved-comparison-renew": ["renew_comparison"],
    "saved-comparison-delete": ["delete_comparison"],
    "intents": ["save_intent"],
    "intent": ["change_intent"],
    "intent-delete": ["delete_intent"],
}
WITHOUT = {
    **dict.fromkeys(
        ["judge-answer", "judge-undo", "judge-skip", "judge-review", "judge-keys", "judge"], RATER
    ),
    **dict.fromkeys(["judge-cards", "judge-shell", "judge-text", "judge-done", "own-judgments"], RATER),
    **dict.fromkeys(["sign-in", "sign-out", "sign-out-elsewhere", "demo-sign-in", "password-change"], OWN),
    **dict.fromkeys(["second-factor", "second-factor-set-up", "second-factor-change"], OWN),
    **dict.fromkeys(["account", "token-new", "token-revoke", "join"], OWN),
    "person-erase": "can't be taken back, so a person reads first what goes; there is a command, too",
    **dict.fromkeys(["new-evaluation", "draft", "home"], FILES),
}
READS = {
    "query-sets": ["query_sets"],
    "query-set": ["query_set", "lists", "list_overview", "trend", "runs"],
    "query-set-edit": ["query_set"],
    "query-set-copy": ["query_set"],
    "query-set-delete": ["preview_query_set_deletion"],
    "query-set-export": ["export_content"],
    "query-set-queries": ["queries"],
    "query-set-documents": ["documents"],
    "query-set-lists": ["lists", "progress"],
    "query-set-members": ["members"],
    "query-set-runs": ["runs"],
    "query-set-log": ["query_set_log"],
    "query-set-jobs": ["jobs"],
    "query": ["query", "query_pairs", "query_progress"],
    "query-edit": ["query"],
    "document": ["document", "document_pairs"],
    "document-edit": ["document"],
    "import-queries": ["preview_queries"],
    "import-documents": ["preview_documents"],
    "import-judgments": ["preview_judgments", "batches"],
    "batch": ["read_batch", "preview_undo"],
    "run-upload": ["engines"],
    "upload": ["job", "preview_queries", "preview_documents", "preview_judgments"],
    "stored-runs": ["job", "read_run"],
    "jobs": ["query_sets", "jobs"],
    "scales": ["scales"],
    "scale": ["scale"],
    "scale-edit": ["scale"],
    "list": ["list_overview", "query_progress", "judgment_list", "scale"],
    "list-edit": ["judgment_list", "preview_overlap"],
    "list-delete": ["preview_list_deletion"],
    "list-plan": ["plan_list"],
    "list-pairs": ["preview_pairs", "contests"],
    "list-candidates": ["preview_candidates"],
    "list-pairs-remove": ["preview_removal", "additions", "query_pairs"],
    "queries-delete": ["queries", "preview_query_deletion"],
    "documents-delete": ["documents", "preview_document_deletion"],
    "list-rule": ["judgment_list", "preview_rule", "read_model"],
    "list-versions": ["versions"],
    "list-version": ["version", "check_version"],
    "version-difference": ["version_difference"],
    "version-file": ["export", "version", "check_version"],
    "list-export": ["export"],
    "list-log": ["list_log"],
    "list-raters": ["raters", "assignments"],
    "list-gold": ["gold_pairs", "gold_candidates"],
    "list-agreement": ["agreement"],
    "list-disagreements": ["disagreements"],
    "disagreement": ["disagreement"],
    "decisions-file": ["disagreements"],
    "gold-file": ["gold_pairs"],
    "rater-exclusion": ["preview_exclusion"],
    "rater-effect": ["rater_effect"],
    "site-log": ["site_log"],
    "run-table": ["run_table", "views"],
    "run-trend": ["trend"],
    "run": ["read_run", "run_scores", "query_scores", "fixes"],
    "run-query": ["explain_query"],
    "run-edit": ["read_run"],
    "runs-tag": ["runs"],
    "runs-delete": ["runs"],
    "runs-export": ["export_run"],
    "reconcile": ["reconcile"],
    "impact": ["impact"],
    "saved-formulas": ["formulas"],
    "comparison": ["comparison"],
    "comparison-report": ["comparison_report"],
    "comparison-machines": ["machine_help"],
    "comparison-settings": ["comparing"],
    "comparison-save": ["comparison"],
    "comparisons": ["comparisons"],
    "saved-comparison": ["read_saved_comparison"],
    "saved-comparison-edit": ["read_saved_comparison"],
    "compared-queries": ["compared_queries"],
    "compared-query": ["compared_query"],
    "intents": ["intents"],
    "intent": ["intent"],
}
"""Pages that tell something, and the operations that tell the same to whoever may open the page."""
READS_OF_ADMINS = {
    "list-agreement": ["agreement_by_rater", "agreement_by_rater_pair", "agreement_of_machines"],
    "query-set-members": ["list_invitations"],
    "query": ["query_set_log"],
    "document": ["query_set_log"],
}
"""What admins alone are told on a page that engineers open, too."""
EMPTY = "an empty form, which tells nothing"
TEXTS = (
    "teaches with texts and examples of its own; nothing of the site is on it but what other operations read"
)
OWN_DATA = "everything about one person in one file, for that person or on request; read after signing in, and never by a token"
NOT_READ = {
    **dict.fromkeys(["query-set-new", "query-new", "document-new", "list-new", "scale-new"], EMPTY),
    "list-gold-import": EMPTY,
    **dict.fromkeys(["learn", "puzzle", "glossary", "formulas"], TEXTS),
    **dict.fromkeys(["own-data", "person-data"], OWN_DATA),
    **dict.fromkeys(["openapi", "api-docs"], "describe the API itself, and are open to programs as they are"),
    **dict.fromkeys(["judge-worker"], RATER),
    **dict.fromkeys(["openid_connect_login", "openid_connect_callback", "site-password-change"], OWN),
    "go-to": "finds pages by their names as somebody types; programs list the same things by name",
}
FOR_PROGRAMS = {"gate": "passes or fails a file for build servers; people read the comparison"}


@pytest.fixture
def methods(world):
    """What each address takes."""
    client = Client(raise_request_exception=False)
    client.force_login(world["users"]["admin"])
    names = set(named_addresses()) - {"join", "sign-out", "sign-out-elsewhere", "sign-in", "demo-sign-in"}
    others = {"join": reverse("join", args=["a-token"])}
    addresses = {name: address_of(name, world) for name in names} | others
    return {name: client.delete(address)["Allow"] for name, address in addresses.items()}


@pytest.fixture
def forms(methods):
    """The addresses that take a POST."""
    return {name for name, taken in methods.items() if "POST" in taken}


@pytest.fixture
def pages(methods):
    """The addresses that are read."""
    return {name for name, taken in methods.items() if "GET" in taken}


def test_every_form_has_its_operation_or_the_reason_why_not(forms):
    assert len(forms) > 50
    assert forms - set(OPERATIONS) - set(WITHOUT) == set(), (
        "name the operation of the API, or why there is none"
    )


def test_the_operations_are_there_and_the_addresses_take_forms(forms):
    described = {one["operationId"] for path in document()["paths"].values() for one in path.values()}

    named = {operation for operations in OPERATIONS.values() for operation in operations}
    assert named - described == set()
    assert set(OPERATIONS) - forms == set()
    assert set(OPERATIONS) & set(WITHOUT) == set()


def test_every_operation_that_changes_something_belongs_to_a_page():
    changes = {
        operation["operationId"]
        for path in document()["paths"].values()
        for method, operation in path.items()
        if method != "get"
    }
    of_pages = {operation for operations in OPERATIONS.values() for operation in operations}
    assert changes - of_pages == set(FOR_PROGRAMS), (
        "name the new operation in OPERATIONS beside the page whose form does the same, or in FOR_PROGRAMS"
    )


def test_every_page_that_tells_something_has_its_operation_or_the_reason_why_not(pages):
    assert len(pages) > 80
    assert pages - set(READS) - set(NOT_READ) - set(WITHOUT) == set(), (
        "name the operation of the API that tells the same, or why there is none"
    )
    assert set(READS) - pages == set()
    assert set(READS) & (set(NOT_READ) | set(WITHOUT)) == set()
    assert set(NOT_READ) & set(WITHOUT) == set()


def roles_of(who, table):
    """The roles for which this is written in a table of who may do what."""
    return {role for role, may in table.items() if who in may}


def test_whoever_opens_a_page_may_call_what_tells_the_same():
    by_api = {name: roles_of(who, API_ROLES) for name, who in EXPECTED_BY_API.items()}
    wrong = {
        (page, operation)
        for page, operations in READS.items()
        for operation in operations
        if not roles_of(EXPECTED[page], ROLES) - {"rater", "stranger"} <= by_api[operation]
    }
    assert wrong == set()
    for page, operations in READS_OF_ADMINS.items():
        assert page in READS
        assert all({"admin", "site"} <= by_api[one] for one in operations)


def test_every_operation_that_reads_belongs_to_a_page():
    described = document()["paths"].values()
    reads = {one["operationId"] for path in described for method, one in path.items() if method == "get"}
    named = [*READS.values(), *READS_OF_ADMINS.values()]
    assert reads - {operation for operations in named for operation in operations} == {"account"}, (
        "name the new operation in READS beside the page that tells the same"
    )
    previews = {"preview_queries", "preview_documents", "preview_judgments"}
    previews |= {"preview_query_deletion", "preview_document_deletion"}
    assert {one for operations in named for one in operations} - reads == previews
