"""Forms that assign raters, and that mark a pair as gold."""

from collections.abc import Iterable
from typing import Any

from django import forms

from judgments.base.digits import written
from judgments.lists.forms.lists import grade_field
from judgments.models import GoldPair, Scale, User
from judgments.raters.actions.assignments import MOST_QUOTA
from judgments.raters.reports.gold_files import LONGEST_EXPLANATION


class AssignmentForm(forms.Form):
    """One of `users`, and this person's quota."""

    user = forms.ChoiceField(label="Rater", error_messages={"required": "Choose a rater."})
    quota = forms.IntegerField(
        label="Quota",
        required=False,
        min_value=1,
        max_value=MOST_QUOTA,
        widget=forms.NumberInput(attrs={"placeholder": "any number"}),
    )

    def __init__(self, *args: Any, users: Iterable[User], **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.users = {str(user.pk): user for user in users}
        field = self.fields["user"]
        field.choices = [(key, user.display_name) for key, user in self.users.items()]  # type: ignore[attr-defined]

    @property
    def assignment(self) -> dict[str, Any]:
        """The arguments for `assign`, from a valid form."""
        return {"user": self.users[self.cleaned_data["user"]], "quota": self.cleaned_data["quota"]}


class GoldForm(forms.Form):
    """The correct grade of a pair on `scale`, others that count as correct, and why."""

    explanation = forms.CharField(
        label="Why",
        required=False,
        max_length=LONGEST_EXPLANATION,
        widget=forms.Textarea(attrs={"rows": 3}),
        help_text="Raters see this after they answer in practice.",
    )

    def __init__(self, *args: Any, scale: Scale, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        grades = [(repr(grade.value), str(grade)) for grade in scale.grades.all()]
        ends = f"From {written(scale.minimum)} to {written(scale.maximum)}."
        within = f"{ends} Answers within a tenth of this range are correct."
        self.fields["value"] = grade_field(scale, "Correct grade", grades, within)
        if not scale.continuous:
            self.fields["also"] = forms.TypedMultipleChoiceField(
                label="Also correct",
                coerce=float,
                choices=grades,
                required=False,
                widget=forms.CheckboxSelectMultiple,
            )
        self.order_fields(["value", "also"])

    @classmethod
    def initial_of(cls, gold: GoldPair | None, value: float | None) -> dict[str, Any]:
        """An existing gold pair, or a new one with the consensus grade `value`."""
        if gold is None:
            return {} if value is None else {"value": repr(value)}
        return {
            "value": repr(gold.value),
            "also": [repr(grade) for grade in gold.also],
            "explanation": gold.explanation,
        }

    @property
    def answer(self) -> dict[str, Any]:
        """The arguments for `mark_gold`, from a valid form."""
        return {"also": [], **self.cleaned_data}
