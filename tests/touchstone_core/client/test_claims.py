"""What the client says about the API is what the API says about itself."""

import inspect
from dataclasses import fields
from typing import get_args, get_type_hints

import pytest

from config.api import document
from touchstone_core.client import records, site
from touchstone_core.client.calls import Calls
from touchstone_core.client.figures import Agreement, AgreementByPair, AgreementByRater, Fix, Verdict
from touchstone_core.offline.gate_report import WrittenGate

# Methods that send several operations or none.
OWN = {"call", "close", "wait", "query_set_named", "list_named", "run_named"}
# Of the client alone: what the address names, where a file comes from and goes to, and how long to wait.
LOCAL = {"self", "source", "path", "timeout", "progress"}
PAGES = {"after", "before", "limit"}
# For addresses that are copied from pages: which of several names of the same formula is meant. Figures don't depend on it.
OF_PAGES = {"as"}
SCHEMAS = {
    records.Token: "TokenOut",
    records.Account: "AccountOut",
    records.Member: "MemberOut",
    records.QuerySet: "QuerySetOut",
    records.Query: "QueryOut",
    records.Document: "DocumentOut",
    records.Grade: "GradeOut",
    records.Scale: "ScaleOut",
    records.JudgmentList: "ListOut",
    records.Version: "VersionOut",
    records.Run: "RunOut",
    records.Upload: "UploadOut",
    records.Progress: "JobProgress",
    records.StoredRuns: "StoredRuns",
    records.Job: "JobOut",
    records.Work: "WorkOut",
    records.GradedPair: "GradedPairOut",
    records.Overview: "OverviewOut",
    Agreement: "AgreementOut",
    AgreementByRater: "ByRaterOut",
    AgreementByPair: "ByPairOut",
    Fix: "FixOut",
    Verdict: "VerdictOut",
    WrittenGate: "GateOut",
}


def operations():
    return {
        operation["operationId"]: (path, operation)
        for path, methods in document()["paths"].items()
        for operation in methods.values()
    }


def methods():
    return {
        name: method
        for name, method in inspect.getmembers(site.Site, inspect.isfunction)
        if not name.startswith("_") and name not in OWN
    }


def schema_of(name):
    return document()["components"]["schemas"][name]


def parameters_of(operation):
    """Of the address behind the `?`, and of a JSON body."""
    names = {one["name"] for one in operation.get("parameters", []) if one["in"] == "query"}
    content = operation.get("requestBody", {}).get("content", {})
    reference = content.get("application/json", {}).get("schema", {}).get("$ref", "")
    return names | set(schema_of(reference.rsplit("/", 1)[-1])["properties"] if reference else ())


@pytest.mark.parametrize("name", sorted(methods()))
def test_a_method_is_an_operation_with_the_same_parameters(name):
    path, operation = operations()[name]
    method = methods()[name]
    arguments = list(inspect.signature(method).parameters.values())
    keys = [one.name for one in arguments if one.kind is one.POSITIONAL_OR_KEYWORD][1 : 1 + path.count("{")]
    taken = {one.name for one in arguments} - LOCAL - set(keys)
    for one in arguments:
        if one.kind is one.VAR_KEYWORD:
            (choices,) = get_args(one.annotation)
            taken = taken - {one.name} | set(get_type_hints(choices))

    assert taken == parameters_of(operation) - (PAGES - taken) - OF_PAGES
    assert len(keys) == path.count("{")


@pytest.mark.parametrize("kind", SCHEMAS)
def test_a_record_has_fields_of_its_answer(kind):
    """A site may say more: `read_record` leaves out what the client doesn't know."""
    names = [one.name for one in fields(kind)]
    assert names == [name for name in schema_of(SCHEMAS[kind])["properties"] if name in names]
    assert set(names) <= set(schema_of(SCHEMAS[kind])["required"])


def test_every_part_of_the_client_is_looked_at():
    parts = {name for part in site.Site.__mro__ if issubclass(part, Calls) for name in vars(part)}
    assert {name for name in parts if not name.startswith("_")} == methods().keys() | OWN | {"url"}
    assert len(methods()) > 40
