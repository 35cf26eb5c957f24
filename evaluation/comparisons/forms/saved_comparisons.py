"""The name and the notes of a comparison that is kept."""

from django import forms


class SavedComparisonForm(forms.Form):
    name = forms.CharField(label="Name", max_length=120)
    notes = forms.CharField(
        label="Notes",
        required=False,
        max_length=10_000,
        widget=forms.Textarea(attrs={"rows": 3}),
        help_text="What was changed, and what was decided. Shown above the comparison.",
    )
