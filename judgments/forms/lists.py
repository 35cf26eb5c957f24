"""Settings of a judgment list."""

from typing import Any

from django import forms

from judgments.models import JudgmentList, QuerySet


class ListForm(forms.ModelForm[JudgmentList]):
    class Meta:
        model = JudgmentList
        fields = ["name", "description", "guidelines", "scale", "overlap", "rule", "tie"]
        widgets = {
            "description": forms.Textarea(attrs={"rows": 2}),
            "guidelines": forms.Textarea(attrs={"rows": 10}),
            "tie": forms.RadioSelect,
            "rule": forms.RadioSelect,
        }
        help_texts = {
            "rule": "How several judgments of a pair become one grade.",
            "tie": "What a median or a majority does between two grades.",
        }

    def __init__(self, *args: Any, query_set: QuerySet, scale_fixed: bool = False, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.instance.query_set = query_set
        scale = self.fields["scale"]
        scale.queryset = scale.queryset.usable_in(query_set)  # type: ignore[attr-defined]
        scale.empty_label = None  # type: ignore[attr-defined]
        if scale_fixed:
            scale.disabled = True
            scale.help_text = "Fixed, because judgments were given on it."
        self.fields["overlap"].widget.attrs |= {"min": 1, "max": 30}

    def clean_name(self) -> str:
        name: str = self.cleaned_data["name"]
        same = JudgmentList.objects.filter(query_set=self.instance.query_set, name__iexact=name)
        if same.exclude(pk=self.instance.pk).exists():
            raise forms.ValidationError("This query set has a list of this name already.")
        return name

    def clean_overlap(self) -> int:
        overlap: int = self.cleaned_data["overlap"]
        if not 1 <= overlap <= 30:
            raise forms.ValidationError("The overlap lies between 1 and 30.")
        return overlap
