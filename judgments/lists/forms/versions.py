"""The form that freezes a version."""

from django import forms

from judgments.models.version import NOTE_LENGTH


class FreezeForm(forms.Form):
    note = forms.CharField(
        label="Note",
        max_length=NOTE_LENGTH,
        required=False,
        help_text="What it’s for: a report, a release. You can’t change it later.",
        error_messages={"max_length": f"The note is too long. Use at most {NOTE_LENGTH} characters."},
    )
    after = forms.IntegerField(required=False, min_value=0, widget=forms.HiddenInput)
