"""A number seen elsewhere, however it was written, and the cutoff of the table."""

import re
from decimal import Decimal
from typing import Any, Final

from django import forms
from django.http import QueryDict

from evaluation.guide.reports.reconcile import Seen
from touchstone_core.metrics.formula import DEFAULT_CUTOFF, GREATEST_CUTOFF

MOST_DECIMALS: Final = 12
NO_NUMBER: Final = "Type one number, such as 0.645, .645 or 64.5 %; “NDCG@10 = 0.645” is read too."
_NUMBER: Final = re.compile(r"(?<![\w.,@+-])([+-]?)(\d{1,3}(?:[.,]\d*)?|[.,]\d+)(?![\w.,])\s*(%?)", re.ASCII)
_CUTOFF: Final = re.compile(r"@\s?(\d{1,6})\b", re.ASCII)


class ReconcileForm(forms.Form):
    """`k` for the table; `number` is optional."""

    k = forms.IntegerField(label="Cutoff", min_value=1, max_value=GREATEST_CUTOFF)
    number = forms.CharField(
        label="A number seen elsewhere",
        required=False,
        max_length=100,
        help_text="With all its digits: 0.645, 64.5 % or “NDCG@10 = 0.645”.",
        widget=forms.TextInput(attrs={"placeholder": "NDCG@10 = 0.645", "autocomplete": "off"}),
    )

    def __init__(self, data: QueryDict) -> None:
        given = {name: data[name] for name in ("k", "number") if data.get(name)}
        super().__init__({"k": str(DEFAULT_CUTOFF)} | given)

    def clean_number(self) -> Seen | None:
        text = self.cleaned_data["number"]
        return read_number(text) if text else None

    @property
    def chosen(self) -> tuple[int, Seen | None]:
        """Cutoff and number of a valid form."""
        cleaned: dict[str, Any] = self.cleaned_data
        return cleaned["k"], cleaned["number"]


def read_number(text: str) -> Seen:
    """The number in a text, and the cutoff if it names one: raises ValidationError, with a sentence.

    What stands behind the last = or : is read. More than 1 without a % is taken for a percentage.
    """
    cutoffs = {int(digits) for digits in _CUTOFF.findall(text)}
    found = _NUMBER.findall(re.split("[=:]", text)[-1])
    if len(found) != 1 or len(cutoffs) > 1:
        raise forms.ValidationError(NO_NUMBER)
    sign, digits, percent = found[0]
    digits = digits.replace(",", ".")
    decimals = len(digits.partition(".")[2])
    number = Decimal(digits)
    if percent or number > 1:
        number, decimals = number.scaleb(-2), decimals + 2
    return _checked(number, decimals, cutoffs, negative=sign == "-")


def _checked(number: Decimal, decimals: int, cutoffs: set[int], *, negative: bool) -> Seen:
    if negative or number > 1:
        raise forms.ValidationError("The number lies outside 0 to 1, where every NDCG lies.")
    if decimals == 0:
        raise forms.ValidationError("Give at least one decimal, such as 0.6: every NDCG rounds to 0 or 1.")
    if decimals > MOST_DECIMALS:
        raise forms.ValidationError(f"Give {MOST_DECIMALS} decimals at most.")
    cutoff = next(iter(cutoffs), None)
    if cutoff is not None and not 1 <= cutoff <= GREATEST_CUTOFF:
        raise forms.ValidationError(f"The cutoff behind @ must be from 1 to {GREATEST_CUTOFF}.")
    return Seen(number, decimals, cutoff)
