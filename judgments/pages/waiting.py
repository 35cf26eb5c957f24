"""Limits how long requests wait for locks on a list, and how many wait."""

import time
from collections.abc import Callable
from functools import wraps
from threading import Lock
from typing import Any, Final, TypeVar, cast

from django.db import OperationalError
from django.http import HttpResponse

from judgments.base.sql.locks import waiting_at_most
from judgments.pages.errors import temporary_problem

_View = TypeVar("_View", bound=Callable[..., HttpResponse])

LONGEST_MS: Final = 800
"""Less than PostgreSQL's deadlock_timeout: of an import and a rater who wait for each other, the rater gives way."""
SHORTEST_MS: Final = 20
BUSY_SECONDS: Final = 1.0


class LockPatience:
    """Lets one request at a time wait for a lock that is known to be taken.

    Else fifty raters of one list would hold every thread of the site during an import into it. Each web process learns for
    itself.
    """

    def __init__(self) -> None:
        self._lock = Lock()
        self._busy_until: dict[object, float] = {}

    def milliseconds(self, what: object) -> int:
        """How long a request may wait for it now."""
        now = time.monotonic()
        with self._lock:
            if now < self._busy_until.get(what, now):
                return SHORTEST_MS
            if what in self._busy_until:
                self._busy_until[what] = now + BUSY_SECONDS
        return LONGEST_MS

    def learn(self, what: object, *, busy: bool) -> None:
        with self._lock:
            if busy:
                self._busy_until[what] = time.monotonic() + BUSY_SECONDS
            else:
                self._busy_until.pop(what, None)


PATIENCE: Final = LockPatience()


def not_for_long(view: _View) -> _View:
    """For views that raters of the list `pk` use all the time, so that waiting raters leave threads for others.

    Answers 503 after LONGEST_MS; the script of the rating screen keeps judgments and sends them again.
    """

    @wraps(view)
    def view_without_long_waits(request: Any, pk: int, *args: Any, **kwargs: Any) -> HttpResponse:
        what = view.__name__, pk
        try:
            with waiting_at_most(PATIENCE.milliseconds(what)):
                response = view(request, pk, *args, **kwargs)
        except OperationalError as error:
            if temporary_problem(error) == "busy":
                PATIENCE.learn(what, busy=True)
            raise
        PATIENCE.learn(what, busy=False)
        return response

    return cast(_View, view_without_long_waits)
