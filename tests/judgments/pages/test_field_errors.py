"""What is said about a wrong value, whichever form or call of the API it was sent with."""

import re
from importlib import import_module
from inspect import getmembers, isclass
from pkgutil import walk_packages

import pytest
from django import forms
from django.core.files.uploadedfile import SimpleUploadedFile
from django.core.validators import URLValidator, validate_email

import evaluation
import judgments
from judgments.models import Role
from tests import factories as make
from tests.api import Api

BY_OTHERS = re.compile(
    r"^(Ensure this|Select a valid|Enter a valid|Enter a list|This field is required|Value %"
    r"|No file was submitted|The submitted file|ManagementForm|Please submit|Null char)"
)
"""How sentences of Django begin."""


def every_form():
    for package in (judgments, evaluation):
        for module in walk_packages(package.__path__, f"{package.__name__}."):
            if ".forms" in module.name:
                yield from getmembers(import_module(module.name), isclass)


def test_no_field_of_a_form_speaks_as_django_does():
    classes = {kind for _, kind in every_form() if issubclass(kind, forms.BaseForm)}
    assert len(classes) > 40
    said = {
        f"{kind.__name__}.{name}: {sentence}"
        for kind in classes
        for name, field in getattr(kind, "base_fields", {}).items()
        for sentence in [*field.error_messages.values(), *(one.message for one in field.validators)]
        if BY_OTHERS.match(str(sentence))
    }
    assert said == set()


CHOICES = [("a", "A"), ("b", "B")]


@pytest.mark.parametrize(
    ("field", "value", "sentence"),
    [
        (forms.CharField(), "", "Fill in this field."),
        (forms.ChoiceField(choices=CHOICES), "", "Choose one from the list."),
        (forms.BooleanField(), False, "Tick this box."),
        (forms.FileField(), None, "Choose a file."),
        (forms.FileField(), SimpleUploadedFile("a", b""), "This file is empty. Choose another one."),
        (forms.ChoiceField(choices=CHOICES), "c", "“c” isn’t one of the choices. Choose one from the list."),
        (forms.TypedChoiceField(choices=CHOICES), "c", "“c” isn’t one of the choices. Choose one from the list."),
        (forms.MultipleChoiceField(choices=CHOICES), [], "Choose at least one from the list."),
        (forms.MultipleChoiceField(choices=CHOICES), ["c"], "“c” isn’t one of the choices. Choose one from the list."),
        (forms.IntegerField(), "x", "Enter a whole number, such as 10."),
        (forms.FloatField(), "x", "Enter a number, such as 0.5."),
        (forms.IntegerField(min_value=1), "0", "0 is too small. Enter 1 or more."),
        (forms.IntegerField(max_value=9), "10", "10 is too large. Enter 9 or less."),
        (forms.IntegerField(max_value=100_000), "2000000", "2,000,000 is too large. Enter 100,000 or less."),
        (forms.FloatField(max_value=1000.5), "1234.25", "1,234.25 is too large. Enter 1,000.5 or less."),
        (forms.FloatField(min_value=-5000), "-6000", "−6,000 is too small. Enter −5,000 or more."),
        (forms.CharField(max_length=1000), "a" * 1234, "This is too long: it has 1,234 characters. Use at most 1,000."),
        (forms.CharField(max_length=2), "abc", "This is too long: it has 3 characters. Use at most 2."),
        (forms.CharField(min_length=2), "a", "This is too short. Use at least 2 characters."),
        (forms.CharField(), "a\0", "Remove the character NUL, which can’t be stored."),
        (forms.DateField(), "x", "Enter a day as year, month and day, such as 2026-12-24."),
        (forms.URLField(assume_scheme="https"), "http://", "Enter a whole address, such as https://example.com/page."),
        (forms.UUIDField(), "x", "This isn’t a valid ID. Reload the page and try again."),
    ],
)  # fmt: skip
def test_a_wrong_value_is_told_what_to_do(field, value, sentence):
    with pytest.raises(forms.ValidationError) as error:
        field.clean(value)
    assert error.value.messages == [sentence]


def test_validators_without_a_field_say_the_same():
    for check, value in ((URLValidator(), "x"), (validate_email, "x")):
        with pytest.raises(forms.ValidationError, match=r"Enter an? (whole|email) address, such as "):
            check(value)


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("path", "body", "field", "sentence"),
    [
        ("query-sets?limit=0", None, "limit", "This is too small. Use 1 or more."),
        ("query-sets?limit=9999", None, "limit", "This is too large. Use 1,000 or less."),
        ("query-sets?limit=x", None, "limit", "Use a whole number, such as 10."),
        ("query-sets", {}, "name", "This field is missing. Add it."),
        ("query-sets", {"name": 5}, "name", "Use a text in quotes."),
        ("query-sets", {"name": ""}, "name", "Enter a name."),
        ("query-sets", {"name": "x" * 200}, "name", "This is too long: it has 200 characters. Use at most 120."),
        ("query-sets/{pk}/lists", {"name": "x", "scale": "?"}, "scale", "Use a whole number, such as 10."),
        (
            "query-sets/{pk}/lists",
            {"name": "x", "scale": 1, "preset": "slow"},
            "preset",
            "This isn’t one of the choices. Use 'quick', 'careful' or 'audited'.",
        ),
        ("query-sets/{pk}/members", {"username": "x", "role": "boss"}, "role", "This isn’t one of the choices. Use 'rater', 'engineer' or 'admin'."),
        ("query-sets/{pk}/log?since=x", None, "since", "Use a day as year, month and day, such as 2026-12-24."),
        ("query-sets/{pk}/queries", {"query_id": "", "query": "x"}, "query_id", "Fill in this field."),
        ("query-sets/{pk}/queries", {"query_id": "q", "query": ""}, "query", "Fill in this field."),
        ("query-sets/{pk}/documents", {"document_id": ""}, "document_id", "Fill in this field."),
        ("query-sets/{pk}/documents", {"document_id": "d", "fields": {"price": 3}}, "fields.price", "Use a text in quotes."),
        ("query-sets/{pk}/queries/tags", {"tag": "a", "queries": [1, "q1"]}, "queries.1", "Use a whole number, such as 10."),
    ],
)  # fmt: skip
def test_the_api_says_it_in_plain_words_and_names_the_field(path, body, field, sentence):
    query_set = make.make_query_set()
    api = Api(make.make_member(query_set, Role.ADMIN))
    method = "get" if body is None else "put" if path.endswith("members") else "post"
    answer = api.call(method, path.format(pk=query_set.pk), body)

    assert answer.status_code == 422
    assert answer.json()["errors"] == [{"field": field, "message": sentence}]
    assert answer.json()["detail"] == f"{field}: {sentence}"
