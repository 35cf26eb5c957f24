"""The form that erases somebody's personal data."""

from django import forms

from judgments.models import User


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
