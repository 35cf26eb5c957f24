"""How the lines of the log look, what must not stand in them, and what need not stand there time and again."""

import json
import logging
import re
import time
from datetime import UTC, datetime
from typing import Any

from django.core.exceptions import BadRequest, SuspiciousOperation
from django.http.multipartparser import MultiPartParserError
from django.utils.text import Truncator

SAY_AGAIN_SECONDS = 60.0
LONGEST_REFUSAL = 200
CLIENT_ERRORS = (SuspiciousOperation, BadRequest, MultiPartParserError)
_INVITATION = re.compile(r"/join/[^/\s]+")


class WithoutTokens(logging.Filter):
    """Leaves the tokens of invitations out of messages: Django names the address of a request that was refused."""

    def filter(self, record: logging.LogRecord) -> bool:
        record.msg, record.args = _INVITATION.sub("/join/…", record.getMessage()), None
        return True


class BriefTrouble(logging.Filter):
    """Says trouble that passes in one line, at most once a minute for each kind, instead of a traceback for each request.

    The database is out of reach, a list is locked, the disk is full: the code is not at fault, and a site with fifty
    raters would write thousands of lines in the time.
    """

    def __init__(self) -> None:
        super().__init__()
        self._said: dict[str, float] = {}

    def filter(self, record: logging.LogRecord) -> bool:
        if not (record.exc_info and record.exc_info[1]):
            return True
        from judgments.pages.errors import PROBLEMS, temporary_problem

        kind = temporary_problem(record.exc_info[1])
        if not kind:
            return True
        now = time.monotonic()
        if now - self._said.get(kind, -SAY_AGAIN_SECONDS) < SAY_AGAIN_SECONDS:
            return False
        self._said[kind] = now
        record.msg, record.args = f"{PROBLEMS[kind]} Requests are answered with 503 meanwhile.", None
        record.exc_info = record.exc_text = None
        return True


class BriefRefusals(logging.Filter):
    """Says what a client did wrong in one short line: its request was refused as it should be, so a traceback helps nobody.

    Scanners ask for other hosts by the thousand.
    """

    def filter(self, record: logging.LogRecord) -> bool:
        if record.exc_info and isinstance(record.exc_info[1], CLIENT_ERRORS):
            message = " ".join(record.getMessage().split())
            record.msg, record.args = Truncator(message).chars(LONGEST_REFUSAL), None
            record.exc_info = record.exc_text = None
        return True


class TextLines(logging.Formatter):
    """For people. A line about a request ends with its ID, which its error page shows, too."""

    def formatMessage(self, record: logging.LogRecord) -> str:
        request_id = request_facts(record).get("request_id")
        return super().formatMessage(record) + (f" (request {request_id})" if request_id else "")


class JsonLines(logging.Formatter):
    """For programs: one JSON object per line, tracebacks included."""

    def format(self, record: logging.LogRecord) -> str:
        line: dict[str, Any] = {
            "time": datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds"),
            "level": record.levelname.lower(),
            "logger": record.name,
            "message": record.getMessage(),
        }
        line |= request_facts(record) | getattr(record, "facts", {})
        if record.exc_info:
            line["traceback"] = self.formatException(record.exc_info)
        return json.dumps(line, default=str)


def request_facts(record: logging.LogRecord) -> dict[str, str]:
    """The request that this line is about, if it is about one. Django and our own loggers pass it along."""
    from django.http import HttpRequest

    from judgments.pages.http import request_id

    request = getattr(record, "request", None)
    if not isinstance(request, HttpRequest) or not request_id(request):
        return {}
    path = _INVITATION.sub("/join/…", request.path)
    return {"request_id": request_id(request), "method": request.method or "", "path": path}
