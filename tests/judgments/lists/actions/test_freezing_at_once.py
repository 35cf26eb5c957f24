"""Several who freeze a list at the same moment."""

from concurrent.futures import ThreadPoolExecutor

import pytest
from django.db import connection, transaction

from judgments.lists.actions.versions import freeze_version
from judgments.models import JudgmentList, Version
from tests import factories as make


@pytest.fixture
def judgment_list(transactional_db):
    """Gone at the end with its versions, since no table with a version can be emptied."""
    judgment_list = make.make_list(make.make_query_set())
    query, document = make.make_query(judgment_list.query_set), make.make_document(judgment_list.query_set)
    make.make_consensus(make.make_pair(judgment_list, query, document), 2)
    yield judgment_list
    with transaction.atomic(), connection.cursor() as cursor:
        cursor.execute("SET LOCAL touchstone.deleting = 'yes'")
        judgment_list.query_set.delete()


def freeze(key: int) -> int:
    try:
        return freeze_version(judgment_list=JudgmentList.objects.get(pk=key)).number
    finally:
        connection.close()


def test_each_gets_a_number_of_its_own(judgment_list):
    with ThreadPoolExecutor(4) as pool:
        numbers = list(pool.map(freeze, [judgment_list.pk] * 8))

    assert sorted(numbers) == list(range(1, 9))
    assert Version.objects.values("sha256").distinct().count() == 1
