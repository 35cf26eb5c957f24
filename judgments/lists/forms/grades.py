"""A field for a grade of a scale."""

from django import forms

from judgments.models import Scale


def grade_field(scale: Scale, label: str, choices: list[tuple[str, str]], help_text: str = "") -> forms.Field:
    """A number within the range of a continuous scale, for which `help_text` is, otherwise one of `choices`."""
    if scale.continuous:
        return forms.FloatField(
            label=label,
            min_value=scale.minimum,
            max_value=scale.maximum,
            help_text=help_text,
            widget=forms.NumberInput(attrs={"step": "any"}),
        )
    return forms.TypedChoiceField(
        label=label,
        coerce=float,
        choices=choices,
        widget=forms.RadioSelect,
        error_messages={"required": "Choose a grade."},
    )
