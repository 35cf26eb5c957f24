"""Queries whose ID or text nobody can see."""

import pytest
from django.urls import reverse

from judgments.models import Query

pytestmark = pytest.mark.django_db


def test_a_query_that_nobody_can_see_is_refused(client, admin, query_set):
    url = reverse("query-new", args=[query_set.pk])

    response = client.post(url, {"external_id": "\u200b", "text": "\u3164", "weight": 1})

    assert response.status_code == 422
    assert response.context["form"].errors == {
        "external_id": ["Enter an ID that can be seen."],
        "text": ["Enter a text that can be seen."],
    }
    assert not Query.objects.filter(query_set=query_set).exists()
