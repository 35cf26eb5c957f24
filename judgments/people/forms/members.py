"""Forms of members and invitations."""

from typing import Any

from django import forms
from django.contrib.auth.forms import BaseUserCreationForm

from judgments.models import Role, User
from judgments.models.people.invitation import Invitation
from judgments.people.actions.invitations import MOST_DAYS
from judgments.people.forms.passwords import name_second_password


class MemberForm(forms.Form):
    """Its cleaned data has the account as `user`."""

    username = forms.CharField(max_length=150, help_text="The person needs an account.")
    role = forms.ChoiceField(choices=Role.choices)

    def clean_username(self) -> str:
        username: str = self.cleaned_data["username"].strip()
        self.user = User.objects.filter(username=username, is_active=True).first()
        if self.user is None:
            raise forms.ValidationError(f"There is no account with the username “{username}”.")
        return username

    def clean(self) -> dict[str, Any]:
        data = super().clean() or {}
        return data | {"user": getattr(self, "user", None)}


class RoleForm(forms.Form):
    role = forms.ChoiceField(choices=Role.choices)


class InvitationForm(forms.Form):
    role = forms.ChoiceField(choices=Role.choices, label="Role")
    note = forms.CharField(
        label="For whom",
        required=False,
        max_length=Invitation._meta.get_field("note").max_length,
        help_text="Only admins see it.",
    )
    days = forms.IntegerField(
        label="Days until it expires",
        min_value=1,
        max_value=MOST_DAYS,
        initial=7,
        help_text=f"1 to {MOST_DAYS}.",
    )
    uses_most = forms.IntegerField(
        label="Maximum number of people",
        required=False,
        min_value=1,
        max_value=100_000,
        initial=1,
        help_text="Leave it empty for any number.",
    )
    once = forms.CharField(required=False, max_length=60, widget=forms.HiddenInput)


class SignUpForm(BaseUserCreationForm[User]):
    """An account for somebody with an invitation. The action creates it, not `save`."""

    class Meta:
        model = User
        fields = ("username",)
        help_texts = {"username": "Letters, digits and @ . + - _"}

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        name_second_password(self.fields["password2"], "Password again")
