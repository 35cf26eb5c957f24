"""What a new list starts with."""

import pytest
from django.urls import reverse

from judgments.lists.forms.lists import ListForm
from judgments.lists.presets import LIST_PRESETS
from judgments.models import JudgmentList
from tests import factories as make

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("admin")]


def form_of(client, query_set, **data):
    response = client.get(reverse("list-new", args=[query_set.pk]), data)
    return response.context["form"]


@pytest.mark.parametrize("name", LIST_PRESETS)
def test_each_preset_is_a_form_that_can_be_saved_as_it_is(client, query_set, name):
    form = form_of(client, query_set, preset=name)
    values = {field.html_name: field.value() for field in form}
    data = {key: value for key, value in values.items() if value is not None} | {
        "name": "New",
        "scale": make.preset().pk,
    }

    response = client.post(f"{reverse('list-new', args=[query_set.pk])}?preset={name}", data)

    assert response.status_code == 302
    made = JudgmentList.objects.get(name="New")
    assert {field: getattr(made, field) for field in LIST_PRESETS[name].values} == LIST_PRESETS[name].values


def test_another_preset_keeps_what_was_entered(client, query_set):
    scale = str(make.preset("TREC 0–3").pk)
    entered = {
        "name": "New",
        "description": "For the spring",
        "scale": scale,
        "guidelines": "Read it.",
        "overlap": "1",
    }

    response = client.post(reverse("list-new", args=[query_set.pk]), entered | {"start_with": "careful"})

    form = response.context["form"]
    assert (response.status_code, form.errors, JudgmentList.objects.count()) == (200, {}, 0)
    kept = {name: form[name].value() for name in ("name", "description", "scale", "guidelines")}
    assert kept == {name: entered[name] for name in kept}
    assert {name: form[name].value() for name in LIST_PRESETS["careful"].values} == LIST_PRESETS[
        "careful"
    ].values


def test_an_unknown_preset_is_the_quick_one(client, query_set):
    assert form_of(client, query_set, preset="none")["overlap"].value() == 1
    assert form_of(client, query_set)["view"].value() == "list"


def test_presets_name_settings_only():
    for preset in LIST_PRESETS.values():
        assert preset.values.keys() <= set(ListForm.Meta.fields)


def test_the_fold_opens_for_what_is_wrong_in_it(client, query_set):
    address = reverse("list-new", args=[query_set.pk])

    inside = client.post(address, {"name": "New", "scale": make.preset().pk, "overlap": 0})
    outside = client.get(address)

    assert inside.status_code == 422
    assert '<details class="fold" open>' in inside.content.decode()
    assert '<details class="fold">' in outside.content.decode()
