"""Names that people type, and one that is taken between the look-up of a form and the write of its action: a double click."""

import pytest
from django.core.exceptions import ValidationError
from django.db import IntegrityError
from django.urls import reverse

from evaluation.comparisons.forms.intents import IntentNameForm
from evaluation.comparisons.forms.settings import SavedComparisonForm
from evaluation.formulas.forms import NameForm
from evaluation.runs.forms import FetchForm, RunForm, RunUploadForm
from evaluation.scores.forms import SavedViewForm
from evaluation.start.forms import CopyForm, DraftForm
from judgments.base.names import NameField, NameTakenError, same_name
from judgments.content.actions.content import add_document, add_query
from judgments.content.actions.query_sets import change_query_set, create_query_set
from judgments.content.forms import QuerySetForm
from judgments.lists.actions.lists import change_list, create_list
from judgments.lists.actions.scales import GradeSpec, change_scale, create_scale
from judgments.lists.forms.lists import ListForm
from judgments.lists.forms.scales import ScaleForm
from judgments.models import QuerySet
from judgments.people.forms import TokenForm
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


@pytest.mark.parametrize(
    "form",
    [
        *(QuerySetForm, ListForm, ScaleForm, TokenForm, IntentNameForm, SavedComparisonForm, NameForm),
        *(FetchForm, RunForm, RunUploadForm, SavedViewForm, CopyForm, DraftForm),
    ],
)
def test_whoever_types_a_name_types_it_tidily(form):
    assert isinstance(form.base_fields["name"], NameField)


@pytest.mark.parametrize("typed", ["\u200b", "\u202e", "\ufeff", "\u00ad", "\u3164"])
def test_a_name_that_nobody_can_see_is_refused(client, admin, typed):
    response = client.post(reverse("query-set-new"), {"name": typed})

    assert response.status_code == 422
    assert response.context["form"].errors == {
        "name": ["This name has no visible characters. Enter a name with letters or digits."]
    }


def test_a_name_that_only_looks_like_another_one_is_taken(client, admin, query_set):
    assert client.post(reverse("query-set-new"), {"name": "Sh\u200bop"}).status_code == 422
    assert list(QuerySet.objects.values_list("name", flat=True)) == ["Shop"]


def test_a_name_is_saved_with_single_blanks(client, admin):
    client.post(reverse("query-set-new"), {"name": "My \u00a0 shop\ttwo"})

    assert QuerySet.objects.filter(name="My shop two").exists()


def test_a_name_may_be_left_out_where_it_is_optional_but_not_be_invisible():
    field = NameField(required=False)
    assert field.clean("") == ""
    with pytest.raises(ValidationError, match="no visible characters"):
        field.clean("\u200b")


@pytest.mark.parametrize(
    ("first", "second", "same"),
    [
        ("My  list", "My list", True),
        ("My\u00a0list", "My list", True),
        ("My list", "Mylist", False),
        ("", "\u200b", False),
    ],
)
def test_names_are_the_same_as_people_see_them(first, second, same):
    assert same_name(first, second) is same
