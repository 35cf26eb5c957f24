"""What the `api` modules of every room share: the request, pages of rows, forms from JSON, files in a body."""

from collections.abc import Iterator, Mapping
from types import NoneType
from typing import Annotated, Any, Final, Generic, TypeVar, get_args, get_origin

from django.conf import settings
from django.core.files.uploadedfile import SimpleUploadedFile, UploadedFile
from django.db import models
from django.forms import BaseForm
from django.http import HttpRequest, QueryDict
from django.template.defaultfilters import filesizeformat
from django.urls import reverse
from django.utils.http import urlencode
from ninja import Schema
from pydantic import ConfigDict, Field, ValidationInfo, field_validator
from pydantic_core import PydanticKnownError

from judgments.models import ApiToken
from judgments.pages.http import MemberRequest
from judgments.pages.problems import Problem, form_problem
from touchstone_core.formats.cells import NOT_IN_TEXTS

Item = TypeVar("Item")
Row = TypeVar("Row", bound=models.Model)
Form = TypeVar("Form", bound=BaseForm)
LARGEST_KEY: Final = 2**63 - 1
Key = Annotated[int, Field(ge=1, le=LARGEST_KEY)]
Counted = Annotated[int, Field(ge=0, le=2**31 - 1)]
MOST_ROWS: Final = 1000


class ApiRequest(MemberRequest):
    """A call with a token: `user` is its owner. `spooled` is a large body, which was read already. An operation whose answer
    must not be stored under an idempotency key sets `has_secret_answer`."""

    token: ApiToken
    spooled: UploadedFile[bytes] | None
    has_secret_answer: bool


class Body(Schema):
    """What a call changes. A field that there isn't is refused: a mistyped one would change nothing, and nobody would notice."""

    model_config = ConfigDict(extra="forbid")

    @field_validator("*", mode="before")
    @classmethod
    def refuse_flags(cls, value: Any, info: ValidationInfo) -> Any:
        """Pydantic takes true for 1."""
        kinds = set(_kinds(cls.model_fields[info.field_name or ""].annotation))
        if kinds <= {int, float, NoneType} and _holds_flag(value):
            raise PydanticKnownError("float_type" if float in kinds else "int_type")
        return value


def _holds_flag(value: Any) -> bool:
    return isinstance(value, bool) or (isinstance(value, list) and any(map(_holds_flag, value)))


def _kinds(annotation: Any) -> Iterator[Any]:
    """The types of the values of a field, whether it is a list of them or not."""
    parts = get_args(annotation)
    if get_origin(annotation) is Annotated:
        parts = parts[:1]
    if not parts:
        yield annotation
    for part in parts:
        yield from _kinds(part)


class PageQuery(Schema):
    """Which rows of a long list are sent."""

    after: Annotated[
        int, Field(ge=0, le=LARGEST_KEY, description="Rows after this key. `next` of a page has it.")
    ] = 0
    limit: Annotated[int, Field(ge=1, le=MOST_ROWS, description="At most so many rows.")] = 100


class Page(Schema, Generic[Item]):
    """Rows of a list, and the address of the next ones; null on the last page."""

    items: list[Item]
    next: str | None = None


class PendingOut(Schema):
    """A worker is at it: ask again after `Retry-After`. `state` is waiting or running."""

    state: str
    detail: str


class FieldError(Schema):
    field: str
    message: str


class ProblemDetails(Schema):
    """Why a call wasn't answered (RFC 9457). `detail` is a sentence for people."""

    type: str = "about:blank"
    title: str
    status: int
    detail: str
    errors: list[FieldError] | None = None


UNSTORABLE: Final = "has a character that can’t be stored: a NUL, or half of a surrogate pair. Remove it, and send the call again."
IDEMPOTENCY_KEY: Final = "Idempotency-Key"
PROBLEMS: Final = dict.fromkeys((400, 401, 403, 404, 405, 409, 411, 413, 422, 429, 500, 503), ProblemDetails)
"""What every call may answer instead."""


