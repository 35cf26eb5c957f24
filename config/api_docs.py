"""The description of the API: what ninja knows of the operations, with errors, idempotency keys and examples."""

from typing import Any, Final, NamedTuple

from ninja import NinjaAPI
from ninja.openapi import get_schema

from config.api_examples import ANSWERS, REQUESTS
from judgments.pages.calls import PROBLEMS, ProblemDetails
from judgments.pages.problems import MEDIA_TYPE

REFERENCE: Final = "#/components/schemas/{}"
KEY_PARAMETER: Final = {
    "in": "header",
    "name": "Idempotency-Key",
    "required": False,
    "schema": {"type": "string", "maxLength": 200},
    "description": "The same call sent again with the same key is done once.",
}
WORDS: Final = {
    400: "The call can’t be read",
    401: "No token, or one that has expired or was revoked",
    403: "The token or the role doesn’t allow it",
    404: "It doesn’t exist, or not for you",
    405: "Another method",
    409: "In the archive, changed meanwhile, or not answered yet",
    411: "A body without its length",
    413: "Too large",
    422: "Something isn’t valid; `errors` says which field",
    429: "Too many calls; `Retry-After` says how long to wait",
    500: "Something broke on our side",
    503: "Back in a moment; `Retry-After` says when to try again",
}
PLACES: Final = {
    "pk": "Its ID.",
    "list_pk": "The ID of the list.",
    "number": "The number of the version.",
    "member": "The ID of the membership.",
    "rater": "The ID of the rater.",
    "pair": "The ID of the pair.",
    "assignment": "The ID of the assignment.",
    "query_pk": "The ID of the query.",
    "batch": "The ID of the import.",
}
CHANGES: Final = ("post", "put", "patch", "delete")


def description_of(api: NinjaAPI) -> dict[str, Any]:
    """OpenAPI 3.1 as plain data."""
    document = dict(get_schema(api, path_prefix="/api/v1/"))
    document["servers"] = [{"url": "/"}]
    components = document["components"]["schemas"]
    problem = ProblemDetails.model_json_schema(ref_template=REFERENCE.format("{model}"))
    components |= problem.pop("$defs", {})
    components["ProblemDetails"] = problem
    for path, operations in document["paths"].items():
        for method, operation in operations.items():
            _complete(operation, method, path)
    return document


def _complete(operation: dict[str, Any], method: str, path: str) -> None:
    for status in PROBLEMS:
        content = {MEDIA_TYPE: {"schema": {"$ref": REFERENCE.format("ProblemDetails")}}}
        operation["responses"].setdefault(status, {"description": WORDS[status], "content": content})
    for parameter in operation.get("parameters", []):
        if parameter["in"] == "path":
            parameter["description"] = PLACES[parameter["name"]]
    _add_examples(operation)
    if method in CHANGES:
        operation.setdefault("parameters", []).append(KEY_PARAMETER)
    if path.endswith("/export"):
        operation["responses"][200]["content"] = {"*/*": {"schema": {"type": "string", "format": "binary"}}}


def _add_examples(operation: dict[str, Any]) -> None:
    name = operation["operationId"]
    if name in REQUESTS:
        operation["requestBody"]["content"]["application/json"]["example"] = REQUESTS[name]
    if name in ANSWERS:
        status, answer = ANSWERS[name]
        operation["responses"][status]["content"]["application/json"]["example"] = answer


class Operation(NamedTuple):
    """An operation as the page shows it. `body` are the fields of its JSON, and `answer` what a success says."""

    name: str
    method: str
    path: str
    summary: str
    description: str
    parameters: list[dict[str, Any]]
    file: str
    body: list[dict[str, Any]]
    statuses: list[int]
    example: Any


def operations_by_tag(document: dict[str, Any]) -> dict[str, list[Operation]]:
    """Every operation for the page, in the order of the routers."""
    found: dict[str, list[Operation]] = {}
    for path, operations in document["paths"].items():
        for method, operation in operations.items():
            found.setdefault(operation["tags"][0], []).append(_operation(document, path, method, operation))
    return found


def _operation(document: dict[str, Any], path: str, method: str, operation: dict[str, Any]) -> Operation:
    body = operation.get("requestBody", {})
    content = body.get("content", {})
    return Operation(
        name=operation["operationId"],
        method=method.upper(),
        path=path,
        summary=operation["summary"],
        description=operation.get("description", ""),
        parameters=[
            _field(document, one["name"], one["schema"] | one, required=one["required"])
            for one in operation.get("parameters", [])
            if one["in"] != "header"
        ],
        file=body.get("description", ""),
        body=_fields(document, content.get("application/json", {}).get("schema", {})),
        statuses=[status for status in operation["responses"] if int(status) < 300],
        example=REQUESTS.get(operation["operationId"]),
    )


def _fields(document: dict[str, Any], schema: dict[str, Any]) -> list[dict[str, Any]]:
    record = _named(document, schema)
    required = record.get("required", [])
    return [
        _field(document, key, one, required=key in required)
        for key, one in record.get("properties", {}).items()
    ]


def _named(document: dict[str, Any], schema: dict[str, Any]) -> dict[str, Any]:
    """What a reference names; else the schema itself."""
    name = schema.get("$ref", "").rsplit("/", 1)[-1]
    named: dict[str, Any] = document["components"]["schemas"].get(name, schema)
    return named


def _field(document: dict[str, Any], name: str, schema: dict[str, Any], *, required: bool) -> dict[str, Any]:
    kinds = [_named(document, one) for one in schema.get("anyOf") or schema.get("allOf") or [schema]]
    words = [_kind(one) for one in kinds if one.get("type") != "null"]
    return {
        "name": name,
        "type": ", ".join(words),
        "required": required,
        "description": schema.get("description", ""),
    }


def _kind(schema: dict[str, Any]) -> str:
    """The choices, or the type."""
    if choices := schema.get("enum"):
        return " or ".join(choice or "empty" for choice in choices)
    return str(schema.get("type", ""))
