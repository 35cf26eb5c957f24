"""Naming raters for a list."""

from collections.abc import Iterable
from typing import Any

from django import forms

from judgments.models import User
from judgments.raters.actions.assignments import MOST_QUOTA


class AssignmentForm(forms.Form):
    """One of `users`, and how many judgments are wanted of this person."""

    user = forms.ChoiceField(label="Rater", error_messages={"required": "Choose a rater."})
    quota = forms.IntegerField(
        label="Judgments at most",
        required=False,
        min_value=1,
        max_value=MOST_QUOTA,
        widget=forms.NumberInput(attrs={"placeholder": "any number"}),
    )

    def __init__(self, *args: Any, users: Iterable[User], **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.users = {str(user.pk): user for user in users}
        field = self.fields["user"]
        field.choices = [(key, user.display_name) for key, user in self.users.items()]  # type: ignore[attr-defined]

    @property
    def chosen(self) -> dict[str, Any]:
        """Of a valid form, as `assign` takes it."""
        return {"user": self.users[self.cleaned_data["user"]], "quota": self.cleaned_data["quota"]}
