"""A rater does not wait for longer changes of the list: 503, and the same answer again later is saved once."""

from contextlib import contextmanager

import pytest
from django.db import connection, transaction

from judgments.base.sql import locks
from judgments.base.sql.locks import LOCK
from judgments.judging.actions import queue
from judgments.models import Judgment
from judgments.pages import waiting
from judgments.pages.waiting import BUSY_SECONDS, LONGEST_MS, SHORTEST_MS, LockPatience
from tests.judgments.judging.views.judge_pages import SCRIPT, address, answer, fields_of, make_pairs

pytestmark = pytest.mark.django_db(transaction=True)
PLACES = "SELECT FROM judgments_raterqueue WHERE judgment_list_id = %(list)s FOR UPDATE"


@contextmanager
def held(statement, judgment_list):
    """What another transaction holds; a request that would wait for its end is cut off as an error of the server."""
    other = connection.copy()
    other.set_autocommit(False)
    with connection.cursor() as cursor:
        cursor.execute("SET statement_timeout = '30s'")
    try:
        with other.cursor() as cursor:
            cursor.execute(statement, {"list": judgment_list.pk})
        yield
    finally:
        other.close()
        with connection.cursor() as cursor:
            cursor.execute("RESET statement_timeout")


@pytest.fixture(autouse=True)
def _nothing_is_known_to_be_busy(monkeypatch):
    monkeypatch.setattr(waiting, "PATIENCE", LockPatience())


@pytest.fixture
def patient_client(client):
    client.raise_request_exception = False
    return client


def test_an_answer_does_not_wait_for_an_import_and_is_saved_when_it_comes_again(
    patient_client, query_set, rater, monkeypatch
):
    judgment_list = make_pairs(query_set)
    fields = fields_of(patient_client.get(address(judgment_list)))

    with monkeypatch.context() as hurry, held(LOCK, judgment_list):
        hurry.setattr(waiting, "LONGEST_MS", 50)
        refusal = answer(patient_client, judgment_list, fields, **SCRIPT)
        page = answer(patient_client, judgment_list, fields)
    response = answer(patient_client, judgment_list, fields, **SCRIPT)

    assert (refusal.status_code, refusal["Retry-After"], refusal.json()["kind"]) == (503, "3", "busy")
    assert page.status_code == 503
    assert "A longer change is under way" in page.content.decode()
    assert response.status_code == 200
    assert Judgment.objects.filter(judgment_list=judgment_list).count() == 1


def test_the_next_document_does_not_wait_for_a_place_that_an_import_counts(
    patient_client, query_set, rater, monkeypatch
):
    judgment_list = make_pairs(query_set)
    patient_client.get(address(judgment_list))

    with monkeypatch.context() as hurry, held(PLACES, judgment_list):
        hurry.setattr(waiting, "LONGEST_MS", 50)
        page = patient_client.get(address(judgment_list))

    assert page.status_code == 503
    assert patient_client.get(address(judgment_list)).status_code == 200


def test_elsewhere_the_wait_is_as_long_as_the_database_has_it(query_set, rater):
    judgment_list = make_pairs(query_set)

    with transaction.atomic(), connection.cursor() as cursor:
        cursor.execute("SET LOCAL lock_timeout = '7s'")
        queue.claim(user=rater, judgment_list=judgment_list, at=judgment_list.created_at)
        cursor.execute("SHOW lock_timeout")
        after = cursor.fetchone()

    assert after == ("7s",)


def test_of_many_raters_who_wait_for_one_list_one_at_a_time_looks_whether_it_is_free(monkeypatch):
    now = 100.0
    monkeypatch.setattr(waiting.time, "monotonic", lambda: now)
    patience = LockPatience()

    patience.learn("list 1", busy=True)
    assert [patience.milliseconds("list 1") for _ in range(3)] == [SHORTEST_MS] * 3
    assert patience.milliseconds("list 2") == LONGEST_MS
    now += BUSY_SECONDS
    assert [patience.milliseconds("list 1") for _ in range(3)] == [LONGEST_MS, SHORTEST_MS, SHORTEST_MS]
    patience.learn("list 1", busy=False)
    assert [patience.milliseconds("list 1") for _ in range(3)] == [LONGEST_MS] * 3


def test_requests_after_one_that_waited_in_vain_are_told_at_once(
    patient_client, query_set, rater, monkeypatch
):
    judgment_list = make_pairs(query_set)
    fields = fields_of(patient_client.get(address(judgment_list)))
    limits = []

    def watch(milliseconds):
        limits.append(milliseconds)
        return locks.waiting_at_most(milliseconds)

    monkeypatch.setattr(waiting, "waiting_at_most", watch)
    with held(LOCK, judgment_list):
        refusal = [answer(patient_client, judgment_list, fields, **SCRIPT).status_code for _ in range(3)]
    response = answer(patient_client, judgment_list, fields, **SCRIPT)

    assert refusal == [503] * 3
    assert limits[:3] == [LONGEST_MS, SHORTEST_MS, SHORTEST_MS]
    assert response.status_code == 200
    assert Judgment.objects.filter(judgment_list=judgment_list).count() == 1
