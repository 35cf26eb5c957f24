"""What people are told of rows that are being deleted, or that were deleted a moment before."""

import logging
from typing import Final

from django.core.exceptions import ObjectDoesNotExist
from django.http import HttpRequest, HttpResponse
from django.utils.deprecation import MiddlewareMixin

from judgments.models import Deletion
from judgments.pages.archive_guard import SAFE_METHODS
from judgments.pages.errors import row_deleted

LOGGER: Final = logging.getLogger("django.request")


class DeletedRowMiddleware(MiddlewareMixin):
    """Answers 404 if an action, which reads a row again under a lock, doesn't find it any more.

    That's no fault of the server: nothing was changed, and the page says so. Views answer 404 themselves.
    """

    def process_exception(self, request: HttpRequest, exception: Exception) -> HttpResponse | None:
        if request.method in SAFE_METHODS or not isinstance(exception, ObjectDoesNotExist):
            return None
        LOGGER.warning("Deleted before it was changed: %s", request.path, exc_info=exception)
        return row_deleted(request)


def deleted_in_background(deletion: Deletion) -> str:
    """For a message: the rows are out of reach already, whatever the worker does."""
    subject = deletion.subject
    return (
        f"{subject[0].upper()}{subject[1:]} can’t be reached any more. A worker deletes the rows: see Jobs."
    )
