"""Calls the HTTP API of a site from Python."""

from touchstone_core.client.errors import (
    ConflictError,
    FieldProblem,
    ForbiddenError,
    InvalidError,
    JobFailedError,
    NotFoundError,
    SiteError,
    TokenError,
    UnavailableError,
)
from touchstone_core.client.site import Site

__all__ = [
    "ConflictError",
    "FieldProblem",
    "ForbiddenError",
    "InvalidError",
    "JobFailedError",
    "NotFoundError",
    "Site",
    "SiteError",
    "TokenError",
    "UnavailableError",
]
