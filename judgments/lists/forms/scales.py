"""Own scales: the scale and its levels."""

from typing import Any

from django import forms
from django.core.validators import RegexValidator

from judgments.base.digits import written
from judgments.lists.actions.scales import FEWEST, GradeSpec
from judgments.models import Level, QuerySet, Scale
from judgments.models.scale import GRADE_KEYS

BLANK_ROWS = 4
KEY = RegexValidator(
    f"^[{GRADE_KEYS}]$",
    "One digit or one small letter other than c, f, g, n, s, t, u and x, which the rating screen uses.",
)


class ScaleForm(forms.Form):
    """What belongs to the scale as a whole. Without `query_sets` the scale stays where it is."""

    query_set = forms.ModelChoiceField(QuerySet.objects.none(), label="Query set", empty_label=None)
    name = forms.CharField(max_length=80)
    description = forms.CharField(required=False, widget=forms.Textarea(attrs={"rows": 2}))
    level = forms.ChoiceField(
        label="Level of measurement", choices=Level.choices, initial=Level.ORDINAL, widget=forms.RadioSelect
    )
    threshold = forms.FloatField(
        label="Binary threshold",
        initial=1,
        help_text="The least grade that counts as relevant in binary measures.",
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
        cleaned = super().clean() or {}
        place = self.scale.query_set if self.scale else cleaned.get("query_set")
        same = Scale.objects.filter(query_set=place, name__iexact=cleaned.get("name", ""))
        if place and same.exclude(pk=self.scale.pk if self.scale else 0).exists():
            self.add_error("name", "This query set has a scale of this name already.")
        return cleaned


class GradeForm(forms.Form):
    """One level. A row without value, label and key is no level."""

    value = forms.FloatField(required=False, widget=forms.NumberInput(attrs={"step": "any"}))
    label = forms.CharField(required=False, max_length=60)
    key = forms.CharField(required=False, max_length=1, validators=[KEY])
    gain = forms.FloatField(
        required=False, min_value=0, widget=forms.NumberInput(attrs={"step": "any", "min": 0})
    )
    description = forms.CharField(required=False, max_length=300)
    color = forms.CharField(
        required=False,
        max_length=7,
        validators=[RegexValidator(r"^#[0-9a-f]{6}$", "A color is written #rrggbb.")],
        widget=forms.TextInput(attrs={"placeholder": "#rrggbb"}),
    )

    def __init__(self, *args: Any, locked: bool = False, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        for name in ("value", "gain"):
            self.fields[name].disabled = locked

    def clean(self) -> dict[str, Any]:
        cleaned = super().clean() or {}
        if any(cleaned.get(name) not in (None, "") for name in ("value", "label", "key", "description")):
            for name in ("value", "label", "key"):
                if name not in self.errors and cleaned.get(name) in (None, ""):
                    self.add_error(name, "This is needed.")
            value, gain = cleaned.get("value"), cleaned.get("gain")
            if value is not None and value < 0 and gain is None and "gain" not in self.errors:
                self.add_error("gain", "Give a gain of at least 0: the value is negative.")
        return cleaned

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


def grade_formset(data: Any = None, *, scale: Scale | None = None, locked: bool = False) -> BaseGradeFormSet:
    """The levels of `scale`, and blank rows: none where the scale is in use."""
    initial = [
        {
            "value": written(grade.value),
            "label": grade.label,
            "key": grade.key,
            "gain": written(grade.gain),
            "description": grade.description,
            "color": grade.color,
        }
        for grade in (scale.grades.all() if scale else [])
    ]
    blank = 0 if locked else 1 if scale else BLANK_ROWS
    factory: Any = forms.formset_factory(
        GradeForm, formset=BaseGradeFormSet, extra=blank, max_num=101, absolute_max=110
    )
    formset: BaseGradeFormSet = factory(
        data, initial=initial, prefix="grades", form_kwargs={"locked": locked}
    )
    return formset
