"""Refuses parameters of a call that there aren't: a mistyped one would count as not sent, and nobody would notice."""

from collections.abc import Callable
from functools import wraps
from typing import Any, Final

from django.http import HttpRequest
from django.http.response import HttpResponseBase
from django.utils.text import get_text_list
from ninja.operation import Operation

from judgments.pages.problems import Problem

UNKNOWN: Final = "There is no parameter of this name. Correct it or leave it out."
NO_PARAMETERS: Final = "This call takes none."
Run = Callable[..., HttpResponseBase]


def refuse_unknown_parameters(run: Run) -> Run:
    """For `add_decorator` of the API, as a view: around `Operation.run`, which would first say what else is wrong."""
    operation: Operation = run.__self__  # type: ignore[attr-defined]
    known = known_parameters(operation)
    takes = f"This call takes {get_text_list(sorted(known), 'and')}." if known else NO_PARAMETERS

    @wraps(run)
    def run_or_refuse(request: HttpRequest, **places: Any) -> HttpResponseBase:
        if not (unknown := [name for name in request.GET if name not in known]):
            return run(request, **places)
        errors = [{"field": name, "message": UNKNOWN} for name in unknown]
        problem = Problem(422, f"{unknown[0]}: {UNKNOWN} {takes}", errors)
        return operation.api.on_exception(request, problem)

    return run_or_refuse


def known_parameters(operation: Operation) -> frozenset[str]:
    """The names that the description of the operation has behind the `?`."""
    of_query = [model for model in operation.models if model.__ninja_param_source__ == "query"]
    return frozenset(name for model in of_query for name in model.__ninja_flatten_map__)
