"""The form that takes a file of one or several runs."""

from typing import Any

from django import forms

from evaluation.models import Run
from evaluation.runs.reports import Choices
from touchstone_core.formats.file_format import choices
from touchstone_core.formats.runs.declarations import FORMATS
from touchstone_core.formats.text import ENCODING_NAMES


class RunUploadForm(forms.Form):
    """A run file with the choices that files differ in. `file` may be left out where the file was kept."""

    file = forms.FileField(label="Run file", required=False, allow_empty_file=True)
    name = forms.CharField(
        required=False,
        max_length=120,
        help_text="If empty: the file’s tag, or its name. For several runs, it comes before each name.",
    )
    format = forms.ChoiceField(
        choices=choices(FORMATS, empty="By the content"), required=False, label="Format"
    )
    order = forms.ChoiceField(
        choices=[
            (Run.Order.SCORE, "Retrieval score"),
            (Run.Order.DOUBLE, "Score, double precision"),
            (Run.Order.RANK, "Rank column"),
        ],
        help_text="Scores count in single precision, as trec_eval does.",
        initial=Run.Order.SCORE,
        label="Order of a ranking",
    )
    queries = forms.ChoiceField(
        choices=[("", "As the format does"), ("id", "Query id"), ("text", "Exact text of the query")],
        required=False,
        label="What names a query",
    )
    unknown = forms.ChoiceField(
        choices=[("refuse", "Refuse the file"), ("skip", "Skip them and count them")],
        label="Unknown queries",
    )
    duplicates = forms.ChoiceField(
        choices=[("refuse", "Refuse the file"), ("first", "Keep the first")],
        label="A document twice",
    )
    several = forms.ChoiceField(
        choices=[("refuse", "Refuse the file"), ("split", "One run for each")],
        label="Several tags in a TREC file",
        initial="refuse",
        required=False,
    )
    encoding = forms.ChoiceField(
        choices=[("", "Find out"), *ENCODING_NAMES.items()], required=False, label="Encoding"
    )

    def __init__(self, *args: Any, kept: bool = False, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.kept = kept

    def clean(self) -> dict[str, Any] | None:
        data = super().clean()
        if not self.kept and not self.files.get("file"):
            self.add_error("file", "Choose a run file.")
        return data

    @property
    def choices(self) -> Choices:
        return Choices(**{name: self.cleaned_data[name] for name in Choices.__slots__})

    @property
    def reading(self) -> list[forms.BoundField]:
        """The choices of how the file is read, in the order in which they are asked for."""
        names = ("format", "queries", "order", "unknown", "duplicates", "several", "encoding")
        return [self[name] for name in names]
