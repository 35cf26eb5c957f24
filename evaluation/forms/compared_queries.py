"""Which queries of a comparison are listed, and in what order."""

from typing import Any, Final

from django import forms

from evaluation.reports.compared_queries import NEED_BOUNDS, SORTS

SHOW: Final = [
    ("", "all queries"),
    ("lost", "lost by the run"),
    ("won", "won by the run"),
    ("tied", "tied"),
    ("changed", "with another page"),
    ("order", "with the same documents in another order"),
    ("documents", "with other documents"),
    ("decided", "decided, whatever grades are missing"),
    ("for-run", "decided for the run"),
    ("for-baseline", "decided for the baseline"),
    ("open", "open: missing grades can turn them"),
    ("holes", "with holes"),
]
ORDERS: Final = [
    ("difference", "Worst first"),
    ("-difference", "Best first"),
    ("-size", "Greatest difference"),
    ("-impact", "Greatest impact"),
]
DEFAULT_ORDER: Final = "difference"


class ComparedQueryForm(forms.Form):
    """`bounds` is False under a formula without bounds: what rests on them is not offered, nor accepted."""

    q = forms.CharField(label="Find a query", required=False, max_length=200, widget=forms.SearchInput)
    show = forms.ChoiceField(label="Show", required=False, choices=SHOW)
    tag = forms.CharField(
        label="Tag", required=False, max_length=60, widget=forms.TextInput(attrs={"autocomplete": "off"})
    )

    def __init__(self, data: Any, *, bounds: bool) -> None:
        super().__init__(data)
        if not bounds:
            offered = [one for one in SHOW if one[0] not in NEED_BOUNDS]
            self.fields["show"] = forms.ChoiceField(label="Show", required=False, choices=offered)

    @property
    def narrows(self) -> bool:
        """Of a valid form: whether some queries are not listed."""
        return any(self.cleaned_data.values())


def read_sort(text: str) -> str:
    """A column of the table, with a minus for descending; worst first for what is none."""
    return text if text.removeprefix("-") in SORTS else DEFAULT_ORDER
