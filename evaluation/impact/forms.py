"""How much of the pages is compared before anybody judges."""

from django import forms
from django.http import QueryDict

from touchstone_core.bounds.values import GREATEST_CUTOFF
from touchstone_core.metrics.formula import DEFAULT_CUTOFF


class ImpactForm(forms.Form):
    """Without a number, the first ten documents count."""

    cutoff = forms.IntegerField(
        label="Cutoff",
        required=False,
        min_value=1,
        max_value=GREATEST_CUTOFF,
        error_messages=dict.fromkeys(
            ("invalid", "min_value", "max_value"),
            f"The cutoff is a whole number from 1 to {GREATEST_CUTOFF}.",
        ),
    )

    def __init__(self, data: QueryDict) -> None:
        super().__init__({"cutoff": str(DEFAULT_CUTOFF)} | data.dict())

    def clean_cutoff(self) -> int:
        return self.cleaned_data["cutoff"] or DEFAULT_CUTOFF
