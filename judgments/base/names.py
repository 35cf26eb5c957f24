"""Names that people type, and unique ones: a name that a form has checked may be taken a moment later, as by a double click."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from django import forms
from django.db import IntegrityError, transaction

from judgments.base.errors import JudgmentsError
from touchstone_core.words import is_visible, tidied_name


class NameField(forms.CharField):
    """A name, tidied. One of which nothing can be seen is refused."""

    def to_python(self, value: Any) -> str:
        typed = super().to_python(value) or ""
        if typed and not is_visible(typed):
            raise forms.ValidationError(
                "This name has no visible characters. Enter a name with letters or digits."
            )
        return tidied_name(typed)


def same_name(first: str, second: str) -> bool:
    """Whether two names are the same to the eye. Stored ones may be older than `NameField`."""
    return (tidied_name(first) or first) == (tidied_name(second) or second)


class NameTakenError(JudgmentsError):
    """The name is taken."""

    def __init__(self, name: str, kind: str = "name") -> None:
        super().__init__(f"“{name}” is taken already. Choose another {kind}.")


@contextmanager
def given_once(name: str, *, constraint: str, kind: str = "name") -> Iterator[None]:
    """Raises NameTakenError if the block violates `constraint`."""
    try:
        with transaction.atomic():
            yield
    except IntegrityError as error:
        if constraint in str(error):
            raise NameTakenError(name, kind) from error
        raise
