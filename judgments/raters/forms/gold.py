"""Marking a pair as gold."""

from typing import Any

from django import forms

from judgments.base.digits import written
from judgments.models import GoldPair, Scale


class GoldForm(forms.Form):
    """The right grade of a pair on `scale`, further ones that count, and why."""

    explanation = forms.CharField(
        label="Why",
        required=False,
        max_length=2000,
        widget=forms.Textarea(attrs={"rows": 3}),
        help_text="Shown to raters after an answer in practice.",
    )

    def __init__(self, *args: Any, scale: Scale, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        explanation = self.fields.pop("explanation")
        grades = [(repr(grade.value), str(grade)) for grade in scale.grades.all()]
        if scale.continuous:
            self.fields["value"] = forms.FloatField(
                label="Right grade",
                min_value=scale.minimum,
                max_value=scale.maximum,
                help_text=f"From {written(scale.minimum)} to {written(scale.maximum)}; within a tenth of that range is right.",
                widget=forms.NumberInput(attrs={"step": "any"}),
            )
        else:
            self.fields["value"] = forms.TypedChoiceField(
                label="Right grade",
                coerce=float,
                choices=grades,
                widget=forms.RadioSelect,
                error_messages={"required": "Choose the right grade."},
            )
            self.fields["also"] = forms.TypedMultipleChoiceField(
                label="Counts as right, too",
                coerce=float,
                choices=grades,
                required=False,
                widget=forms.CheckboxSelectMultiple,
            )
        self.fields["explanation"] = explanation

    @classmethod
    def initial_of(cls, gold: GoldPair | None, value: float | None) -> dict[str, Any]:
        """A gold pair as it stands, or a new one that takes the consensus grade `value`."""
        if gold is None:
            return {} if value is None else {"value": repr(value)}
        return {
            "value": repr(gold.value),
            "also": [repr(grade) for grade in gold.also],
            "explanation": gold.explanation,
        }

    @property
    def chosen(self) -> dict[str, Any]:
        """Of a valid form, as `mark_gold` takes it."""
        return {"also": [], **self.cleaned_data}
