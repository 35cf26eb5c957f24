"""The forms of the second factor."""

from django import forms


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
