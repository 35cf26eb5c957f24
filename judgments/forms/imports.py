"""Choosing a file, and choosing how it is read."""

from typing import Any

from django import forms

from judgments.models import Purpose
from judgments.reports.imports import WANTED, Choices

ENCODINGS = [("", "Find out"), ("utf-8", "UTF-8"), ("utf-16", "UTF-16"), ("latin-1", "Latin-1")]
FORMATS = [
    ("", "Find out"),
    ("csv", "CSV: commas or semicolons"),
    ("tsv", "TSV: tabs"),
    ("jsonl", "JSON lines"),
]
LEFT_OUT = "-"


class FileForm(forms.Form):
    file = forms.FileField(
        error_messages={
            "required": "Choose a file.",
            "empty": "This file is empty.",
            "max_length": "The name of this file is too long.",
        },
        max_length=255,
    )


class ChoicesForm(forms.Form):
    """Encoding, format and columns. Whether a column exists is for the reader of the file to say."""

    encoding = forms.ChoiceField(choices=ENCODINGS, required=False)
    format = forms.ChoiceField(choices=FORMATS, required=False)
    good_lines = forms.BooleanField(
        label="Import the good lines only", required=False, help_text="Lines with problems are left out."
    )

    def __init__(
        self,
        *args: Any,
        purpose: str,
        headers: list[str],
        used: dict[str, str],
        choices: Choices,
        **kwargs: Any,
    ) -> None:
        super().__init__(*args, **{"initial": _initial(choices)} | kwargs)
        self.targets = [column.target for column in WANTED[purpose]]
        if purpose == Purpose.JUDGMENTS:
            self._add_fields_of_judgments()
        for column in WANTED[purpose]:
            self.fields[f"column-{column.target}"] = _column_field(
                column.target, headers, used.get(column.target, ""), required=column.required
            )

    def _add_fields_of_judgments(self) -> None:
        self.fields["format"] = forms.ChoiceField(choices=[*FORMATS, ("qrels", "TREC qrels")], required=False)
        self.fields["rater"] = forms.CharField(
            max_length=150,
            required=False,
            help_text="For lines that name none; without it, the name of the file. A member's user name means that member.",
        )
        self.fields["create_missing"] = forms.BooleanField(
            label="Make unknown queries and documents",
            required=False,
            help_text="Otherwise they are problems. Such documents have no text yet.",
        )

    @property
    def columns(self) -> list[forms.BoundField]:
        return [self[f"column-{target}"] for target in self.targets]

    @property
    def choices(self) -> Choices:
        """Of a valid form."""
        data = self.cleaned_data
        named = {target: data[f"column-{target}"] for target in self.targets}
        return Choices(
            encoding=data["encoding"],
            format=data["format"],
            columns={
                target: "" if header == LEFT_OUT else header for target, header in named.items() if header
            },
            good_lines=data["good_lines"],
            rater=data.get("rater", ""),
            create_missing=data.get("create_missing", False),
        )


def _column_field(target: str, headers: list[str], found: str, *, required: bool) -> forms.CharField:
    """A select that takes any text, since the columns of a file depend on how it is read."""
    automatic = f"by its name: {found}" if found else "by its name: none found"
    options = [("", automatic), *((header, header) for header in headers)]
    if not required:
        options.append((LEFT_OUT, "leave out"))
    return forms.CharField(label=target, required=False, widget=forms.Select(choices=options))


def _initial(choices: Choices) -> dict[str, Any]:
    columns = {f"column-{target}": header or LEFT_OUT for target, header in choices.columns.items()}
    return choices.to_json() | columns
