"""What the `api` modules of every room share: the request, pages of rows, forms from JSON, files in a body."""

from collections.abc import Mapping
from typing import Annotated, Any, Final, Generic, TypeVar

from django.core.files.uploadedfile import SimpleUploadedFile, UploadedFile
from django.db import models
from django.http import HttpRequest, QueryDict
from django.urls import reverse
from django.utils.http import urlencode
from ninja import Schema
from pydantic import Field

from judgments.models import ApiToken
from judgments.pages.http import MemberRequest
from judgments.pages.problems import Problem

Item = TypeVar("Item")
Row = TypeVar("Row", bound=models.Model)
LARGEST_KEY: Final = 2**63 - 1
MOST_ROWS: Final = 1000


class ApiRequest(MemberRequest):
    """A call with a token: `user` is its owner. `spooled` is a large body, which was read already."""

    token: ApiToken
    spooled: UploadedFile[bytes] | None


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


def next_page(request: HttpRequest, after: int) -> str:
    """The address of this call for the rows after this key."""
    others = {name: texts for name, texts in request.GET.lists() if name != "after"}
    return f"{request.path}?{urlencode(others | {'after': after}, doseq=True)}"


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


def sent_file(request: ApiRequest, name: str) -> UploadedFile[bytes]:
    """The body of the call as a file with this name."""
    if request.spooled is not None:
        request.spooled.name = name
        return request.spooled
    if not request.body:
        raise Problem(422, "This file is empty. Send it as the body of the call.")
    return SimpleUploadedFile(name, request.body)


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
