"""Assigning raters to a list."""

from collections.abc import Iterable
from typing import Any

from django import forms

from judgments.models import User
from judgments.raters.actions.assignments import MOST_QUOTA


class AssignmentForm(forms.Form):
    """One of `users`, and this person's quota."""

    user = forms.ChoiceField(label="Rater", error_messages={"required": "Choose a rater."})
    quota = forms.IntegerField(
        label="Quota",
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
    def assignment(self) -> dict[str, Any]:
        """The arguments for `assign`, from a valid form."""
        return {"user": self.users[self.cleaned_data["user"]], "quota": self.cleaned_data["quota"]}
