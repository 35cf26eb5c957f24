"""Forms that save and rename the formulas of a query set."""

from typing import Any

from django import forms

from touchstone_core.metrics.errors import FormulaError
from touchstone_core.metrics.formula import Formula
from touchstone_core.metrics.selection import Selection, read_measures


class NameForm(forms.Form):
    """A new name."""

    name = forms.CharField(label="Name", max_length=80)


class SaveFormulaForm(NameForm):
    """A formula as a page shows it, by its canonical texts."""

    formula = forms.CharField(
        label="Formula",
        max_length=200,
        help_text="Its canonical text, such as DCG(gain='exp')@10. Every page with values shows it.",
    )
    measures = forms.CharField(
        label="Further measures",
        required=False,
        max_length=2000,
        help_text="Separate them with spaces, such as AP RR@10. Each becomes a column.",
    )
    is_default = forms.BooleanField(label="Make it the default of the query set", required=False)

    def clean_formula(self) -> Formula:
        try:
            return Formula.from_key(self.cleaned_data["formula"])
        except FormulaError as error:
            raise forms.ValidationError(str(error)) from error

    def clean_measures(self) -> tuple[Any, ...]:
        try:
            return read_measures(self.cleaned_data["measures"])
        except FormulaError as error:
            raise forms.ValidationError(str(error)) from error

    @property
    def chosen(self) -> Selection:
        """Of a valid form."""
        return Selection(self.cleaned_data["formula"], self.cleaned_data["measures"])
