"""Copying and deleting query sets and lists through their pages."""

import pytest
from django.urls import reverse

from judgments.models import JudgmentList, QuerySet
from tests import factories as make
from tests.evaluation.whole_set import WholeSet

pytestmark = pytest.mark.django_db


@pytest.fixture
def whole(client):
    whole = WholeSet()
    client.force_login(whole.admin)
    return whole


def post(client, name, key, /, **data):
    return client.post(reverse(name, args=[key]), data)


def test_a_copy_is_made_of_what_is_ticked(client, whole):
    response = post(client, "query-set-copy", whole.query_set.pk, name="Second", lists="on", runs="on")

    made = QuerySet.objects.get(name="Second")
    assert response["Location"] == reverse("query-set", args=[made.pk])
    assert (made.judgment_lists.count(), made.runs.count(), made.raters.count()) == (2, 2, 0)


@pytest.mark.parametrize(
    ("data", "sentence"),
    [
        ({"name": "shop"}, "There is a query set of this name already"),
        ({"name": ""}, "Fill in this field."),
        ({"name": "Second", "judgments": "on"}, "Judgments belong to lists"),
    ],
)
def test_a_copy_that_cannot_be_is_refused(client, whole, data, sentence):
    response = post(client, "query-set-copy", whole.query_set.pk, **data)

    assert response.status_code == 422
    assert sentence in response.content.decode()
    assert QuerySet.objects.count() == 1


def test_a_name_taken_a_moment_ago_is_told(client, whole, monkeypatch):
    monkeypatch.setattr("evaluation.start.forms.CopyForm.clean_name", lambda form: form.cleaned_data["name"])

    response = post(client, "query-set-copy", whole.query_set.pk, name="Shop")

    assert response.status_code == 422
    assert "“Shop” is taken already" in response.content.decode()


def test_the_page_says_what_would_be_lost(client, whole):
    page = client.get(reverse("query-set-delete", args=[whole.query_set.pk])).content.decode()
    page = " ".join(page.split())

    for loss in ("2 queries", "2 documents", "2 judgment lists", "4 pairs", "8 judgments", "2 runs"):
        assert f"<li>{loss}</li>" in page
    assert "1 frozen version" in page
    assert "Scores were computed from First, version 1." in page


def test_an_empty_query_set_loses_nothing(client):
    query_set = make.make_query_set()
    client.force_login(make.make_user(is_superuser=True))

    page = client.get(reverse("query-set-delete", args=[query_set.pk])).content.decode()

    assert "It’s empty." in page


def test_the_right_name_deletes(client, whole):
    refused = post(client, "query-set-delete", whole.query_set.pk, typed="Shopp")
    empty = post(client, "query-set-delete", whole.query_set.pk, typed="")
    assert (refused.status_code, empty.status_code) == (422, 422)
    assert "Type exactly: Shop" in refused.content.decode()
    assert QuerySet.objects.exists()

    response = post(client, "query-set-delete", whole.query_set.pk, typed="Shop")

    assert response["Location"] == reverse("query-sets")
    assert not QuerySet.objects.exists()


def test_a_list_is_deleted_by_its_name(client, whole):
    page = client.get(reverse("list-delete", args=[whole.second.pk])).content.decode()
    assert "<li>4 judgments</li>" in page

    response = post(client, "list-delete", whole.second.pk, typed="Second")

    assert response["Location"] == reverse("query-set-lists", args=[whole.query_set.pk])
    assert JudgmentList.objects.get() == whole.list


def test_a_list_with_versions_is_not(client, whole):
    page = client.get(reverse("list-delete", args=[whole.list.pk])).content.decode()
    response = post(client, "list-delete", whole.list.pk, typed="First")

    assert "has 1 frozen version, which published scores may name" in page
    assert '<button class="btn btn-danger">' not in page
    assert response.status_code == 422
    assert JudgmentList.objects.count() == 2
