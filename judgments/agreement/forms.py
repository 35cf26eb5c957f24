"""Filters of disagreements, an admin's decision on one, and excluding a rater."""

from collections.abc import Mapping, Sequence
from typing import Any

from django import forms

from judgments.lists.forms.lists import grade_field
from judgments.models import Adjudication, Cause, JudgmentList, Scale

STATES = (("open", "Not decided yet"), ("decided", "Decided"), ("any", "All"))
KINDS = (
    ("", "All differences"),
    ("undecided", "No grade: ties are left to you"),
    ("cannot", "“Cannot judge” against a grade"),
)


class FilterForm(forms.Form):
    """Filters in the address; `raters` are the keys and names to choose from."""

    state = forms.ChoiceField(label="State", choices=STATES, required=False)
    show = forms.ChoiceField(label="Show", choices=KINDS, required=False)
    q = forms.CharField(label="Query", max_length=200, required=False)
    least = forms.FloatField(
        label="At least this far apart",
        min_value=0,
        required=False,
        widget=forms.NumberInput(attrs={"step": "any"}),
    )
    cause = forms.ChoiceField(label="Cause", choices=[("", "Any"), *Cause.choices], required=False)
    gave = forms.FloatField(required=False, widget=forms.HiddenInput)
    other_gave = forms.FloatField(required=False, widget=forms.HiddenInput)
    names = forms.ChoiceField(choices=[("", ""), ("shown", "")], required=False, widget=forms.HiddenInput)

    def __init__(
        self, data: Mapping[str, Any], *, judgment_list: JudgmentList, raters: Sequence[tuple[int, str]]
    ):
        super().__init__(data, auto_id="filter-%s")
        choices = [("", "Any"), *((str(key), name) for key, name in raters)]
        for name, label, widget in (("rater", "Rater", forms.Select), ("other", "", forms.HiddenInput)):
            self.fields[name] = forms.TypedChoiceField(
                label=label, choices=choices, coerce=int, empty_value=None, required=False, widget=widget
            )
        if not judgment_list.scale.has_order:
            self.fields["least"].label = "Share that differs"

    @property
    def valid_values(self) -> dict[str, Any]:
        """The values of the valid fields."""
        self.is_valid()
        return self.cleaned_data


class DecisionForm(forms.Form):
    """The grade of a pair on `scale`, the cause of the disagreement, and a note."""

    cause = forms.ChoiceField(
        label="Why they disagree",
        choices=Cause.choices,
        widget=forms.RadioSelect,
        error_messages={"required": "Choose a cause."},
    )
    note = forms.CharField(
        label="Note", required=False, max_length=2000, widget=forms.Textarea(attrs={"rows": 2})
    )
    seen = forms.IntegerField(required=False, widget=forms.HiddenInput)

    def __init__(self, *args: Any, scale: Scale, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        grades = [(repr(grade.value), grade.label) for grade in scale.grades.all()]
        self.fields["value"] = grade_field(scale, "Grade", grades)
        self.order_fields(["value"])

    @staticmethod
    def initial_of(decision: Adjudication | None) -> dict[str, Any]:
        if decision is None:
            return {}
        return {"value": repr(decision.value), "cause": decision.cause, "note": decision.note}


class ExclusionForm(forms.Form):
    """Whether a rater's judgments count (the name of the button), and a note why they don't."""

    action = forms.ChoiceField(
        choices=[("exclude", ""), ("include", "")],
        error_messages={"required": "Press the button again.", "invalid_choice": "Press the button again."},
    )
    note = forms.CharField(
        label="Why",
        required=False,
        max_length=1000,
        widget=forms.Textarea(attrs={"rows": 2}),
        help_text="For other admins. The rater can’t see it.",
    )
