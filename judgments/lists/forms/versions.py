"""Freezing a version."""

from django import forms

from judgments.models.version import NOTE_LENGTH


class FreezeForm(forms.Form):
    note = forms.CharField(
        label="Note",
        max_length=NOTE_LENGTH,
        required=False,
        help_text="What it is for: a report, a release. It cannot be changed later.",
        error_messages={"max_length": f"A note of at most {NOTE_LENGTH} characters, please."},
    )
    after = forms.IntegerField(required=False, min_value=0, widget=forms.HiddenInput)
