"""Forms of accounts: sign-in, password, second factor, tokens, pace, members, invitations and erasure."""

from typing import Any

from django import forms
from django.contrib.auth.forms import (
    AuthenticationForm,
    BaseUserCreationForm,
    PasswordChangeForm,
    SetPasswordMixin,
)
from django.contrib.auth.password_validation import password_validators_help_texts
from django.utils.timezone import now

from judgments.base.names import NameField
from judgments.models import ApiToken, Invitation, QuerySet, Role, User
from judgments.people.actions import invitations, tokens
from judgments.people.actions.password_tries import Source, count_try, forgive_try

DIFFERENT = {"password_mismatch": "The two passwords differ. Type the same one twice."}


class NewPasswordMixin(SetPasswordMixin):  # type: ignore[type-arg]  # it takes none at run time
    """One line of help, and errors at the field in which they are corrected. Django has a list, and the second field."""

    fields: dict[str, forms.Field]
    password_names: tuple[str, str]
    second_label: str

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        first, second = (self.fields[name] for name in self.password_names)
        first.help_text = " ".join(password_validators_help_texts())
        second.label, second.help_text = self.second_label, ""

    def validate_password_for_user(self, user: User, password_field_name: str = "") -> None:
        super().validate_password_for_user(user, self.password_names[0])


class SignInForm(AuthenticationForm):
    """Django's, in our words."""

    error_messages = AuthenticationForm.error_messages | {
        "invalid_login": "Wrong username or password. Both are case-sensitive."
    }

    def clean(self) -> dict[str, Any]:
        """Where the form comes back, only the password is empty: it gets the focus."""
        if self.cleaned_data.get("username"):
            self.fields["username"].widget.attrs["autofocus"] = False
            self.fields["password"].widget.attrs["autofocus"] = True
        return super().clean()


class OwnPasswordForm(NewPasswordMixin, PasswordChangeForm):
    """Django's form with a throttle, because somebody at an open screen could guess the old password here."""

    password_names = ("new_password1", "new_password2")
    second_label = "New password again"

    error_messages = {
        **PasswordChangeForm.error_messages,
        **DIFFERENT,
        "password_incorrect": "This isn’t your current password. Type it again.",
    }

    def __init__(self, *args: Any, source: Source, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.source = source
        self.fields["old_password"].label = "Current password"

    def clean_old_password(self) -> str:
        """Raises TooManyTriesError before the password is hashed."""
        count_try(source=self.source, at=now())
        old_password: str = super().clean_old_password()
        forgive_try(source=self.source)
        return old_password


class CodeForm(forms.Form):
    """A code of the authenticator app, or a recovery code."""

    code = forms.CharField(
        label="Code",
        max_length=32,
        widget=forms.TextInput(
            attrs={"autocomplete": "one-time-code", "inputmode": "numeric", "autofocus": True}
        ),
    )


class SetUpForm(CodeForm):
    """The app's first code, and the password if the account has one: who sits at an open screen doesn't know it."""

    password = forms.CharField(
        label="Your password",
        max_length=4096,
        strip=False,
        widget=forms.PasswordInput(attrs={"autocomplete": "current-password"}),
    )

    def __init__(self, *args: object, has_password: bool, **kwargs: object) -> None:
        super().__init__(*args, **kwargs)  # type: ignore[arg-type]
        del self.fields["code"].widget.attrs["autofocus"]  # the app comes first, and the page begins with it
        if not has_password:
            del self.fields["password"]


class TokenForm(forms.Form):
    name = NameField(
        max_length=ApiToken._meta.get_field("name").max_length,
        help_text="What will use it, such as “nightly build”.",
    )
    scope = forms.ChoiceField(
        label="Permissions",
        choices=ApiToken.Scope.choices,
        initial=ApiToken.Scope.ENGINEER,
        help_text="Never more than you may do yourself.",
    )
    query_set = forms.ModelChoiceField(
        QuerySet.objects.none(),
        label="Query sets",
        required=False,
        empty_label="All your query sets",
        help_text="All of yours, or one.",
    )
    days = forms.IntegerField(
        label="Days until it expires",
        min_value=1,
        max_value=tokens.MOST_DAYS,
        initial=90,
        help_text=f"1 to {tokens.MOST_DAYS}.",
    )
    once = forms.CharField(required=False, max_length=60, widget=forms.HiddenInput)

    def __init__(self, *args: object, user: User, **kwargs: object) -> None:
        super().__init__(*args, **kwargs)  # type: ignore[arg-type]
        query_sets = self.fields["query_set"]
        assert isinstance(query_sets, forms.ModelChoiceField)  # noqa: S101 -- for the type checker
        query_sets.queryset = QuerySet.objects.staffed_by(user).at_work()


class PaceForm(forms.Form):
    """Daily goal and break hint; an empty field turns one off."""

    daily_goal = forms.IntegerField(label="Judgments a day", required=False, min_value=1, max_value=9999)
    break_minutes = forms.IntegerField(
        label="Minutes until a break", required=False, min_value=5, max_value=240
    )


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
        max_value=invitations.MOST_DAYS,
        initial=7,
        help_text=f"1 to {invitations.MOST_DAYS}.",
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


class SignUpForm(NewPasswordMixin, BaseUserCreationForm[User]):
    """An account for somebody with an invitation. The action creates it, not `save`."""

    password_names = ("password1", "password2")
    second_label = "Password again"

    error_messages = {**BaseUserCreationForm.error_messages, **DIFFERENT}

    class Meta:
        model = User
        fields = ("username",)
        help_texts = {"username": "Letters, digits and @ . + - _"}
        error_messages = {
            "username": {
                "unique": "This username is taken. Choose another one.",
                "invalid": "Use only letters, digits and @ . + - _, without spaces.",
            }
        }


class ErasureForm(forms.Form):
    """Its field `comments` says what happens to comments; `typed` is the username, to confirm."""

    KEEP, BLANK = "keep", "blank"
    comments = forms.ChoiceField(
        label="Comments on judgments",
        choices=[(BLANK, "Erase them, they may be personal"), (KEEP, "Keep them under the pseudonym")],
        initial=BLANK,
        widget=forms.RadioSelect,
    )
    typed = forms.CharField(max_length=150, widget=forms.TextInput(attrs={"autocomplete": "off"}))

    def __init__(self, *args: object, user: User, **kwargs: object) -> None:
        super().__init__(*args, **kwargs)  # type: ignore[arg-type]
        self.username = user.username
        self.fields["typed"].label = f"Type the username, {user.username}, to confirm"

    def clean_typed(self) -> str:
        typed: str = self.cleaned_data["typed"].strip()
        if typed != self.username:
            raise forms.ValidationError(f"This isn’t the username. Type {self.username} to erase the data.")
        return typed

    @property
    def blank_comments(self) -> bool:
        return bool(self.cleaned_data["comments"] == self.BLANK)
