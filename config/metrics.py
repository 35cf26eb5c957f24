"""Figures for Prometheus: requests of all web processes of this host, and what waits in the database.

Only imported where TOUCHSTONE_METRICS_TOKEN is set. Web processes count in files below `var/metrics`, so that one of them can
answer for all.
"""

import os
from collections.abc import Iterator
from typing import Any

from django.db import DatabaseError, connection
from django.db.models import Case, CharField, Count, F, Value, When
from django.db.models.functions import Cast, Now
from procrastinate.contrib.django.models import ProcrastinateJob
from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram, generate_latest
from prometheus_client.core import GaugeMetricFamily
from prometheus_client.multiprocess import MultiProcessCollector, mark_process_dead
from prometheus_client.registry import Collector

from config.monitored_paths import METRICS_FOLDER_VARIABLE

REQUESTS = Counter("touchstone_requests", "Answered requests.", ["view", "method", "status"])
SECONDS = Histogram(
    "touchstone_request_seconds",
    "Time until the first byte of an answer.",
    ["view"],
    buckets=(0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 15, 60),
)
RUNNING = Gauge("touchstone_requests_running", "Requests that are worked on.", multiprocess_mode="livesum")


class DatabaseCollector(Collector):
    """What PostgreSQL knows: the same on every host. One that hangs isn't asked."""

    def __init__(self, *, hung: bool) -> None:
        self._hung = hung

    def collect(self) -> Iterator[GaugeMetricFamily]:
        reachable = GaugeMetricFamily("touchstone_database_up", "1 if the database answers.")
        try:
            figures = None if self._hung else _database_figures()
        except DatabaseError:
            figures = None
        reachable.add_metric([], 0 if figures is None else 1)
        yield reachable
        if figures is None:
            return
        size, jobs = figures
        yield GaugeMetricFamily("touchstone_database_bytes", "Size of the database.", value=size)
        family = GaugeMetricFamily(
            "touchstone_jobs", "Background jobs; those that succeeded are gone.", labels=["queue", "status"]
        )
        for queue, status, count in jobs:
            family.add_metric([queue, status], count)
        yield family


def _database_figures() -> tuple[int, list[tuple[str, str, int]]]:
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_database_size(current_database())")
        size: int = cursor.fetchone()[0]
    # The column is an enumeration of procrastinate's, which knows no such state.
    state = Case(
        When(status="todo", scheduled_at__gt=Now(), then=Value("scheduled")),
        default=Cast(F("status"), CharField()),
    )
    jobs = ProcrastinateJob.objects.annotate(state=state).values_list("queue_name", "state")
    return size, list(jobs.annotate(count=Count("id")).order_by("queue_name", "state"))


def exposition(*, hung: bool) -> bytes:
    """The text that Prometheus reads."""
    collected = CollectorRegistry()
    if METRICS_FOLDER_VARIABLE in os.environ:
        MultiProcessCollector(collected)  # type: ignore[no-untyped-call]
    else:  # one process, such as a test's
        for metric in (REQUESTS, SECONDS, RUNNING):
            collected.register(metric)
    collected.register(DatabaseCollector(hung=hung))
    return generate_latest(collected)


def forget_process(arbiter: Any, worker: Any) -> None:
    """Called by gunicorn when a web process has ended: its counts stay, what it was working on goes."""
    mark_process_dead(worker.pid)  # type: ignore[no-untyped-call]