def page_of(
    request: HttpRequest, rows: models.QuerySet[Row], page: PageQuery, *, key: str = "pk"
) -> tuple[list[Row], str | None]:
    """The rows in the order of their keys, and the address of the next ones. Costs the same however far one has come."""
    found = list(rows.filter(**{f"{key}__gt": page.after}).order_by(key)[: page.limit + 1])
    if len(found) <= page.limit:
        return found, None
    shown = found[: page.limit]
    return shown, next_page(request, getattr(shown[-1], key))


def page_answer(
    request: HttpRequest, rows: models.QuerySet[Row], page: PageQuery, *, key: str = "pk"
) -> dict[str, Any]:
    """A `Page` of rows that are shown as they are."""
    found, following = page_of(request, rows, page, key=key)
    return {"items": found, "next": following}


def next_page(request: HttpRequest, after: int) -> str:
    """The address of this call for the rows after this key."""
    others = {name: texts for name, texts in request.GET.lists() if name != "after"}
    return f"{request.path}?{urlencode(others | {'after': after}, doseq=True)}"


def refuse_unstorable(values: Mapping[str, Any]) -> None:
    """Raises Problem for text that PostgreSQL can't store, wherever in a value it is."""
    for name, value in values.items():
        if not _is_storable(name):
            raise Problem(422, f"A name {UNSTORABLE}")
        if not _is_storable(value):
            raise Problem(
                422, f"{name}: The text {UNSTORABLE}", [{"field": name, "message": f"The text {UNSTORABLE}"}]
            )


def _is_storable(value: Any) -> bool:
    if isinstance(value, str):
        return not NOT_IN_TEXTS.search(value)
    if isinstance(value, Mapping):
        return all(_is_storable(name) and _is_storable(one) for name, one in value.items())
    return not isinstance(value, list) or all(map(_is_storable, value))


def form_data(values: Mapping[str, Any]) -> QueryDict:
    """Values of a JSON body as a form reads them: lists become several values, false and null none."""
    data = QueryDict(mutable=True)
    for name, value in values.items():
        if isinstance(value, list):
            data.setlist(name, [str(one) for one in value])
        elif value is True:
            data[name] = "on"
        elif value is not None and value is not False:
            data[name] = str(value)
    return data


def changes_of(body: Schema, *nullable: str) -> dict[str, Any]:
    """What the body names. Null counts as not named, except in the `nullable` fields, which null empties."""
    named = body.dict(exclude_unset=True)
    return {name: value for name, value in named.items() if value is not None or name in nullable}


def valid(form: Form, names: Mapping[str, str] | None = None) -> Form:
    """The form, if what it was filled in with is valid. Else its sentences are the answer, about fields by their `names`."""
    if not form.is_valid():
        raise form_problem(form, names)
    return form


def filled_in(form: BaseForm) -> dict[str, Any]:
    """What a form shows before somebody changes it."""
    return {name: form[name].value() for name in form.fields}


def sent_file(request: ApiRequest, name: str) -> UploadedFile[bytes]:
    """The body of the call as a file with this name."""
    if request.spooled is not None:
        request.spooled.name = name
        file = request.spooled
    elif request.body:
        file = SimpleUploadedFile(name, request.body)
    else:
        raise Problem(422, f"{name} is empty: the body of the call has no bytes.")
    if (file.size or 0) > settings.UPLOAD_LIMIT:
        limit = filesizeformat(settings.UPLOAD_LIMIT)
        raise Problem(
            413, f"{name} is too large. Nothing was stored. This site takes files of up to {limit}."
        )
    return file


def address(name: str, *arguments: object) -> str:
    """The address of an operation, by its name."""
    return reverse(f"api-v1:{name}", args=arguments)


def of_bodies(*descriptions: str) -> dict[str, Any]:
    """For `openapi_extra`: the operation takes a file as its body."""
    return {
        "requestBody": {
            "required": True,
            "description": " ".join(descriptions),
            "content": {"application/octet-stream": {"schema": {"type": "string", "format": "binary"}}},
        }
    }
