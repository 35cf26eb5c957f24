"""A database that answers nothing, in the place of one: what notices it, and what no longer waits for it."""

import socket
import threading
import time

import psycopg
import pytest
from django.db import OperationalError, connection

from config import database_watch
from config.database_watch import HangGuard, Watch
from judgments.pages.errors import server_error


def watch_of(**changes):
    parameters = connection.get_connection_params()
    return Watch({**parameters, "cursor_factory": None, "autocommit": True, **changes})


@pytest.fixture
def silent():
    """Where connections are taken and nothing is answered."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        yield {"host": "127.0.0.1", "port": server.getsockname()[1], "connect_timeout": 2}


@pytest.mark.django_db
def test_a_database_that_answers_does_not_hang(monkeypatch):
    monkeypatch.setattr(database_watch, "HANGS_AFTER", 0.0)
    watch = watch_of()

    own = watch.ask(None)
    assert watch.ask(own) is own
    assert not watch.hung()
    own.close()


def test_one_that_does_not_answer_hangs_until_it_does(monkeypatch, silent):
    monkeypatch.setattr(database_watch, "HANGS_AFTER", 0.1)
    watch = watch_of(**silent)

    assert watch.ask(None) is None
    assert watch.hung()


def test_one_that_refuses_does_not_hang(monkeypatch):
    monkeypatch.setattr(database_watch, "HANGS_AFTER", 0.0)
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
    watch = watch_of(host="127.0.0.1", port=port)

    assert watch.ask(None) is None
    assert not watch.hung()


def test_it_asks_time_and_again(monkeypatch):
    asked = threading.Semaphore(0)
    monkeypatch.setattr(database_watch, "PAUSE", 0.01)
    watch = watch_of()
    watch.ask = lambda own: asked.release()

    watch.start()

    assert all(asked.acquire(timeout=30) for _ in range(3))
    watch.ask = lambda own: time.sleep(1e6)  # a daemon, which ends with the process


@pytest.mark.django_db(transaction=True)
def test_a_statement_that_waits_for_a_hung_database_ends_and_the_page_says_so(rf):
    hung = threading.Event()
    watch = watch_of()
    watch.hung = hung.is_set
    own = connection.copy()
    own.ensure_connection()
    HangGuard({"default": watch}).attach(own)
    backend = own.connection.info.backend_pid
    with own.cursor() as cursor:
        cursor.execute("SHOW statement_timeout")
        assert cursor.fetchone() == (database_watch.STATEMENT_TIMEOUT,)

        threading.Timer(0.3, hung.set).start()
        with pytest.raises(OperationalError, match="does not answer") as caught:
            cursor.execute("SELECT pg_sleep(60)")
    own.close()
    with connection.cursor() as cursor:  # PostgreSQL, which was well all the while, would sleep on
        cursor.execute("SELECT pg_terminate_backend(%s, 10000)", [backend])

    try:
        raise caught.value
    except OperationalError:
        assert server_error(rf.get("/")).status_code == 503


@pytest.mark.django_db(transaction=True)
def test_a_connection_waits_for_its_own_server_only():
    """A replica that hangs is nothing to the primary, and the other way round."""
    well, hung = watch_of(), watch_of()
    hung.hung = lambda: True
    primary, replica = connection.copy(), connection.copy()
    guard = HangGuard({"default": well, "replica": hung})
    try:
        for own in (primary, replica):
            own.ensure_connection()
        replica.alias = "replica"
        for own in (primary, replica):
            guard.attach(own)
        with primary.cursor() as cursor:
            cursor.execute("SELECT pg_sleep(0.3)")
        with pytest.raises(OperationalError, match="does not answer"), replica.cursor() as cursor:
            cursor.execute("SELECT pg_sleep(1)")
    finally:
        primary.close()
        replica.close()


def test_psycopg_still_waits_where_the_watch_steps_in():
    """HangGuard takes the place of this method, and relies on its first argument being what it waits for."""
    assert psycopg.Connection.wait.__code__.co_varnames[:2] == ("self", "gen")
