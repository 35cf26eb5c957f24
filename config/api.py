"""The HTTP API: the routers of all rooms under one address, its errors, its description and its page for people."""

import json
from collections import Counter
from collections.abc import Sequence
from functools import cache, partial
from json import JSONDecodeError
from typing import Any, Final

from django.contrib.auth.decorators import login_not_required
from django.core.exceptions import ObjectDoesNotExist
from django.http import Http404, HttpRequest, HttpResponse, JsonResponse
from django.http.request import RawPostDataException
from django.shortcuts import render
from django.views.decorators.http import require_safe
from ninja import NinjaAPI, Router
from ninja.errors import HttpError, ValidationError
from ninja.operation import Operation
from ninja.parser import Parser
from ninja.security import HttpBearer

from config.api_docs import description_of, operations_by_tag
from config.api_parameters import refuse_unknown_parameters
from evaluation.comparisons.actions.comparing_errors import LaterError
from evaluation.comparisons.api import comparison, machines, queries, report, saved
from evaluation.comparisons.api import settings as comparing
from evaluation.effects import api as effects
from evaluation.explain import api as explain
from evaluation.formulas import api as formulas
from evaluation.gate import api as gate
from evaluation.guide import api as guide
from evaluation.impact import api as impact
from evaluation.pools.api import contests, pools
from evaluation.runs import api as runs
from evaluation.scores import api as scores
from evaluation.scores.actions.scoring_jobs import BeingScoredError
from evaluation.start import api as start
from judgments.agreement.actions.adjudication import DecidedMeanwhileError
from judgments.agreement.api import agreement, decisions, exclusions
from judgments.base.errors import ArchivedError, ChangedSinceError, JudgmentsError
from judgments.content.api import content, pairs, unused
from judgments.files.api import exports, imports, jobs, undoing
from judgments.lists.actions.versions import FrozenMeanwhileError
from judgments.lists.api import lists, removing, scales, versions
from judgments.log import api as log
from judgments.models import ApiToken
from judgments.overview import api as overview
from judgments.pages.archive_guard import SAFE_METHODS, archived_set_of
from judgments.pages.calls import PendingOut, refuse_unstorable
from judgments.pages.errors import API_SENTENCES, ROW_DELETED
from judgments.pages.fetching import VersionNotFoundError
from judgments.pages.field_errors import sentence_of
from judgments.pages.problems import Problem, field_problem, problem_response
from judgments.people import api as people
from judgments.raters.api import gold, raters
from touchstone_core.formats.problems import FormatError, shorten
from touchstone_core.metrics.errors import MetricsError

ROUTERS: Final[dict[str, list[Router]]] = {
    "Account and members": [people.router],
    "Query sets": [content.router, unused.router, pairs.router, start.router],
    "Lists and versions": [lists.router, overview.router, versions.router, scales.router],
    "Imports and exports": [exports.router, imports.router, undoing.router, jobs.router],
    "Pairs and raters": [pools.router, contests.router, removing.router, raters.router, gold.router],
    "Agreement": [agreement.router, decisions.router, exclusions.router],
    "Runs": [runs.router, impact.router],
    "Scores": [scores.router, explain.router, formulas.router, guide.router],
    "Comparisons": [
        *(comparison.router, queries.router, machines.router, report.router, saved.router),
        comparing.router,
    ],
    "Gate": [gate.router],
    "Effects": [effects.router],
    "Log": [log.router],
}
DESCRIPTION: Final = (
    "Everything that engineers and admins do by page. Errors are problem details (RFC 9457) with a sentence for people. "
    "Lists come in pages: follow `next` until it is null. Changes take an `Idempotency-Key`: the same call sent again with the "
    "same key is done once and gets the same answer for a day."
)
SMALL_ONLY: Final = "This call takes up to 1 MB of JSON. Only files may be larger."


class Bearer(HttpBearer):
    """For the description: the middleware has checked the token before."""

    def authenticate(self, request: HttpRequest, token: str) -> ApiToken | None:
        return getattr(request, "token", None)


def _problem(request: HttpRequest, error: Problem) -> HttpResponse:
    return problem_response(error.status, error.detail, errors=error.errors)


def _refused(request: HttpRequest, error: Exception, *, status: int) -> HttpResponse:
    return problem_response(status, str(error))


def _not_found(request: HttpRequest, error: Exception) -> HttpResponse:
    """409 where it is there, but in the archive."""
    if isinstance(error, VersionNotFoundError):
        return problem_response(404, str(error))
    if request.method in SAFE_METHODS:
        return problem_response(404, API_SENTENCES[404])
    if archived_set_of(request):
        return problem_response(409, str(ArchivedError()))
    return problem_response(404, API_SENTENCES[404] if isinstance(error, Http404) else ROW_DELETED)


