"""Answers calls of the HTTP API in the name of their token's owner. Sessions and cookies count for nothing there."""

import hashlib
from collections.abc import Callable
from contextlib import ExitStack
from datetime import datetime
from typing import Any, Final

from django.conf import settings
from django.contrib.auth.models import AnonymousUser
from django.core.files.uploadedfile import TemporaryUploadedFile
from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.utils.timezone import now

from config.front import SMALL_BODY
from config.middleware import body_length
from judgments.base.tokens import digest
from judgments.models import NO_LIMITS, ApiToken, limited
from judgments.pages.archive_guard import SAFE_METHODS
from judgments.pages.calls import IDEMPOTENCY_KEY, refuse_unstorable
from judgments.pages.errors import API_SENTENCES
from judgments.pages.problems import MEDIA_TYPE, Problem, is_api, problem_response
from judgments.people.actions import api_calls
from judgments.people.actions.api_calls import Answer
from judgments.people.views.security_log import log_event

PUBLIC: Final = frozenset({"/api/v1/openapi.json", "/api/v1/docs/", "/api/v1/docs"})
LONGEST_KEY: Final = 200
REPLAYED: Final = "Idempotency-Replayed"
KEPT_HEADERS: Final = ("Content-Type", "Location", "Retry-After")
UNAUTHORIZED: Final = {
    "none": "Send a token as “Authorization: Bearer …”.",
    "unknown": "This site knows no such token.",
    "expired": "This token has expired.",
    "revoked": "This token was revoked.",
    "no rights any more": "This token has ended: its account can’t be used any more, or is no member of its query set.",
}
"""Whoever has the text of a token may know what became of it."""
CREATE_ONE: Final = "Create one on your account page."
READ_ONLY: Final = "This token may only read. Create one that may do what engineers do."
NO_LENGTH: Final = "Send the length of the body as Content-Length. A body in chunks isn’t read."
OTHERS: Final = {405: "This address doesn’t take this method."}


class ApiMiddleware:
    """Must come after the authentication middleware, and before everything that asks who acts."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponseBase]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        if not is_api(request):
            return self.get_response(request)
        if request.path in PUBLIC:
            return self.get_response(request)
        request.user = AnonymousUser()
        try:
            response = self._answer(request)
        except Problem as problem:
            if problem.status == 403:
                log_event("denied", request, bad=True, status=403, user=request.user.get_username())
            response = problem_response(problem.status, problem.detail, errors=problem.errors)
        except api_calls.TooManyCallsError as error:
            log_event("denied", request, bad=True, status=429, user=request.user.get_username())
            response = problem_response(429, str(error), headers={"Retry-After": str(error.seconds)})
        return _as_problem(response)

    def _answer(self, request: HttpRequest) -> HttpResponseBase:
        token, at = _token_of(request), now()
        if token is None:
            why = _why_refused(request, at)
            log_event("token-refused", request, bad=True, **why)
            return problem_response(
                401,
                f"{UNAUTHORIZED[why['reason']]} {CREATE_ONE}",
                headers={"WWW-Authenticate": 'Bearer realm="Touchstone"'},
            )
        request.user, request.token, request.spooled = token.user, token, None  # type: ignore[attr-defined]
        api_calls.count_call(user=token.user, at=at, most=settings.API_CALLS)
        api_calls.note_use(token=token, at=at)
        if request.headers.get("Transfer-Encoding"):
            raise Problem(411, NO_LENGTH)
        refuse_unstorable(dict(request.GET.lists()))
        if request.method in SAFE_METHODS:
            with limited(token.limits):
                return self.get_response(request)
        if not token.may_change:
            raise Problem(403, READ_ONLY)
        return self._change(request, token)

    def _change(self, request: HttpRequest, token: ApiToken) -> HttpResponseBase:
        with ExitStack() as closing, limited(token.limits):
            body = _read_body(request, closing)
            key = request.headers.get(IDEMPOTENCY_KEY, "")
            if not key:
                return self.get_response(request)
            if len(key) > LONGEST_KEY:
                raise Problem(422, f"An {IDEMPOTENCY_KEY} has at most {LONGEST_KEY} characters.")
            call = digest("\n".join([request.method or "", request.get_full_path(), body]))
            try:
                answer, is_replayed = api_calls.answer_once(
                    user=token.user,
                    key=_own_key(token, key),
                    call=call,
                    at=now(),
                    answer=lambda: self._given(request),
                )
            except api_calls.KeyUsedError as error:
                raise Problem(422, str(error)) from None
            except api_calls.BeingAnsweredError as error:
                return problem_response(409, str(error), headers={"Retry-After": "1"})
            response = HttpResponse(answer.body, status=answer.status, headers=answer.headers)
            if is_replayed:
                response[REPLAYED] = "true"
            return response

    def _given(self, request: HttpRequest) -> Answer:
        response = self.get_response(request)
        headers = {name: response[name] for name in KEPT_HEADERS if response.has_header(name)}
        is_secret = getattr(request, "has_secret_answer", False)
        return Answer(response.status_code, headers, response.getvalue(), is_secret)


def _own_key(token: ApiToken, key: str) -> str:
    """The key of all tokens with the same limits. No other token is given their answers: it might not get them itself.

    Tokens without limits have the bare key, as before this distinction was made.
    """
    return key if token.limits == NO_LIMITS else "\n".join([token.scope, str(token.query_set_id), key])


def _token_of(request: HttpRequest) -> ApiToken | None:
    """The usable token of the call. One query."""
    if not (text := _bearer(request)):
        return None
    tokens = ApiToken.objects.usable(now()).select_related("user")
    return tokens.filter(token_sha256=digest(text)).first()


def _bearer(request: HttpRequest) -> str:
    scheme, _, text = request.headers.get("Authorization", "").partition(" ")
    return text.strip() if scheme.lower() == "bearer" else ""


def _why_refused(request: HttpRequest, at: datetime) -> dict[str, Any]:
    """For the security log: which token it was, whose, and why it can't be used."""
    text = _bearer(request)
    token = (
        ApiToken.objects.filter(token_sha256=digest(text)).select_related("user").first() if text else None
    )
    if token is None:
        return {"reason": "unknown" if text else "none"}
    reason = "revoked" if token.revoked_at else "expired" if token.expires_at <= at else "no rights any more"
    return {"reason": reason, "token": token.pk, "user": token.user.username}


def _read_body(request: HttpRequest, closing: ExitStack) -> str:
    """Reads the body, a large one into a file on disk, and returns its SHA-256."""
    length = body_length(request)
    if length <= SMALL_BODY:
        return hashlib.sha256(request.body).hexdigest()
    file = closing.enter_context(TemporaryUploadedFile("body", "application/octet-stream", length, None))
    sha256 = hashlib.sha256()
    while block := request.read(SMALL_BODY):
        file.write(block)
        sha256.update(block)
    file.flush()
    file.seek(0)
    request.spooled = file  # type: ignore[attr-defined]
    return sha256.hexdigest()


def _as_problem(response: HttpResponseBase) -> HttpResponseBase:
    """What Django or another middleware has refused without knowing of the API."""
    status = response.status_code
    if status < 400 or response.headers.get("Content-Type", "").startswith(MEDIA_TYPE):
        return response
    headers = {name: response[name] for name in ("Allow", "Retry-After") if response.has_header(name)}
    return problem_response(
        status, OTHERS.get(status) or API_SENTENCES.get(status, API_SENTENCES[400]), headers=headers
    )
