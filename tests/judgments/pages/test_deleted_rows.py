"""What is changed may have been deleted while the form was on its way."""

from concurrent.futures import ThreadPoolExecutor

import pytest
from django.db import connection, transaction
from django.test import Client
from django.urls import reverse

from judgments.base.sql import locks
from judgments.content.actions.deleting import delete_list
from judgments.models import Act, JudgmentList
from judgments.pages.deleted_rows import DeletedRowMiddleware
from judgments.pages.errors import page_not_found
from tests import factories as make
from tests.judgments.working import somebody_waits, until


def sent_in_another_connection(address, user, data):
    client = Client()
    client.force_login(user)
    try:
        return client.post(address, data)
    finally:
        connection.close()


@pytest.mark.django_db(transaction=True)
def test_the_second_of_two_clicks_on_delete_is_told():
    judgment_list = make.make_list(make.make_query_set(), name="Main")
    admin = make.make_member(judgment_list.query_set, "admin")
    address = reverse("list-delete", args=[judgment_list.pk])

    with ThreadPoolExecutor(1) as pool:
        with transaction.atomic():
            locks.lock_list(judgment_list.pk)
            sent = pool.submit(sent_in_another_connection, address, admin, {"typed": "Main"})
            until(somebody_waits)
            delete_list(judgment_list=judgment_list, confirmed_name="Main")
        answer = sent.result()

    assert answer.status_code == 404
    assert "Already deleted" in answer.content.decode()
    assert Act.objects.filter(judgment_list=judgment_list.pk, verb="deleted").count() == 1


@pytest.mark.parametrize(
    ("method", "error"), [("get", JudgmentList.DoesNotExist()), ("post", ValueError("our own fault"))]
)
def test_faults_of_our_own_are_not_explained_away(method, error, rf):
    request = getattr(rf, method)("/lists/1/")

    assert DeletedRowMiddleware(page_not_found).process_exception(request, error) is None
