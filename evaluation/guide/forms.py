"""What the guide's pages take: an example to learn with, and a number to reconcile."""

import re
from decimal import Decimal
from typing import Final

from django import forms
from django.http import QueryDict

from evaluation.guide.reports.learn import START, Scene
from evaluation.guide.reports.per_query import PastedError, PastedValues
from evaluation.guide.reports.reconcile import OtherNumber
from touchstone_core.metrics.formula import DEFAULT_CUTOFF, GREATEST_CUTOFF

GREATEST_KEY = 2**63 - 1


class ExampleForm(forms.Form):
    """The keys of a judgment list, a query and a run. Without any, the page shows its own example."""

    list = forms.IntegerField(required=False, min_value=1, max_value=GREATEST_KEY)
    query = forms.IntegerField(required=False, min_value=1, max_value=GREATEST_KEY)
    run = forms.IntegerField(required=False, min_value=1, max_value=GREATEST_KEY)


GRADES: Final = ("1", "0.9", "0.7", "0.5", "0.3", "0.1", "0")
DISCOUNTS: Final = (("reciprocal", "1 / rank, easy by hand"), ("log2", "1 / log2(rank + 1), the usual one"))


class SceneForm(forms.Form):
    """Which documents are retrieved, best rank first, their grades, the cutoff and the discount. Missing ones are as at the start."""

    retrieved = forms.CharField(required=False, max_length=200, strip=True)
    k = forms.ChoiceField(label="Cutoff", choices=[(str(k), str(k)) for k in range(1, len(START.titles) + 1)])
    discount = forms.ChoiceField(label="Discount", choices=DISCOUNTS)

    def __init__(self, data: QueryDict) -> None:
        parameters = START.parameters | {name: data[name] for name in START.parameters if name in data}
        super().__init__(parameters)
        for document, title in START.titles.items():
            choices = [(grade, grade) for grade in GRADES]
            self.fields[f"grade-{document}"] = forms.ChoiceField(label=f"Grade of {title}", choices=choices)
        for field in self.fields.values():
            field.widget.attrs["class"] = "at-once"

    def clean_retrieved(self) -> tuple[str, ...]:
        names = tuple(name for name in self.cleaned_data["retrieved"].split(",") if name)
        if len(set(names)) < len(names) or not set(names) <= set(START.titles):
            raise forms.ValidationError(
                f"The results are “{','.join(names)}”; expected each of {', '.join(START.titles)} at most once."
            )
        return names

    @property
    def scene(self) -> Scene:
        data = self.cleaned_data
        grades = {document: float(data[f"grade-{document}"]) for document in START.titles}
        return Scene(grades, data["retrieved"], int(data["k"]), data["discount"])


class PuzzleForm(forms.Form):
    """Which puzzle, and the choice; without one nothing is answered yet."""

    puzzle = forms.IntegerField(min_value=1, required=False)
    answer = forms.CharField(max_length=1, required=False)


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

    def clean_values(self) -> PastedValues:
        try:
            return PastedValues.read(self.cleaned_data["values"])
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
