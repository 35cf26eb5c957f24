"""What a site refuses, as exceptions with the site's own sentences."""

from dataclasses import dataclass
from typing import Any, Final

import httpx

from touchstone_core.offline.command_line import InputError

PROBLEM: Final = "application/problem+json"


@dataclass(frozen=True, slots=True)
class FieldProblem:
    """What is wrong with one field of a call. `field` is empty if it is about no single one."""

    field: str
    message: str


class SiteError(InputError):
    """A call that the site didn't answer. Printed, it is the site's sentence.

    `status` is that of HTTP, 0 if no answer came. `errors` name the fields, and `request_id` is in the site's log.
    """

    def __init__(
        self,
        detail: str,
        *,
        status: int = 0,
        errors: tuple[FieldProblem, ...] = (),
        request_id: str = "",
    ) -> None:
        super().__init__(detail)
        self.detail, self.status, self.errors, self.request_id = detail, status, errors, request_id


class TokenError(SiteError):
    """There is no token, or it has expired or was revoked."""


class ForbiddenError(SiteError):
    """The token or the role doesn't allow it."""


class NotFoundError(SiteError):
    """There is no such thing, or not for you."""


class ConflictError(SiteError):
    """The query set is archived, or something changed meanwhile."""


class InvalidError(SiteError):
    """Something in the call isn't valid; `errors` name the fields."""


class UnavailableError(SiteError):
    """The site couldn't be reached, or was too busy, for as long as the client has patience."""


class JobFailedError(SiteError):
    """A worker couldn't do what it was asked for."""


_KINDS: Final[dict[int, type[SiteError]]] = {
    400: InvalidError,
    401: TokenError,
    403: ForbiddenError,
    404: NotFoundError,
    409: ConflictError,
    411: InvalidError,
    413: InvalidError,
    422: InvalidError,
    429: UnavailableError,
    502: UnavailableError,
    503: UnavailableError,
    504: UnavailableError,
}


def error_of(response: httpx.Response) -> SiteError:
    """The exception for an answer that refuses the call. Its body has been read."""
    problem: dict[str, Any] = {}
    if response.headers.get("Content-Type", "").startswith(PROBLEM):
        problem = response.json()
    status = response.status_code
    said = f"{response.url.copy_with(query=None)} answered {status} {response.reason_phrase}."
    return _KINDS.get(status, SiteError)(
        problem.get("detail") or said,
        status=status,
        errors=tuple(FieldProblem(one["field"], one["message"]) for one in problem.get("errors") or ()),
        request_id=response.headers.get("X-Request-ID", ""),
    )
