"""New evaluation: files of any kind dropped together, one preview, one button."""

import pytest
from django.urls import reverse

from evaluation.models import Run
from judgments.models import Document, Judgment, JudgmentList, Query, QuerySet
from tests.evaluation.scored import text_of
from tests.evaluation.start.views.drafting import SHOP, address_of, drop, press, signed_in

pytestmark = pytest.mark.django_db


def test_files_of_every_kind_become_an_evaluation_and_lead_to_the_comparison(client):
    draft = drop(signed_in(client), SHOP)
    page = text_of(client.get(address_of(draft)))

    response = press(client, draft, name="Shop")

    assert "Creates 2 queries, 3 documents, 3 judgments and 2 runs" in page
    query_set = QuerySet.objects.get()
    judgment_list = JudgmentList.objects.get()
    good, poor = Run.objects.order_by("name")
    assert query_set.name == "Shop"
    assert (
        response["Location"] == f"{reverse('comparison', args=[judgment_list.pk])}?runs={good.pk}-{poor.pk}"
    )
    assert list(Query.objects.values_list("external_id", "text").order_by("external_id")) == [
        ("q1", "red shoes"),
        ("q2", "boots"),
    ]
    assert dict(Document.objects.values_list("external_id", "title")) == {
        "d1": "Red shoes",
        "d2": "Blue shoes",
        "d3": "Boots",
    }
    assert sorted(Judgment.objects.values_list("value", flat=True)) == [0, 1, 2]
    assert judgment_list.scale.name == "TREC 0–2"
    assert client.get(response["Location"]).status_code == 200
