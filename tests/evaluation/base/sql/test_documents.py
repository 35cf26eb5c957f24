"""Counting the documents that a query set knows."""

import pytest
from django.db import connection

from evaluation.base.sql import count_known
from judgments.models import Document, QuerySet
from tests import factories as make

pytestmark = pytest.mark.django_db


def fill(query_set: QuerySet, count: int) -> None:
    Document.objects.bulk_create(
        Document(query_set=query_set, external_id=f"d{number}") for number in range(count)
    )


def test_documents_of_the_own_query_set_are_counted_once():
    query_set = make.make_query_set()
    make.make_document(query_set, "d1")
    make.make_document(query_set, "Ω “2”")
    make.make_document(make.make_query_set(), "d3")

    assert count_known(query_set.pk, ["d1", "d1", "Ω “2”", "d3", "D1"]) == 2
    assert count_known(query_set.pk, []) == 0


def test_a_planner_that_knows_nothing_of_a_new_query_set_does_not_compare_all_with_all():
    fill(make.make_query_set(), 30_000)
    with connection.cursor() as cursor:
        cursor.execute("ANALYZE judgments_document")
    query_set = make.make_query_set()
    fill(query_set, 30_000)
    with connection.cursor() as cursor:
        cursor.execute("SET LOCAL statement_timeout = '3s'")

    assert count_known(query_set.pk, [f"d{number}" for number in range(10_000, 40_000)]) == 20_000
