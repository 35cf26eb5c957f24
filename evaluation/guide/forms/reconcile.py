"""A number from another tool, in any notation, and the cutoff of the table."""

import re
from decimal import Decimal
from typing import Final

from django import forms
from django.http import QueryDict

from evaluation.guide.reports.per_query import Pasted, PastedError
from evaluation.guide.reports.reconcile import OtherNumber
from touchstone_core.metrics.formula import DEFAULT_CUTOFF, GREATEST_CUTOFF

MOST_DECIMALS: Final = 12
NO_NUMBER: Final = "Enter one number, such as 0.645, .645 or 64.5 %, or “NDCG@10 = 0.645”."
_NUMBER: Final = re.compile(r"(?<![\w.,@+-])([+-]?)(\d{1,3}(?:[.,]\d*)?|[.,]\d+)(?![\w.,])\s*(%?)", re.ASCII)
_CUTOFF: Final = re.compile(r"@\s?(\d{1,6})\b", re.ASCII)


class ReconcileForm(forms.Form):
    """`k` for the table; `number` is optional."""

    k = forms.IntegerField(label="Cutoff", min_value=1, max_value=GREATEST_CUTOFF)
    number = forms.CharField(
        label="A number from another tool",
        required=False,
        max_length=100,
        help_text="With all its digits: 0.645, 64.5 % or “NDCG@10 = 0.645”.",
        widget=forms.TextInput(attrs={"placeholder": "NDCG@10 = 0.645", "autocomplete": "off"}),
    )

    def __init__(self, data: QueryDict) -> None:
        values = {name: data[name] for name in ("k", "number") if data.get(name)}
        super().__init__({"k": str(DEFAULT_CUTOFF)} | values)

    def clean_number(self) -> OtherNumber | None:
        text = self.cleaned_data["number"]
        return read_number(text) if text else None


class PastedForm(forms.Form):
    """Values of single queries from another tool."""

    values = forms.CharField(
        label="Values of each query from another tool",
        max_length=5_000_000,
        help_text="A query ID and a value on each line, or the output of trec_eval -q for one measure.",
        widget=forms.Textarea(
            attrs={
                "rows": 4,
                "spellcheck": "false",
                "placeholder": "q1\t0.645\nq2\t0.5",
                "autocomplete": "off",
            }
        ),
        error_messages={
            "required": "Paste at least one line with a query ID and a value, such as “q1 0.645”."
        },
    )

    def clean_values(self) -> Pasted:
        try:
            return Pasted.read(self.cleaned_data["values"])
        except PastedError as error:
            raise forms.ValidationError(str(error)) from error


def read_number(text: str) -> OtherNumber:
    """The number in a text, and the cutoff if it names one. Raises ValidationError, with a sentence.

    Reads what follows the last = or :. A number above 1 without a % counts as a percentage.
    """
    cutoffs = {int(digits) for digits in _CUTOFF.findall(text)}
    numbers = _NUMBER.findall(re.split("[=:]", text)[-1])
    if len(numbers) != 1 or len(cutoffs) > 1:
        raise forms.ValidationError(NO_NUMBER)
    sign, digits, percent = numbers[0]
    digits = digits.replace(",", ".")
    decimals = len(digits.partition(".")[2])
    number = Decimal(digits)
    if percent or number > 1:
        number, decimals = number.scaleb(-2), decimals + 2
    if sign == "-" or number > 1:
        raise forms.ValidationError(
            "The number isn’t between 0 and 1, where every NDCG is. Check it for a typo."
        )
    if decimals == 0:
        raise forms.ValidationError(
            "Enter at least one decimal, such as 0.6, because every NDCG rounds to 0 or 1."
        )
    if decimals > MOST_DECIMALS:
        raise forms.ValidationError(f"Enter at most {MOST_DECIMALS} decimals.")
    cutoff = next(iter(cutoffs), None)
    if cutoff is not None and not 1 <= cutoff <= GREATEST_CUTOFF:
        raise forms.ValidationError(f"The cutoff after @ must be from 1 to {GREATEST_CUTOFF}.")
    return OtherNumber(number, decimals, cutoff)
