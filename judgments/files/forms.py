"""Choosing a file, and choosing how it is read."""

from typing import Any, cast

from django import forms
from django.http import QueryDict

from judgments.base.priorities import NORMAL, PRIORITIES
from judgments.files.reports.import_grades import BETWEEN, NEGATIVE, NEGATIVE_DECISION
from judgments.files.reports.import_raters import ACCOUNT, EXTERNAL, MACHINE, SAME, WHO, decision_of
from judgments.files.reports.imports import COLUMNS, READABLE, Choices
from judgments.models import Purpose
from touchstone_core.formats.cells import text_fault
from touchstone_core.formats.file_format import choices as format_choices
from touchstone_core.formats.preamble import LOWEST_LINE
from touchstone_core.formats.text import ENCODING_NAMES

ENCODINGS = [("", "Detect"), *ENCODING_NAMES.items()]
LEFT_OUT = "-"
LONGEST_ORIGIN = 1000


class RatersField(forms.CharField):
    """Who names of raters are, a line for each."""

    widget = forms.Textarea(attrs={"rows": 3})

    def clean(self, value: Any) -> dict[str, str]:
        lines = [line.strip() for line in super().clean(value).splitlines() if line.strip()]
        decisions = [decision_of(line) for line in lines]
        for line, decision in zip(lines, decisions, strict=True):
            if decision is None or text_fault(line):
                raise forms.ValidationError(f"“{line[:80]}” is not {WHO}.")
        return dict(one for one in decisions if one)


class FileForm(forms.Form):
    file = forms.FileField(
        error_messages={
            "required": "Choose a file.",
            "empty": "This file is empty.",
            "max_length": "The name of this file is too long.",
        },
        max_length=255,
    )


class HeaderLineField(forms.IntegerField):
    """The line of a file that names its columns. If empty or 0, the reader finds it."""

    def __init__(self, **kwargs: Any) -> None:
        widget = forms.NumberInput(attrs={"placeholder": "Detect", **kwargs.pop("attrs", {})})
        super().__init__(
            label="Columns named in line",
            required=False,
            min_value=0,
            max_value=LOWEST_LINE,
            widget=widget,
            **kwargs,
        )

    def prepare_value(self, value: Any) -> Any:
        return value or None

    def clean(self, value: Any) -> int:
        return super().clean(value) or 0


