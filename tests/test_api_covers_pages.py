"""What people do by page, programs do by API: every address that takes a form names its operation, or why there is none."""

import pytest
from django.test import Client
from django.urls import reverse

from config.api import document
from tests.test_access import address_of, named_addresses, world

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
    "document-new": ["add_document"],
    "document-edit": ["change_document"],
    "document-delete": ["delete_document"],
    "import-queries": ["import_queries", "preview_queries"],
    "import-documents": ["import_documents", "preview_documents"],
    "import-judgments": ["import_judgments", "preview_judgments"],
    "upload": ["job", "cancel_job"],
    "stored-runs": ["job", "cancel_job"],
    "job": ["cancel_job", "retry_job"],
    "scale-new": ["create_scale"],
    "scale-edit": ["change_scale"],
    "list-new": ["create_list"],
    "list-edit": ["change_list", "preview_overlap"],
    "list-pause": ["pause"],
    "list-delete": ["delete_list"],
    "list-pairs": ["add_pairs", "preview_pairs"],
    "list-candidates": ["add_searched_pairs", "preview_candidates"],
    "list-rule": ["change_rule", "preview_rule", "compute_model"],
    "list-versions": ["freeze"],
    "list-raters": ["assign_rater", "unassign_rater", "release_pairs", "change_list"],
    "list-gold": ["mark_gold", "retire_gold"],
    "list-gold-import": ["import_gold"],
    "disagreement": ["decide", "withdraw_decision", "mark_gold"],
    "rater-exclusion": ["exclude", "preview_exclusion"],
    "run-upload": ["upload"],
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
FOR_PROGRAMS = {"gate": "passes or fails a file for build servers; people read the comparison"}


@pytest.fixture
def forms(world):
    """The addresses that take a POST."""
    client = Client(raise_request_exception=False)
    client.force_login(world["users"]["admin"])
    names = set(named_addresses()) - {"join", "sign-out", "sign-out-elsewhere", "sign-in", "demo-sign-in"}
    others = {"join": reverse("join", args=["a-token"])}
    addresses = {name: address_of(name, world) for name in names} | others
    allowed = {name: client.delete(address)["Allow"] for name, address in addresses.items()}
    return {name for name, methods in allowed.items() if "POST" in methods}


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
    assert changes - of_pages == set(FOR_PROGRAMS)
