"""A worker as `manage.py work` runs it, for tests: in this process, on what is due, with whatever the tests before left behind gone."""

import threading
import time
from asyncio import events
from contextlib import contextmanager
from unittest import mock

from django.core.management import call_command
from django.db import connection
from procrastinate import PsycopgConnector
from procrastinate.contrib.django import app

WAITED_FOR = """
SELECT locktype FROM pg_locks JOIN pg_stat_activity USING (pid) WHERE NOT granted AND datname = current_database()
"""


def forget_jobs():
    """The tables of jobs are not Django's, so that a test that commits leaves its rows."""
    with connection.cursor() as cursor:
        cursor.execute("TRUNCATE procrastinate_jobs, procrastinate_workers CASCADE")


@contextmanager
def no_loop():
    """Since the first browser test a loop of events stands still in this thread, and another cannot run beside it."""
    standing = events._get_running_loop()
    events._set_running_loop(None)
    try:
        yield
    finally:
        events._set_running_loop(standing)


@contextmanager
def apart_from_requests():
    """A page that waits in a browser goes on asking for its job. The worker has another process in truth, with connections of its own."""
    of_site, of_worker = app.connector, PsycopgConnector.get_sync_connector

    def of_thread(self):
        is_request = "process_request_thread" in threading.current_thread().name
        return of_site if is_request else of_worker(self)

    with mock.patch.object(PsycopgConnector, "get_sync_connector", of_thread):
        yield


def work():
    with no_loop(), apart_from_requests():
        call_command("work", "--once")


def bring_forward():
    """What is asked for in a while is due now."""
    with connection.cursor() as cursor:
        cursor.execute("UPDATE procrastinate_jobs SET scheduled_at = NULL")


def taken_by_a_dead_worker():
    """All waiting jobs are in the hands of a worker that has not been heard of for a minute."""
    with connection.cursor() as cursor:
        cursor.execute(
            "WITH dead AS (INSERT INTO procrastinate_workers (last_heartbeat) "
            "VALUES (now() - interval '1 minute') RETURNING id) "
            "UPDATE procrastinate_jobs SET status = 'doing', worker_id = dead.id FROM dead WHERE status = 'todo'"
        )


def until(happened, seconds=180):
    deadline = time.monotonic() + seconds
    while not happened():
        assert time.monotonic() < deadline
        time.sleep(0.05)


def somebody_waits():
    """For a lock of `judgments.base.sql.locks`."""
    return _waited_for().count("advisory") == 1


def somebody_is_held_up():
    """By such a lock, or by a row that a transaction has written which has not ended."""
    return len(_waited_for()) == 1


def _waited_for():
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_stat_clear_snapshot()")  # a transaction looks once, and keeps what it saw
        cursor.execute(WAITED_FOR)
        return [kind for (kind,) in cursor.fetchall()]
