"""Which queries of a run are listed."""

from django import forms

from evaluation.scores.reports.run_page import Filter

EVERY = ""
SHOW = [
    (EVERY, "all judged queries"),
    ("missing", "missing from the run"),
    ("empty", "with an empty ranking"),
    ("holes", "with holes"),
    ("ties", "with ties inside the cutoff"),
    ("zero", "with an ideal of 0"),
    ("left-out", "left out of the mean"),
    ("untagged", "without a tag"),
]


class QueryFilterForm(forms.Form):
    q = forms.CharField(label="Find a query", required=False, max_length=200, widget=forms.SearchInput)
    show = forms.ChoiceField(label="Show", required=False, choices=SHOW)
    tag = forms.CharField(
        label="Tag",
        required=False,
        max_length=60,
        widget=forms.TextInput(attrs={"list": "tags", "autocomplete": "off"}),
    )

    @property
    def query_filter(self) -> Filter:
        """Of a valid form."""
        cleaned = self.cleaned_data
        return Filter(text=cleaned["q"], show=cleaned["show"], tag=cleaned["tag"])

    @property
    def narrows(self) -> bool:
        """Of a valid form: whether some queries aren't listed."""
        return any(self.cleaned_data.values())
