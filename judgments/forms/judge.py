"""What the rating screen sends."""

from typing import Any

from django import forms

from judgments.models import Method, Reason, Scale


class AnswerForm(forms.Form):
    """One answer: the button that was pressed gives `grade` or `reason`; on continuous scales a box gives `grade`."""

    pair = forms.IntegerField(min_value=1, widget=forms.HiddenInput)
    request_id = forms.UUIDField(widget=forms.HiddenInput)
    known = forms.BooleanField(required=False, widget=forms.HiddenInput)
    grade = forms.FloatField(required=False)
    reason = forms.ChoiceField(choices=[("", ""), *Reason.choices], required=False)
    comment = forms.CharField(max_length=2000, required=False)
    active_ms = forms.IntegerField(min_value=0, required=False)
    wall_ms = forms.IntegerField(min_value=0, required=False)
    method = forms.ChoiceField(choices=Method.choices, required=False)
    device = forms.CharField(max_length=10, required=False)

    def __init__(self, *args: Any, scale: Scale, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.scale = scale

    def clean_grade(self) -> float | None:
        value: float | None = self.cleaned_data["grade"]
        if value is None:
            return None
        if self.scale.continuous:
            low, high = self.scale.minimum, self.scale.maximum
            if not low <= value <= high:
                raise forms.ValidationError(f"The grade must lie between {low:g} and {high:g}.")
        elif value not in {grade.value for grade in self.scale.grades.all()}:
            raise forms.ValidationError(f"{value:g} is not a grade of the scale “{self.scale.name}”.")
        return value

    def clean(self) -> dict[str, Any]:
        cleaned: dict[str, Any] = super().clean() or {}
        if cleaned.get("reason"):
            cleaned["grade"] = None
        elif cleaned.get("grade") is None and "grade" not in self.errors:
            raise forms.ValidationError("Choose a grade, or say why the document cannot be judged.")
        return cleaned

    def problem(self) -> str:
        """All that is wrong, in one line; what a person can mend comes first."""
        return " ".join(str(message) for messages in self.errors.values() for message in messages)


class PairForm(forms.Form):
    """Names a pair of the list."""

    pair = forms.IntegerField(min_value=1, widget=forms.HiddenInput)
