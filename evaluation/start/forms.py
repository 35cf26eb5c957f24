"""The choices of a new evaluation, and forms about whole query sets."""

from typing import Any, Final, cast

from django import forms
from django.http import QueryDict
from django.utils.text import capfirst

from evaluation.start.reports.draft_choices import (
    CREATE,
    FORMATS,
    KINDS,
    LEAVE,
    SCHEMAS,
    DraftChoices,
    FileChoices,
)
from evaluation.start.reports.file_readings import FileReading, column_words
from judgments.base.names import NameField
from judgments.files.forms import HeaderLineField, chosen_raters
from judgments.files.reports.import_grades import BETWEEN, NEGATIVE
from judgments.lists.actions.copying import Parts
from judgments.models import QuerySet
from touchstone_core.formats.file_format import choices as format_choices
from touchstone_core.formats.text import ENCODING_NAMES
from touchstone_core.words import tidied_name

NAME_LENGTH: Final = 120
TARGETS: Final = {column.target for schema in SCHEMAS.values() for column in schema}


class DraftForm(forms.Form):
    """What was chosen for all files together. `scales` are keys and names of the scales that may be chosen."""

    name = NameField(max_length=NAME_LENGTH, required=False)
    missing = forms.ChoiceField(
        choices=[("", ""), (CREATE, "create them"), (LEAVE, "leave them out")], required=False
    )
    scale = forms.CharField(max_length=20, required=False, widget=forms.Select(attrs={"class": "at-once"}))
    good_lines = forms.BooleanField(required=False)
    negative = forms.ChoiceField(
        choices=[("", "Choose…"), *list(NEGATIVE.items())[1:]],
        required=False,
        label="Negative grades become",
        widget=forms.Select(attrs={"class": "at-once"}),
    )
    between = forms.ChoiceField(
        choices=[("", "Choose…"), *list(BETWEEN.items())[1:]],
        required=False,
        label="Grades between two of the scale become",
        widget=forms.Select(attrs={"class": "at-once"}),
    )

    def __init__(self, *args: Any, scales: list[tuple[str, str]] | None = None, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["scale"].widget.choices = scales or []

    @property
    def choices(self) -> DraftChoices:
        """Of a valid form."""
        names = set(DraftChoices.__slots__) - {"raters"}
        chosen = {name: self.cleaned_data[name] for name in names}
        return DraftChoices(**chosen, raters=chosen_raters(cast(QueryDict, self.data)))


class FileForm(forms.Form):
    """How one file is read. Its fields are named after the file: `file-KEY-kind`."""

    kind = forms.ChoiceField(
        label="What it is",
        choices=[("", "Choose…"), *KINDS.items()],
        required=False,
        widget=forms.Select(attrs={"class": "at-once"}),
    )
    encoding = forms.ChoiceField(
        choices=[("", "Detect"), *ENCODING_NAMES.items()],
        required=False,
        widget=forms.Select(attrs={"class": "at-once"}),
    )
    format = forms.CharField(max_length=40, required=False, widget=forms.Select(attrs={"class": "at-once"}))
    header_line = HeaderLineField(attrs={"class": "at-once"})

    def __init__(
        self,
        data: QueryDict | None = None,
        *,
        key: str,
        reading: FileReading | None = None,
        initial: dict[str, Any] | None = None,
    ) -> None:
        super().__init__(data, prefix=f"file-{key}", initial=initial)
        kind = reading.kind if reading else ""
        formats = format_choices(FORMATS[kind], empty="Detect") if kind in FORMATS else [("", "Detect")]
        self.fields["format"].widget.choices = formats
        self.targets = [column.target for column in SCHEMAS.get(kind, ())] if reading else sorted(TARGETS)
        headers = reading.headers if reading else []
        for target in self.targets:
            by_name = reading.used.get(target, "") if reading else ""
            automatic = f"{by_name} (by name)" if by_name else "none"
            if (initial or {}).get(f"column-{target}"):
                automatic = "Detect"  # what is used was chosen
            options = [("", automatic), *((one, one) for one in headers)]
            widget = forms.Select(choices=options, attrs={"class": "at-once"})
            self.fields[f"column-{target}"] = forms.CharField(
                label=capfirst(column_words(target)), required=False, widget=widget
            )

    @property
    def columns(self) -> list[forms.BoundField]:
        return [self[f"column-{target}"] for target in self.targets]

    @property
    def choices(self) -> FileChoices:
        """Of a valid form."""
        data = self.cleaned_data
        columns = {
            target: data[f"column-{target}"] for target in self.targets if data.get(f"column-{target}")
        }
        return FileChoices(
            data["kind"], data["encoding"], data["format"], columns, self._run_names, data["header_line"]
        )

    @property
    def _run_names(self) -> list[str]:
        """As many as were sent. Whoever leaves a name as it was suggested has chosen nothing."""
        names: list[str] = []
        while (sent := self.data.get(name := f"{self.prefix}-run-{len(names)}")) is not None:
            typed = tidied_name(sent)[:NAME_LENGTH]
            names.append("" if typed == self.data.get(f"{name}-suggested") else typed)
        return names


def initial_of(choices: FileChoices, kind: str) -> dict[str, Any]:
    """What a file's form shows: what was chosen, and the kind that was found."""
    columns = {f"column-{target}": header for target, header in choices.columns.items()}
    values = {name: getattr(choices, name) for name in ("encoding", "format", "header_line")}
    return {"kind": choices.kind or kind, **values, **columns}


class CopyForm(forms.Form):
    """`parts` of a valid form is what the lists bring along."""

    name = NameField(max_length=NAME_LENGTH, label="Name of the copy")
    lists = forms.BooleanField(
        required=False, initial=True, label="Judgment lists with their pairs, settings and gold pairs"
    )
    judgments = forms.BooleanField(
        required=False,
        label="Judgments with their consensus grades, and what admins decided",
        help_text="Only with the lists.",
    )
    members = forms.BooleanField(
        required=False, label="Members with their roles, and who is assigned to lists"
    )
    runs = forms.BooleanField(required=False, label="Runs with their rankings")

    def clean_name(self) -> str:
        name: str = self.cleaned_data["name"]
        if QuerySet.objects.filter(name__iexact=name).exists():
            raise forms.ValidationError("There is a query set of this name already. Choose another name.")
        return name

    def clean(self) -> dict[str, Any]:
        data = super().clean() or {}
        if data.get("judgments") and not data.get("lists"):
            self.add_error("judgments", "Judgments belong to lists: copy these, too.")
        return data

    @property
    def parts(self) -> Parts:
        return Parts(**{part: self.cleaned_data[part] for part in ("lists", "judgments", "members")})


class DeleteForm(forms.Form):
    """The name as it was typed; whether it is the right one is the action's business."""

    typed = forms.CharField(widget=forms.TextInput(attrs={"autocomplete": "off"}), strip=True)

    def __init__(self, *args: Any, name: str, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["typed"].label = f"Type its name, {name}, to confirm"
