"""What must not stand in a log, or not time and again."""

import logging
import re
import time

SAY_AGAIN_SECONDS = 60.0
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
