"""Which queries of a comparison are listed, and in which order."""

from typing import Any, Final

from django import forms

from evaluation.comparisons.reports.query_table import NEED_BOUNDS, SORTS
from judgments.base.keys import key_in

SHOW: Final = [
    ("", "all queries"),
    ("lost", "lost by the run"),
    ("lost-order", "lost by order"),
    ("lost-depth", "lost by depth"),
    ("lost-recall", "lost by recall"),
    ("lost-no-results", "lost without results"),
    ("lost-unknown", "lost with nothing judged"),
    ("lost-no-step", "lost by no step"),
    ("won", "won by the run"),
    ("tied", "tied"),
    ("changed", "with another page"),
    ("order", "with the same documents in another order"),
    ("documents", "with other documents"),
    ("decided", "decided, whatever grades are missing"),
    ("for-run", "decided for the run"),
    ("for-baseline", "decided for the baseline"),
    ("even", "even: neither can win"),
    ("open", "open: missing grades can turn them"),
    ("unanswered", "without results in the run"),
    ("holes", "with holes"),
]
# Where more is not better, nothing is won or lost.
RANKS_NOTHING: Final = {
    "lost": "lower with the run",
    "lost-order": "lower by order",
    "lost-depth": "lower by depth",
    "lost-recall": "lower by recall",
    "lost-no-results": "lower without results",
    "lost-unknown": "lower with nothing judged",
    "lost-no-step": "lower by no step",
    "won": "higher with the run",
    "tied": "the same in both",
}
AMONG: Final = [("", "all queries"), ("intended", "intended queries"), ("others", "other queries")]
DEFAULT_ORDER: Final = "difference"


class ComparedQueryForm(forms.Form):
    """`bounds` is False under a formula without bounds: what rests on them is not offered, nor accepted. `ranks`: a
    higher value is a better one. Where the address names an intent, its queries, or all others, can be chosen."""

    q = forms.CharField(label="Find a query", required=False, max_length=200, widget=forms.SearchInput)
    tag = forms.CharField(
        label="Tag", required=False, max_length=60, widget=forms.TextInput(attrs={"autocomplete": "off"})
    )

    def __init__(self, data: Any, *, bounds: bool, ranks: bool) -> None:
        super().__init__(data)
        choices = [
            (key, words if ranks else RANKS_NOTHING.get(key, words))
            for key, words in SHOW
            if bounds or key not in NEED_BOUNDS
        ]
        self.fields["show"] = forms.ChoiceField(label="Show", required=False, choices=choices)
        self.intent = key_in(data.get("intent"))
        if self.intent is not None:
            self.fields["among"] = forms.ChoiceField(label="Intent", required=False, choices=AMONG)

    def clean(self) -> dict[str, Any]:
        """`intent` beside `among`, which needs it."""
        data = super().clean() or self.cleaned_data
        return data | ({"intent": self.intent} if data.get("among") else {})

    @property
    def narrows(self) -> bool:
        """Of a valid form: whether some queries are not listed."""
        return any(self.cleaned_data.values())


def orders(*, bounds: bool, ranks: bool) -> list[tuple[str, str]]:
    """Keys and words of the orders that are offered above the table; see `ComparedQueryForm`."""
    offers = [
        ("difference", "Worst first" if ranks else "Lowest difference first"),
        ("-difference", "Best first" if ranks else "Highest difference first"),
        ("-size", "Greatest difference"),
    ]
    return [*offers, ("-impact", "Greatest impact")] if bounds else offers


def read_sort(text: str) -> str:
    """A column of the table, with a minus for descending; worst first for what is none."""
    return text if text.removeprefix("-") in SORTS else DEFAULT_ORDER
