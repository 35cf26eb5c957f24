"""What load balancers and Prometheus ask a host for: `/health/live`, `/health/ready` and `/metrics`.

Middleware, because they ask by address: the names in ALLOWED_HOSTS and HTTPS are for people. No session is read.
"""

import hmac
import time
from collections.abc import Callable
from functools import cache
from typing import Final

from django.conf import settings
from django.core.exceptions import MiddlewareNotUsed
from django.db import DatabaseError, OperationalError
from django.db.migrations.loader import MigrationLoader
from django.db.migrations.recorder import MigrationRecorder
from django.http import HttpRequest, HttpResponse, HttpResponseBase, HttpResponseNotAllowed, JsonResponse

from config.front import REFUSED
from config.monitored_paths import LIVE, METRICS, READY
from judgments.people.views.security_log import log_event

METHODS: Final = ("GET", "HEAD")
METRICS_TYPE: Final = "text/plain; version=0.0.4; charset=utf-8"


class MonitoringMiddleware:
    """Answers the addresses of this module; the others go on."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponseBase]) -> None:
        self.get_response = get_response
        self._answers = {LIVE: live, READY: ready} | ({METRICS: metrics} if settings.METRICS_TOKEN else {})

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        answer = self._answers.get(request.path)
        if answer is None:
            return self.get_response(request)
        return answer(request) if request.method in METHODS else HttpResponseNotAllowed(METHODS)


class CountingMiddleware:
    """Counts requests and measures how long they take, where the site has metrics."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponseBase]) -> None:
        if not settings.METRICS_TOKEN:
            raise MiddlewareNotUsed
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        from config.metrics import REQUESTS, RUNNING, SECONDS

        start = time.perf_counter()
        with RUNNING.track_inprogress():
            response = self.get_response(request)
        match = request.resolver_match
        view = match.view_name if match else ""
        method = request.method if request.method in ("GET", "HEAD", "POST") else "other"
        REQUESTS.labels(view=view, method=method, status=response.status_code).inc()
        SECONDS.labels(view=view).observe(time.perf_counter() - start)
        return response


def live(request: HttpRequest) -> HttpResponse:
    """The process answers; nothing else is looked at. If it doesn't, start it again."""
    return JsonResponse({"status": "live"})


def ready(request: HttpRequest) -> HttpResponse:
    """200 if pages can be served, else 503 with the reason in a word. A load balancer sends people elsewhere meanwhile."""
    problem = "database" if _database_hangs(request) else _problem()
    if problem:
        return JsonResponse({"status": "not ready", "problem": problem}, status=503)
    return JsonResponse({"status": "ready"})


def _database_hangs(request: HttpRequest) -> bool:
    """As config.front has found."""
    return request.META.get(REFUSED) == "away"


def _problem() -> str:
    try:
        rows = MigrationRecorder.Migration.objects.values_list("app", "name")
        return "" if _newest_migrations() <= set(rows) else "migrations"
    except OperationalError:
        return "database"
    except DatabaseError:  # an empty database doesn't even have the table
        return "migrations"


@cache
def _newest_migrations() -> frozenset[tuple[str, str]]:
    """The last migration of each app. A database that has more is fine: a newer version has migrated it."""
    return frozenset(MigrationLoader(None).graph.leaf_nodes())


def metrics(request: HttpRequest) -> HttpResponse:
    """Figures for Prometheus, for whoever has the token."""
    sent = request.headers.get("Authorization", "")
    if not hmac.compare_digest(sent.encode(), f"Bearer {settings.METRICS_TOKEN}".encode()):
        log_event("denied", request, bad=True, status=401, user="")
        return HttpResponse("Send the metrics token.\n", status=401, headers={"WWW-Authenticate": "Bearer"})
    from config.metrics import exposition

    return HttpResponse(exposition(hung=_database_hangs(request)), content_type=METRICS_TYPE)