class ChoicesForm(forms.Form):
    """Encoding, format and columns. Whether a column exists is for the reader of the file to say."""

    encoding = forms.ChoiceField(choices=ENCODINGS, required=False)
    format = forms.ChoiceField(required=False)
    header_line = HeaderLineField()
    good_lines = forms.BooleanField(
        label="Import the good lines only", required=False, help_text="Lines with problems are left out."
    )

    def __init__(
        self,
        *args: Any,
        purpose: str,
        headers: list[str],
        headers_in_use: dict[str, str],
        choices: Choices,
        **kwargs: Any,
    ) -> None:
        super().__init__(*args, **{"initial": _initial(choices)} | kwargs)
        self.targets = [column.target for column in COLUMNS[purpose]]
        if purpose == Purpose.JUDGMENTS:
            self.targets.append("raters")
        self.fields["format"] = forms.ChoiceField(
            choices=format_choices(READABLE[purpose], empty="Detect"), required=False
        )
        if purpose == Purpose.JUDGMENTS:
            self._add_fields_of_judgments(headers_in_use.get("raters", ""))
        for column in COLUMNS[purpose]:
            automatic = "Detect"
            if column.target not in choices.columns:
                header = headers_in_use.get(column.target)
                automatic = f"{header} (by name)" if header else "none"
            self.fields[f"column-{column.target}"] = _column_field(
                column.target, headers, automatic, required=column.required
            )

    def _add_fields_of_judgments(self, raters: str) -> None:
        self.fields["column-raters"] = forms.CharField(
            label="raters",
            max_length=2000,
            required=False,
            help_text="If each rater has a column: the headers of these columns, separated by commas.",
            widget=forms.TextInput(attrs={"placeholder": raters}),
        )
        self.fields["rater"] = forms.CharField(
            max_length=150,
            required=False,
            help_text="For lines without a rater. Default: the file’s name. A member’s username means that member.",
        )
        self.fields["raters"] = RatersField(
            label="Other raters",
            required=False,
            help_text="A line for each, such as “gpt-4=machine”, “a.smith=account:anna” or “Ann=same:ann”.",
        )
        self.fields["origin"] = forms.CharField(
            label="What made the grades of machines",
            max_length=LONGEST_ORIGIN,
            required=False,
            help_text="Model, prompt and date, for example. Shown to admins with the raters.",
        )
        self.fields["documents"] = forms.BooleanField(
            label="Import the documents of the book",
            required=False,
            help_text="Imports their fields together with the judgments. Documents that are already here are changed.",
        )
        self.fields["create_missing"] = forms.BooleanField(
            label="Create unknown queries and documents",
            required=False,
            help_text="Otherwise they count as problems. Documents created this way have no text yet.",
        )

        self.fields["priority"] = forms.TypedChoiceField(
            label="Raters get new pairs", coerce=int, choices=PRIORITIES, required=False
        )
        self.fields["negative"] = forms.ChoiceField(
            label="Negative grades",
            choices=list(NEGATIVE.items()),
            required=False,
            help_text="Those that aren’t on the scale. In TREC qrels they mean “in the pool, not judged”, or junk.",
        )
        self.fields["between"] = forms.ChoiceField(
            label="Grades between two of the scale",
            choices=list(BETWEEN.items()),
            required=False,
            help_text="Fractions on a scale of whole grades, for example. A continuous scale keeps them exactly.",
        )

    def offer_what_decisions_need(self) -> None:
        """Without what only judgments need: a decision has no rater, and makes no pair, query or document."""
        for name in ("rater", "create_missing", "priority"):
            del self.fields[name]
        negative = cast(forms.ChoiceField, self.fields["negative"])
        negative.choices = [(value, NEGATIVE[value]) for value in NEGATIVE_DECISION]
        negative.help_text = "Those that aren’t on the scale."

    @property
    def columns(self) -> list[forms.BoundField]:
        return [self[f"column-{target}"] for target in self.targets]

    @property
    def raters(self) -> dict[str, str]:
        """Of a valid form: who the names of the file are said to be."""
        typed: dict[str, str] = self.cleaned_data.get("raters", {})
        return chosen_raters(cast(QueryDict, self.data)) | typed

    @property
    def choices(self) -> Choices:
        """Of a valid form."""
        data = self.cleaned_data
        headers = {target: data[f"column-{target}"] for target in self.targets}
        return Choices(
            encoding=data["encoding"],
            format=data["format"],
            columns={
                target: "" if header == LEFT_OUT else header for target, header in headers.items() if header
            },
            good_lines=data["good_lines"],
            rater=data.get("rater", ""),
            create_missing=data.get("create_missing", False),
            negative=data.get("negative", ""),
            between=data.get("between", ""),
            documents=data.get("documents", False),
            raters=self.raters,
            origin=data.get("origin", ""),
            priority=data.get("priority") or NORMAL,
            header_line=data["header_line"],
        )


def chosen_raters(data: QueryDict) -> dict[str, str]:
    """Who names of a file are said to be; names and answers are sent in pairs."""
    answers = zip(data.getlist("rater-name"), data.getlist("rater-as"), strict=False)
    kinds = (EXTERNAL, MACHINE)
    return {
        name: answer
        for name, answer in answers
        if (answer in kinds or answer.startswith((ACCOUNT, SAME))) and not text_fault(name + answer)
    }


def _column_field(target: str, headers: list[str], automatic: str, *, required: bool) -> forms.CharField:
    """A select that takes any text, since the columns of a file depend on how it is read."""
    options = [("", automatic), *((header, header) for header in headers)]
    if not required:
        options.append((LEFT_OUT, "leave out"))
    return forms.CharField(label=target, required=False, widget=forms.Select(choices=options))


def _initial(choices: Choices) -> dict[str, Any]:
    columns = {f"column-{target}": header or LEFT_OUT for target, header in choices.columns.items()}
    raters = "\n".join(f"{name}={who}" for name, who in choices.raters.items())
    return choices.to_json() | columns | {"raters": raters}
