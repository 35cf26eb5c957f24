"""The scales that every installation starts with."""

import pytest
from django.core.management import call_command

from judgments.models import Grade, Scale

pytestmark = pytest.mark.django_db


def test_the_presets_of_the_product_are_there():
    names = list(Scale.objects.filter(query_set=None).order_by("pk").values_list("name", flat=True))

    assert names == [
        "Binary",
        "TREC 0–2",
        "TREC 0–3",
        "Five grades 0–4",
        "Five stars 1–5",
        "ESCI",
        "Continuous 0–1",
        "Slider 0–100",
    ]


def test_esci_has_the_gains_of_the_shopping_task():
    grades = Grade.objects.filter(scale__name="ESCI").values_list("label", "value", "gain")

    assert list(grades) == [
        ("Irrelevant", 0, 0),
        ("Complement", 1, 0.01),
        ("Substitute", 2, 0.1),
        ("Exact", 3, 1),
    ]


def test_migrating_again_changes_no_preset():
    Scale.objects.filter(name="Binary").update(description="Our own words.")

    call_command("migrate", verbosity=0)

    assert Scale.objects.filter(query_set=None).count() == 8
    assert Scale.objects.get(name="Binary").description == "Our own words."
