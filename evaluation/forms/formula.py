"""The formula, chosen above a table and kept in the URL."""

from typing import Any

from django import forms
from django.http import QueryDict

from evaluation.metrics.errors import MetricsError
from evaluation.metrics.formula import DEFAULT_CUTOFF, GREATEST_CUTOFF, Formula
from evaluation.metrics.gain import check_gain
from evaluation.metrics.scale import ScaleInfo

CUTOFFS = (1, 3, 5, 10, 20, 100)
GAINS = [("linear", "linear: grade"), ("exp", "exponential: 2^grade − 1")]
TABLE = ("table", "the scale's table")
DISCOUNTS = [
    ("log2", "log2: 1/log2(rank + 1)"),
    ("jk", "Järvelin–Kekäläinen, with base"),
    ("reciprocal", "reciprocal: 1/rank"),
    ("none", "none"),
]
DEFAULTS = {"k": str(DEFAULT_CUTOFF), "gain": "linear", "discount": "log2", "base": "", "depth": ""}


class FormulaForm(forms.Form):
    """Reads a formula from a URL in which defaults are left out. Nothing wrong becomes a default in silence.

    A base beside another discount than Järvelin–Kekäläinen's means nothing and is left out.
    """

    k = forms.IntegerField(
        label="Cutoff",
        min_value=1,
        max_value=GREATEST_CUTOFF,
        widget=forms.NumberInput(attrs={"list": "cutoffs"}),
    )
    gain = forms.ChoiceField(label="Gain")
    discount = forms.ChoiceField(label="Discount", choices=DISCOUNTS)
    base = forms.FloatField(
        label="Base", required=False, widget=forms.NumberInput(attrs={"step": "any", "placeholder": "2"})
    )
    depth = forms.IntegerField(
        label="Recall depth",
        required=False,
        min_value=1,
        max_value=GREATEST_CUTOFF,
        widget=forms.NumberInput(attrs={"placeholder": "all"}),
    )

    def __init__(self, data: QueryDict, scale: ScaleInfo) -> None:
        given = {name: data[name] for name in DEFAULTS if data.get(name)}
        super().__init__(DEFAULTS | given)
        self.scale = scale
        gain = self.fields["gain"]
        assert isinstance(gain, forms.ChoiceField)  # noqa: S101 -- for the type checker
        gain.choices = [*GAINS, TABLE] if scale.gains else GAINS

    def clean(self) -> dict[str, Any]:
        cleaned = super().clean() or {}
        if self.errors:
            return cleaned
        base = cleaned["base"] if cleaned["discount"] == "jk" else None
        try:
            cleaned["formula"] = Formula(
                gain=cleaned["gain"],
                discount=cleaned["discount"],
                base=base,
                cutoff=cleaned["k"],
                depth=cleaned["depth"],
            )
            check_gain(cleaned["gain"], self.scale)
        except MetricsError as error:
            self.add_error(None, str(error))
        return cleaned

    @property
    def formula(self) -> Formula:
        """The formula of a valid form."""
        formula: Formula = self.cleaned_data["formula"]
        return formula

    @property
    def has_base(self) -> bool:
        return bool(self["discount"].value() == "jk")


def formula_parameters(formula: Formula) -> dict[str, str]:
    """What stands in a URL for this formula: nothing that is a default."""
    parameters = {
        "k": str(formula.cutoff),
        "gain": formula.gain,
        "discount": formula.discount,
        "base": "" if formula.base in (None, 2.0) else f"{formula.base:.17g}",
        "depth": "" if formula.depth is None else str(formula.depth),
    }
    return {name: value for name, value in parameters.items() if value != DEFAULTS[name]}
