"""What is saved about comparisons: held-out queries, how queries were drawn, and comparisons under a name."""

from typing import Any

from django import forms

from evaluation.models import Comparing
from judgments.base.names import NameField
from judgments.models import Query


class ComparingForm(forms.ModelForm[Comparing]):
    class Meta:
        model = Comparing
        fields = ["held_out", "drawn"]
        help_texts = {
            "held_out": "Queries with this tag count in no comparison until somebody opens them, which is logged. "
            "Empty: none are held out.",
            "drawn": "Where frequent queries were drawn more often, the plain mean follows the traffic already, and "
            "a weighted one would count it twice.",
        }

    def clean_held_out(self) -> Any:
        tag = self.cleaned_data["held_out"]
        queries = Query.objects.filter(query_set=self.instance.query_set_id, tags__contains=[tag])
        if tag and not queries.exists():
            raise forms.ValidationError(f"No query of this query set has the tag “{tag}”.")
        return tag


class SavedComparisonForm(forms.Form):
    name = NameField(label="Name", max_length=120)
    notes = forms.CharField(
        label="Notes",
        required=False,
        max_length=10_000,
        widget=forms.Textarea(attrs={"rows": 3}),
        help_text="What was changed, and what was decided. Shown above the comparison.",
    )
