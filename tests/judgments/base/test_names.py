"""A name that is taken between the look-up of a form and the write of its action: a double click, two admins."""

import pytest
from django.db import IntegrityError
from django.urls import reverse

from judgments.base.names import NameTakenError
from judgments.content.actions.content import add_document, add_query
from judgments.content.actions.query_sets import change_query_set, create_query_set
from judgments.content.forms import QuerySetForm
from judgments.lists.actions.lists import change_list, create_list
from judgments.lists.actions.scales import GradeSpec, change_scale, create_scale
from judgments.lists.forms.lists import ListForm
from judgments.models import QuerySet
from tests import factories as make

pytestmark = pytest.mark.django_db
GRADES = [GradeSpec(0, "No", "0"), GradeSpec(1, "Yes", "1")]
SCALE = {"description": "", "level": "ordinal", "threshold": 1, "grades": GRADES}
LIST = {"description": "", "guidelines": "", "overlap": 1, "rule": "median", "tie": "lower"}
HOW = {
    "assignment": "open",
    "view": "document",
    "evidence": "off",
    "gold_rate": 0,
    "onboarding": 0,
    "repeat_rate": 0,
}


def test_a_query_set_does_not_get_a_name_twice(query_set):
    other = make.make_query_set(name="Other")

    with pytest.raises(NameTakenError, match="“SHOP” is taken already"):
        create_query_set(name="SHOP", description="", show_images=False, user=make.make_user())
    with pytest.raises(NameTakenError):
        change_query_set(query_set=other, name="shop", description="", show_images=False)
    assert set(QuerySet.objects.values_list("name", flat=True)) == {"Shop", "Other"}


def test_a_list_does_not_get_a_name_twice(query_set):
    make.make_list(query_set, name="Main")
    other = make.make_list(query_set, name="Other")

    with pytest.raises(NameTakenError):
        create_list(query_set=query_set, user=make.make_user(), name="main", scale=make.preset(), **LIST)
    with pytest.raises(NameTakenError):
        change_list(judgment_list=other, name="MAIN", scale=other.scale, **LIST)


def test_a_scale_does_not_get_a_name_twice(query_set):
    create_scale(query_set=query_set, name="Own", **SCALE)
    other = create_scale(query_set=query_set, name="Other", **SCALE)

    with pytest.raises(NameTakenError):
        create_scale(query_set=query_set, name="Own", **SCALE)
    with pytest.raises(NameTakenError):
        change_scale(scale=other, name="Own", **SCALE)


def test_another_fault_of_the_data_is_not_taken_for_a_name(query_set):
    with pytest.raises(IntegrityError, match="judgment_list_rule_known"):
        create_list(
            query_set=query_set,
            user=make.make_user(),
            name="x",
            scale=make.preset(),
            **LIST | {"rule": "fate"},
        )


@pytest.mark.parametrize(
    ("form", "address", "arguments", "data"),
    [
        (QuerySetForm, "query-set-new", False, {}),
        (QuerySetForm, "query-set-edit", True, {}),
        (ListForm, "list-new", True, LIST | HOW),
    ],
)
def test_the_page_says_so_at_the_name(client, query_set, monkeypatch, form, address, arguments, data):
    make.make_query_set(name="Twice")
    make.make_list(query_set, name="Twice")
    client.force_login(make.make_member(query_set, "admin"))
    # As if the name had been free a moment ago.
    monkeypatch.setattr(form, "clean_name", lambda form: form.cleaned_data["name"])
    monkeypatch.setattr(form._meta.model, "validate_constraints", lambda row, exclude=None: None)

    response = client.post(
        reverse(address, args=[query_set.pk] if arguments else []),
        {"name": "Twice", "scale": make.preset().pk} | data,
    )

    assert response.status_code == 422
    assert "“Twice” is taken already" in str(response.context["form"].errors)


@pytest.mark.parametrize(("add", "words"), [(add_query, {"text": "x"}), (add_document, {"title": "x"})])
def test_an_id_that_is_taken_is_not_called_a_name(query_set, add, words):
    add(query_set=query_set, external_id="q1", **words)

    with pytest.raises(NameTakenError, match="another ID"):
        add(query_set=query_set, external_id="q1", **words)