def _invalid(request: HttpRequest, error: ValidationError) -> HttpResponse:
    """What isn't of the described form."""
    errors = [{"field": _field(one["loc"]), "message": sentence_of(one)} for one in error.errors]
    return problem_response(422, f"{errors[0]['field']}: {errors[0]['message']}", errors=errors)


def _field(place: Sequence[str | int]) -> str:
    """The name of a field or parameter, with where it is in others: `grades.1.key`. A place begins with body, body, or query."""
    return ".".join(map(str, place[2:] or place[-1:]))


def _unreadable(request: HttpRequest, error: HttpError) -> HttpResponse:
    cause = error.__cause__
    if isinstance(cause, Problem):  # of StorableParser
        return _problem(request, cause)
    if isinstance(cause, JSONDecodeError):
        why = f"It can’t be read from line {cause.lineno}, character {cause.colno} on."
    elif isinstance(cause, UnicodeDecodeError):
        why = f"It isn’t UTF-8 from byte {cause.start + 1:,} on."
    elif isinstance(cause, RecursionError):
        why = "Its lists and objects are nested too deeply."
    elif isinstance(cause, ValueError):
        why = "It has a number with too many digits."
    else:
        return problem_response(error.status_code, API_SENTENCES[400])
    return problem_response(400, f"The body isn’t JSON. {why}")


def _later(request: HttpRequest, error: LaterError | BeingScoredError) -> HttpResponse:
    """Calls that read are to be sent again in a moment. Changes are refused."""
    if request.method not in SAFE_METHODS:
        return problem_response(409, str(error))
    answer = PendingOut(state="running" if getattr(error, "running", False) else "waiting", detail=str(error))
    return JsonResponse(answer.dict(), status=202, headers={"Retry-After": "3"})


def _again(request: HttpRequest, error: Exception) -> HttpResponse:
    raise error  # for Django, which knows what passes by itself and what is our fault


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """An object. Of a repeated name, Python's reader would silently keep the last value."""
    members = dict(pairs)
    if len(members) < len(pairs):
        repeated = next(name for name, count in Counter(name for name, _ in pairs).items() if count > 1)
        raise field_problem(shorten(repeated), "This name is there twice. Name each field of an object once.")
    return members


class StorableParser(Parser):
    """Refuses JSON with text that can't be stored, or with a name twice. ApiMiddleware looks at the query."""

    def parse_body(self, request: HttpRequest) -> dict[str, Any]:
        body: Any = json.loads(request.body, object_pairs_hook=_once)
        refuse_unstorable(body if isinstance(body, dict) else {"body": body})
        return body  # type: ignore[no-any-return]


class Api(NinjaAPI):
    def get_openapi_operation_id(self, operation: Operation) -> str:
        """The name of the function alone: it is an operation's name for good, wherever the function moves."""
        return operation.view_func.__name__


def make_api() -> NinjaAPI:
    """The API with the routers of all rooms."""
    api = Api(
        title="Touchstone",
        version="1",
        description=DESCRIPTION,
        urls_namespace="api-v1",
        openapi_url=None,
        docs_url=None,
        auth=Bearer(),
        parser=StorableParser(),
    )
    api.add_decorator(refuse_unknown_parameters, mode="view")
    for tag, routers in ROUTERS.items():
        for router in routers:
            api.add_router("", router, tags=[tag])
    handlers: list[tuple[type[Exception], Any]] = [
        (Problem, _problem),
        (ValidationError, _invalid),
        (HttpError, _unreadable),
        (Http404, _not_found),
        (ObjectDoesNotExist, _not_found),
        (RawPostDataException, lambda request, error: problem_response(413, SMALL_ONLY)),
        (ArchivedError, partial(_refused, status=409)),
        (ChangedSinceError, partial(_refused, status=409)),
        (DecidedMeanwhileError, partial(_refused, status=409)),
        (FrozenMeanwhileError, partial(_refused, status=409)),
        (LaterError, _later),
        (BeingScoredError, _later),
        (JudgmentsError, partial(_refused, status=422)),
        (MetricsError, partial(_refused, status=422)),
        (FormatError, lambda request, error: problem_response(422, error.message)),
        (Exception, _again),
    ]
    for kind, handler in handlers:
        api.add_exception_handler(kind, handler)
    return api


api = make_api()


@cache
def document() -> dict[str, Any]:
    """The description as OpenAPI 3.1 has it."""
    return description_of(api)


@login_not_required
@require_safe
def openapi(request: HttpRequest) -> HttpResponse:
    return JsonResponse(document(), json_dumps_params={"ensure_ascii": False, "indent": 1})


@login_not_required
@require_safe
def docs(request: HttpRequest) -> HttpResponse:
    """Every operation for people, made of the same description."""
    return render(request, "judgments/pages/api_docs.html", {"chapters": operations_by_tag(document())})
