"""The form that takes a run."""

from typing import Any

from django import forms

from evaluation.models import Run
from evaluation.reports.incoming import Choices


class RunUploadForm(forms.Form):
    """A run file with the choices that files differ in. `file` may be left out where the file was kept."""

    file = forms.FileField(label="Run file", required=False, allow_empty_file=True)
    name = forms.CharField(
        required=False, max_length=120, help_text="Left empty: the file's own tag, else the file's name."
    )
    order = forms.ChoiceField(choices=Run.Order.choices, initial=Run.Order.SCORE, label="Order of a ranking")
    unknown = forms.ChoiceField(
        choices=[("refuse", "Refuse the file"), ("skip", "Skip them and count them")],
        label="Queries that the query set does not have",
    )
    duplicates = forms.ChoiceField(
        choices=[("refuse", "Refuse the file"), ("first", "Keep the first")],
        label="A document twice for one query",
    )
    encoding = forms.ChoiceField(
        choices=[("", "UTF-8 or UTF-16"), ("latin-1", "Latin-1")], required=False, label="Encoding"
    )

    def __init__(self, *args: Any, kept: bool = False, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.kept = kept

    def clean(self) -> dict[str, Any] | None:
        cleaned = super().clean()
        if not self.kept and not self.files.get("file"):
            self.add_error("file", "Choose a run file.")
        return cleaned

    @property
    def choices(self) -> Choices:
        chosen = self.cleaned_data
        return Choices(chosen["order"], chosen["unknown"], chosen["duplicates"], chosen["encoding"])
