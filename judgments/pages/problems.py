"""Errors of the HTTP API as problem details (RFC 9457): `application/problem+json` with the sentences of the pages."""

from collections.abc import Iterable, Mapping
from http import HTTPStatus
from itertools import islice
from typing import Any, Final

from django.forms import BaseForm
from django.http import HttpRequest, JsonResponse

from judgments.pages.field_errors import CHOOSE
from touchstone_core.formats.problems import Report

API_PATH: Final = "/api/"
MOST_ERRORS: Final = 100
MOST_CHOICES: Final = 20
MEDIA_TYPE: Final = "application/problem+json"
# Names of RFC 9110, which Python has from 3.13 on.
TITLES: Final = {413: "Content Too Large", 414: "URI Too Long", 422: "Unprocessable Content"}


class Problem(Exception):
    """What keeps a call from being answered, in sentences for people. `errors` say which field is wrong, and why."""

    def __init__(self, status: int, detail: str, errors: Iterable[Mapping[str, str]] = ()) -> None:
        super().__init__(detail)
        self.status, self.detail, self.errors = status, detail, list(errors)


def is_api(request: HttpRequest) -> bool:
    return request.path.startswith(API_PATH)


def problem_response(
    status: int,
    detail: str,
    *,
    errors: Iterable[Mapping[str, str]] = (),
    headers: Mapping[str, str] | None = None,
) -> JsonResponse:
    problem: dict[str, Any] = {
        "type": "about:blank",
        "title": TITLES.get(status) or HTTPStatus(status).phrase,
        "status": status,
        "detail": detail,
    }
    if found := list(errors):
        problem["errors"] = found
    return JsonResponse(
        problem,
        status=status,
        content_type=MEDIA_TYPE,
        headers={"Cache-Control": "no-store"} | dict(headers or {}),
        json_dumps_params={"ensure_ascii": False},
    )


def file_problem(report: Report, before: str = "") -> Problem:
    """What is wrong with a file, line by line. `before` says what became of it."""
    sentences = list(report.errors.sentences())
    errors = [{"field": "file", "message": sentence} for sentence in sentences[:MOST_ERRORS]]
    return Problem(422, before + sentences[0], errors)


def form_problem(form: BaseForm, names: Mapping[str, str] | None = None) -> Problem:
    """What the page with this form says beside its fields. The first of it is the detail, with the name of its field.

    `names` are those of fields that a call names otherwise than the form.
    """
    api_names = {"__all__": ""} | dict(names or {})
    errors = [
        {"field": api_names.get(field, field), "message": _with_choices(form, field, str(message))}
        for field, messages in form.errors.items()
        for message in messages
    ]
    first = errors[0]
    detail = f"{first['field']}: {first['message']}" if first["field"] else first["message"]
    return Problem(422, detail, errors)


def _with_choices(form: BaseForm, field: str, message: str) -> str:
    """A page shows the list that a sentence speaks of. A call gets the values, if they are few."""
    choices = getattr(form.fields.get(field), "choices", ())
    values = [value for value, _ in islice(choices, MOST_CHOICES + 1) if value and isinstance(value, str)]
    if not values or len(values) > MOST_CHOICES:
        return message
    return message.replace(CHOOSE, choose_one_of(values))


def field_problem(field: str, message: str) -> Problem:
    """What is wrong with one field or parameter."""
    return Problem(422, f"{field}: {message}", [{"field": field, "message": message}])


def choose_one_of(values: Iterable[str]) -> str:
    return f"Choose one of {', '.join(values)}."
