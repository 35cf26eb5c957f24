"""Connections behind a pooler, in the place of which a plain one stands here. tests/config/test_pgbouncer.py has the real one."""

import pytest
from django.db import connection, connections, transaction

from config.database_watch import HangGuard
from judgments.base.pooler import direct_alias
from judgments.base.pooler.base import DatabaseWrapper

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def pooled(monkeypatch):
    own = DatabaseWrapper(connection.settings_dict)
    monkeypatch.setattr(connections._connections, "default", own)
    yield own
    own.close()


def test_only_in_a_transaction_does_a_cursor_stay_in_the_database(pooled):
    named = "SELECT count(*) FROM pg_cursors WHERE name LIKE '_django_curs%%'"

    def cursors_meanwhile():
        with pooled.chunked_cursor() as chunks, pooled.cursor() as cursor:
            chunks.execute("SELECT generate_series(1, 5000)")
            cursor.execute(named)
            (count,) = cursor.fetchone()
            assert len(chunks.fetchall()) == 5000
        return count

    assert cursors_meanwhile() == 0
    with transaction.atomic():
        assert cursors_meanwhile() == 1


def test_nothing_set_for_pages_stays_with_a_connection(pooled):
    pooled.ensure_connection()
    HangGuard({"default": None}).attach(pooled)

    with pooled.cursor() as cursor:
        cursor.execute("SHOW statement_timeout")
        assert cursor.fetchone() == ("0",)


def test_jobs_and_the_watch_go_past_the_pooler_where_settings_say_how(monkeypatch):
    assert direct_alias() == "default"
    monkeypatch.setitem(connections.settings, "direct", connections.settings["default"])
    assert direct_alias() == "direct"
