"""The choice of a consensus rule."""

from collections.abc import Collection
from typing import Any

from django import forms

from touchstone_core.grades.rules import MODEL_RULES, Rule, Tie

PLAIN_RULES = [choice for choice in Rule.choices() if choice[0] not in MODEL_RULES]
NOT_FITTED = "The model hasn’t been computed yet. Compute it, review what it would change, then save."
NOT_BETTER = (
    "The model doesn’t predict held-back judgments better than the plain rules do, so you can’t choose it."
)


class RuleForm(forms.Form):
    """Offers every rule except those `withheld`. Doesn't save a model that isn't `fitted`, or that is `worse` than plain rules."""

    rule = forms.ChoiceField(label="Rule", choices=Rule.choices())
    tie = forms.ChoiceField(label="Tie rule, between two grades", choices=Tie.choices())

    def __init__(
        self,
        *args: Any,
        withheld: Collection[str] = (),
        fitted: Collection[str] = MODEL_RULES,
        worse: Collection[str] = (),
        **kwargs: Any,
    ) -> None:
        super().__init__(*args, **kwargs)
        self._fitted, self._worse = fitted, worse
        self.fields["rule"].choices = [  # type: ignore[attr-defined]
            choice for choice in Rule.choices() if choice[0] not in withheld
        ]

    def clean_rule(self) -> str:
        rule: str = self.cleaned_data["rule"]
        if rule in MODEL_RULES and rule not in self._fitted:
            raise forms.ValidationError(NOT_FITTED)
        if rule in self._worse:
            raise forms.ValidationError(NOT_BETTER)
        return rule
