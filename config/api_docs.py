"""The description of the API: what ninja knows of the operations, with errors, idempotency keys and examples."""

from typing import Any, Final

from ninja import NinjaAPI
from ninja.openapi import get_schema

from judgments.pages.api import PROBLEMS, ProblemDetails
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
    operation["operationId"] = operation["operationId"].rsplit("_api_", 1)[-1]
    for status in PROBLEMS:
        content = {MEDIA_TYPE: {"schema": {"$ref": REFERENCE.format("ProblemDetails")}}}
        operation["responses"].setdefault(status, {"description": WORDS[status], "content": content})
    if method in CHANGES:
        operation.setdefault("parameters", []).append(KEY_PARAMETER)
    if path.endswith("/export"):
        operation["responses"][200]["content"] = {
            "*/*": {"schema": {"type": "string", "format": "binary"}}
        }
