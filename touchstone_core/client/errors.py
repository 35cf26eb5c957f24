"""What a site refuses, as exceptions with the site's own sentences."""

from dataclasses import dataclass
from typing import Any, Final

import httpx

from touchstone_core.offline.command_line import InputError

PROBLEM: Final = "application/problem+json"
ADDRESS: Final = "Check the address of the site: it is what stands before /api/v1."
NO_RECORD: Final = "This answer isn’t one of a site of Touchstone, or it is one of another version than this client. Check the address of the site."


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
        self, detail: str, *, status: int = 0, errors: tuple[FieldProblem, ...] = (), request_id: str = ""
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
    return _KINDS.get(status, SiteError)(
        problem.get("detail") or _said(response),
        status=status,
        errors=tuple(FieldProblem(one["field"], one["message"]) for one in problem.get("errors") or ()),
        request_id=response.headers.get("X-Request-ID", ""),
    )


def no_site(response: httpx.Response) -> SiteError:
    """The exception for an answer of something else, such as the page of a proxy on which people sign in."""
    return SiteError(
        f"{_start(response)}, but not as a site of Touchstone does. {ADDRESS} A proxy may also have answered in its place.",
        status=response.status_code,
    )


def _said(response: httpx.Response) -> str:
    if response.has_redirect_location:
        return (
            f"{_start(response)} and leads to {response.headers['Location']}. A token is sent to no other address. "
            "If your site is there, use its address."
        )
    return f"{_start(response)}." + (f" {ADDRESS}" if response.status_code == httpx.codes.NOT_FOUND else "")


def _start(response: httpx.Response) -> str:
    return f"{response.url.copy_with(query=None)} answered {response.status_code} {response.reason_phrase}"
