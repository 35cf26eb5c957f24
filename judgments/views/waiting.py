"""How long a request may wait for what others do to the same list."""

from collections.abc import Callable
from functools import wraps
from typing import Any, TypeVar, cast

from django.http import HttpResponse

from judgments.ingest.locks import waiting_at_most

_View = TypeVar("_View", bound=Callable[..., HttpResponse])

LONGEST_MS = 4_000


def not_for_long(view: _View) -> _View:
    """For what raters ask all the time: an import must not gather waiting raters until no thread is left for anybody.

    After LONGEST_MS the answer is 503; the script of the rating screen keeps what was given and sends it again.
    """

    @wraps(view)
    def hurried(*args: Any, **kwargs: Any) -> HttpResponse:
        with waiting_at_most(LONGEST_MS):
            return view(*args, **kwargs)

    return cast(_View, hurried)
