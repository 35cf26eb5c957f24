"""Forms of own scales and their levels."""

from typing import Any

from django import forms
from django.core.validators import RegexValidator

from judgments.base.amounts import check_moderate
from judgments.base.digits import written
from judgments.base.names import NameField
from judgments.lists.actions.scales import FEWEST, GradeSpec
from judgments.models import Level, QuerySet, Scale
from judgments.models.scale import GRADE_KEYS

BLANK_ROWS = 4
KEY = RegexValidator(
    f"^[{GRADE_KEYS}]$",
    "Use one digit, or one lowercase letter other than c, f, g, n, s, t, u and x, which the rating screen uses.",
)


class ScaleForm(forms.Form):
    """The scale without its levels. Without `query_sets` it stays in its query set."""

    query_set = forms.ModelChoiceField(QuerySet.objects.none(), label="Query set", empty_label=None)
    name = NameField(max_length=80)
    description = forms.CharField(required=False, widget=forms.Textarea(attrs={"rows": 2}))
    level = forms.ChoiceField(
        label="Level of measurement", choices=Level.choices, initial=Level.ORDINAL, widget=forms.RadioSelect
    )
    threshold = forms.FloatField(
        label="Binary threshold",
        initial=1,
        help_text="Binary measures count this grade and higher ones as relevant.",
        widget=forms.NumberInput(attrs={"step": "any"}),
    )

    def __init__(self, *args: Any, query_sets: Any = None, scale: Scale | None = None, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.scale = scale
        if query_sets is None:
            del self.fields["query_set"]
        else:
            self.fields["query_set"].queryset = query_sets  # type: ignore[attr-defined]

    def clean(self) -> dict[str, Any]:
        data = super().clean() or {}
        place = self.scale.query_set if self.scale else data.get("query_set")
        same = Scale.objects.filter(query_set=place, name__iexact=data.get("name", ""))
        if place and same.exclude(pk=self.scale.pk if self.scale else 0).exists():
            self.add_error("name", "This query set already has a scale of this name. Choose another name.")
        return data


class GradeForm(forms.Form):
    """One level, or none if value, label and key are empty."""

    value = forms.FloatField(
        required=False, validators=[check_moderate], widget=forms.NumberInput(attrs={"step": "any"})
    )
    label = NameField(required=False, max_length=60)
    key = forms.CharField(required=False, max_length=1, validators=[KEY])
    gain = forms.FloatField(
        required=False,
        min_value=0,
        validators=[check_moderate],
        widget=forms.NumberInput(attrs={"step": "any", "min": 0}),
    )
    description = forms.CharField(required=False, max_length=300)
    color = forms.CharField(
        required=False,
        max_length=7,
        validators=[RegexValidator(r"^#[0-9a-f]{6}$", "A color is written #rrggbb.")],
        widget=forms.TextInput(attrs={"placeholder": "#rrggbb"}),
    )

    def __init__(self, *args: Any, in_use: bool = False, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        for name in ("value", "gain"):
            self.fields[name].disabled = in_use

    def clean(self) -> dict[str, Any]:
        data = super().clean() or {}
        if data.get("key") == "" and data.get("value") in range(10):
            data["key"] = written(data["value"])
        if any(data.get(name) not in (None, "") for name in ("value", "label", "key", "description")):
            for name in ("value", "label", "key"):
                if name not in self.errors and data.get(name) in (None, ""):
                    self.add_error(name, "Fill this in.")
            value, gain = data.get("value"), data.get("gain")
            if value is not None and value < 0 and gain is None and "gain" not in self.errors:
                self.add_error("gain", "The value is negative, so enter a gain of at least 0.")
        return data

    @property
    def spec(self) -> GradeSpec | None:
        data = self.cleaned_data
        if data.get("value") is None or not data.get("label"):
            return None
        return GradeSpec(
            data["value"], data["label"], data["key"], data["gain"], data["description"], data["color"]
        )


class BaseGradeFormSet(forms.BaseFormSet[GradeForm]):
    def clean(self) -> None:
        if any(self.errors):
            return
        specs = self.specs
        if len(specs) < FEWEST:
            raise forms.ValidationError("A scale needs at least two grades.")
        for name in ("value", "key"):
            if len({getattr(spec, name) for spec in specs}) < len(specs):
                raise forms.ValidationError(f"Every grade needs a {name} of its own.")

    @property
    def specs(self) -> list[GradeSpec]:
        return [spec for form in self.forms if (spec := form.spec)]


def grade_formset(data: Any = None, *, scale: Scale | None = None, in_use: bool = False) -> BaseGradeFormSet:
    """The levels of `scale` and blank rows, none if the scale is in use."""
    initial = [
        {"value": written(grade.value), "gain": written(grade.gain)}
        | {name: getattr(grade, name) for name in ("label", "key", "description", "color")}
        for grade in (scale.grades.all() if scale else [])
    ]
    blank = 0 if in_use else 1 if scale else BLANK_ROWS
    factory: Any = forms.formset_factory(
        GradeForm, formset=BaseGradeFormSet, extra=blank, max_num=101, absolute_max=110
    )
    formset: BaseGradeFormSet = factory(
        data, initial=initial, prefix="grades", form_kwargs={"in_use": in_use}
    )
    return formset
