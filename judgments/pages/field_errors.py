"""What forms and calls of the API say about one wrong value. Django and Pydantic call this instead of their own words.

A form with a better sentence for one of its fields gives it to the field, by `error_messages`. Translations, Django's own
way to other words, need catalogs that gettext compiles, and the site speaks one language.
"""

from collections.abc import Mapping
from typing import Any, Final

from django.core import validators
from django.db import models
from django.forms import (
    BooleanField,
    ChoiceField,
    DateField,
    Field,
    FileField,
    FloatField,
    IntegerField,
    ModelChoiceField,
    ModelMultipleChoiceField,
    MultipleChoiceField,
    URLField,
    UUIDField,
)
from django.forms.formsets import BaseFormSet

CHOOSE: Final = "Choose one from the list."
NOT_CHOICE: Final = f"“%(value)s” isn’t one of the choices. {CHOOSE}"
RELOAD: Final = "Reload the page and try again."
NO_FILE: Final = "No file was sent. Choose a file."
URL: Final = "Enter a whole address, such as https://example.com/page."

FIELDS: Final[Mapping[Any, Mapping[str, str]]] = {
    Field: {"required": "Fill in this field."},
    BooleanField: {"required": "Tick this box."},
    ChoiceField: {"required": CHOOSE, "invalid_choice": NOT_CHOICE},
    MultipleChoiceField: {
        "required": "Choose at least one from the list.",
        "invalid_choice": NOT_CHOICE,
        "invalid_list": "Choose from the list.",
    },
    ModelChoiceField: {"required": CHOOSE, "invalid_choice": f"This choice doesn’t exist any more. {CHOOSE}"},
    ModelMultipleChoiceField: {
        "invalid_choice": NOT_CHOICE,
        "invalid_list": "Choose from the list.",
        "invalid_pk_value": NOT_CHOICE.replace("value", "pk"),
    },
    IntegerField: {"invalid": "Enter a whole number, such as 10."},
    FloatField: {"invalid": "Enter a number, such as 0.5."},
    DateField: {"invalid": "Enter a day as year, month and day, such as 2026-12-24."},
    FileField: {
        "required": "Choose a file.",
        "invalid": NO_FILE,
        "missing": NO_FILE,
        "empty": "This file is empty. Choose another one.",
        "max_length": "The file’s name is too long: it has %(length)d characters. Use at most %(max)d.",
    },
    URLField: {"invalid": URL},
    UUIDField: {"invalid": f"This isn’t a valid ID. {RELOAD}"},
    BaseFormSet: {
        "missing_management_form": f"Part of the form was not sent. {RELOAD}",
        "too_many_forms": "There are too many rows. Use at most %(num)d.",
        "too_few_forms": "There are too few rows. Use at least %(num)d.",
    },
    models.Field: {"unique": "There is one with this %(field_label)s already. Choose another one."},
}


class Sentence(str):
    """A sentence that writes the numbers it is given as all pages do."""

    def __mod__(self, values: Any) -> str:
        return super().__mod__({name: grouped(value) for name, value in values.items()})


VALIDATORS: Final[Mapping[Any, str]] = {
    validators.MinValueValidator: "%(show_value)s is too small. Enter %(limit_value)s or more.",
    validators.MaxValueValidator: "%(show_value)s is too large. Enter %(limit_value)s or less.",
    validators.MinLengthValidator: "This is too short. Use at least %(limit_value)s characters.",
    validators.MaxLengthValidator: (
        "This is too long: it has %(show_value)s characters. Use at most %(limit_value)s."
    ),
    validators.URLValidator: URL,
    validators.EmailValidator: "Enter an email address, such as name@example.com.",
    validators.ProhibitNullCharactersValidator: "Remove the character NUL, which can’t be stored.",
}
WHOLE: Final = "Use a whole number, such as 10."
NUMBER: Final = "Use a number, such as 0.5."
FLAG: Final = "Use true or false."
DAY: Final = "Use a day as year, month and day, such as 2026-12-24."
ONE_OF: Final = "This isn’t one of the choices. Use {expected}."
OBJECT: Final = "Use a JSON object."
KINDS: Final[Mapping[str, str]] = {
    "missing": "This field is missing. Add it.",
    "extra_forbidden": "There is no field of this name. Correct it or leave it out.",
    "int_type": WHOLE,
    "int_parsing": WHOLE,
    "int_from_float": WHOLE,
    "float_type": NUMBER,
    "float_parsing": NUMBER,
    "finite_number": NUMBER,
    "bool_type": FLAG,
    "bool_parsing": FLAG,
    "string_type": "Use a text in quotes.",
    "string_pattern_mismatch": "This isn’t of the described form.",
    "string_too_short": "This is too short. Use at least {min_length} characters.",
    "string_too_long": "This is too long. Use at most {max_length} characters.",
    "list_type": "Use a list in square brackets.",
    "too_short": "There are too few. Use at least {min_length}.",
    "too_long": "There are too many. Use at most {max_length}.",
    "greater_than": "This is too small. Use more than {gt}.",
    "greater_than_equal": "This is too small. Use {ge} or more.",
    "less_than": "This is too large. Use less than {lt}.",
    "less_than_equal": "This is too large. Use {le} or less.",
    "literal_error": ONE_OF,
    "enum": ONE_OF,
    "date_type": DAY,
    "date_parsing": DAY,
    "date_from_datetime_parsing": DAY,
    "date_from_datetime_inexact": DAY,
    "dict_type": OBJECT,
    "model_type": OBJECT,
    "model_attributes_type": OBJECT,
}
"""Of Pydantic, by the name of the error."""


def use_own_sentences() -> None:
    """Must run before the first form is imported: fields copy the sentences of their classes."""
    for kind, sentences in FIELDS.items():
        kind.default_error_messages = {**kind.__dict__.get("default_error_messages", {}), **sentences}
    for validator, sentence in VALIDATORS.items():
        validator.message = Sentence(sentence)


def grouped(value: Any) -> Any:
    """A number with separated thousands, no needless .0 and a real minus sign; anything else as it is."""
    if not isinstance(value, int | float):
        return value
    exact = int(value) if isinstance(value, float) and value.is_integer() else value
    return f"{'−' if exact < 0 else ''}{abs(exact):,}"


def sentence_of(error: Mapping[str, Any]) -> str:
    """The sentence for one error of Pydantic, which may be of a kind that has no sentence here."""
    sentence = KINDS.get(error["type"])
    return (
        sentence.format_map({name: grouped(value) for name, value in error.get("ctx", {}).items()})
        if sentence
        else f"{error['msg']}."
    )
